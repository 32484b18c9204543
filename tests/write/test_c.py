"""C text: compiled without a warning, it gives the numbers of the interpreter, with loops or without."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.compilers import command, each_compiler
from oracles.few import few
from oracles.traced import AWAY, CASES, PAGES, Case, case, error, inputs, rolled, unrolled

from appell.errors import ShapeError, TraceError
from appell.formulations.table import Formulation
from appell.scalar import atan2, cos, sign, sin, sqrt, tanh
from appell.trace.chain import in_registers
from appell.trace.derivative import jacobian
from appell.trace.expr import Graph
from appell.trace.passes import with_fma
from appell.trace.program import Array, Program
from appell.trace.reading import read
from appell.trace.tangent import tangent
from appell.write.c import c_header, c_source
from appell.write.interpret import interpret

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-ffp-contract=off")
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda f: f.name)
PRECISION = {"f8": "double", "f4": "float"}
ALLOWED = {"f8": 1e-15, "f4": 5e-6}


def library(text: str, folder: Path, compiler: str, *more: str) -> ctypes.CDLL:
    """A C text compiled and loaded."""
    stem = folder / f"text{len(list(folder.iterdir()))}"  # a new name: what is loaded is not loaded again
    stem.with_suffix(".c").write_text(text)
    files = [str(stem.with_suffix(".c")), "-o", str(stem.with_suffix(".so"))]
    words = [*command(compiler), *STRICT, *more, "-O1", "-shared", "-fPIC", *files, "-lm"]
    made = subprocess.run(words, capture_output=True)
    assert made.returncode == 0, made.stderr.decode()[:2000]
    return ctypes.CDLL(str(stem.with_suffix(".so")))


def called(f: Any, x: tuple[Any, ...], likes: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """The outputs of a C function, in the precision of what they are like."""
    given = [np.ascontiguousarray(v, likes[0].dtype) for v in x]
    made = [np.full_like(y, np.nan) for y in likes]
    f(*(ctypes.c_void_p(v.ctypes.data) for v in (*given, *made)))
    return made


def check(program: Program, given: Case, folder: Path, compiler: str = "gcc", dtype: str = "f8") -> str:
    """Compiles a Program of q, v and a third vector, and compares; hands back the text."""
    x = given.state[: len(program.inputs)]
    wanted = interpret(program, *x, tree=given.tree, dtype=dtype)
    assert all(np.isfinite(y).all() for y in wanted)
    precision: Any = PRECISION[dtype]
    text = c_source(program, name="f", precision=precision, tree=given.tree, example=(x, wanted))
    made = library(text, folder, compiler)
    for got, y in zip(called(made.f, x, wanted), wanted):
        assert error(got, y) < ALLOWED[dtype]
    assert made.f_selftest() == 0
    return text


NAMES = ("for", "7R arm", "sin", "gamma", "int", "class", "main", "*/ x(); /*", "Größe", "__LINE__", "k", "NULL", "t1")
gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc on this machine")


@each_compiler
@pytest.mark.parametrize("dtype", ["f8", pytest.param("f4", marks=pytest.mark.slow)])
@pytest.mark.parametrize("unroll", [True, False])
@each_page
def test_a_mixed_tree(page: Formulation, unroll: bool, dtype: str, compiler: str, tmp_path: Path) -> None:
    given = CASES["tree"]
    check((unrolled if unroll else rolled)(page, given.tree), given, tmp_path, compiler, dtype)


@gcc
@pytest.mark.parametrize("dtype", ["f8", pytest.param("f4", marks=pytest.mark.slow)])
@each_page
def test_a_chain_of_30(page: Formulation, dtype: str, tmp_path: Path) -> None:
    given = case(14, 30, joints="simple" if dtype == "f8" else "revolute")
    text = check(in_registers(rolled(page, given.tree)), given, tmp_path, dtype=dtype)
    assert "for (int i0 = 1; i0 <= 30; ++i0) {" in text and "for (int i0 = 30; i0 >= 1; --i0) {" in text


@gcc
@pytest.mark.parametrize("name", ["arm", "tree"])
def test_walks_away_from_the_base(name: str, tmp_path: Path) -> None:
    given = CASES[name]
    text = check(rolled(AWAY, given.tree), given, tmp_path)
    assert f"for (int i1 = i0 + 1; i1 <= {'5' if name == 'arm' else 'last[i0]'}; ++i1) {{" in text


@gcc
@pytest.mark.parametrize("shape", ["chain", pytest.param("tree", marks=pytest.mark.slow)])
@pytest.mark.parametrize("page", [PAGES[1], *(pytest.param(f, marks=pytest.mark.slow) for f in (PAGES[0], *PAGES[2:]))])
def test_derivatives(page: Formulation, shape: str, tmp_path: Path) -> None:
    given = case(15, 5, shape=shape)
    check(jacobian(unrolled(page, given.tree)), given, tmp_path)
    made = in_registers(rolled(page, given.tree))
    rates = tangent(made)
    x = inputs(page, given.state)
    wanted = interpret(rates, *x, *x, tree=given.tree)
    f = library(c_source(rates, name="f", tree=given.tree), tmp_path, "gcc").f
    for got, y in zip(called(f, (*x, *x), wanted), wanted):
        assert error(got, y) < 1e-15


@gcc
def test_many_states(tmp_path: Path) -> None:
    given = CASES["floating"]
    made, rng = unrolled(PAGES[3], given.tree), np.random.default_rng(5)
    f = library(c_source(with_fma(made), name="f"), tmp_path, "gcc").f
    for _ in range(50):
        x = tuple(v + rng.normal(size=v.shape) for v in given.state)
        wanted = interpret(made, *x)
        assert error(called(f, x, wanted)[0], wanted[0]) < 1e-12


@gcc
def test_every_operation(tmp_path: Path) -> None:
    graph, x, y = Graph(), Array("x", "lane", (3,)), Array("y", "memory", (6,))
    a, b, _ = (graph.load(x, (k,)) for k in range(3))
    made = sin(a) * cos(a) - b, sqrt(a) / b, 1e-300 / tanh(b), -sign(b) * sign(a), sign(b), atan2(b, a)
    for k, e in enumerate(made):
        graph.store(y, (k,), 0, e)
    program = Program("all of it", (x, Array("unused", "lane", (2,))), (y,), graph.block)
    text = c_source(program)
    assert "void all_of_it(const double *x, const double *unused, double *y)" in text and "(void)unused;" in text
    assert text.count("sin(") == text.count(" cos(") == 1
    f = library(text, tmp_path, "gcc").all_of_it
    wanted = interpret(program, [0.7, -1.3, 0.0], [0.0, 0.0])
    assert error(called(f, ([0.7, -1.3, 0.0], [0.0, 0.0]), wanted)[0], wanted[0]) < 1e-15
    nan = called(f, ([0.7, np.nan, 0.0], [0.0, 0.0]), wanted)[0]
    assert np.isnan(nan).tolist() == [True] * 6


@gcc
@pytest.mark.parametrize("name", few(NAMES, *NAMES[::4]))
def test_any_name_becomes_legal(name: str, tmp_path: Path) -> None:
    graph, x, y = Graph(), Array(name, "lane", (2,)), Array("tau" if name == "k" else name, "memory", (1,))
    a, b = (graph.load(x, (k,)) for k in range(2))
    graph.store(y, (0,), 0, sin(a) * b)
    program = Program("f", (x,), (y,), graph.block)
    example = ([[0.5, 2.0]], [[2.0 * np.sin(0.5)]])
    text = c_source(program, name=name, example=example)
    function = re.search(r"^int (\w+)_selftest\(void\);", text, re.M)
    assert function and function[1] != name
    assert getattr(library(text, tmp_path, "gcc"), f"{function[1]}_selftest")() == 0


@gcc
@pytest.mark.parametrize("wrong", ["y[0] = 1.00001 * x[0];", "y[0] = NAN;", ";"])
def test_the_self_test_sees_what_is_wrong(wrong: str, tmp_path: Path) -> None:
    graph, x, y = Graph(), Array("x", "lane", (1,)), Array("y", "memory", (2,))
    a = graph.load(x, (0,))
    for k in range(2):
        graph.store(y, (k,), 0, a * (k + 1))
    text = c_source(Program("f", (x,), (y,), graph.block), example=([[2.0]], [[2.0, 4.0]]))
    assert library(text, tmp_path, "gcc").f_selftest() == 0
    assert library(text.replace("y[0] = x[0];", wrong), tmp_path, "gcc").f_selftest() == 1


@gcc
def test_the_header_fits(tmp_path: Path) -> None:
    """Included before the text, twice, from C and from C++."""
    given = CASES["tree"]
    made = rolled(PAGES[1], given.tree)
    header = tmp_path / "arm.h"
    header.write_text(c_header(made, "new arm", precision="float"))
    assert "void new_arm(const float *q, const float *v, const float *a, float *tau);" in header.read_text()
    text = c_source(made, name="new arm", precision="float", tree=given.tree)
    library(text, tmp_path, "gcc", "-include", str(header), "-include", str(header))
    if shutil.which("g++"):
        user = tmp_path / "user.cpp"
        user.write_text('#include "arm.h"\nint main() { return new_arm_selftest(); }\n')
        subprocess.run(["g++", "-Wall", "-Werror", "-fsyntax-only", str(user)], check=True)


def test_the_text_is_for_people() -> None:
    text = c_source(rolled(PAGES[2], CASES["tree"].tree), tree=CASES["tree"].tree)
    assert text.startswith("/* mass_matrix: q[") and "switch (kind[i0]) {" in text
    assert re.search(r"case 0: \{ /\* revolute \*/", text)
    assert re.search(r"^ +const double t12 = ", text, re.M)
    body = unrolled(PAGES[2], CASES["tree"].tree)
    assert f" {body.count()['mul']} mul" in c_source(body)
    assert max(map(len, c_source(body).splitlines())) < 110


@pytest.mark.slow
@gcc
def test_much_memory_leaves_the_stack(tmp_path: Path) -> None:
    """A chain of 2000: a quarter of a megabyte of slots, and still linear text."""
    given = case(16, 2000)
    text = c_source(rolled(PAGES[0], given.tree), name="f", tree=given.tree)
    assert "Not reentrant" in text and "    static double m" in text
    wanted = interpret(rolled(PAGES[0], given.tree), *given.state, tree=given.tree)
    f = library(text, tmp_path, "gcc").f
    for _ in range(2):  # what the first call left behind does not matter
        assert error(called(f, given.state, wanted)[0], wanted[0]) < 1e-12


def test_refusals() -> None:
    tree, state = CASES["arm"]
    with pytest.raises(TraceError, match="got no tree and wants one"):
        c_source(rolled(PAGES[0], tree))
    with pytest.raises(ShapeError, match=r"sizes \[5, 5, 4, 5\] and wants q: 5, v: 5, a: 5, tau: 5"):
        c_source(unrolled(PAGES[0], tree), example=((*state[:2], state[2][:4]), (state[2],)))
    graph, y = Graph(), Array("y", "memory", (1,))
    graph.store(y, (0,), 0, float("inf"))
    with pytest.raises(TraceError, match="holds the constant inf"):
        c_source(Program("f", (), (y,), graph.block))


@gcc
def test_wrenches(tmp_path: Path) -> None:
    tree, state = CASES["arm"]
    wrench = np.random.default_rng(3).normal(size=(len(tree.bodies), 6))
    made = read(PAGES[0], tree, wrench=True)
    wanted = interpret(made, *state, wrench)
    f = library(c_source(made, name="f"), tmp_path, "gcc").f
    assert error(called(f, (*state, wrench), wanted)[0], wanted[0]) < 1e-15
