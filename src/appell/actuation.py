"""Names of joints made into motors and coordinates of a mechanism, and found to move it, or refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .closures import closures_of
from .errors import ModelError, ShapeError, unknown
from .formulations import actuated, cut_resistance
from .formulations.actuated import Drive
from .formulations.coordinates import Cut, columns_of
from .formulations.reduction import Chosen
from .formulations.table import CLOSED_ONES, Formulation, Question
from .model.joints import WIDTHS
from .model.mechanism import Mechanism
from .model.tree import Tree
from .model.walk import Coordinates, Walk
from .regular import NOTHING, Regular, rank_of

if TYPE_CHECKING:
    from .questions import Questions

Array = np.ndarray[Any, Any]
Actuators: TypeAlias = tuple[tuple[str, float], ...]  # names of joints, and what their forces cost


def weighed(given: Any) -> Actuators:
    """Actuators as a user names them: one, several, or several with a price each."""
    if given is None:
        return ()
    prices = given if isinstance(given, Mapping) else dict.fromkeys(_names(given), 1.0)
    if not prices:
        raise ShapeError(f"actuators is {given!r}, wanted one name at least")
    for name, price in prices.items():
        if not isinstance(name, str):
            raise ShapeError(f"actuators is {given!r}, wanted a list of names")
        if not (isinstance(price, (int, float)) and 0 < price < float("inf")):
            raise ShapeError(f"actuator {name!r} has the price {price!r}, wanted a positive number")
    return tuple((name, float(price)) for name, price in prices.items())


def _names(given: Any) -> list[Any]:
    names: list[Any] = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [None]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ShapeError(f"actuators has {twice[0]!r} twice, wanted each once")
    return names


def driven(robot: Questions, actuators: Actuators, row: Formulation) -> tuple[Formulation, Drive]:
    """The row that answers with the forces of actuators, by a row of inverse dynamics; and what goes with it."""
    drive = drive_of(robot, actuators)
    asks = Question(("q", "v", "a"), (("tau", (len(drive.motors),)),), "forces of the actuators for a motion")
    page = row.text if row.robots == CLOSED_ONES else cut_resistance.inverse(row.text)
    text = partial(actuated.inverse_dynamics, page=page)
    return replace(row, text=text, rolls=False, robots=CLOSED_ONES, asks=asks), drive


def drive_of(robot: Questions, actuators: Actuators) -> Drive:
    """The motors of actuators, if they can move the mechanism as they want."""
    motors, labels = places(robot.mechanism, [name for name, _ in actuators])
    prices = tuple(price for name, price in actuators for label in labels if label == name)
    at, pushed = shown(robot, motors)
    _check(robot, at, pushed, labels)
    chosen = chosen_of(at, motors) if len(motors) == at.freedoms.shape[1] else None
    return Drive(motors, prices, chosen)


def shown(robot: Questions, coordinates: Sequence[Any]) -> tuple[Regular, Array]:
    """Where coordinates tell most of how the mechanism moves; and there, what they do to its freedoms."""
    found = []
    for at in robot.regulars:
        pushed = at.freedoms.T @ numbers(robot.mechanism, robot.light_tree, at.q, coordinates)
        s = np.linalg.svd(pushed, compute_uv=False)
        found.append((rank_of(s), float(s[rank_of(s) - 1]) if rank_of(s) else 0.0, at, pushed))
    return max(found, key=lambda x: x[:2])[2:]


def places(mechanism: Mechanism, names: Sequence[str]) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """The freedoms of joints, and for each the name."""
    known = named(mechanism)
    for name in names:
        if name not in known:
            raise unknown("joint", name, known)
        if not known[name]:
            raise ModelError(f"actuator {name!r} is a fixed joint, wanted one that moves")
    found = [(x, name) for name in names for x in known[name]]
    return tuple(x for x, _ in found), tuple(name for _, name in found)


def named(mechanism: Mechanism) -> dict[str, list[Any]]:
    """The freedoms of all joints, cut or not, by name.

    A joint goes by its own name or its body's; with "[0]", "[1]" behind it, it is one of several freedoms.
    """
    known: dict[str, list[Any]] = {}
    for k, body in enumerate(mechanism.bodies):
        known |= _named(list(range(mechanism.v_starts[k], mechanism.v_starts[k + 1])), body.name)
    for k, body in enumerate(mechanism.bodies):  # where a joint is named like another's body, the joint is meant
        known |= _named(list(range(mechanism.v_starts[k], mechanism.v_starts[k + 1])), body.joint.name)
    for k, loop in enumerate(mechanism.loops):
        known |= _named([Cut(k, n) for n in range(WIDTHS[loop.joint.type][1])], loop.joint.name, loop.name)
    return known


def _named(freedoms: list[Any], *names: str) -> dict[str, list[Any]]:
    whole = dict.fromkeys(names, freedoms)
    single = {f"{name}[{k}]": [x] for name in names for k, x in enumerate(freedoms)} if len(freedoms) > 1 else {}
    return single | whole


def numbers(mechanism: Mechanism, tree: Tree, q: Array, coordinates: Sequence[Any]) -> Array:
    """What a unit force on each coordinate does to the freedoms of the tree, one column each."""
    walk, closures = Walk(tree), closures_of(mechanism, tree)
    B = np.zeros((tree.nv, len(coordinates)))
    for k, column in enumerate(columns_of(walk, Coordinates(q.tolist()), closures, coordinates)):
        B[list(column), k] = [float(x) for x in column.values()]
    return B


def chosen_of(at: Regular, coordinates: tuple[Any, ...]) -> Chosen:
    """Coordinates, and the tree's other freedoms."""
    return Chosen(coordinates, sparse_first(at, [z for z in range(at.A.shape[1]) if z not in coordinates]))


def sparse_first(at: Regular, freedoms: Iterable[int]) -> tuple[int, ...]:
    """Freedoms in the order in which they are best made orthogonal: those first that few equations know."""
    met = (np.abs(at.A) > np.abs(at.A).max(initial=0.0) * 1e-12).sum(axis=0)
    return tuple(sorted(freedoms, key=lambda z: (met[z], z)))


def _check(robot: Questions, at: Regular, pushed: Array, labels: tuple[str, ...]) -> None:
    """Refuse motors that the loops hold, and such as leave a freedom without force."""
    name, count = robot.mechanism.name, pushed.shape[0]
    for k, label in enumerate(labels):
        if np.abs(pushed[:, k]).max(initial=0.0) < NOTHING:
            raise ModelError(f"actuator {label!r} cannot move {name!r}: the loops hold its joint")
    rank = rank_of(np.linalg.svd(pushed, compute_uv=False)) if pushed.size else 0
    if rank < count:
        idle, given = (", ".join(map(repr, x)) for x in (idle_joints(robot, at, pushed), dict.fromkeys(labels)))
        raise ModelError(
            f"actuators {given} drive {rank} of the {count} freedoms of {name!r}, wanted all: "
            f"with them held, {idle} can still move"
        )


def idle_joints(robot: Questions, at: Regular, pushed: Array) -> list[str]:
    """Joints that move where no coordinate does, those first that move most; three at most."""
    U, s, _ = np.linalg.svd(pushed)
    moves = np.abs(at.freedoms @ U[:, rank_of(s) :]).max(axis=1)
    starts = robot.mechanism.v_starts
    most = [moves[a:b].max(initial=0.0) for a, b in pairwise(starts)]
    order = [k for k in np.argsort(most)[::-1] if most[k] > 0.1 * max(most)]
    return [robot.mechanism.bodies[k].joint.name for k in order[:3]]
