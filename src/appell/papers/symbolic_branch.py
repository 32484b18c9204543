"""Equations of a small part of shafei2018's tree in symbols: M and h of some rods on a base that moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..model.lift import GRAVITY
from ..robot import Robot
from ..write.formulas import sympy_here
from .case import Agreement, Case, Table
from .tree_in_circle import Flight

MOST = 4  # rods whose equations a reader will want to see
OTHER = "lagrange"
LIKE = {"mass": "m", "first.x": "s", "second.xx": "J", "second.yy": "K", "second.zz": "K", "offset.x": "l"}


def branch(rods: int = 2, method: str = "gibbs_appell_tree") -> Case:
    """M and h of the first rods in symbols.

    All rods are alike: m their mass, l their length, s = m l / 2 their first moment, J and K their second moments
    along and across, so J + K their inertia about an end.
    """
    robot = first_rods(rods)
    M, h = (_in_letters(robot, what, method) for what in ("mass_matrix", "bias"))
    other = [_in_letters(robot, what, OTHER) for what in ("mass_matrix", "bias")]
    odd = [x for one, two in zip((M, h), other, strict=True) for x in (one - two).applyfunc(_simple) if x != 0]
    n = robot.nv
    rows = [(f"M[{i + 1}, {j + 1}]", str(M[i, j])) for i in range(n) for j in range(i, n)]
    rows += [(f"h[{i + 1}]", str(h[i])) for i in range(n)]
    return Case(
        "shafei2018",
        "branch",
        f"Equations of the first {rods} rods in symbols",
        "q1 and q2 are X1 and X2 of the base, q3 and on the angles. M is symmetric, so what is above its diagonal is "
        "all; h is what holds the tree in motion without acceleration. All rods are alike: m is their mass, l their "
        "length, s = m l / 2 their first moment, J + K their inertia about an end.",
        (Table("equations", ("entry", "is"), rows),),
        agreements=(
            Agreement("entries that Lagrange's equations make otherwise", 0.0, float(len(odd)), 0.0),
            *_in_numbers(robot, M, h),
        ),
        data={"M": [[str(x) for x in M.row(i)] for i in range(n)], "h": [str(x) for x in h], "rods": rods},
    )


def first_rods(count: int) -> Robot:
    """Part of the tree, which is a tree as well."""
    if not 1 <= count <= MOST:
        raise ShapeError(f"rods is {count}, wanted 1 to {MOST}")
    whole = Flight().robot.mechanism
    names = {b.name for b in whole.bodies[:count]}
    frames = tuple(f for f in whole.frames if f.body in names)
    return Robot(replace(whole, name=f"{count} rods", bodies=whole.bodies[:count], frames=frames))


def _in_letters(robot: Robot, what: str, method: str) -> Any:
    """A question in letters that all rods share."""
    sympy = sympy_here()
    own = {name: LIKE[name.partition(".")[2]] for name, x in robot.parameters().items() if x and name not in GRAVITY}
    down = {"gravity.y": -sympy.Symbol("g", real=True)}
    return robot.symbolic(what, method=method, inputs=own | down).applyfunc(_simple)


def _simple(x: Any) -> Any:
    sympy: Any = sympy_here()
    return sympy.factor_terms(sympy.trigsimp(x.expand()))


def _in_numbers(robot: Robot, M: Any, h: Any) -> list[Agreement]:
    """Symbols with numbers for them, beside the kernels, at a random state."""
    q, v = robot.random_state(1)
    own = robot.parameters()
    values = {letter: own[f"link1.{part}"] for part, letter in LIKE.items() if part != "offset.x"}
    values |= {"l": 1.0, "g": -own["gravity.y"]} | {f"q{k + 1}": x for k, x in enumerate(q)}
    values |= {f"v{k + 1}": x for k, x in enumerate(v)}
    found = []
    for name, given, exact in (("M", M, robot.mass_matrix(q)), ("h", h, robot.bias(q, v))):
        numbers = np.array(given.subs({s: values[s.name] for s in given.free_symbols}), float).reshape(exact.shape)
        off = float(np.abs(numbers - exact).max() / np.abs(exact).max())
        found.append(Agreement(f"{name} in numbers, against the kernel", 0.0, off, 1e-13))
    return found
