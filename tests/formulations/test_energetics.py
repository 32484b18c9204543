"""Energy and momentum: against an outside oracle, and their balances."""

from __future__ import annotations

import numpy as np

from .readings import Case, cases, close, first, resisting, slope

ENERGY, MOMENTUM, CENTROIDAL = first("energy"), first("momentum"), first("centroidal_momentum_matrix")


@cases
def test_energy_agrees_with_the_oracle(case: Case) -> None:
    close(case.ask(ENERGY, case.q, case.v), case.oracle.energy(case.q, case.v))


@cases
def test_centroidal_momentum_agrees_with_the_oracle(case: Case) -> None:
    close(case.ask(CENTROIDAL, case.q), case.oracle.centroidal_momentum_matrix(case.q, case.v))


@cases
def test_momentum_about_the_base_and_about_the_mass_centre(case: Case) -> None:
    momentum, about = case.ask(MOMENTUM, case.q, case.v), case.ask(CENTROIDAL, case.q) @ case.v
    c = case.ask(first("mass_centre"), case.q)
    close(momentum, [*about[:3], *(about[3:] + np.cross(c, about[:3]))])


@cases
def test_linear_momentum_moves_the_mass_centre(case: Case) -> None:
    rate = slope(lambda t: case.ask(first("mass_centre"), case.moved(t)))
    mass = sum(b.mass for b in case.tree.links)
    close(case.ask(MOMENTUM, case.q, case.v)[:3], mass * rate, 1e-9)


@resisting
def test_power_less_friction_is_the_rate_of_energy(case: Case) -> None:
    """Springs store, rotors spin, friction takes."""

    def energy(t: float) -> float:
        return case.ask(ENERGY, case.moved(t, case.v + case.a * (t / 2)), case.v + case.a * t).sum()

    lost = 0.0
    for b in case.tree.links:
        for z in b.freedoms:
            met, speed = z.resistance, case.v[z.index]
            dry = np.tanh(speed / met.smoothing) if met.smoothing else np.sign(speed)
            lost += (met.damping * speed + met.coulomb * dry) * speed
    power = case.ask(first("inverse_dynamics"), case.q, case.v, case.a) @ case.v
    assert lost > 0.01
    close(slope(energy), power - lost, 1e-7)
