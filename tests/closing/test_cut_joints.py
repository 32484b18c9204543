"""Joints that close loops keep what is their own: against the same joint in a tree."""

from __future__ import annotations

import numpy as np
import pytest

import appell

from .closed_robots import KINDS, joint, quietly

MET = {"damping": 0.4, "coulomb": 0.3, "smoothing": 0.5, "rotor_inertia": 0.002, "gear": 7.0}
SPRING = {"stiffness": 3.0, "rest": 0.2, "preload": 0.4}
each_kind = pytest.mark.parametrize("kind", [k for k in KINDS if k != "fixed"])


def pair(kind):
    """A joint between two links of a tree, and the same robot with it cut: the second link on a free joint."""
    rng = np.random.default_rng(5)
    tree = appell.zoo.tree(2, 4, False, "revolute").to_dict()
    first, second = tree["bodies"]
    met = MET | (SPRING if kind != "ball" else {})
    second["joint"] = {"name": "elbow", **joint(kind, rng), **met}
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    place = {"position": rng.normal(size=3).tolist(), "rotation": (R * np.linalg.det(R)).tolist()}
    second |= {"parent": first["name"], "placement": place}
    free = {**second, "parent": "base", "joint": {"name": "float", "type": "free"}, "placement": {}}
    ends = {"body_a": first["name"], "placement_a": place, "body_b": second["name"]}
    loop = {"name": "loop", "joint": second["joint"], **ends}
    return quietly(tree), quietly({**tree, "bodies": [first, free], "loops": [loop]})


def carried(tree, cut, q, v, a):
    """A state of the tree as one of the cut robot."""
    name = tree.bodies[1].name
    T, V, A = tree.pose(q, name), tree.velocity(q, v, name), tree.acceleration(q, v, a, name)
    R = T[:3, :3]
    w = R.T @ V[3:]
    body = [R.T @ V[:3], w, R.T @ A[:3] - np.cross(w, R.T @ V[:3]), R.T @ A[3:]]
    Q = np.concatenate([q[:1], T[:3, 3], quaternion(R)])
    return Q, np.concatenate([v[:1], *body[:2]]), np.concatenate([a[:1], *body[2:]])


def quaternion(R):
    from scipy.spatial.transform import Rotation

    return np.roll(Rotation.from_matrix(R).as_quat(), 1)


@each_kind
def test_a_cut_joint_moves_as_in_a_tree(kind):
    tree, cut = pair(kind)
    rng = np.random.default_rng(6)
    q, v = tree.random_state(2)
    tau = rng.normal(size=tree.nv)
    a = tree.forward_dynamics(q, v, tau)
    Q, V, A = carried(tree, cut, q, v, a)
    push = cut.actuator_map(Q, ["elbow"]) @ tau[1:]
    push[0] += tau[0]
    np.testing.assert_allclose(cut.forward_dynamics(Q, V, push), A, atol=1e-10 * np.abs(A).max())
    names = [cut.bodies[0].joint.name, "elbow"]
    np.testing.assert_allclose(cut.inverse_dynamics(Q, V, A, actuators=names), tau, atol=1e-10 * np.abs(A).max())
    np.testing.assert_allclose(cut.energy(Q, V), tree.energy(q, v), rtol=1e-12)
    J, h = cut.mass_matrix(Q), cut.bias(Q, V)
    np.testing.assert_allclose(J @ A + h, cut.inverse_dynamics(Q, V, A), atol=1e-11 * np.abs(A).max())
    np.testing.assert_allclose(V @ J @ V, v @ tree.mass_matrix(q) @ v, rtol=1e-12)
    x, rates = cut.loop_coordinates(Q), cut.loop_rates(Q, V)
    np.testing.assert_allclose(rates, v[1:], atol=1e-12)
    if kind == "ball":
        np.testing.assert_allclose(x, np.sign(q[1]) * q[1:], atol=1e-14)
    else:
        np.testing.assert_allclose(x, (q[1:] + np.pi) % (2 * np.pi) - np.pi if turns(kind) else q[1:], atol=1e-12)


def turns(kind):
    """Whether all coordinates are angles, which are known but for whole turns."""
    return kind in ("revolute", "universal")


def test_half_turns_have_quaternions_as_well():
    from scipy.spatial.transform import Rotation

    from appell.formulations.loop_coordinates import quaternion
    from appell.vec import Mat3, Vec3

    rng = np.random.default_rng(1)
    turned = rng.normal(size=(200, 4))
    turned[:60, 0], turned[20:40, 1], turned[:20, 2] = 0, 0, 0
    turned[100:150] = np.sign(turned[100:150])
    for p in turned / np.linalg.norm(turned, axis=1)[:, None]:
        R = Rotation.from_quat(np.roll(p, -1)).as_matrix()
        found = np.array(quaternion(Mat3(*(Vec3(*map(float, row)) for row in R))))
        assert found[0] >= -1e-15
        np.testing.assert_allclose(np.abs(found @ p), 1, atol=1e-14)


@pytest.mark.parametrize("kind", ("revolute", "universal", "ball"))
def test_coriolis_forces_of_rotors_leave_the_rate_of_masses_skew(kind):
    """Between states on the loops, by a motion that keeps them closed."""
    tree, cut = pair(kind)
    q, v = tree.random_state(3)
    still, h = np.zeros(tree.nv), 1e-5
    Q, V, _ = carried(tree, cut, q, v, still)
    ends = [carried(tree, cut, tree.integrate(q, v, s), v, still)[0] for s in (h, -h)]
    dM = (cut.mass_matrix(ends[0]) - cut.mass_matrix(ends[1])) / (2 * h)
    C, scale = cut.coriolis(Q, V), np.abs(cut.mass_matrix(Q)).max()
    np.testing.assert_allclose(dM, C + C.T, atol=1e-7 * scale)
    ideal = cut.to_dict()
    for key in (*MET, *SPRING):
        ideal["loops"][0]["joint"].pop(key, None)
    bare, joint_data = quietly(ideal), ideal["loops"][0]["joint"]
    with_rotor = quietly({**ideal, "loops": [{**ideal["loops"][0], "joint": {**joint_data, "rotor_inertia": 0.1}}]})
    adds = with_rotor.coriolis(Q, V) @ V - bare.coriolis(Q, V) @ V
    np.testing.assert_allclose(adds, with_rotor.bias(Q, V) - bare.bias(Q, V), atol=1e-11 * scale)


def test_the_ledger_knows_what_cut_joints_take_and_hold():
    _, cut = pair("revolute")
    q = cut.assemble(cut.random_state(1)[0]).q
    run = appell.simulate(cut, q, np.zeros(cut.nv), t_end=0.5)
    assert run.ledger.friction[-1] > 1e-3
    assert run.ledger.drift < 1e-8
