"""Small robots that the tests of contact let fall."""

from __future__ import annotations

from typing import Any

from appell import Robot

DOWN_Y, DOWN_Z = (0.0, -9.81, 0.0), (0.0, 0.0, -9.81)
ALONG_Z = (0.0, 0.0, 1.0)


def body(name: str, parent: str, joint: dict[str, Any], mass: float = 1.0, **given: Any) -> dict[str, Any]:
    """One body; `inertia` holds the three moments about its mass centre."""
    xx, yy, zz = given.get("inertia", (0.1, 0.1, 0.1))
    return {
        "name": name, "parent": parent, "joint": {"name": f"{name}_joint", **joint}, "mass": mass,
        "placement": {"position": list(given.get("at", (0, 0, 0)))}, "com": list(given.get("com", (0, 0, 0))),
        "inertia": {"ixx": xx, "iyy": yy, "izz": zz, "ixy": 0, "ixz": 0, "iyz": 0},
    }  # fmt: skip


def robot(name: str, bodies: list[dict[str, Any]], frames: dict[str, tuple[str, Any]], gravity: Any = DOWN_Y) -> Robot:
    """A robot of bodies, with frames (body, position) by name."""
    placed = [{"name": n, "body": b, "placement": {"position": list(at)}} for n, (b, at) in frames.items()]
    data = {"format": "appell-robot/1", "name": name, "gravity": list(gravity), "bodies": bodies, "frames": placed}
    return Robot.from_dict(data)


def dropped() -> Robot:
    """A ball of 1 kg on a vertical slide."""
    return robot("dropped", [body("ball", "base", {"type": "prismatic", "axis": ALONG_Z})], {}, DOWN_Z)


def free_ball() -> Robot:
    """A ball of 1 kg and 0.1 kg m2 that flies and spins."""
    return robot("free_ball", [body("ball", "base", {"type": "free"})], {}, DOWN_Z)


def block(a: float = 0.2, b: float = 0.6) -> Robot:
    """A block of 1 kg in the plane, 2 a wide and 2 b high, with its four corners."""
    inertia = (0.1, 0.1, (a * a + b * b) / 3)
    corners = {"A": (-a, -b, 0), "B": (a, -b, 0), "C": (a, b, 0), "D": (-a, b, 0)}
    bodies = [body("block", "base", {"type": "planar", "axis": ALONG_Z}, inertia=inertia)]
    return robot("block", bodies, {name: ("block", at) for name, at in corners.items()})


def box(half: float = 0.5) -> Robot:
    """A cube of 1 kg in space, with its eight corners."""
    sides = (-half, half)
    corners = [(x, y, z) for x in sides for y in sides for z in sides]
    bodies = [body("box", "base", {"type": "free"}, inertia=(1 / 6, 1 / 6, 1 / 6))]
    return robot("box", bodies, {f"c{k}": ("box", at) for k, at in enumerate(corners)}, DOWN_Z)


def cradle(n: int, radius: float, apart: float = 0.0) -> Robot:
    """n equal balls on strings of 1 m, side by side."""
    small = (1e-3, 1e-3, 1e-3)
    hinge = {"type": "revolute", "axis": ALONG_Z}
    bodies = [
        body(f"string{k}", "base", hinge, com=(0, -1, 0), inertia=small, at=((2 * radius + apart) * k, 0, 0))
        for k in range(n)
    ]
    return robot("cradle", bodies, {f"ball{k}": (f"string{k}", (0, -1, 0)) for k in range(n)})


def falling_chain(n: int, length: float = 2.0) -> Robot:
    """n rods in the plane, 1 kg together, the first one free."""
    rod, mass = length / n, 1.0 / n
    inertia = (1e-6 * mass, mass * rod * rod / 12, mass * rod * rod / 12)
    bodies = []
    for k in range(n):
        joint = {"type": "revolute" if k else "planar", "axis": ALONG_Z}
        at = (rod if k else 0, 0, 0)
        bodies.append(
            body(f"rod{k}", f"rod{k - 1}" if k else "base", joint, mass, com=(rod / 2, 0, 0), inertia=inertia, at=at)
        )
    return robot("falling_chain", bodies, {"end": (f"rod{n - 1}", (rod, 0, 0))})
