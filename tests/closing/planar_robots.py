"""Planar machines with their positions in closed form: the examples of saha2010."""

from __future__ import annotations

from typing import Any

import numpy as np

import appell

Array = np.ndarray[Any, Any]


def rod(name: str, parent: str, at: tuple[float, float], m: float, c: float, I: float) -> dict[str, Any]:
    """A rod along x on a hinge about z, of inertia I about its origin, its mass centre at c."""
    izz = I - m * c * c
    inertia = {"ixx": 0.0, "iyy": izz, "izz": izz, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
    hinge = {"name": f"{name}_joint", "type": "revolute", "axis": [0.0, 0.0, 1.0]}
    placement = {"position": [*at, 0.0]}
    return {"name": name, "parent": parent, "joint": hinge, "placement": placement, "mass": m, "com": [c, 0.0, 0.0],
            "inertia": inertia}  # fmt: skip


def tie(name: str, a: str, x: float, b: str, y: float, kind: str = "revolute") -> dict[str, Any]:
    """A hinge, or another joint, at x along one rod and y along the other."""
    axis = {"axis": [0.0, 0.0, 1.0]} if kind == "revolute" else {}
    at = {"placement_a": {"position": [x, 0.0, 0.0]}, "placement_b": {"position": [y, 0.0, 0.0]}}
    return {"name": name, "joint": {"type": kind, **axis}, "body_a": a, "body_b": b, **at}


def machine(name: str, bodies: list[Any], loops: list[Any]) -> appell.Robot:
    """In the plane z = 0, under gravity along -y."""
    data = {"format": "appell-robot/1", "name": name, "gravity": [0.0, -9.81, 0.0], "bodies": bodies, "loops": loops}
    return appell.Robot.from_dict(data)


def meet(P: Array, r: float, Q: Array, s: float, side: int) -> Array:
    """Where circles about P and Q meet, on one side of the way from P to Q."""
    d = Q - P
    L = float(np.hypot(*d))
    x, e = (r * r - s * s + L * L) / (2 * L), d / L
    return P + x * e + side * np.sqrt(r * r - x * x) * np.array([-e[1], e[0]])


def angle(d: Array) -> float:
    """From +x."""
    return float(np.arctan2(d[1], d[0]))


def along(t: float) -> Array:
    """The direction at an angle from +x."""
    return np.array([np.cos(t), np.sin(t)])


def five_bar(first: float, second: float, kind: str = "revolute") -> tuple[appell.Robot, Array]:
    """Saha's five-bar with its driven links at two angles, the tip below."""
    bars = [("upper1", "base", (0.0, 0.0), 3.0, 0.6), ("lower1", "upper1", (0.6, 0.0), 1.6, 1.1),
            ("upper2", "base", (1.2, 0.0), 2.0, 0.7), ("lower2", "upper2", (0.7, 0.0), 1.1, 1.2)]  # fmt: skip
    bodies = [rod(name, parent, at, m, L / 2, m * L * L / 3) for name, parent, at, m, L in bars]
    E, F = 0.6 * along(first), np.array([1.2, 0.0]) + 0.7 * along(second)
    P = meet(E, 1.1, F, 1.2, -1)
    q = np.array([first, angle(P - E) - first, second, angle(P - F) - second])
    return machine("five_bar", bodies, [tie("tip", "lower1", 1.1, "lower2", 1.2, kind)]), q


def scraper() -> appell.Robot:
    """The carpet scraping machine."""
    bodies = [
        rod("I-1", "base", (-0.089, 0.0), 3.0, 0.0575, 0.0133), rod("I-2", "I-1", (0.115, 0.0), 5.0, 0.0, 2.212e-2),
        rod("II-1", "base", (0.0, 0.0), 1.5, 0.019, 7.258e-4),
        rod("III-1-0", "base", (0.038, 0.410), 4.2, 0.1675, 0.157),
        rod("III-1-1", "III-1-0", (0.096, 0.0), 3.0, 0.1195, 0.057),
        rod("III-2-0", "III-1-0", (0.335, 0.0), 10.5, 0.41825, 2.449),
        rod("III-3-0", "III-2-0", (0.239, 0.0), 3.0, 0.1195, 0.057),
    ]  # fmt: skip
    loops = [tie("pin", "I-2", -0.115, "II-1", 0.038), tie("tracer1", "I-2", 0.115, "III-1-1", 0.239),
             tie("tracer2", "I-2", 0.115, "III-3-0", 0.239)]  # fmt: skip
    return machine("scraper", bodies, loops)


def scraper_at(t: float, side: int = -1) -> Array:
    """Its coordinates with the crank at an angle; the pantograph to the left of its pivot or to the right."""
    C, R, O = 0.038 * along(t), np.array([-0.089, 0.0]), np.array([0.038, 0.410])
    M = meet(R, 0.115, C, 0.115, 1)
    B = 2 * M - C
    a = meet(O, 0.096, B, 0.239, side)
    r, i, u, w = angle(M - R), angle(B - M), angle(a - O), angle(B - a)
    return np.array([r, i - r, t, u, w - u, w - u, u + np.pi - w])
