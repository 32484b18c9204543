"""What a hand carries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..errors import ModelError, unknown
from ..model.mechanism import Body, Frame, Inertia, Joint, Placement
from ..robot import Robot
from .inverse_kinematics import tip


@dataclass(frozen=True)
class Load:
    """A body held in a frame, by default the tool: its mass, centre and the inertia about that, in the frame's axes."""

    mass: float
    com: Any = (0.0, 0.0, 0.0)
    inertia: Inertia = Inertia()
    frame: str | None = None

    def __post_init__(self) -> None:
        if not self.mass > 0:
            raise ModelError(f"a load has the mass {self.mass!r}, wanted a number above 0")

    def on(self, robot: Robot, name: str = "load") -> Robot:
        """The robot that carries it."""
        mechanism, frame = robot.mechanism, self.frame or tip(robot)
        places = {b.name: Frame(b.name, b.name) for b in mechanism.bodies} | {f.name: f for f in mechanism.frames}
        if frame not in places:
            raise unknown("frame of a load", frame, places)
        place = places[frame]
        x, y, z = map(float, self.com)
        body = Body(
            name, place.body, Joint(f"{name} held", "fixed"), place.placement or Placement(), float(self.mass),
            (x, y, z), self.inertia,
        )  # fmt: skip
        return Robot(replace(mechanism, bodies=(*mechanism.bodies, body)))
