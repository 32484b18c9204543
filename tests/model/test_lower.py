"""Mechanisms made ready: agreement with Pinocchio in plain floats, exactness, fixed bodies merged."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state

from appell.formulations.articulated_body import articulated_body
from appell.formulations.composite_body import composite_body
from appell.formulations.gibbs_appell import gibbs_appell
from appell.formulations.newton_euler import newton_euler
from appell.model import zoo
from appell.model.joints import TYPES, basis
from appell.model.lower import lower
from appell.model.mechanism import Mechanism
from appell.model.tree import Tree
from appell.model.walk import Coordinates, Walk

pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration")
Array = np.ndarray
JOINTS = [*(k for k in TYPES if k not in ("fixed", "free")), "mixed"]


def plain(text: Any, tree: Tree, q: Array, *rest: Array) -> Array:
    """A formulation over floats."""
    out = text(Walk(tree), q.tolist(), *(Coordinates(x.tolist()) for x in rest))
    if rest:
        return np.array([out[i] for i in range(tree.nv)], float)
    return np.array([[out[i, j] for j in range(tree.nv)] for i in range(tree.nv)], float)


def rotors(tree: Tree) -> Array:
    """Rotor inertias on the diagonal of M, which the texts of inverse dynamics leave out."""
    felt = np.zeros(tree.nv)
    for b in tree.links:
        for z in b.freedoms:
            felt[z.index] = z.rotor
    return felt


def close(got: Array, wanted: Array, tolerance: float = 1e-12) -> bool:
    return bool(np.abs(got - wanted).max(initial=0.0) <= tolerance * np.abs(wanted).max(initial=1e-300))


@pytest.mark.parametrize("joints", JOINTS)
@pytest.mark.parametrize("seed", range(8))
def test_all_texts_agree_with_pinocchio(joints: str, seed: int) -> None:
    pytest.importorskip("pinocchio")
    from oracles.pinocchio_model import PinocchioOracle

    shape, order = ("tree", "chain")[seed % 2], ("depth", "shuffled")[seed // 2 % 2]
    n, floating = 1 + 3 * seed % 11, seed % 3 == 0
    data = random_robot(seed, n, joints=joints, floating=floating, shape=shape, order=order, rotors=seed % 4 == 1)
    tree, oracle, (q, v, a) = (
        lower(Mechanism.from_dict(data)),
        PinocchioOracle(data),
        random_state(data, seed),
    )
    tau, M = oracle.rnea(q, v, a), oracle.crba(q)
    assert close(plain(gibbs_appell, tree, q, v, a) + rotors(tree) * a, tau)
    assert close(plain(newton_euler, tree, q, v, a) + rotors(tree) * a, tau)
    assert close(plain(composite_body, tree, q), M)
    assert close(plain(articulated_body, tree, q, v, tau), a, 1e-12 * np.linalg.cond(M))


@pytest.mark.parametrize("seed", range(4))
def test_places_of_bodies_and_frames_agree_with_pinocchio(seed: int) -> None:
    pytest.importorskip("pinocchio")
    from oracles.pinocchio_model import PinocchioOracle

    data = random_robot(seed, 9, joints="mixed", shape="tree", order="shuffled")
    data["frames"] = [{"name": "tip", "body": "body4", "placement": data["bodies"][0]["placement"]}]
    tree, oracle, (q, _, _) = (
        lower(Mechanism.from_dict(data)),
        PinocchioOracle(data),
        random_state(data, seed),
    )
    poses = world(tree, q)
    for name in ("tip", *(b["name"] for b in data["bodies"])):
        place = tree.frames[name]
        local = homogeneous([list(row) for row in place.R], list(place.r))
        assert np.abs(poses[place.link] @ local - oracle.pose(q, name)).max() < 1e-13
    assert tree.bodies == tuple(tree.frames[b["name"]] for b in data["bodies"])
    assert np.array_equal(poses[tree.frames["base"].link], np.eye(4))


def homogeneous(R: Any, r: Any) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, r
    return T


def world(tree: Tree, q: Array) -> list[Array]:
    poses = [np.eye(4)]
    for b in tree.links:
        X = b.pose(q.tolist())
        poses.append(poses[b.parent] @ homogeneous([list(row) for row in X.R.matrix], list(X.r)))
    return poses


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("k", range(3))
def test_axis_aligned_data_stays_exact(k: int, sign: float) -> None:
    """Every number of the links is one that was given, or a product of two of them, up to its sign."""
    mechanism = zoo.load("panda")
    data = mechanism.to_dict()
    for body in data["bodies"]:
        body["joint"]["axis"] = (sign * np.eye(3)[k] + 0.0).tolist()
    for b, given in zip(lower(Mechanism.from_dict(data)).links, mechanism.bodies, strict=True):
        assert all(x in (0.0, 1.0, -1.0) for row in b.fixed for x in row)
        assert sorted(map(abs, b.offset)) == sorted(map(abs, given.placement.position))
        assert sorted(map(abs, b.first)) == sorted(abs(given.mass * c) for c in given.com)


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, -1), (-1, 0, 0), (0, -1, 0)])
def test_bases_of_coordinate_axes_are_signed_permutations(axis: tuple[float, float, float]) -> None:
    wanted: dict[Any, str] = {(0, 0, 1): "x y", (1, 0, 0): "y z", (0, 1, 0): "z x"}
    wanted |= {(0, 0, -1): "x -y", (-1, 0, 0): "y -z", (0, -1, 0): "z -x"}
    letters: dict[str, Array] = dict(zip(("x", "y", "z"), np.eye(3), strict=True))
    e1, e2 = (letters[w[-1]] * (-1 if w[0] == "-" else 1) for w in wanted[axis].split())
    assert np.array_equal(np.array(basis(axis)), np.column_stack([e1, e2, axis]))


def test_bases_of_other_directions_are_right_handed(rng: Any) -> None:
    for n in rng.normal(size=(50, 3)):
        C = np.array(basis(tuple(n)))
        assert np.abs(C.T @ C - np.eye(3)).max() < 1e-15
        assert np.linalg.det(C) > 0
        assert np.abs(C[:, 2] - n / np.linalg.norm(n)).max() < 1e-15
        assert C[int(np.argmin(np.abs(n))), 0] == 0.0


def test_fixed_bodies_keep_their_names_and_give_their_mass() -> None:
    data = random_robot(3, 6, joints="revolute")
    for k in (0, 2, 3):
        data["bodies"][k]["joint"] = {"name": f"weld{k}", "type": "fixed"}
    mechanism = Mechanism.from_dict(data)
    tree = lower(mechanism)
    assert tree.n == tree.nv == 3
    assert [tree.frames[f"body{i}"].link for i in range(6)] == [0, 1, 1, 1, 2, 3]
    carried = sum(b.mass for b in mechanism.bodies[1:4])
    assert tree.links[0].mass == pytest.approx(carried, rel=1e-15)
    assert sum(b.mass for b in tree.links) == pytest.approx(sum(b.mass for b in mechanism.bodies[1:]), rel=1e-15)


def test_q_and_v_follow_the_users_order_and_links_are_depth_first() -> None:
    data = random_robot(11, 14, joints="mixed", shape="tree", order="shuffled", floating=True)
    data["bodies"].reverse()  # children before parents, even
    mechanism = Mechanism.from_dict(data)
    tree = lower(mechanism)
    starts = {p.link: (q, v) for p, q, v in zip(tree.bodies, mechanism.q_starts, mechanism.v_starts, strict=False)}
    last = {p.link: b.joint.type for p, b in zip(tree.bodies, mechanism.bodies, strict=True) if b.joint.type != "fixed"}
    for b in tree.links:
        assert b.parent < b.index
        if last.get(b.index) in ("revolute", "prismatic", "helical", "ball", "free"):
            assert (b.q_index, b.v_index) == starts[b.index]
    for b in tree.links:  # the subtree of b is one range
        inside = {b.index}
        for c in tree.links[b.index :]:
            if c.parent in inside:
                inside.add(c.index)
        assert inside == set(range(b.index, b.index + len(inside)))


def test_constants_of_joints_reach_their_freedoms() -> None:
    data = random_robot(1, 2, joints="cylindrical")
    data["bodies"][0]["joint"] |= {
        "damping": [0.1, 0.2],
        "gear": [10.0, 1.0],
        "rotor_inertia": 1e-3,
        "rest": 0.5,
    }
    first, second, *others = lower(Mechanism.from_dict(data)).links
    (turn,), (slide,) = first.resistances, second.resistances
    assert (turn.rotor, turn.damping, turn.rest) == (pytest.approx(0.1), 0.1, 0.5)
    assert (slide.rotor, slide.damping, slide.rest) == (1e-3, 0.2, 0.5)
    assert all(b.resistances == () for b in others)


def test_slightly_rounded_rotations_do_not_spoil_the_agreement_of_the_texts() -> None:
    data = random_robot(5, 6)
    for body in data["bodies"]:
        body["placement"]["rotation"] = np.round(body["placement"]["rotation"], 7).tolist()
    q, v, a = random_state(data, 5)
    tree = lower(Mechanism.from_dict(data))
    assert close(plain(gibbs_appell, tree, q, v, a), plain(newton_euler, tree, q, v, a), 1e-13)
    for b in tree.links:
        R = np.array([list(row) for row in b.fixed])
        assert np.abs(R.T @ R - np.eye(3)).max() < 2e-15


def test_a_mechanism_of_fixed_bodies_has_no_links() -> None:
    data = random_robot(2, 3)
    for k, body in enumerate(data["bodies"]):
        body["joint"] = {"name": f"weld{k}", "type": "fixed"}
    tree = lower(Mechanism.from_dict(data))
    assert (tree.n, tree.nq, tree.nv) == (0, 0, 0)
    assert [p.link for p in tree.bodies] == [0, 0, 0]


@pytest.mark.slow
def test_a_chain_of_100_000_is_lowered_in_seconds() -> None:
    chain = zoo.chain(100_000)
    start = time.process_time()
    assert lower(chain).n == 100_000
    assert time.process_time() - start < 10.0
