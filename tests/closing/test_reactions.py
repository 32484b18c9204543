"""Wrenches in joints: every body by itself obeys Newton and Euler under them, and a joint is the same cut or not."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.closing import kernels
from appell.errors import ShapeError
from appell.formulations.world import World
from appell.model.lower import with_welds
from appell.model.walk import Coordinates, Walk

from .closed_robots import KINDS, quietly, tied
from .test_actuated import motion, motors
from .test_cut_joints import carried, pair

EYE = np.eye(4)


def check_bodies(robot, q, v, a, found, wrench=None):
    """What acts on each body from its joint, from what hangs on it, from loops, from outside and from gravity is what
    its motion takes; all in the base's axes, moments about the body's origin."""
    index = {b.name: k for k, b in enumerate(robot.bodies)}
    total = np.zeros((robot.n, 6))
    moving = moved(robot, q, v, a)
    at = {"base": EYE, **{name: T for name, (T, _, _) in moving.items()}}

    def act(body, T, w, way):
        """A wrench in axes and about the origin of T."""
        if body == "base":
            return
        force = T[:3, :3] @ w[:3]
        arm = T[:3, 3] - at[body][:3, 3]
        total[index[body]] += way * np.concatenate([force, T[:3, :3] @ w[3:] + np.cross(arm, force)])

    for b in robot.bodies:
        act(b.name, at[b.name], found[b.joint.name], 1)
        act(b.parent, at[b.name], found[b.joint.name], -1)
    for loop in robot.loops:
        T = at[loop.body_b] @ placed(loop.placement_b)
        act(loop.body_b, T, found[loop.name], 1)
        act(loop.body_a, T, found[loop.name], -1)
    for k, b in enumerate(robot.bodies):
        if wrench is not None:
            act(b.name, at[b.name], wrench[k], 1)
        np.testing.assert_allclose(total[k], takes(robot, b, *moving[b.name]), atol=1e-9 * (1 + np.abs(total).max()))


def moved(robot, q, v, a):
    """Pose, velocity and acceleration of every body in the base's axes, by the text of kinematics read plainly."""
    tree = with_welds(robot.mechanism)
    world, found = World(Walk(tree)), {}
    for _ in world.outward(*(Coordinates(x.tolist()) for x in (q, v, a))):
        pass
    for b, place in zip(robot.bodies, tree.bodies):
        k, T = place.link, np.eye(4)
        T[:3, :3] = np.array([[*r] for r in world.R[k]], float) @ np.array([[*r] for r in place.R], float)
        T[:3, 3] = [*world.o[k]]
        twice = [np.array([*x, *y], float) for x, y in ((world.u[k], world.w[k]), (world.du[k], world.dw[k]))]
        found[b.name] = T, *twice
    return found


def takes(robot, b, T, V, A):
    """Force, and moment about the origin, that a body's motion takes beside its weight."""
    R = T[:3, :3]
    c, w, dw = R @ np.array(b.com), V[3:], A[3:]
    i = b.inertia
    I = R @ np.array([[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]]) @ R.T
    force = b.mass * (A[:3] + np.cross(dw, c) + np.cross(w, np.cross(w, c)) - robot.gravity)
    return np.concatenate([force, I @ dw + np.cross(w, I @ w) + np.cross(c, force)])


def placed(p):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = p.rotation, p.position
    return T


@pytest.mark.parametrize("floating", (False, True))
def test_bodies_of_trees(floating):
    robot = appell.zoo.tree(9, 4, floating, "mixed")
    assert "fixed" in {b.joint.type for b in robot.bodies}
    (q, v), rng = robot.random_state(2), np.random.default_rng(2)
    a, wrench = rng.normal(size=robot.nv), rng.normal(size=(robot.n, 6))
    check_bodies(robot, q, v, a, robot.reactions(q, v, a, wrench=wrench), wrench)
    tau = robot.inverse_dynamics(q, v, a)
    for name, w in robot.reactions(q, v, tau=tau).items():
        np.testing.assert_allclose(w, robot.reactions(q, v, a)[name], atol=1e-8)
    moved = robot.regrouped()
    for name, w in moved.reactions(q, v, a).items():
        np.testing.assert_array_equal(w, robot.reactions(q, v, a)[name])


def test_long_chains_roll():
    robot = appell.zoo.chain(60)
    (q, v), a = robot.random_state(1), np.ones(60)
    found = robot.reactions(np.tile(q, (3, 1)), v, a)
    for k in (0, 30, 59):
        assert found[f"joint{k + 1}"].shape == (3, 6)
    check_bodies(robot, q, v, a, {name: w[1] for name, w in found.items()})


@pytest.mark.parametrize("kind", KINDS)
def test_bodies_of_closed_mechanisms(kind):
    robot, q = tied(kind, 2, n=4)
    v, a = motion(robot, q)
    names, _ = motors(robot, q)
    check_bodies(robot, q, v, a, robot.reactions(q, v, a, actuators=names))


def test_forces_and_wrenches_from_outside():
    robot, q = tied("universal", 2, n=4, floating=True)
    v, a = motion(robot, q)
    rng = np.random.default_rng(1)
    tau, wrench = rng.normal(size=robot.nv), rng.normal(size=(robot.n, 6))
    there = robot.forward_dynamics(q, v, tau, wrench=wrench)
    check_bodies(robot, q, v, there, robot.reactions(q, v, tau=tau, wrench=wrench), wrench)
    idle = robot.reactions(q, v, a)
    np.testing.assert_allclose(idle["loop"], 0, atol=1e-9 * (1 + np.abs(idle[robot.bodies[0].joint.name]).max()))


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "fixed"])
def test_a_joint_bears_the_same_cut_or_not(kind):
    tree, cut = pair(kind)
    q, v = tree.random_state(2)
    tau = np.random.default_rng(6).normal(size=tree.nv)
    a = tree.forward_dynamics(q, v, tau)
    Q, V, A = carried(tree, cut, q, v, a)
    names = [cut.bodies[0].joint.name, "elbow"]
    found, wanted = cut.reactions(Q, V, A, actuators=names), tree.reactions(q, v, a)
    scale = np.abs(wanted["elbow"]).max()
    np.testing.assert_allclose(found["loop"], wanted["elbow"], atol=1e-9 * scale)
    np.testing.assert_allclose(found[names[0]], wanted[names[0]], atol=1e-9 * scale)
    np.testing.assert_allclose(found["float"], 0, atol=1e-9 * scale)


def test_of_equations_that_depend_on_each_other_the_least_reactions_are_taken():
    robot, q = tied("revolute", 3, n=5, floating=True)
    loop = robot.to_dict()["loops"][0]
    twice = quietly({**robot.to_dict(), "loops": [{**loop, "name": name} for name in "ab"]})
    v, _ = motion(robot, q)
    tau = np.ones(robot.nv)
    once, found = robot.reactions(q, v, tau=tau), twice.reactions(q, v, tau=tau)
    for name in "ab":
        np.testing.assert_allclose(found[name], once["loop"] / 2, atol=1e-8 * np.abs(once["loop"]).max())
    batch = twice.reactions(np.tile(q, (3, 1)), v, tau=tau)
    np.testing.assert_allclose(batch["a"][2], found["a"], rtol=1e-12)


def test_a_disk_that_rolls_stands_on_the_ground():
    robot = appell.load("rolling_disk")
    q = robot.assemble().q
    v = np.zeros(robot.nv)
    found = robot.reactions(q, v, np.zeros(robot.nv), actuators=leaning(robot, q))
    name = robot.constraints[0].name
    up = np.linalg.norm(found[name][:3])
    assert up == pytest.approx(robot.mass * 9.81, rel=1e-9)


def leaning(robot, q):
    """Freedoms that drive whatever the constraints leave."""
    _, A, _ = kernels.equations(robot)(q, np.zeros(robot.nv))
    N = np.linalg.svd(A)[2][np.linalg.matrix_rank(A, 1e-9) :]
    names, chosen = [f"{robot.bodies[0].joint.name}[{k}]" for k in range(robot.nv)], []
    for k in reversed(range(robot.nv)):
        if np.linalg.matrix_rank(N[:, [*chosen, k]], 1e-2) > len(chosen):
            chosen.append(k)
    return [names[k] for k in chosen]


def test_what_is_refused():
    robot, q = tied("ball", 2, n=4)
    with pytest.raises(ShapeError, match="no a and no tau"):
        robot.reactions(q, q)
    with pytest.raises(ShapeError, match="a and tau, wanted one"):
        robot.reactions(q, q, q, tau=q)
    with pytest.raises(ShapeError, match="tau and actuators, wanted one"):
        robot.reactions(q, q, tau=q, actuators=["joint1"])
