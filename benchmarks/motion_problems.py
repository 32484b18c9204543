"""Motions through impacts whose end is known: a ball on a plane, a pendulum against a wall, ten rods in a circle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import asin, pi, sin, sqrt
from typing import Any

import numpy as np

from appell.papers.tree_in_circle import RADIUS, REFERENCE, Flight

Array = np.ndarray[Any, Any]
G = 9.81
HEIGHT, BALL_E = 1.0, 0.8  # of the bouncing ball
ANGLE, ROD_E = 2.5, 0.9  # of the pendulum, from straight down
W = sqrt(1.5 * G)  # of a uniform rod of 1 m, in small swings
NONE = {"ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
Found = tuple[Array, list[float]]  # where it ends, and when it struck
Gap = Callable[[Array], tuple[float, Array]]  # of a point's position: how far from the wall, and the normal


@dataclass(frozen=True)
class Problem:
    """A robot that starts at rest, its wall, and the error of what somebody found; `mjcf` is its likeness in MuJoCo."""

    name: str
    unit: str  # of the error
    robot: dict[str, Any]
    q0: Array
    t_end: float
    restitution: float
    points: tuple[str, ...]
    wall: Callable[[], Any]
    gap: Gap
    error: Callable[[Found], float]
    mjcf: str = ""


def problems() -> list[Problem]:
    """All of them."""
    return [ball(), pendulum(), tree()]


def ball() -> Problem:
    """A mass falls from 1 m and bounces three times in two seconds."""
    body = _body("ball", {"name": "guide", "type": "prismatic", "axis": [0, 0, 1]}, 0.0, 0.4)
    return Problem(
        *("bouncing ball", "m", _robot("ball", body), np.array([HEIGHT]), 2.0, BALL_E, ("point",)),
        wall=_plane((0.0, 0.0, 1.0)),
        gap=lambda x: (float(x[2]), np.array([0.0, 0.0, 1.0])),
        error=lambda found: abs(float(found[0][0]) - ball_height(2.0)),
        mjcf=MJCF.format(
            plane='pos="0 0 -0.1"', joint='type="slide" axis="0 0 1"', com="0 0 0", inertia=0.4, at="0 0 0"
        ),
    )


def pendulum() -> Problem:
    """A rod swings down from 2.5 rad against a wall at its lowest point, again and again, for five seconds."""
    body = _body("rod", {"name": "pin", "type": "revolute", "axis": [0, -1, 0]}, -0.5, 1 / 12, tip=-1.0)
    return Problem(
        *("pendulum against a wall", "rad", _robot("pendulum", body), np.array([ANGLE]), 5.0, ROD_E, ("point",)),
        wall=_plane((1.0, 0.0, 0.0)),
        gap=lambda x: (float(x[0]), np.array([1.0, 0.0, 0.0])),
        error=lambda found: abs(float(found[0][0]) - pendulum_angle(5.0)),
        mjcf=MJCF.format(
            plane='pos="-0.1 0 0" zaxis="1 0 0"', joint='type="hinge" axis="0 -1 0"', com="0 0 -0.5", inertia=1 / 12,
            at="0 0 -1",
        ),
    )  # fmt: skip


def tree() -> Problem:
    """The case study of shafei2018; its error is that of the five impacts' times."""
    flight = Flight()
    return Problem(
        *("shafei2018: ten rods in a circle", "s", flight.robot.to_dict(), flight.start, 1.5, 1.0),
        points=tuple(f"O{k}" for k in range(1, 12)),
        wall=_circle,
        gap=_in_circle,
        error=lambda found: max(abs(t - row.t) for t, row in zip(found[1], REFERENCE)),
    )


# -- closed forms -----------------------------------------------------------------------------------------------


def ball_height(t: float) -> float:
    """Above the plane: parabolas, each 0.8 times as long as the last."""
    start, speed = sqrt(2 * HEIGHT / G), BALL_E * sqrt(2 * G * HEIGHT)
    if t < start:
        return HEIGHT - G * t * t / 2
    while t > start + 2 * speed / G:
        start, speed = start + 2 * speed / G, BALL_E * speed
    return (t - start) * (speed - G * (t - start) / 2)


def pendulum_angle(t: float, angle: float = ANGLE) -> float:
    """From straight down: every swing a Jacobian sine, with a modulus 0.9 times that of the last."""
    from scipy.special import ellipj, ellipk

    k = sin(angle / 2)
    start = float(ellipk(k * k)) / W
    if t < start:
        return 2 * asin(k * float(ellipj(W * (start - t), k * k)[0]))
    k *= ROD_E
    while t > start + 2 * float(ellipk(k * k)) / W:
        start, k = start + 2 * float(ellipk(k * k)) / W, ROD_E * k
    return 2 * asin(k * float(ellipj(W * (t - start), k * k)[0]))


# -- data -------------------------------------------------------------------------------------------------------

MJCF = """<mujoco>
 <compiler angle="radian"/>
 <option gravity="0 0 -9.81" integrator="RK4"/>
 <worldbody>
  <geom type="plane" size="9 9 1" {plane} condim="1"/>
  <body><joint {joint}/><inertial pos="{com}" mass="1" diaginertia="{inertia} {inertia} {inertia}"/>
   <geom type="sphere" size="0.1" pos="{at}" condim="1"/></body>
 </worldbody>
</mujoco>"""


def _body(name: str, joint: dict[str, Any], com: float, inertia: float, tip: float = 0.0) -> dict[str, Any]:
    moments = {"ixx": inertia, "iyy": inertia, "izz": inertia, **NONE}
    body = {"name": name, "parent": "base", "joint": joint, "mass": 1.0, "com": [0, 0, com], "inertia": moments}
    return {"bodies": [body], "frames": [{"name": "point", "body": name, "placement": {"position": [0, 0, tip]}}]}


def _robot(name: str, parts: dict[str, Any]) -> dict[str, Any]:
    return {"format": "appell-robot/1", "name": name, "gravity": [0.0, 0.0, -G], "loops": [], **parts}


def _plane(normal: tuple[float, float, float]) -> Callable[[], Any]:
    def wall() -> Any:
        import appell

        return appell.Plane(normal)

    return wall


def _circle() -> Any:
    import appell

    return appell.Circle(RADIUS)


def _in_circle(x: Array) -> tuple[float, Array]:
    flat = np.array([x[0], x[1], 0.0])
    far = float(np.linalg.norm(flat))
    return RADIUS - far, -flat / far


def damping_ratio(restitution: float) -> float:
    """Of a spring with a damper that gives back a share of the speed, where contact ends once nothing pushes."""
    from scipy.optimize import brentq

    def given_back(z: float) -> float:
        root = sqrt(1 - z * z)
        return float(np.exp(-z / root * (pi - np.arctan2(2 * z * root, 1 - 2 * z * z)))) - restitution

    return float(brentq(given_back, 1e-9, 0.7))  # type: ignore[arg-type]
