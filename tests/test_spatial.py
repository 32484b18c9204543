"""Rotations of tensors by plane turns, inertias carried and seen through joints: against NumPy, and what they cost."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from appell.scalar import Count
from appell.spatial import Articulated, Pose, Twist
from appell.vec import IDENTITY, Mat3, Quat, Rot, Sym3, Turn, Vec3, skew

Array = np.ndarray
SEEDS = pytest.mark.parametrize("seed", range(4))
X, Y, Z, O = Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3()


def array(A: Any) -> Array:
    """A matrix as NumPy has it."""
    return np.array([[float(x) for x in row] for row in (A.matrix if hasattr(A, "matrix") else A)])


def tensors(seed: int) -> tuple[Sym3, Mat3, Sym3, Vec3, float]:
    rng = np.random.default_rng(seed)
    S, C = (Sym3(*rng.normal(size=6).tolist()) for _ in range(2))
    H = Mat3(*(Vec3(*row) for row in rng.normal(size=(3, 3)).tolist()))
    return S, H, C, Vec3(*rng.normal(size=3).tolist()), float(rng.uniform(0.1, 3))


def tilt(angle: Any) -> Mat3:
    """A turn about x, as a modified Denavit-Hartenberg row has it."""
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return Mat3(X, Vec3(0, c, -s), Vec3(0, s, c))


def rotations(angle: float) -> dict[str, Rot]:
    quarter = Mat3(X, Vec3(0, 0, -1.0), Vec3(0, 1, 0))
    general = Quat(0.3, angle, -0.4, 0.7).matrix
    turn = Turn(float(np.cos(angle)), float(np.sin(angle)))
    return {
        "identity": Rot(IDENTITY, turn),
        "tilt": Rot(tilt(2 * angle), turn),
        "quarter": Rot(quarter, turn),
        "general": Rot(general, turn),
        "quaternion": Rot(tilt(angle), general),
    }


@SEEDS
@pytest.mark.parametrize("kind", rotations(0.5))
def test_tensors_turn(seed: int, kind: str) -> None:
    S, H, _, _, angle = tensors(seed)
    R = rotations(angle)[kind]
    np.testing.assert_allclose(array(R.congruence(S)), array(R) @ array(S) @ array(R).T, atol=1e-14)
    np.testing.assert_allclose(array(R.similarity(H)), array(R) @ array(H) @ array(R).T, atol=1e-14)


def test_about_x_is_known_by_structure_alone() -> None:
    assert tilt(0.3).about_x is not None
    assert Mat3(Vec3(1.0, 0.0, 0.0), *list(tilt(0.3))[1:]).about_x is None
    assert IDENTITY.about_x is None
    assert tilt(0.3).T.about_x == Turn(tilt(0.3).r2.y, -tilt(0.3).r3.y)


def counted(R: Rot, tensor: str) -> tuple[int, int]:
    tally: Counter[str] = Counter()
    x = Count(tally)
    turn = Turn(Count(tally), Count(tally))
    given = Sym3(x, x, x, x, x, x) if tensor == "congruence" else Mat3(Vec3(x, x, x), Vec3(x, x, x), Vec3(x, x, x))
    getattr(Rot(R.fixed, turn), tensor)(given)
    return tally["mul"], tally["add"]


def test_a_turn_and_a_tilt_cost_two_plane_turns() -> None:
    R = rotations(0.5)
    assert counted(R["identity"], "congruence") == counted(R["quarter"], "congruence") == (10, 10)
    assert counted(R["tilt"], "congruence") == (18, 17)
    assert counted(R["identity"], "similarity") == (14, 12)
    assert counted(R["tilt"], "similarity") == (26, 24)


def six(I: Articulated) -> Array:
    """As the papers have it: (moment, force) for (angular, linear)."""
    return np.block([[array(I.C), array(I.H).T], [array(I.H), array(I.A)]])


def of_twist(t: Twist) -> Array:
    return np.array([*t.angular, *t.linear], float)


@SEEDS
@pytest.mark.parametrize("kind", rotations(0.5))
def test_an_inertia_goes_to_the_parent(seed: int, kind: str) -> None:
    """A' M A, with A that takes the parent's twist to the body."""
    A, H, C, r, angle = tensors(seed)
    X_, I = Pose(rotations(angle)[kind], r), Articulated(A, H, C)
    R = array(X_.R)
    to_body = np.block([[R.T, np.zeros((3, 3))], [-R.T @ array(skew(r)), R.T]])
    np.testing.assert_allclose(six(I.to_parent(X_)), to_body.T @ six(I) @ to_body, atol=1e-13)
    t = Twist(r, Vec3(*H.r1))
    np.testing.assert_allclose(of_twist(X_.from_parent(t)), to_body @ of_twist(t), atol=1e-14)


FREEDOMS = {"turn": Twist(Z, O), "slide": Twist(O, Y), "screw": Twist(Z, Z * 0.3), "about x": Twist(X, O)}


@SEEDS
@pytest.mark.parametrize("kind", FREEDOMS)
@pytest.mark.parametrize("rotor", [0, 0.7])
def test_an_inertia_is_felt_through_a_joint(seed: int, kind: str, rotor: float) -> None:
    A, H, C, *_ = tensors(seed)
    I, s = Articulated(A, H, C), FREEDOMS[kind]
    psi, d, rest = I.through(s, rotor)
    M, p = six(I), of_twist(s)
    pivot = p @ M @ p + rotor
    felt = M - np.outer(M @ p, M @ p) / pivot
    scale = max(1.0, float(np.abs(felt).max()))
    assert d == pytest.approx(1 / pivot, rel=1e-12)
    np.testing.assert_allclose([*psi.moment, *psi.force], M @ p / pivot, atol=1e-13 * scale)
    np.testing.assert_allclose(six(rest), felt, atol=1e-13 * scale)
    if rotor == 0:
        assert psi @ s == pytest.approx(1.0, abs=1e-14)
        annihilated = rest @ s
        np.testing.assert_allclose([*annihilated.moment, *annihilated.force], 0, atol=1e-13 * scale)


def test_what_a_joint_lets_through_is_structurally_absent() -> None:
    """Of a turn about z with no rotor: a row and a column of the inertia, and the 1 of its dual."""
    x = Count()
    symmetric, whole = Sym3(x, x, x, x, x, x), Mat3(Vec3(x, x, x), Vec3(x, x, x), Vec3(x, x, x))
    psi, _, rest = Articulated(symmetric, whole, symmetric).through(FREEDOMS["turn"], 0)
    assert [*rest.C.z, *rest.H.T.r3] == [0] * 6
    assert all(type(x) is int for x in (*rest.C.z, *rest.H.T.r3, psi.moment.z))
    assert psi.moment.z == 1
    psi, _, rest = Articulated(symmetric, whole, symmetric).through(FREEDOMS["turn"], x)
    assert all(isinstance(x, Count) for x in (*rest.C.z, *rest.H.T.r3, psi.moment.z))


@SEEDS
@pytest.mark.parametrize("kind", FREEDOMS)
def test_a_twist_is_split_along_a_freedom(seed: int, kind: str) -> None:
    _, H, _, r, _ = tensors(seed)
    t, s = Twist(r, H.r2), FREEDOMS[kind]
    x, rest = t.split(s)
    np.testing.assert_allclose(of_twist(rest + s * x), of_twist(t), atol=1e-15)
    assert rest.split(s)[0] == 0
