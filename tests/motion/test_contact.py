"""Contacts of a robot: which there are, and that gaps, rates, Jacobians and accelerations agree with kinematics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import appell
from appell import zoo
from appell.errors import ModelError, UnknownName
from appell.motion.contact import Ball, Edge, contacts_of, default_points

from .bodies import ALONG_Z, body, box, cradle, dropped, robot

Array = np.ndarray


def test_default_points_are_joints_and_frames_that_move() -> None:
    assert default_points(appell.load("shafei_tree")) == [f"O{k}" for k in range(1, 12)]
    assert default_points(appell.load("double_pendulum")) == ["tip", "lower"]
    assert default_points(dropped()) == ["ball"]


def test_walls_get_names_and_skip_their_own_carrier() -> None:
    arm = appell.load("double_pendulum")
    walls = [appell.Line(), appell.Line(normal=(1.0, 0.0), point=(-9.0, 0.0)), appell.Circle(9.0, name="ring")]
    on_lower = appell.Circle(0.1, carrier="lower", inside=False)
    names = contacts_of(arm, [*walls, on_lower], ["upper", "tip"]).names
    assert names[:4] == (("upper", "line 1"), ("tip", "line 1"), ("upper", "line 2"), ("tip", "line 2"))
    assert names[4:] == (("upper", "ring"), ("tip", "ring"), ("upper", "circle"))  # not tip, which lower carries


@pytest.fixture(scope="module")
def tumbling() -> Any:
    """A robot in space with contacts of all sorts."""
    robot = zoo.tree(5, seed=4, floating=True, joints="mixed")
    names = [b.name for b in robot.bodies]
    walls = [
        appell.Sphere(4.0, center=lambda t: (0.1 * np.sin(t), 0.2 * t, 0.0)),
        appell.Ellipse((3.0, 5.0), center=(0.3, 0.1, 0.0), normal=(0.3, 0.5, 1.0), angle=0.4),
        appell.Cylinder(0.2, carrier=names[1], axis=(0.2, 1.0, 0.3), inside=False),
    ]
    points = [Ball(names[0]), Ball(names[3], 0.0), Ball(names[4], 0.0)]
    return robot, contacts_of(robot, walls, points)


def later(robot: Any, q: Array, v: Array, dt: float) -> Array:
    return robot.integrate(q, v, dt)


def test_rates_are_derivatives_of_gaps(tumbling: Any) -> None:
    robot, contacts = tumbling
    (q, v), h = robot.random_state(3), 1e-6
    before, after = (contacts.gaps(later(robot, q, v, s), v, np.array([0.7 + s]))[0] for s in (-h, h))
    rate = contacts.gaps(q, v, np.array([0.7]))[1]
    assert rate == pytest.approx((after - before) / (2 * h), rel=1e-6, abs=1e-8)


def test_jacobians_and_normals(tumbling: Any) -> None:
    robot, contacts = tumbling
    q, v = robot.random_state(5)
    still = np.zeros_like(v)
    t = np.array([0.7])
    g, rate, _, J, n, u, _ = contacts.touching(q, v, t)
    own = contacts.touching(q, still, t)[1]  # of walls that move by themselves
    assert J @ v + own == pytest.approx(rate, abs=1e-12)
    S = contacts.sliding(q, t)
    assert S @ v == pytest.approx(u, abs=1e-12)
    assert np.einsum("ki,kij->kj", n, S) == pytest.approx(J, abs=1e-12)
    assert np.linalg.norm(n, axis=1) == pytest.approx(1.0)
    raw = contacts.gaps(q, v, t)
    assert g * raw[1] == pytest.approx(rate * raw[0])  # in metres, or in the walls' own measure


def test_accelerations_of_a_contact_that_stays_closed() -> None:
    """A point that slides in a moving bowl: g.. = J a + c along a motion that stays in it."""
    robot = appell.load("double_pendulum")
    contacts = contacts_of(robot, appell.Circle(2.0), ["tip"])
    for angle in (0.3, 1.2):  # stretched out, the tip stays at 2 m from the shoulder
        q, v = np.array([angle, 0.0]), np.array([1.7, 0.0])
        g, rate, c, J, *_ = contacts.touching(q, v, np.zeros(1))
        assert (g[0], rate[0]) == pytest.approx((0.0, 0.0), abs=1e-14)
        for a in ([0.0, 0.0], [3.0, 0.0]):
            assert J[0] @ a + c[0] == pytest.approx(0.0, abs=1e-12)
        assert contacts.touching(q, np.array([1.7, 0.5]), np.zeros(1))[2][0] == pytest.approx(
            gap_bends(robot, q, np.array([1.7, 0.5])), rel=1e-4
        )


def gap_bends(robot: Any, q: Array, v: Array) -> float:
    """The second difference of the gap 2 - |x| along a motion with constant v, from 50-digit-free arithmetic."""
    h = 1e-4
    x = [robot.pose(q + v * s, "tip")[:3, 3] for s in (-h, 0.0, h)]
    gap = [2.0 - math.hypot(*p) for p in x]
    return (gap[0] - 2 * gap[1] + gap[2]) / h**2


def test_a_ball_touches_away_from_its_centre() -> None:
    robot, r = box(), 0.3
    contacts = contacts_of(robot, appell.Plane(), [Ball("box", r)])
    q, v = np.array([0.1, 0.2, r, 1.0, 0.0, 0.0, 0.0]), np.array([0.5, 0.0, 0.0, 0.0, 0.5 / r, 0.0])
    g, _, _, _, _, u, d = contacts.touching(q, v, np.zeros(1))
    assert g[0] == pytest.approx(0.0, abs=1e-15)
    assert u[0] == pytest.approx([0, 0, 0], abs=1e-15)  # it rolls
    assert d[0] == pytest.approx([0, 0, -0.5 * 0.5 / r])  # as v, held fast in the body's axes, turns with it
    assert contacts.sliding(q, np.zeros(1))[0] @ v == pytest.approx([0, 0, 0], abs=1e-15)


def test_pairs_of_balls_meet_when_their_surfaces_do() -> None:
    robot = cradle(3, 0.05)
    balls = [Ball(f"ball{k}", 0.05) for k in range(3)]
    contacts = contacts_of(robot, points=balls, pairs="all")
    assert contacts.names == (("ball0", "ball1"), ("ball0", "ball2"), ("ball1", "ball2"))
    g, _, _, J, n, *_ = contacts.touching(np.zeros(3), np.zeros(3), np.zeros(1))
    assert g[[0, 2]] == pytest.approx([0, 0], abs=1e-15)
    assert n[0] == pytest.approx([-1, 0, 0])  # from ball1 to ball0
    assert J[0] == pytest.approx([-1, 1, 0])


def test_stops_are_limits_of_the_model_or_given() -> None:
    cart = appell.load("cartpole")
    assert contacts_of(cart, stops=True).names == (("rail", "lowest stop"), ("rail", "highest stop"))
    given = contacts_of(cart, stops={"hinge": (-1.0, np.inf), "rail": (-0.5, 0.5)})
    g, rate, c, J, *_ = given.touching(np.array([0.2, 0.3]), np.array([1.0, 2.0]), np.zeros(1))
    assert g == pytest.approx([0.7, 0.3, 1.3])
    assert rate == pytest.approx([1.0, -1.0, 2.0])
    assert J.tolist() == [[1, 0], [-1, 0], [0, 1]]
    assert c == pytest.approx([0, 0, 0])


@pytest.mark.parametrize(
    ("given", "kind", "sentence"),
    [
        ({"walls": [3.0]}, ModelError, "walls hold 3.0, wanted walls"),
        ({"walls": appell.Line(), "points": ["tipp"]}, UnknownName, "unknown frame 'tipp'; did you mean 'tip'"),
        ({"walls": appell.Line(carrier="floor")}, UnknownName, "unknown carrier of wall 'line' 'floor'"),
        ({"points": ["tip", "lower"], "pairs": [("tip", "lower")]}, ModelError, "two points without size never meet"),
        ({"pairs": [("tip", "nobody")]}, UnknownName, "unknown ball of a pair 'nobody'"),
        ({"stops": {"elbow": (1.0, -1.0)}}, ModelError, r"stops of joint 'elbow': got \(1.0, -1.0\)"),
        ({"stops": {"elbo": (0.0, 1.0)}}, UnknownName, "unknown joint 'elbo'; did you mean 'elbow'"),
        ({"walls": appell.Implicit(lambda x, y, z: math.sin(x))}, ModelError, "wall 'implicit' has a function that"),
        ({"walls": appell.Implicit(lambda x, y, z: 1.0)}, ModelError, "wall 'implicit' is the same everywhere"),
        ({"walls": appell.Implicit(lambda x, y, z: x if x > 0 else y)}, ModelError, "cannot be read symbolically"),
    ],
)
def test_contacts_that_cannot_be(given: Any, kind: Any, sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        contacts_of(appell.load("double_pendulum"), **given)


def test_a_ball_needs_a_length() -> None:
    with pytest.raises(ModelError, match="ball about 'tip': radius is -1"):
        Ball("tip", -1)


# --- edges ---------------------------------------------------------------------------------------------------------


def nearest_of_many(robot: Any, q: Array, curve: Any, gap: Any) -> float:
    """The least gap of very many points of a curve on the only body."""
    R, o = robot.pose(q, "rod")[:3, :3], robot.pose(q, "rod")[:3, 3]
    points = np.array(curve(np.linspace(0.0, 1.0, 200001))).T @ R.T + o
    return float(np.min(gap(points)))


@pytest.mark.parametrize("bent", [False, True])
def test_an_edge_touches_where_it_comes_nearest(bent: bool) -> None:
    planar = {"type": "planar", "axis": ALONG_Z}
    robot_ = robot("rod", [body("rod", "base", planar)], {})
    post = appell.Circle(0.3, center=(0.1, -1.0), inside=False)

    def arc(s: Any) -> Any:
        return (s - 0.5, 0.4 * (s - 0.5) ** 2 + 0.1 * np.sin(s), 0.0 * s)

    edge = Edge("rod", curve=arc) if bent else Edge("rod", (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0))
    contacts = contacts_of(robot_, post, [edge])
    assert contacts.names == (("rod start", "circle"), ("rod end", "circle"), ("rod edge", "circle"))
    q, v, t, h = np.array([0.0, -0.6, 0.15]), np.array([0.3, -0.2, 0.5]), np.zeros(1), 1e-4

    def measured(x: Array) -> Array:
        return ((x[:, 0] - 0.1) ** 2 + (x[:, 1] + 1.0) ** 2 - 0.09) / 0.6

    g = [contacts.gaps(q + v * s, v, t)[0][2] for s in (-h, 0.0, h)]
    assert g[1] == pytest.approx(nearest_of_many(robot_, q, edge, measured), abs=1e-9)
    _, rate = contacts.gaps(q, v, t)
    assert rate[2] == pytest.approx((g[2] - g[0]) / (2 * h), rel=1e-6)
    g_m, rate_m, c, J, n, u, _ = contacts.touching(q, v, t)
    scale = g_m[2] / g[1]  # metres by the wall's own measure
    assert c[2] == pytest.approx(scale * (g[2] - 2 * g[1] + g[0]) / h**2, rel=1e-4)  # its place moves along
    assert J[2] @ v == pytest.approx(rate_m[2])
    assert n[2] @ u[2] == pytest.approx(rate_m[2])


def test_edges_need_pieces() -> None:
    with pytest.raises(ModelError, match="edge of 'tip': pieces is 0, wanted a whole number above 0"):
        contacts_of(appell.load("double_pendulum"), appell.Line(), [Edge("tip", pieces=0)])
