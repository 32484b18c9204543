"""The subsystems of a closed mechanism, and in which order they become determinate.

Source: saha2010, section 4.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..closures import names_of
from ..formulations.closed_subsystems import Determined, Subsystem
from .moving import check_drives, drives, independent_rows, pattern

if TYPE_CHECKING:
    from ..robot import Robot


@dataclass(frozen=True)
class Part:
    """A subsystem by names: bodies, and the equations and joints whose forces are found from it."""

    bodies: tuple[str, ...]
    equations: tuple[str, ...]
    drives: tuple[str, ...]

    @property
    def unknowns(self) -> int:
        """How many equations are solved at once."""
        return len(self.equations) + len(self.drives)


def determined(robot: Robot, driven: Iterable[int] = ()) -> Determined:
    """The subsystems in the order in which they become determinate.

    A subsystem is what hangs on the base by one joint. Its unknowns are the forces of equations that bind it, as far
    as no other subsystem has told them, and of its drives; with as many as freedoms it is determinate, and solved.
    Where none is, all that are left are solved at once. Equations that say nothing new are left out. Without driven
    freedoms those that move the mechanism are, from the base on.
    """
    left = subtrees(robot)
    moved = tuple(driven) or drives(robot, (part[0] for part in left))
    check_drives(robot, moved)
    unknown, known = set(independent_rows(robot.regular.A)), pattern(robot)
    binds = {k: known[k] for k in unknown}
    found: list[Subsystem] = []
    while left:
        parts = (_part(freedoms, unknown, binds, moved) for freedoms in left)
        part = next((p for p in parts if len(p.freedoms) == len(p.equations) + len(p.drives)), None)
        part = part or _part([z for freedoms in left for z in freedoms], unknown, binds, moved)
        found.append(part)
        unknown -= set(part.equations)
        left = [freedoms for freedoms in left if not set(freedoms) <= set(part.freedoms)]
    return Determined(tuple(found), moved)


def _part(freedoms: list[int], unknown: set[int], binds: dict[int, set[int]], driven: tuple[int, ...]) -> Subsystem:
    own = set(freedoms)
    equations = tuple(k for k in sorted(unknown) if binds[k] & own)
    return Subsystem(tuple(freedoms), equations, tuple(z for z in driven if z in own))


def subtrees(robot: Robot) -> list[list[int]]:
    """The freedoms of every subtree that hangs on the base by one joint."""
    root: dict[int, int] = {0: 0}
    found: dict[int, list[int]] = {}
    for b in robot.tree.links:
        root[b.index] = root[b.parent] if b.parent else b.index
        found.setdefault(root[b.index], []).extend(z.index for z in b.freedoms)
    return [*found.values()]


def named(robot: Robot, given: Determined) -> tuple[Part, ...]:
    """The subsystems by names."""
    m, equations = robot.mechanism, names_of(robot.mechanism)
    starts = m.v_starts
    joints = [b.joint.name for k, b in enumerate(m.bodies) for _ in range(starts[k], starts[k + 1])]
    bodies = [b.name for k, b in enumerate(m.bodies) for _ in range(starts[k], starts[k + 1])]
    return tuple(
        Part(
            tuple(dict.fromkeys(bodies[z] for z in sorted(part.freedoms))),
            tuple(equations[k] for k in part.equations),
            tuple(joints[z] for z in part.drives),
        )
        for part in given.parts
    )


def redundant(robot: Robot, given: Determined) -> tuple[str, ...]:
    """The equations that say nothing new, and are left out."""
    used = {k for part in given.parts for k in part.equations}
    return tuple(name for k, name in enumerate(names_of(robot.mechanism)) if k not in used)
