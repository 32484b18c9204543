"""Mechanisms from Denavit-Hartenberg rows, in either convention, with the inertias of either.

Row i is (a, alpha, d, theta) or a mapping with these keys; what the joint moves is an offset in the row. With
Rz, Tz, Tx, Rx the turns and shifts about and along the axes,

    standard (distal)    T = Rz(theta) Tz(d) Tx(a) Rx(alpha)      joint i turns about z of frame i - 1
    modified (proximal)  T = Rx(alpha) Tx(a) Rz(theta) Tz(d)      joint i turns about z of frame i

Mass centres and inertias are given in frame i, which in the standard convention lies at the end of link i.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import ModelError, unknown
from . import reading
from .mechanism import FORMAT, Mechanism
from .reading import refuse, shown

Array = np.ndarray
KEYS = ("a", "alpha", "d", "theta")
TYPES = {"revolute": "revolute", "R": "revolute", "r": "revolute"}
TYPES |= {"prismatic": "prismatic", "P": "prismatic", "p": "prismatic"}
INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
ORDER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
CHOICES = {
    "convention": ("standard", "modified"),
    "translation": ("craig", "valera"),
    "com_vector": ("from_origin", "to_origin"),
    "inertia_about": ("centre", "origin"),
}


@dataclass(frozen=True)
class Row:
    """One link's numbers, and its type of joint."""

    a: float
    alpha: float
    d: float
    theta: float
    type: str


def from_dh(
    rows: Sequence[Any],
    convention: Literal["standard", "modified"] = "standard",
    masses: Any = None,
    coms: Any = None,
    inertias: Any = None,
    gravity: Any = (0.0, 0.0, -9.81),
    base: Any = None,
    tool: Any = None,
    name: str = "robot",
    *,
    translation: Literal["craig", "valera"] = "craig",
    com_vector: Literal["from_origin", "to_origin"] = "from_origin",
    inertia_about: Literal["centre", "origin"] = "centre",
    joint_names: Sequence[str] | None = None,
    body_names: Sequence[str] | None = None,
    joints: Sequence[Mapping[str, Any]] | None = None,
) -> Mechanism:
    """A serial robot. A fifth entry of a row, or "type", is "revolute" ("R", if absent) or "prismatic" ("P").

    translation: in the modified convention [a, -d sin(alpha), d cos(alpha)] as Craig has it, or "valera",
    with the opposite signs of d. com_vector: "from_origin" of frame i to the mass centre, or, as Saha has
    it, "to_origin" from the mass centre to the origin of frame i. inertia_about: the mass "centre" or the
    "origin" of frame i; each inertia is a 3x3 matrix, its diagonal, or a mapping with ixx ... iyz. `joints`
    may add keys of the file format to each joint (limits, damping ...). base, tool: 4x4 poses, of the first
    row in the world and of the frame "tool" in the last frame.
    """
    where = f"robot {name!r}"
    _check_choices(where, convention, translation, com_vector, inertia_about)
    links = [_row(row, f"row {i + 1} of {where}") for i, row in enumerate(rows)]
    each, n = _Each(where, len(links)), range(1, len(links) + 1)
    flip = -1.0 if convention == "modified" and translation == "valera" else 1.0
    before, after = zip(*(_split(row, convention, flip) for row in links), strict=True) if links else ((), ())
    at = [_pose(base, "base", where), *after]
    labels = each(body_names, "body_names", [f"link{i}" for i in n])
    named = each(joint_names, "joint_names", [f"joint{i}" for i in n])
    weight = _Weight(com_vector, inertia_about, where)
    given = each(masses, "masses", [0.0] * len(n)), each(coms, "coms", [(0.0,) * 3] * len(n))
    weights = map(weight.seen, labels, after, *given, each(inertias, "inertias", [(0.0,) * 3] * len(n)))
    moves = map(_joint, named, links, [flip] * len(n), each(joints, "joints", [{}] * len(n)))
    placed = [_plain(T @ B) for T, B in zip(at, before, strict=False)]
    keys = ("name", "parent", "joint", "placement")
    chain = zip(labels, ["base", *labels], moves, placed, strict=False)
    bodies = [{**dict(zip(keys, body, strict=True)), **w} for body, w in zip(chain, weights, strict=True)]
    end = {"body": ["base", *labels][-1], "placement": _plain(at[-1] @ _pose(tool, "tool", where))}
    head = {"format": FORMAT, "name": name, "gravity": gravity}
    return Mechanism.from_dict({**head, "bodies": bodies, "frames": [{"name": "tool", **end}]})


def _joint(name: str, row: Row, flip: float, more: Mapping[str, Any]) -> dict[str, Any]:
    sign = flip if row.type == "prismatic" else 1.0  # a reversed d moves backwards
    return {"name": name, "type": row.type, "axis": [0.0, 0.0, sign], **more}


def _check_choices(where: str, *given: str) -> None:
    for (what, known), choice in zip(CHOICES.items(), given, strict=True):
        if choice not in known:
            raise ModelError(f"{where}: {unknown(what, choice, known)}")


@dataclass(frozen=True)
class _Each:
    """One value per link, or the defaults."""

    where: str
    n: int

    def __call__(self, values: Any, what: str, default: list[Any]) -> list[Any]:
        if values is None:
            return default
        if not hasattr(values, "__len__") or isinstance(values, (str, Mapping)) or len(values) != self.n:
            got = f"{len(values)} {what}" if hasattr(values, "__len__") else f"{what} = {shown(values)}"
            raise refuse(self.where, got, f"{self.n}, one per row")
        return list(values)


def _row(row: Any, where: str) -> Row:
    """A row, from a mapping or from four or five entries."""
    if not isinstance(row, Mapping):
        if not hasattr(row, "__len__") or isinstance(row, str) or len(row) not in (4, 5):
            raise refuse(where, shown(row), "(a, alpha, d, theta), a joint type, or a mapping with these keys")
        row = dict(zip((*KEYS, "type"), row, strict=False))
    row = reading.mapping(row, where, (), (*KEYS, "type"))
    kind = row.get("type", "revolute")
    if not isinstance(kind, str) or kind not in TYPES:
        raise ModelError(f"{where}: {unknown('joint type', kind, TYPES)}")
    a, alpha, d, theta = (reading.number(row, key, where) if key in row else 0.0 for key in KEYS)
    return Row(a, alpha, d, theta, TYPES[kind])


def _split(row: Row, convention: str, flip: float) -> tuple[Array, Array]:
    """The pose of the joint in the frame before it, and of frame i in the body, which stands in the joint."""
    swing, twist = _turn(row.theta, 2), _turn(row.alpha, 0)
    along, across = _shift(2, flip * row.d), _shift(0, row.a)
    if convention == "standard":
        return swing, along @ across @ twist
    return twist @ across @ swing @ along, np.eye(4)


def _turn(angle: float, axis: int) -> Array:
    """The rotation about a coordinate axis; exact for multiples of a right angle."""
    quarters = round(angle / (0.5 * math.pi))
    if abs(angle - quarters * 0.5 * math.pi) <= 1e-15 * max(1, abs(quarters)):
        c, s = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarters % 4]
    else:
        c, s = math.cos(angle), math.sin(angle)
    T, i, j = np.eye(4), (axis + 1) % 3, (axis + 2) % 3
    T[i, i], T[i, j], T[j, i], T[j, j] = c, -s, s, c
    return T


def _shift(axis: int, by: float) -> Array:
    T = np.eye(4)
    T[axis, 3] = by
    return T


def _pose(given: Any, what: str, where: str) -> Array:
    """A 4x4 pose; the identity if none is given."""
    if given is None:
        return np.eye(4)
    T = np.asarray(given, float)
    if T.shape != (4, 4) or not np.array_equal(T[3], (0, 0, 0, 1)):
        raise refuse(where, f"{what} = {shown(given)}", "a 4x4 pose with last row 0 0 0 1")
    return T


def _plain(T: Array) -> dict[str, Any]:
    return {"position": (T[:3, 3] + 0.0).tolist(), "rotation": (T[:3, :3] + 0.0).tolist()}


@dataclass(frozen=True)
class _Weight:
    """How mass centres and inertias are given."""

    com_vector: str
    inertia_about: str
    where: str

    def seen(self, label: str, frame: Array, mass: Any, com: Any, inertia: Any) -> dict[str, Any]:
        """Mass, centre and inertia in the body's axes, from those in frame i."""
        given, where = {"mass": mass, "com": com}, f"body {label!r} of {self.where}"
        m, I = reading.number(given, "mass", where), tensor(inertia, where)
        c = np.array(reading.vector(given, "com", where))
        if self.com_vector == "to_origin":
            c = -c
        if self.inertia_about == "origin":
            I = I - m * (c @ c * np.eye(3) - np.outer(c, c))
        A = frame[:3, :3]
        centre, I = A @ c + frame[:3, 3] + 0.0, A @ I @ A.T + 0.0
        entries = {"i" + "xyz"[i] + "xyz"[j]: float(I[i, j]) for i, j in ORDER}
        return {"mass": m, "com": centre.tolist(), "inertia": entries}


def tensor(given: Any, where: str) -> Array:
    """An inertia tensor from a matrix, its diagonal, or a mapping."""
    if isinstance(given, Mapping):
        entries = reading.mapping(given, f"inertia of {where}", INERTIA)
        x, y, z, xy, xz, yz = (reading.number(entries, key, f"inertia of {where}") for key in INERTIA)
        return np.array([[x, xy, xz], [xy, y, yz], [xz, yz, z]])
    I = np.asarray(given, float) if hasattr(given, "__len__") else np.empty(0)
    if I.shape == (3,):
        return np.diag(I)
    if I.shape != (3, 3) or not np.allclose(I, I.T, rtol=1e-9, atol=0.0):
        raise refuse(where, f"inertia {shown(given)}", "a symmetric 3x3 matrix, its diagonal, or a mapping")
    return I
