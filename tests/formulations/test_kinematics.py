"""Frames: where they stand and how they move, against an outside oracle and against their own rates."""

from __future__ import annotations

import numpy as np

from appell.model.tree import Place

from .readings import CASES, Array, Case, cases, close, first, slope

POSE, JACOBIAN, RATE = first("pose"), first("jacobian"), first("jacobian_rate")
VELOCITY, ACCELERATION = first("velocity"), first("acceleration")


@cases
def test_agree_with_the_oracle(case: Case) -> None:
    for name in case.frames:
        place = case.tree.frames[name]
        close(case.ask(POSE, case.q, place=place), case.oracle.pose(case.q, name))
        close(case.ask(JACOBIAN, case.q, place=place), case.oracle.jacobian(case.q, name))
        wanted = case.oracle.jacobian_rate(case.q, case.v, name)
        close(case.ask(RATE, case.q, case.v, place=place), wanted)


@cases
def test_velocity_is_the_rate_of_the_pose(case: Case) -> None:
    place = case.tree.frames["tool"]
    rate = slope(lambda t: case.ask(POSE, case.moved(t), place=place))
    spin = rate[:3, :3] @ case.ask(POSE, case.q, place=place)[:3, :3].T
    twist = case.ask(VELOCITY, case.q, case.v, place=place)
    close(twist, [*rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]], 1e-9)
    close(twist, case.ask(JACOBIAN, case.q, place=place) @ case.v)


@cases
def test_acceleration(case: Case) -> None:
    place = case.tree.frames["tool"]
    J, dJ = case.ask(JACOBIAN, case.q, place=place), case.ask(RATE, case.q, case.v, place=place)
    close(case.ask(ACCELERATION, case.q, case.v, case.a, place=place), J @ case.a + dJ @ case.v)


@cases
def test_rate_of_the_jacobian(case: Case) -> None:
    place = case.tree.frames["tool"]
    rate = slope(lambda t: case.ask(JACOBIAN, case.moved(t), place=place))
    close(case.ask(RATE, case.q, case.v, place=place), rate, 1e-9)


def test_the_base_stands_still() -> None:
    case, place = CASES[0], Place(0, r=CASES[0].tree.gravity)
    wanted: Array = np.eye(4)
    wanted[:3, 3] = [*place.r]
    close(case.ask(POSE, case.q, place=place), wanted, 0.0)
    assert not case.ask(JACOBIAN, case.q, place=place).any()
    assert not case.ask(VELOCITY, case.q, case.v, place=place).any()
    assert not case.ask(ACCELERATION, case.q, case.v, case.a, place=place).any()


@cases
def test_mass_centre(case: Case) -> None:
    close(case.ask(first("mass_centre"), case.q), case.oracle.com(case.q))
