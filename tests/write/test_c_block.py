"""Control laws as C: they compile without a warning, equal the kernels sample after sample, and their loops arrive."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.compilers import command, each_compiler

import appell
from appell.control import (
    Block,
    Gains,
    adaptive,
    hybrid,
    impedance,
    momentum_observer,
    pd_with_gravity,
    point_to_point,
    task_tracking,
    tracking,
)

PUMA, BAR = appell.load("puma560"), appell.load("five_bar")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2"]
LIMIT = [300.0, 300.0, 200.0, 20.0, 20.0, 20.0]
LAWS = {
    "point": lambda: point_to_point(PUMA, Gains(100.0, 20.0)),
    "tracking": lambda: tracking(PUMA, Gains.of(10.0, 1.0, 3.0), period=1e-3, limit=LIMIT),
    "gravity": lambda: pd_with_gravity(
        PUMA, Gains([300.0, 300.0, 150.0, 10.0, 10.0, 2.0], [60.0, 60.0, 20.0, 1.0, 1.0, 0.2])
    ),
    "in space": lambda: task_tracking(PUMA, Gains(100.0, 20.0)),
    "springs": lambda: impedance(PUMA, 500.0, [60.0] * 3 + [2.0] * 3),
    "push-and-move": lambda: hybrid(PUMA, Gains(100.0, 20.0), ("z",), 2.0, 1e-3),
    "7 learns": lambda: adaptive(PUMA, ["link6.mass", "link6.first.z"], [1.0, 0.1], 1e-3),
    "by two motors": lambda: tracking(BAR, Gains.of(10.0, 1.0, 3.0), period=1e-3, actuators=["shoulder1", "shoulder2"]),
    "observer": lambda: momentum_observer(PUMA, 50.0, 1e-3, threshold=2.0),
}
FAST = ("tracking", "observer", "7 learns")
each_law = pytest.mark.parametrize("name", [n if n in FAST else pytest.param(n, marks=pytest.mark.slow) for n in LAWS])


def legal(name: str) -> str:
    word = name.replace("-", "_").replace(" ", "_")
    return f"x{word}" if word[0].isdigit() else word


def library(law: Block, name: str, folder: Path, compiler: str, precision: Any = "double") -> Any:
    """The law, written, compiled and loaded."""
    law.write_c(folder / f"{name}.c", precision)
    words = [*command(compiler), *STRICT, "-fPIC", "-shared", f"{name}.c", "-lm", "-o", "law.so"]
    subprocess.run(words, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "law.so"))


@each_compiler
@each_law
@pytest.mark.parametrize("precision", ["double", pytest.param("float", marks=pytest.mark.slow)])
def test_a_step_is_the_kernels(name: str, compiler: str, precision: str, tmp_path: Path):
    law, rng, word = LAWS[name](), np.random.default_rng(1), legal(name)
    made = library(law, name, tmp_path, compiler, precision)
    kind, near = (np.float64, 1e-11) if precision == "double" else (np.float32, 2e-3)
    assert made[f"{word}_selftest"]() == 0
    memory, state = np.zeros(max(1, len(law.start)), kind), law.start
    made[f"{word}_start"](memory.ctypes.data_as(ctypes.c_void_p))
    np.testing.assert_allclose(memory[: len(law.start)], law.start, rtol=1e-6)
    for _ in range(5):
        q, v = law.robot.random_state(int(rng.integers(1000)))
        inputs = [rng.uniform(-1, 1, size) for _, size in law.inputs]
        wanted, state = law(q, v, *inputs, state=state)
        given = [np.ascontiguousarray(x, kind) for x in (q, v, *inputs)]
        found = [np.zeros(size, kind) for _, size in law.outputs]
        arrays = [memory, *given, *found]
        made[f"{word}_step"](*(x.ctypes.data_as(ctypes.c_void_p) for x in arrays))
        for a, b in zip(found, wanted):
            np.testing.assert_allclose(a, b, rtol=0, atol=near * max(1.0, np.abs(b).max()))
        np.testing.assert_allclose(memory[: len(state)], state, rtol=0, atol=near * (1 + np.abs(state).max(initial=0)))


@each_compiler
@each_law
def test_a_loop_runs_as_it_stands(name: str, compiler: str, tmp_path: Path):
    law = LAWS[name]()
    law.write_c(tmp_path / f"{name}.c")
    loop = tmp_path / f"{name}_loop.c"
    assert loop.exists() == (law.rest is not None)
    if law.rest is None:
        return
    subprocess.run([*command(compiler), *STRICT, f"{name}.c", loop.name, "-lm", "-o", "loop"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "loop"], capture_output=True, text=True, check=True)
    q, v = np.array([line.split() for line in done.stdout.splitlines()], float).T
    assert np.isfinite(q).all() and np.abs(v).max() < 1.0
    start = BAR.assemble().q if law.closed else PUMA.random_state(1)[0]
    if law.closed:
        np.testing.assert_allclose((q - start)[[0, 2]], 0.05, atol=2e-3)
        np.testing.assert_allclose(q, BAR.assemble(q).q, atol=1e-3)  # the loop all but closed
    if name in ("point", "tracking", "in space"):
        np.testing.assert_allclose(q, start + 0.05, atol=2e-3)


def test_files_that_cannot_be(tmp_path: Path):
    with pytest.raises(appell.AppellError, match=r"ends in \.c"):
        LAWS["point"]().write_c(tmp_path / "law.txt")
    with pytest.raises(appell.AppellError, match="cannot write"):
        LAWS["point"]().write_c(tmp_path / "none" / "law.c")
