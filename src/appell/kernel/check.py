"""Every new kernel is compared once with the plain-float reading of its own text."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import KernelError
from ..formulations.table import Formulation
from ..model.tree import FREEDOMS, POSITIONS, Link, Tree
from ..model.walk import Coordinates, Walk

if TYPE_CHECKING:
    from .kernel import Kernel

SMALL = 6  # bodies of the robot that a rolled kernel is tried on
TOLERANCE = {8: 1e-8, 4: 2e-2}
NEAR = 0.05  # how far from given values inputs are tried, where not all values have an answer
SHAKEN = 30.0  # an ill-conditioned answer may be off by so much of what rounded inputs do to it


def plain(
    formulation: Formulation,
    tree: Tree,
    values: dict[str, Any],
    prescribed: frozenset[int] = frozenset(),
    lift: Any = None,
    **given: Any,
) -> list[np.ndarray[Any, Any]]:
    """A text read with floats: the slow, obvious reference; lifted parameters have the model's own values."""
    question = formulation.question
    lists = [Coordinates([float(x) for x in values[name]]) for name in question.inputs]
    result = partial(formulation.text, **given)(Walk(tree, prescribed=prescribed), *lists)
    results = result if isinstance(result, tuple) else (result,)
    return [_array(r, shape, tree) for r, (_, shape) in zip(results, question.outputs, strict=True)]


def _array(values: Any, shape: tuple[Any, ...], tree: Tree) -> np.ndarray[Any, Any]:
    sizes: dict[Any, Any] = {"n": tree.n, "nq": tree.nq, "nv": tree.nv}
    out = np.zeros(tuple(sizes.get(s, s) for s in shape))
    for place in np.ndindex(out.shape):
        out[place] = values[place[0] if len(place) == 1 else place]
    return out


def verify(kernel: Kernel, formulation: Formulation, **given: Any) -> None:
    """Raises KernelError where compiled and plain reading differ at a random state."""
    tree = kernel.tree if not kernel.program.rolled else part(kernel.tree, _small(kernel.tree, given))
    values = random_values(tree, formulation)
    run = dict(values) | ({"parameters": np.array(given["lift"].values())} if given.get("lift") else {})
    _compare(kernel, run_one(kernel, tree, run), lambda x: plain(formulation, tree, x, **given), values)


def verify_program(kernel: Kernel) -> None:
    """Raises KernelError where a compiled Program and its statements, run one by one, differ at a random state."""
    from ..write.interpret import interpret

    rng = np.random.default_rng(1)
    values = {form.name: rng.uniform(-1.0, 1.0, form.shape) for form in kernel.inputs}
    found = run_one(kernel, kernel.tree, values)
    _compare(kernel, found, lambda x: [*interpret(kernel.program, *x.values())], values)


def _compare(kernel: Kernel, found: list[Any], reading: Callable[[dict[str, Any]], list[Any]], values: Any) -> None:
    """Refuses answers that differ from a reading by more than what rounded inputs would make of it."""
    wanted = reading(values)
    errors, most = _differences(found, wanted), TOLERANCE[kernel.dtype.itemsize]
    if not all(error <= most for error in errors):
        most = max(most, SHAKEN * max(_differences(reading(_rounded(values, kernel.dtype)), wanted)))
    for form, error in zip(kernel.outputs, errors, strict=True):
        if not error <= most:
            raise KernelError(
                f"kernel {kernel.what} gave {form.name} with a relative difference of {error:.1e} from its text, "
                f"wanted at most {most:.0e}"
            )


def _differences(found: list[Any], wanted: list[Any]) -> list[float]:
    """The largest difference of each answer, by its largest number."""
    pairs = zip(found, wanted, strict=True)
    with np.errstate(invalid="ignore"):
        return [float(np.abs(a - b).max(initial=0.0) / (np.abs(b).max(initial=0.0) + 1e-30)) for a, b in pairs]


def _rounded(values: dict[str, Any], dtype: np.dtype[Any]) -> dict[str, Any]:
    """Inputs as far off as rounding may have put them."""
    rng = np.random.default_rng(2)
    return {k: x * (1 + float(np.finfo(dtype).eps) * rng.uniform(-4.0, 4.0, np.shape(x))) for k, x in values.items()}


def _small(tree: Tree, given: dict[str, Any]) -> int:
    """How many bodies to try: a frame's link is part of the Program, and a last link must resist being moved."""
    count = max(SMALL, given["place"].link if "place" in given else 0)
    while count < tree.n and not _resists(tree.links[count - 1]):
        count += 1
    return count


def _resists(b: Link) -> bool:
    """Whether a link alone resists being moved by its joint."""
    turned = b.second.xx + b.second.yy if b.kind in ("revolute", "helical") else any(b.second)
    return bool(b.mass if b.kind == "prismatic" else turned)


def part(tree: Tree, count: int) -> Tree:
    """The first bodies of a tree, numbered anew: a robot that the same rolled Program serves."""
    links, nq, nv = [], 0, 0
    for b in tree.links[:count]:
        links.append(replace(b, q_index=nq, v_index=nv))
        nq, nv = nq + POSITIONS[b.kind], nv + FREEDOMS[b.kind]
    return replace(tree, links=tuple(links), nq=nq, nv=nv, bodies=(), frames={})


def random_values(tree: Tree, formulation: Formulation, seed: int = 1) -> dict[str, np.ndarray[Any, Any]]:
    """Inputs of moderate size, or near those where a text has an answer; quaternions need no norm."""
    rng = np.random.default_rng(seed)
    sizes = {"q": tree.nq, "t": 1, **dict(formulation.question.sizes)}
    values = {name: rng.uniform(-1.0, 1.0, sizes.get(name, tree.nv)) for name in formulation.question.inputs}
    return values | {name: np.array(at) + NEAR * values[name] for name, at in formulation.question.near}


def run_one(kernel: Kernel, tree: Tree, values: dict[str, Any]) -> list[np.ndarray[Any, Any]]:
    """One state through `@one`, for a tree that need not be the kernel's own; no wrench acts."""
    from .kernel import context

    counts, build = (tree.n, tree.nq, tree.nv), kernel.build
    words = kernel.context if tree is build.tree else context(counts, build.scratch(tree), build.interface.tables(tree))
    sizes: dict[Any, Any] = dict(zip(("n", "nq", "nv"), counts, strict=True))
    none = np.zeros(max(f.size for f in kernel.inputs))
    given = [np.ascontiguousarray(values.get(f.name, none), kernel.dtype) for f in kernel.inputs]
    shapes = [tuple(sizes.get(s, s) for s in a.shape) for a in kernel.program.outputs]
    found = [np.full(shape, np.nan, kernel.dtype) for shape in shapes]
    pointers = [a.ctypes.data for a in (*given, *found)] + [words.ctypes.data]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(pointers))(kernel.addresses["one"])(*pointers)
    return found
