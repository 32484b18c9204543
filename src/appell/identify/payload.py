"""What a robot carries: the ten moments of a load in its hand, from forces that its own model does not explain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..control.inverse_kinematics import tip
from ..errors import unknown
from ..model.lift import MOMENTS
from ..model.mechanism import Body, Frame, Joint, Placement
from ..robot import Robot
from .base import base_of
from .estimate import Estimate, estimate
from .measurements import Measurements
from .regressor import Regressor


def loaded(robot: Robot, frame: str, name: str = "load") -> Robot:
    """The robot with a body in a frame, of no mass as yet."""
    mechanism = robot.mechanism
    frames = {f.name: f for f in mechanism.frames} | {b.name: Frame(b.name, b.name) for b in mechanism.bodies}
    if frame not in frames:
        raise unknown("frame", frame, frames)
    place = frames[frame]
    body = Body(name, place.body, Joint(f"{name} held", "fixed"), place.placement or Placement())
    return Robot(replace(mechanism, bodies=(*mechanism.bodies, body)))


def payload(
    robot: Robot | Estimate, data: Measurements, frame: str | None = None, name: str = "load", **options: Any
) -> Estimate:  # fmt: skip
    """The moments of a load about a frame, in its axes, from measurements with the load: mass, m c and second moments.

    The robot is a model, or better an estimate from measurements without the load. Options are those of `estimate`;
    `consistent(found).robot` carries the load.
    """
    bare = robot.robot if isinstance(robot, Estimate) else robot
    carrying = loaded(bare, frame or tip(bare), name)
    known = robot if isinstance(robot, Estimate) else Regressor(bare, (), data.coordinates)
    moments = Regressor(carrying, tuple(f"{name}.{part}" for part in MOMENTS), data.coordinates)
    rest = replace(data, tau=data.tau - data.forces(known.forces))
    return estimate(carrying, rest, base=base_of(moments, "qr"), **options)
