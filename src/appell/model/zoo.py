"""Models that come with Appell, and chains and trees of any size.

`load` reads a file or one of `names()`; `chain` and `tree` are made on the spot, always the same for the same
arguments: clean numbers, plausible inertias with products of inertia, axes along coordinate axes.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Literal

from ..errors import ModelError, unknown
from . import toml
from .joints import EYE
from .mechanism import Body, Inertia, Joint, Mechanism, Placement
from .reading import Rows, shown

ROBOTS = Path(__file__).with_name("robots")
GRAVITY = (0.0, 0.0, -9.81)
X, Y, Z = EYE
MIXED = ("fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "ball")


def names() -> list[str]:
    """The robots of the zoo."""
    return sorted(path.stem for path in ROBOTS.glob("*.toml"))


def load(name: str) -> Mechanism:
    """A robot of the zoo."""
    if name not in names():
        raise unknown("robot", name, names())
    return toml.read(ROBOTS / f"{name}.toml")


def chain(n: int) -> Mechanism:
    """n rods of 0.2 m and 0.5 kg in a row, on revolute joints about z, y, x, z ..."""
    _check_size(n)
    rod = 0.5, (0.1, 0.004, -0.006), _inertia(0.002, 0.00005, 0.00008)
    places = (Placement(), Placement((0.2, 0.0, 0.0)))
    bodies = []
    for i in range(n):
        joint = Joint(f"joint{i + 1}", "revolute", (Z, Y, X)[i % 3])
        bodies.append(Body(f"link{i + 1}", f"link{i}" if i else "base", joint, places[i > 0], *rod))
    return Mechanism(f"chain_{n}", GRAVITY, tuple(bodies))


def tree(n: int, seed: int, floating: bool = False, joints: Literal["revolute", "mixed"] = "revolute") -> Mechanism:
    """n bodies on random parents, listed depth first; `floating` puts the first on a free joint."""
    _check_size(n)
    if joints not in ("revolute", "mixed"):
        raise unknown("choice of joints", joints, ("revolute", "mixed"))
    random, bodies, path = Random(seed), [], ["base"]
    for i in range(n):
        if len(path) > 2 and random.random() < 0.5:
            del path[-min(1 + int(3 * random.random()), len(path) - 2) :]
        kind = "free" if floating and i == 0 else "revolute"
        if joints == "mixed" and i:
            kind = MIXED[int(len(MIXED) * random.random())]
        bodies.append(_limb(random, f"body{i + 1}", path[-1], _joint(random, f"joint{i + 1}", kind)))
        path.append(f"body{i + 1}")
    kept = "floating_tree" if floating else "tree"
    return Mechanism(f"{kept}_{n}_{seed}_{joints}", GRAVITY, tuple(bodies))


def _check_size(n: int) -> None:
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ModelError(f"zoo: got n = {shown(n)}, wanted a whole number of bodies, at least 1")


def _joint(random: Random, name: str, kind: str) -> Joint:
    if kind in ("fixed", "ball", "free"):
        return Joint(name, kind)
    k = int(3 * random.random())
    pitch = round(0.02 + 0.1 * random.random(), 3) if kind == "helical" else None
    return Joint(name, kind, EYE[k], pitch, EYE[(k + 1) % 3] if kind == "universal" else None)


def _limb(random: Random, name: str, parent: str, joint: Joint) -> Body:
    """A body of about 0.3 m, its joint somewhere on the parent and turned by right angles."""
    at = tuple(round(0.4 * random.random() - 0.2, 3) for _ in range(3))
    com = tuple(round(0.2 * random.random() - 0.1, 3) for _ in range(3))
    mass = round(0.3 + 2 * random.random(), 3)
    sizes = sorted((0.0004 + 0.008 * random.random() for _ in range(3)), reverse=True)
    inertia = _inertia(*(round(mass * s, 6) for s in sizes))
    return Body(name, parent, joint, Placement(at, _turn(int(6 * random.random()))), mass, com, inertia)  # type: ignore[arg-type]


@lru_cache
def _turn(k: int) -> Rows:
    """The identity three times out of six, else a signed permutation."""
    return EYE if k < 3 else ((X, (0.0, 0.0, -1.0), Y), (Z, X, Y), ((0.0, -1.0, 0.0), X, Z))[k - 3]


def _inertia(x: float, y: float, z: float) -> Inertia:
    """Of second moments x >= y >= z about the mass centre, with products as small as the smallest allows."""
    k = round(0.2 * min(x, y, z), 8)
    diagonal = (round(y + z, 9), round(z + x, 9), round(x + y, 9))
    return Inertia(*diagonal, -k, k, -round(0.5 * k, 8))
