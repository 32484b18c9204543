"""Serial robots as products of exponentials: the screws of the joints in the base, with all at zero, and the tool.

    T(q) = exp([S1] q1) ... exp([Sn] qn) M,     S = (w, v)

as in Lynch and Park, Modern Robotics: w the unit axis and v = -w x p + h w, p on the axis, h the pitch; a slide has
w = 0 and the unit direction v.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import ModelError
from ..model.dh import tensor
from ..model.joints import EYE
from ..model.mechanism import Body, Frame, Inertia, Joint, Mechanism, Placement
from ..model.parts import joint as plain_joint
from ..model.reading import Vector, refuse, shown
from .matter import Matter, placed
from .serial import serial
from .turns import seen_from

UNIT = 1e-6


@dataclass(frozen=True, eq=False)
class ProductOfExponentials:
    """`screws` (n, 6), the pose `home` of the tool at zero, and what links weigh in their frames, `homes` at zero."""

    name: str
    screws: np.ndarray
    home: np.ndarray
    homes: np.ndarray  # (n, 4, 4)
    masses: np.ndarray
    coms: np.ndarray
    inertias: np.ndarray  # (n, 3, 3), about the mass centres
    gravity: Vector
    bodies: tuple[str, ...]
    joints: tuple[tuple[str, dict[str, Any]], ...]

    def options(self) -> dict[str, Any]:
        """The arguments of `appell.from_screws` that make the robot again."""
        keys = ("screws", "home", "homes", "masses", "coms", "inertias", "gravity", "name")
        names = {"body_names": self.bodies, "joint_names": [name for name, _ in self.joints]}
        return {**{key: getattr(self, key) for key in keys}, **names, "joints": [more for _, more in self.joints]}

    def pose(self, q: Any) -> np.ndarray:
        """The pose of the tool."""
        T = np.eye(4)
        for S, x in zip(self.screws, np.asarray(q, float), strict=True):
            T = T @ _exponential(S, float(x))
        return T @ self.home


def to_screws(mechanism: Mechanism, tool: str | None = None) -> ProductOfExponentials:
    """The screws of a serial robot of joints of one freedom."""
    links, end = serial(mechanism, tool, "a product of exponentials")
    tensors = [_full(x.matter.inertia) for x in links]
    return ProductOfExponentials(
        mechanism.name, np.array([_screw(x.joint, x.axis, x.pose.position) for x in links]).reshape(-1, 6),
        _matrix(end),
        np.array([_matrix(x.pose) for x in links]).reshape(-1, 4, 4), np.array([x.matter.mass for x in links]),
        np.array([x.matter.com for x in links]).reshape(-1, 3), np.array(tensors).reshape(-1, 3, 3),
        mechanism.gravity, tuple(x.name for x in links), tuple((x.joint.name, x.more) for x in links),
    )  # fmt: skip


def _screw(joint: Joint, axis: Vector, point: Vector) -> list[float]:
    w, p = np.array(axis), np.array(point)
    if joint.type == "prismatic":
        return [0.0, 0.0, 0.0, *axis]
    return [*axis, *(np.cross(p, w) + (joint.pitch or 0.0) * w + 0.0).tolist()]


def from_screws(
    screws: Any, home: Any = None, homes: Any = None, masses: Any = None, coms: Any = None, inertias: Any = None,
    gravity: Any = (0.0, 0.0, -9.81), name: str = "robot", *, joint_names: Sequence[str] | None = None,
    body_names: Sequence[str] | None = None, joints: Sequence[Mapping[str, Any]] | None = None,
) -> Mechanism:  # fmt: skip
    """A serial robot. `home` is the pose of the frame "tool" at zero, `homes` those of the links' own frames.

    Mass centres and inertias (about these, 3x3, diagonal or by names) are given in the links' frames, which by default
    have the base's axes and their origins on the joints' axes, nearest to the base's origin. A link whose frame is
    not on its joint's axis has it as the frame "<link>_frame". `joints` may add limits, friction and so on.
    """
    where = f"robot {name!r}"
    S = _array(screws, where, "screws", (-1, 6))
    n = len(S)
    given = {"homes": (homes, (n, 4, 4)), "masses": (masses, (n,)), "coms": (coms, (n, 3))}
    told = {key: None if x is None else _array(x, where, key, shape) for key, (x, shape) in given.items()}
    names = (
        [*(body_names or [f"link{k}" for k in range(1, n + 1)])],
        [*(joint_names or [f"joint{k}" for k in range(1, n + 1)])],
    )
    for what, values in (
        ("body_names", names[0]),
        ("joint_names", names[1]),
        ("joints", joints),
        ("inertias", inertias),
    ):
        if values is not None and len(values) != n:
            raise refuse(where, f"{len(values)} {what}", f"{n}, one per screw")
    bodies, frames, parent, before = [], [], "base", Placement()
    for k, row in enumerate(S):
        joint, point = _joint(row, names[1][k], (joints or [{}] * n)[k], where)
        own = None if told["homes"] is None else _placement(told["homes"][k], where)
        at = own if own is not None and _is_on(own, row, joint) else Placement(point)
        turned = joint if at.rotation == EYE else _turned(joint, at)
        weight = _weight(k, told, inertias, names[0][k], where)
        inner = Placement() if own is None or own is at else seen_from(at, own)
        m = placed(inner, weight)
        bodies.append(Body(names[0][k], parent, turned, seen_from(before, at), m.mass, m.com, m.inertia))
        if own is not None and own is not at:
            frames.append(Frame(f"{names[0][k]}_frame", names[0][k], inner))
        parent, before = names[0][k], at
    end = Placement() if home is None else _placement(_array(home, where, "home", (4, 4)), where)
    tool = Frame("tool", parent, seen_from(before, end))
    g = _array(gravity, where, "gravity", (3,))
    return Mechanism(name, tuple(g.tolist()), tuple(bodies), (tool, *frames))


def _array(given: Any, where: str, what: str, shape: tuple[int, ...]) -> np.ndarray:
    try:
        found = np.array(given, float)
    except (TypeError, ValueError):
        found = np.empty(0)
    fits = found.ndim == len(shape) and all(b in (a, -1) for a, b in zip(found.shape, shape, strict=True))
    if not fits or not np.isfinite(found).all():
        raise refuse(
            where, f"{what} = {shown(given)}", f"finite numbers ({', '.join('n' if x < 0 else str(x) for x in shape)})"
        )
    return found


def _joint(S: np.ndarray, name: str, more: Mapping[str, Any], where: str) -> tuple[Joint, Vector]:
    """The joint of a screw, in the base's axes, and the point of its axis that is nearest to the origin."""
    w, v = S[:3], S[3:]
    length = float(np.linalg.norm(w))
    data: dict[str, Any] = {"name": name, **more}
    if length < 1e-12:
        if abs(float(np.linalg.norm(v)) - 1) > UNIT:
            raise refuse(
                f"joint {name!r} of {where}", f"the screw {S.tolist()}", "a unit axis, or for a slide a unit v"
            )
        return plain_joint({**data, "type": "prismatic", "axis": v.tolist()}, where), (0.0, 0.0, 0.0)
    if abs(length - 1) > UNIT:
        raise refuse(f"joint {name!r} of {where}", f"the screw {S.tolist()}", "a unit axis, or for a slide a unit v")
    pitch, point = float(w @ v), tuple((np.cross(w, v) + 0.0).tolist())
    flat = abs(pitch) <= 1e-12 * max(1.0, float(np.abs(v).max()))
    kind = {"type": "revolute"} if flat else {"type": "helical", "pitch": pitch}
    return plain_joint({**data, **kind, "axis": w.tolist()}, where), point  # type: ignore[return-value]


def _turned(joint: Joint, at: Placement) -> Joint:
    """The joint seen from a frame with other axes."""
    axis = np.array(at.rotation).T @ np.array(joint.axis) + 0.0
    near = np.round(axis)
    axis = near if np.abs(axis - near).max() <= 5e-16 else axis
    return replace(joint, axis=tuple(axis.tolist()))


def _is_on(at: Placement, S: np.ndarray, joint: Joint) -> bool:
    """Whether a link's frame has its origin on the axis."""
    if joint.type == "prismatic":
        return True
    w, p = S[:3], np.array(at.position)
    moment = S[3:] - (joint.pitch or 0.0) * w
    return bool(np.abs(np.cross(p, w) - moment).max() <= 1e-12 * max(1.0, float(np.abs(moment).max())))


def _weight(k: int, told: Mapping[str, Any], inertias: Any, body: str, where: str) -> Matter:
    mass = 0.0 if told["masses"] is None else float(told["masses"][k])
    com = (0.0, 0.0, 0.0) if told["coms"] is None else tuple(told["coms"][k].tolist())
    if inertias is None:
        return Matter(mass, com)  # type: ignore[arg-type]
    I = tensor(inertias[k], f"body {body!r} of {where}")
    entries = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    return Matter(mass, com, Inertia(*map(float, entries)))  # type: ignore[arg-type]


def _placement(T: np.ndarray, where: str) -> Placement:
    if not np.array_equal(T[3], (0, 0, 0, 1)):
        raise ModelError(f"{where}: got a pose with last row {T[3].tolist()}, wanted 0 0 0 1")
    rows = tuple(tuple(x) for x in (T[:3, :3] + 0.0).tolist())
    return Placement(tuple((T[:3, 3] + 0.0).tolist()), rows)  # type: ignore[arg-type]


def _matrix(at: Placement) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = at.rotation, at.position
    return T


def _full(i: Inertia) -> list[list[float]]:
    return [[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]]


def _exponential(S: np.ndarray, q: float) -> np.ndarray:
    """exp([S] q), for a unit screw."""
    w, v, T = S[:3], S[3:], np.eye(4)
    if not w.any():
        T[:3, 3] = v * q
        return T
    W = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    s, c = math.sin(q), math.cos(q)
    T[:3, :3] = np.eye(3) + s * W + (1 - c) * W @ W
    T[:3, 3] = (q * np.eye(3) + (1 - c) * W + (q - s) * W @ W) @ v
    return T
