"""All joints of a parallel robot for a pose of its platform, leg by leg, in closed form."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..closing import kernels
from ..errors import ModelError, ShapeError
from ..kernel.arrays import numbers
from ..model.joints import basis, unit
from ..model.parts import Joint
from . import legs
from .chains import KNOWN, Chain, chains, groups, matrix, platform_of

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
OPEN = 1e-9  # what a posture may leave open, radians or metres


def platform_postures(robot: Robot, target: Any, near: Any = None) -> Array:
    """Every q, (..., k, nq), for poses (..., 4, 4) of the platform of a parallel robot; the nearest to `near` first.

    The platform is the body that all loops hold. Where they meet in one pin of a leg, as a five-bar's do, targets are
    points (..., 3). Rows that reach no further than others are filled with NaN. Universal joints take, of the two ways
    they have, the one nearest to `near`, by default the model's first configuration.
    """
    near = robot.configuration() if near is None else numbers("platform_postures", "near", near).astype(float)
    if near.shape != (robot.nq,):
        raise ShapeError(f"platform_postures: near has shape {near.shape}, wanted ({robot.nq},)")
    body = platform_of(robot)
    pose, shape = _poses(target, body is None)
    found = [_placed(robot, body, pose, near)]
    for group in groups(chains(robot, body)):
        ways = _ways(robot, group, pose, near)
        found = [{**q, **way} for q, way in product(found, ways)]
    q = np.stack([_filled(robot, pose, near, x) for x in found], 1)
    return _sorted(robot, _closed(robot, q), near).reshape(*shape, len(found), robot.nq)


def _ways(robot: Robot, group: list[Chain], pose: Array, near: Array) -> list[dict[int, Array]]:
    """The solutions of the legs that hang on one body: columns of q by their places."""
    m = robot.mechanism
    kinds = [tuple(m.bodies[k].joint.type for k in chain.bodies) for chain in group]
    start, chain = m.q_starts, group[0]
    if len(group) == 1 and kinds[0] == ("revolute", "revolute"):
        q = _two_turns(robot, chain, pose)
        return [dict(zip((start[k] for k in chain.bodies), x.T, strict=True)) for x in q]
    if len(group) == 1 and kinds[0] == ("universal", "prismatic"):
        return [_slide(robot, chain, pose, near)]
    if all(x == ("revolute", "universal") for x in kinds):
        return list(_arm(robot, group, pose, near))
    raise ModelError(f"leg {' '.join(kinds[0])} of {robot.name!r} is of no kind that is known, wanted {KNOWN}")


def _seen(robot: Robot, chain: Chain, pose: Array) -> tuple[Array, Array, Array]:
    """The first joint's frame, and the target's point and joint axis in it."""
    P = matrix(robot.bodies[chain.bodies[0]].placement)
    T = np.linalg.inv(P) @ pose @ chain.seat
    axis = np.array(unit(chain.joint.axis or (0.0, 0.0, 1.0)))
    return P, T[:, :3, 3], T[:, :3, :3] @ axis


def _two_turns(robot: Robot, chain: Chain, pose: Array) -> Array:
    """About parallel axes, or about axes that meet in a point with that of the joint at their end."""
    first, second = (robot.bodies[k] for k in chain.bodies)
    (_, p, x), T = _seen(robot, chain, pose), matrix(second.placement)
    u, w = np.array(unit(first.joint.axis)), T[:3, :3] @ np.array(unit(second.joint.axis))  # type: ignore[arg-type]
    e = T[:3, :3] @ chain.end[:3, 3]
    if np.linalg.norm(np.cross(u, w)) < OPEN:
        return legs.two_bars(u, T[:3, 3], w, e, p)
    v = T[:3, :3] @ chain.end[:3, :3] @ np.array(unit(chain.joint.axis or (0.0, 0.0, 1.0)))
    return legs.two_arcs(u, w, v, x)


def _slide(robot: Robot, chain: Chain, pose: Array, near: Array) -> dict[int, Array]:
    """A universal joint, and a slide whose line passes through it."""
    hinge, rod = (robot.bodies[k] for k in chain.bodies)
    (_, p, _), T = _seen(robot, chain, pose), matrix(rod.placement)
    d, e = T[:3, :3] @ np.array(unit(rod.joint.axis)), (T @ chain.end)[:3, 3]  # type: ignore[arg-type]
    if np.linalg.norm(e - (e @ d) * d) > OPEN:
        raise ModelError(f"the line of joint {rod.joint.name!r} passes its universal joint by, wanted a leg through it")
    length, (i, j) = np.linalg.norm(p, axis=-1), (robot.mechanism.q_starts[k] for k in chain.bodies)
    angles = _aimed(hinge.joint, d, p, near[i : i + 2])
    return {i: angles[:, 0], i + 1: angles[:, 1], j: length - e @ d}


def _aimed(joint: Joint, d: Array, p: Array, near: Array) -> Array:
    """The angles of a universal joint that take the direction d to that of p: the nearest of both ways."""
    u, w = (np.array(unit(x)) for x in (joint.axis, joint.axis2))  # type: ignore[arg-type]
    x = p / np.linalg.norm(p, axis=-1, keepdims=True)
    flat = d - (d @ w) * w
    c = x @ u - (u @ w) * (w @ d)
    second = legs.waves(np.full_like(c, u @ flat), np.full_like(c, u @ np.cross(w, d)), c)
    first = legs.about(u, legs.turned(w, second, d), np.broadcast_to(x, (2, *x.shape)))
    both = _wound(np.stack([first, second], -1), near)
    pick = np.argmin(np.nan_to_num(np.linalg.norm(both - near, axis=-1), nan=np.inf), axis=0)
    return both[pick, np.arange(len(p))]


def _arm(robot: Robot, group: list[Chain], pose: Array, near: Array) -> Iterator[dict[int, Array]]:
    """A driven arm, and the bars on universal joints that hang on it."""
    start, body = robot.mechanism.q_starts, robot.bodies[group[0].bodies[0]]
    u = np.array(unit(body.joint.axis))  # type: ignore[arg-type]
    places = [(chain, matrix(robot.bodies[chain.bodies[1]].placement)) for chain in group]
    chain, T = places[0]
    bar = float(np.linalg.norm(chain.end[:3, 3]))
    for angle in legs.arm(u, T[:3, 3], bar, _seen(robot, chain, pose)[1]):
        way = {start[chain.bodies[0]]: angle}
        for x, T in places:
            p = legs.turned(u, -angle, _seen(robot, x, pose)[1]) - T[:3, 3]
            k = start[x.bodies[1]]
            joint = robot.bodies[x.bodies[1]].joint
            aimed = _aimed(joint, unit_of(x.end[:3, 3]), p @ T[:3, :3], near[k : k + 2])
            way |= {k: aimed[:, 0], k + 1: aimed[:, 1]}
        yield way


def unit_of(x: Array) -> Array:
    """A vector's direction."""
    return x / np.linalg.norm(x)


def _placed(robot: Robot, body: str | None, pose: Array, near: Array) -> dict[int, Array]:
    """The platform's own coordinates, where a joint holds it to the base."""
    m = robot.mechanism
    if body is None or m.bodies[m.index[body]].parent != "base":
        return {}
    on = m.bodies[m.index[body]]
    start, T = m.q_starts[m.index[body]], np.linalg.inv(matrix(on.placement)) @ pose
    if on.joint.type == "free":
        from scipy.spatial.transform import Rotation

        quaternion = Rotation.from_matrix(T[:, :3, :3]).as_quat()[:, [3, 0, 1, 2]]
        quaternion *= np.where(quaternion @ near[start + 3 : start + 7] < 0, -1.0, 1.0)[:, None]
        return dict(enumerate(np.concatenate([T[:, :3, 3], quaternion], -1).T, start))
    if on.joint.type == "planar":
        C = np.array(basis(on.joint.axis))  # type: ignore[arg-type]
        at = T[:, :3, 3] @ C
        turn = legs.about(C[:, 2], np.broadcast_to(C[:, 0], (len(T), 3)), T[:, :3, :3] @ C[:, 0])
        return {start: at[:, 0], start + 1: at[:, 1], start + 2: turn}
    raise ModelError(f"platform {body!r} hangs on a {on.joint.type} joint, wanted a free or planar one, or none")


def _filled(robot: Robot, pose: Array, near: Array, columns: dict[int, Array]) -> Array:
    """q with all that was found; the platform's turn against the leg that carries it, where one does."""
    m = robot.mechanism
    q = np.broadcast_to(near, (len(pose), robot.nq)).copy()
    for k, x in columns.items():
        q[:, k] = x
    turns = np.array([t for b in m.bodies for t in _turns(b.joint.type)], bool)
    q = np.where(turns, _wound(q, near), q)
    body = platform_of(robot)
    if body is None or m.bodies[m.index[body]].parent == "base":
        return q
    on, k = m.bodies[m.index[body]], m.q_starts[m.index[body]]
    axis, good = np.array(unit(on.joint.axis)), ~np.isnan(q).any(-1)  # type: ignore[arg-type]
    carried = robot.pose(np.nan_to_num(q), on.parent) @ matrix(on.placement)
    R = np.swapaxes(carried[:, :3, :3], -1, -2) @ pose[:, :3, :3]
    aside = basis(on.joint.axis)  # type: ignore[arg-type]
    x = np.array(aside)[:, 0]
    q[:, k] = np.where(good, _wound(legs.about(axis, np.broadcast_to(x, (len(R), 3)), R @ x), near[k]), np.nan)
    return q


def _turns(kind: str) -> list[bool]:
    return {
        "revolute": [True], "universal": [True, True], "planar": [False, False, True], "prismatic": [False],
        "free": [False] * 7, "fixed": [],
    }[kind]  # fmt: skip


def _wound(q: Array, near: Array) -> Array:
    return near + np.mod(q - near + np.pi, 2 * np.pi) - np.pi


def _closed(robot: Robot, q: Array) -> Array:
    """Postures that close every loop; what does not is struck out."""
    flat = np.nan_to_num(q).reshape(-1, robot.nq)
    g = kernels.equations(robot)(flat, np.zeros(robot.nv))[0].reshape(*q.shape[:-1], -1)
    keep = (np.abs(g).max(-1) < OPEN) & ~np.isnan(q).any(-1)
    return np.where(keep[..., None], q, np.nan)


def _sorted(robot: Robot, q: Array, near: Array) -> Array:
    far = np.nan_to_num(np.linalg.norm(q - near, axis=-1), nan=np.inf)
    order = np.argsort(far, axis=-1, kind="stable")
    return np.take_along_axis(q, order[..., None], 1)


def _poses(target: Any, points: bool) -> tuple[Array, tuple[int, ...]]:
    """Targets as poses, and the shape of their batch."""
    given = numbers("platform_postures", "target", target).astype(float)
    wanted = (3,) if points else (4, 4)
    if given.shape[-len(wanted) :] != wanted or not np.isfinite(given).all():
        raise ShapeError(
            f"platform_postures: target has shape {given.shape}, wanted (..., {', '.join(map(str, wanted))})"
        )
    shape = given.shape[: -len(wanted)]
    if not points:
        return given.reshape(-1, 4, 4), shape
    T = np.broadcast_to(np.eye(4), (*shape, 4, 4)).reshape(-1, 4, 4).copy()
    T[:, :3, 3] = given.reshape(-1, 3)
    return T, shape
