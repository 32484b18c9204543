"""Where things stand in an SDF: every pose is relative to something that has a name, and all are found once.

Names of nested models are told with their owners', `arm::hand`; a model's own frame is `arm::__model__`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import ModelError, unknown
from ..model.mechanism import Placement
from .turns import HERE, carried, exact, quaternion_rows, rpy_rows, seen_from
from .xml import Element

WORLD, MODEL = "world", "__model__"
DEGREE = 0.017453292519943295
NEAR = 6  # frames


def pose(e: Element) -> tuple[Placement, str]:
    """The <pose> of an element, and the name of what it is relative to, if it says so."""
    given = e.one("pose")
    if given is None:
        return HERE, ""
    relative = given.word("relative_to", given.word("frame", ""))
    degrees = given.choice("degrees", {"true": DEGREE, "1": DEGREE, "false": 1.0, "0": 1.0}, 1.0)
    if given.choice("rotation_format", ("euler_rpy", "quat_xyzw"), "euler_rpy") == "quat_xyzw":
        x, y, z, *turn = given.content_vector(7) if given.text.strip() else (0.0,) * 6 + (1.0,)
        if not 0.81 <= sum(c * c for c in turn) <= 1.21:
            raise given.refuse(f"the quaternion {tuple(turn)}", "one of length 1")
        return Placement((x, y, z), exact(quaternion_rows((turn[3], turn[0], turn[1], turn[2])))), relative
    x, y, z, *angles = given.content_vector(6) if given.text.strip() else (0.0,) * 6
    roll, pitch, yaw = (a * degrees for a in angles)
    return Placement((x, y, z), rpy_rows((roll, pitch, yaw))), relative


@dataclass(frozen=True)
class Given:
    """A frame as it was told."""

    element: Element
    pose: Placement
    relative: str


@dataclass
class Frames:
    """All frames of a file by their whole names; `worlds` are those that have been found, seen from the world."""

    given: dict[str, Given] = field(default_factory=dict)
    attached: dict[str, str] = field(default_factory=dict)  # to which other frame each is fixed; links to themselves
    worlds: dict[str, Placement] = field(default_factory=lambda: {WORLD: HERE})

    def add(self, name: str, e: Element, attached: str, placement: Placement, relative: str) -> None:
        """A frame that nothing else is called as."""
        if name in self.given or name == WORLD:
            raise e.refuse(f"the name {name!r}, which is taken", "a name of its own")
        self.given[name], self.attached[name] = Given(e, placement, relative), attached

    def world(self, name: str) -> Placement:
        """Where a frame stands in the world."""
        waiting: dict[str, None] = {}
        while name not in self.worlds:
            if name in waiting:
                raise self.given[name].element.refuse(f"a pose that is relative to itself, {name!r}", "one that is not")
            if name not in self.given:
                where = self.given[next(reversed(waiting))].element.where if waiting else "frame"
                raise ModelError(f"{where}: {unknown('frame', name, self.given)}")
            waiting[name] = None
            name = self.given[name].relative
        for name in reversed(waiting):
            given = self.given[name]
            self.worlds[name] = carried(self.worlds[given.relative], given.pose)
        return self.worlds[next(iter(waiting), name)]

    def between(self, outer: str, inner: str) -> Placement:
        """Where one frame stands in another; to the last bit, where few poses lie between them."""
        a, b = self._up(outer), self._up(inner)
        common = next((name for name in a if name in b), None)
        if common is None:
            return seen_from(self.world(outer), self.world(inner))
        return seen_from(self._down(a[: a.index(common)]), self._down(b[: b.index(common)]))

    def _up(self, name: str) -> list[str]:
        """A frame, and the few to which it is relative, one after the other."""
        found = [name]
        while len(found) < NEAR and found[-1] in self.given:
            found.append(self.given[found[-1]].relative)
        return found

    def _down(self, names: list[str]) -> Placement:
        """The poses of some frames, each relative to the next."""
        at = HERE
        for name in names:
            at = carried(self.given[name].pose, at)
        return at

    def link(self, name: str, e: Element) -> str:
        """The link, or the world, to which a frame is fixed."""
        seen: set[str] = set()
        while name != WORLD:
            if name not in self.attached:
                raise ModelError(f"{e.where}: {unknown('link', name, self.attached)}")
            if name in seen:
                raise e.refuse(f"{name!r}, which is attached to itself", "what hangs on a link")
            if self.attached[name] == name:
                break
            seen.add(name)
            name = self.attached[name]
        self.attached |= dict.fromkeys(seen, name)  # so that long rows are walked once
        return name
