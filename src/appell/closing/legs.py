"""The legs of a parallel robot, found in its tree and loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..closures import closures_of, names_of
from ..errors import ModelError
from ..formulations.legs import Leg, Parallel
from ..model.mechanism import Mechanism
from ..model.tree import Tree
from .coordinates import size
from .mobility import rank
from .moving import check_drives, drives

if TYPE_CHECKING:
    from ..robot import Robot

MEETING = ("revolute", "ball")  # joints in which bodies have a point in common


def parallel(robot: Robot, tree: Tree, driven: Iterable[int] = (), as_point: bool | None = None) -> Parallel:
    """The legs of a robot on the links of a tree of its own; without driven freedoms, those that tell all motion are,
    the first of every leg first.

    The end-effector is the body that all loops have in common; or `as_point` the point where they meet it, which is
    the choice where it can be made: where the loops bind no turns, but for such as nothing could turn.
    """
    mechanism, body = robot.mechanism, end_effector(robot.mechanism)
    legs = [Leg(_path(tree, tree.frames[body].link))]
    for loop, cut in zip(mechanism.loops, closures_of(mechanism, tree), strict=True):
        sense = 1 if loop.body_b == body else -1
        legs.append(Leg(_path(tree, (cut.a if sense > 0 else cut.b).link), cut, sense))
    _check_apart(robot, legs)
    one = meets_in_a_point(robot, body) if as_point is None else as_point
    end = tree.frames[body]
    if one and legs[1].cut:
        end = legs[1].cut.b if legs[1].sense > 0 else legs[1].cut.a
    roots = (tree.links[min(leg.links) - 1].freedoms[0].index for leg in legs if leg.links)
    moved = tuple(driven) or drives(robot, roots)
    check_drives(robot, moved)
    return Parallel(tuple(legs), end, moved, 0 if one else size(mechanism) ** 2)


def end_effector(mechanism: Mechanism) -> str:
    """The body that all loops have in common; of two the one that hangs on more joints."""
    if mechanism.constraints or not mechanism.loops:
        raise _strange(mechanism, "constraints" if mechanism.constraints else "no loop")
    common = set.intersection(*({loop.body_a, loop.body_b} for loop in mechanism.loops)) - {"base"}
    if not common:
        raise _strange(mechanism, "loops that have no body in common")
    return max(sorted(common), key=lambda name: _depth(mechanism, name))


def meets_in_a_point(robot: Robot, body: str) -> bool:
    """Whether all that loops bind is one point of a body."""
    loops = robot.mechanism.loops
    points = {(x.placement_b if x.body_b == body else x.placement_a).position for x in loops}
    if len(points) > 1 or any(x.joint.type not in MEETING for x in loops):
        return False
    places = [k for k, name in enumerate(names_of(robot.mechanism)) if ": position" in name]
    A = robot.regular.A
    return rank(A[places]) == rank(A)


def _path(tree: Tree, link: int) -> frozenset[int]:
    return frozenset(b.index for b in tree.support(link))


def _depth(mechanism: Mechanism, name: str) -> int:
    depth, k = 0, mechanism.index[name]
    while k >= 0:
        depth, k = depth + 1, mechanism.parents[k]
    return depth


def _check_apart(robot: Robot, legs: Sequence[Leg]) -> None:
    """Refuse legs that have a link in common."""
    seen: set[int] = set()
    for leg in legs:
        if shared := seen & leg.links:
            names = {place.link: body.name for body, place in zip(robot.bodies, robot.tree.bodies, strict=True)}
            raise _strange(robot.mechanism, f"legs that share {names.get(min(shared), 'a link')!r}")
        seen |= leg.links


def _strange(mechanism: Mechanism, got: str) -> ModelError:
    return ModelError(f"robot {mechanism.name!r} has {got}, wanted legs from the base to one end-effector")
