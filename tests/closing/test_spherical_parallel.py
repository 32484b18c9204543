"""Spherical parallel robots in closed form, against matrices of their trees; the numbers of abedloo2014."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell.closing.spherical import SphericalRobot, spherical
from appell.errors import ModelError, ShapeError
from appell.formulations import spherical_parallel as text
from appell.formulations.jet import Jet
from appell.model.walk import Coordinates, Walk

from .closed_robots import quietly
from .parallel_robots import Moving, array, body, equations, moments, turned

Array = np.ndarray[Any, Any]
CENTRE = np.array([0.2, -0.1, 0.3])
AXES = np.array([[0.2, 0.3, 1.0], [1.0, 0.1, -0.2]])  # of the platform's two hinges where it has no more


def hinged(name: str, parent: str, R: Array, before: float, after: float, rng: Any) -> dict[str, Any]:
    """A body on a hinge along z of R through the centre, which is `before` along the parent's z, the origin `after`."""
    start = CENTRE if parent == "base" else np.array([0.0, 0.0, -before])
    place = {"position": (start + after * R[:, 2]).tolist(), "rotation": R.tolist()}
    return body(name, parent, {"type": "revolute", "axis": [0.0, 0.0, 1.0]}, rng, place, moments(rng, 0.5))


def about(axis: Array) -> Array:
    """Any rotation that takes z to an axis."""
    z = axis / np.linalg.norm(axis)
    x = np.cross(z, [0.3, -0.5, 0.8])
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], 1)


def wrist(legs: list[int], seed: int, carried: bool = False) -> tuple[appell.Robot, Array]:
    """Legs of so many links about one centre; the platform on a ball there, or carried by the first leg."""
    rng, bodies, away = np.random.default_rng(seed), [], {}
    for n, count in enumerate(legs):
        parent, before = "base", 0.0
        for k in range(count):
            away[f"leg{n}_{k}"] = float(rng.normal() * 0.2)
            bodies.append(hinged(f"leg{n}_{k}", parent, turned(rng), before, away[f"leg{n}_{k}"], rng))
            parent, before = f"leg{n}_{k}", away[f"leg{n}_{k}"]
        if carried and not n:
            bodies.append(hinged("platform", parent, turned(rng), before, 0.1, rng))
    if not carried:
        place = {"position": CENTRE.tolist(), "rotation": turned(rng).tolist()}
        bodies.append(body("platform", "base", {"type": "ball"}, rng, place))
    return tied_about_centre(bodies, legs[carried:], int(carried), away, rng)


def tied_about_centre(bodies: Any, legs: Any, first: int, away: Any, rng: Any) -> tuple[appell.Robot, Array]:
    data = {"format": "appell-robot/1", "name": "wrist", "gravity": [1.0, -2.0, -9.0], "bodies": bodies, "frames": []}
    robot = quietly({**data, "loops": []})
    q, loops = robot.random_state(3)[0], []
    for n, count in enumerate(legs, first):
        last, on = f"leg{n}_{count - 1}", np.eye(4)
        on[:3, :3] = turned(rng)
        on[:3, 3] = [0.0, 0.0, -away[last]] + 0.15 * on[:3, 2]
        other = np.linalg.solve(robot.pose(q, "platform"), robot.pose(q, last) @ on)
        a, b = ({"position": T[:3, 3].tolist(), "rotation": T[:3, :3].tolist()} for T in (on, other))
        ends = {"body_a": last, "placement_a": a, "body_b": "platform", "placement_b": b}
        loops.append({"name": f"tip{n}", "joint": {"type": "revolute", "axis": [0.0, 0.0, 1.0]}, **ends})
    return quietly({**data, "loops": loops}), q


def moved(made: SphericalRobot, q0: Array, x: Array, dx: Array, ddx: Array) -> tuple[Array, Array, Array]:
    """The whole tree, from hinges found by the text, the platform by what loops leave of it."""
    robot, table = made.robot, array(ask(text.joints, made, x, dx, ddx), len(made.hinges), 4)
    starts = {b.joint.name: k for b, k in zip(robot.bodies, robot.mechanism.v_starts, strict=False)}
    places = [starts[name] for name in made.hinges]
    qs = {b.joint.name: k for b, k in zip(robot.bodies, robot.mechanism.q_starts, strict=False)}
    q = q0.copy()
    q[[qs[name] for name in made.hinges]] = np.arctan2(table[:, 1], table[:, 0]) - [
        float(robot.tree.links[k - 1].angle) for leg in made.structure.legs for k in leg.links
    ]
    S, others = np.eye(robot.nv)[places], [k for k in range(robot.nv) if k not in places]
    for _ in range(8):  # the platform alone moves
        g, A, _ = equations(robot, q, np.zeros(robot.nv))
        step = np.zeros(robot.nv)
        step[others] = np.linalg.lstsq(A[:, others], -g, rcond=1e-9)[0]
        q = robot.integrate(q, step)
    g, A, c = equations(robot, q, np.zeros(robot.nv))
    assert np.abs(g).max() < 1e-14
    known = np.vstack([A, S])
    v = np.linalg.lstsq(known, np.concatenate([0 * g, table[:, 2]]), rcond=1e-9)[0]
    c = equations(robot, q, v)[2]
    a = np.linalg.lstsq(known, np.concatenate([-c, table[:, 3]]), rcond=1e-9)[0]
    np.testing.assert_allclose(v[places], table[:, 2], atol=1e-12)
    np.testing.assert_allclose(a[places], table[:, 3], atol=1e-11)
    return q, v, a


KINDS: dict[str, tuple[Any, Any, Any]] = {
    "three legs": (wrist([2, 2, 2], 1), "zyx", None),
    "carried by a leg": (wrist([2, 2, 2], 2, carried=True), "xyz", None),
    "as zxz and of four legs": (wrist([2, 2, 2, 2], 3), "zxz", ("leg0_0", "leg1_1", "leg3_0")),
    "in a quaternion": (wrist([2, 2, 2], 4), "quaternion", None),
    "with a leg of three": (wrist([2, 3, 2], 9), "zyx", ("leg0_0", "leg1_0", "leg1_1", "leg2_0")),
    "with a leg of four, driven by it": (wrist([4, 2], 6), "yxz", ("leg0_0", "leg0_1", "leg0_2", "leg0_3", "leg1_0")),
}


def made(name: str) -> tuple[SphericalRobot, Array]:
    (robot, q), coordinates, drives = KINDS[name]
    return spherical(robot, q, coordinates, [f"{d}_joint" for d in drives] if drives else ()), q


def state(s: SphericalRobot, seed: int = 0) -> tuple[Array, Array, Array]:
    """Not far from home, moving."""
    rng = np.random.default_rng(seed)
    n = s.structure.size
    return np.array(s.home) + 0.05 * rng.normal(size=len(s.home)), rng.normal(size=n), rng.normal(size=n)


def ask(page: Any, s: SphericalRobot, *given: Any) -> Any:
    """A text read plainly."""
    return page(Walk(s.robot.tree), *(Coordinates(list(x)) for x in given), s.structure)


@pytest.mark.parametrize("name", KINDS)
def test_drives_give_what_matrices_of_the_tree_say(name: str) -> None:
    s, q0 = made(name)
    x, dx, ddx = state(s)
    q, v, a = moved(s, q0, x, dx, ddx)
    starts = {b.joint.name: k for b, k in zip(s.robot.bodies, s.robot.mechanism.v_starts, strict=False)}
    m = Moving.of(s.robot, q, [starts[d] for d in s.drives])
    m.v, m.a = v, a
    tau = array(ask(text.inverse_dynamics, s, x, dx, ddx), len(s.drives))
    np.testing.assert_allclose(tau, m.torques(), atol=1e-11 * max(1.0, np.abs(m.torques()).max()))
    back = array(ask(text.forward_dynamics, s, x, dx, tau), s.structure.size)
    np.testing.assert_allclose(back, ddx, atol=1e-10)


@pytest.mark.parametrize("name", KINDS)
def test_the_matrices_obey_their_laws(name: str) -> None:
    s, _ = made(name)
    (x, dx, _), n = state(s, 1), s.structure.size
    M, C, _, _ = ask(text.dynamic_matrices, s, x, dx)
    rate = dx
    if not s.structure.frames:  # of the quaternion: half of itself times (0, dx)
        w, u = x[0], x[1:]
        rate = 0.5 * np.concatenate([[-u @ dx], w * dx + np.cross(u, dx)])
    jets = ask(text.dynamic_matrices, s, [Jet(a, b) for a, b in zip(x.tolist(), rate.tolist(), strict=True)], dx)[0]
    dM = np.array([[jets[i, j].first if isinstance(jets[i, j], Jet) else 0.0 for j in range(n)] for i in range(n)])
    law, C = dM - 2 * array(C, n, n), array(C, n, n)
    assert np.abs(law + law.T).max() < 1e-13 * max(1.0, np.abs(C).max())
    assert np.linalg.eigvalsh(array(M, n, n)).min() > 0


def test_two_hinges_to_the_platform_leave_it_two_freedoms() -> None:
    """A universal joint in the middle, of which the first hinge carries a link; two legs drive."""
    rng, away = np.random.default_rng(8), {}
    first = about(AXES[0])
    bodies = [hinged("middle", "base", first, 0.0, 0.1, rng)]
    bodies.append(hinged("platform", "middle", first.T @ about(AXES[1]), 0.1, 0.05, rng))
    for n in (0, 1):
        for k in (0, 1):
            parent = f"leg{n}_0" if k else "base"
            away[f"leg{n}_{k}"] = 0.2
            bodies.append(hinged(f"leg{n}_{k}", parent, turned(rng), 0.2, 0.2, rng))
    robot, _ = tied_about_centre(bodies, [2, 2], 0, away, rng)
    at_rest = np.zeros(robot.nq)  # where the axes are the given ones: loops are tied there
    robot = tied_at(robot, at_rest)
    s = spherical(robot, at_rest, AXES, ["leg0_0_joint", "leg1_0_joint"])
    x, dx, ddx = state(s, 2)
    q, v, a = moved(s, at_rest, x, dx, ddx)
    m = Moving.of(robot, q, [2, 4])
    m.v, m.a = v, a
    np.testing.assert_allclose(array(ask(text.inverse_dynamics, s, x, dx, ddx), 2), m.torques(), atol=1e-11)


def tied_at(robot: appell.Robot, q: Array) -> appell.Robot:
    """The same loops, tied at another configuration."""
    data = robot.to_dict()
    for loop in data["loops"]:
        on = np.eye(4)
        on[:3, :3], on[:3, 3] = loop["placement_a"]["rotation"], loop["placement_a"]["position"]
        T = np.linalg.solve(robot.pose(q, "platform"), robot.pose(q, loop["body_a"]) @ on)
        loop["placement_b"] = {"position": T[:3, 3].tolist(), "rotation": T[:3, :3].tolist()}
    return quietly(data)


def test_more_drives_than_coordinates_share_the_least_forces() -> None:
    s, _ = made("as zxz and of four legs")
    every = spherical(s.robot, KINDS["as zxz and of four legs"][0][1], "zxz")
    x, dx, ddx = state(every, 3)
    tau = array(ask(text.inverse_dynamics, every, x, dx, ddx), 4)
    M, C, G, A = (ask(text.dynamic_matrices, every, x, dx)[k] for k in range(4))
    Q = array(M, 3, 3) @ ddx + array(C, 3, 3) @ dx + array(G, 3)
    np.testing.assert_allclose(tau, np.linalg.lstsq(array(A, 4, 3).T, Q, rcond=None)[0], atol=1e-12)


def test_compiled() -> None:
    s, _ = made("carried by a leg")
    x, dx, ddx = state(s)
    tau = s.inverse_dynamics(x, dx, ddx)
    np.testing.assert_allclose(tau, array(ask(text.inverse_dynamics, s, x, dx, ddx), 3), atol=1e-13)
    M, C, G, A = s.matrices(x, dx)
    np.testing.assert_allclose(A.T @ tau, M @ ddx + C @ dx + G, atol=1e-12)


def test_what_is_no_spherical_robot_is_refused() -> None:
    (robot, q), _, _ = KINDS["three legs"]
    with pytest.raises(ShapeError, match="coordinates are 'abc', wanted letters of axes"):
        spherical(robot, q, "abc")
    with pytest.raises(ShapeError, match="wanted axes: rows of three numbers"):
        spherical(robot, q, [[0.0, 0.0, 0.0]])
    with pytest.raises(Exception, match="unknown hinge of a leg 'leg0'"):
        spherical(robot, q, drives=["leg0"])
    (long, at), _, _ = KINDS["with a leg of three"]
    with pytest.raises(ModelError, match="wanted angles and no quaternion"):
        spherical(long, at, "quaternion")
    data = robot.to_dict()
    data["bodies"][0]["placement"]["position"][0] += 0.01
    with pytest.raises(ModelError, match="hinges of 'wrist' pass each other by 0.0.* m, wanted axes through one"):
        spherical(quietly(data), q)
