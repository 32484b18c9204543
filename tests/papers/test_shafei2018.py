"""shafei2018: a tree in flight inside a circle, against Pinocchio and SciPy, the paper and reference values."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest

from appell.errors import ShapeError
from appell.papers import shafei2018
from appell.papers.tree_in_circle import LINKS, POINTS, PRINTED, REFERENCE, X1, Flight

OTHER = "articulated_body"  # which shares no equation with gibbs_appell_tree
START = -1.366  # as printed: O5 is nearer to the wall than O1


@pytest.fixture(scope="module")
def exact() -> Flight:
    return Flight(2.3, rtol=1e-14)


def numbers(impact: Any) -> Any:
    return np.array([(c.attack_angle, c.normal_velocity_change, c.impulse) for c in impact.contacts])


def test_the_start_is_the_paper_s(exact: Flight) -> None:
    places = exact.positions(exact.start)
    assert np.abs(places * [-1, 1] - places[[4, 3, 2, 1, 0, 5, 9, 10, 8, 6, 7]]).max() < 1e-14
    lengths = [np.linalg.norm(places[b - 1] - places[a - 1]) for a, b in LINKS]
    assert np.abs(np.array(lengths) - 1).max() < 1e-14


def test_table_3_to_the_last_digit_of_the_reference(exact: Flight) -> None:
    for row, impact in zip(REFERENCE, exact.impacts):
        assert impact.points == row.points and abs(impact.t - row.t) < 1e-12
        wanted = np.array([row.attack_angle, row.change, row.impulse])
        assert (np.abs(numbers(impact) - wanted) < 5.1e-9).all()
    assert len(exact.impacts) == 8


def test_energy_is_kept(exact: Flight) -> None:
    assert Flight(1.5, rtol=1e-14).drift < 5e-12
    for impact in exact.impacts:
        assert impact.energy_after == pytest.approx(impact.energy_before, rel=1e-13)
    for k in range(1, 8):
        total = sum(exact.robot.energy(*exact.run(0.3 * k)))
        assert total == pytest.approx(exact.energy, abs=1e-9)


def test_two_formulations_agree(exact: Flight) -> None:
    other = Flight(2.3, rtol=1e-14, method=OTHER)
    for a, b, close in zip(exact.impacts, other.impacts, [1e-13] * 5 + [1e-11] * 3):
        assert a.points == b.points and abs(a.t - b.t) < 30 * close
        assert numbers(a) == pytest.approx(numbers(b), rel=100 * close, abs=1e-9)


@pytest.mark.parametrize(
    ("t_end", "restitution", "x1", "gap", "count"),
    [
        (2.3, 1.0, X1, 1e-9, 8),
        (1.475, 0.5, X1, 1e-9, 11),
        (1.5, 1.0, START, 1e-9, 9),
        (1.5, 1.0, START, 1e-3, 5),
        (2.0, 0.9, X1, 1e-9, 5),
    ],
)
def test_pinocchio_and_scipy_strike_the_same(
    t_end: float, restitution: float, x1: float, gap: float, count: int
) -> None:  # fmt: skip
    pytest.importorskip("pinocchio")
    from oracles.flight import Elsewhere
    from oracles.pinocchio_model import PinocchioOracle

    flight = Flight(t_end, restitution, x1, gap, rtol=1e-14)
    model = PinocchioOracle(flight.robot.to_dict())
    other = list(Elsewhere(model, restitution, gap_tolerance=gap).impacts(flight.start, np.zeros(12), t_end))
    assert len(other) == len(flight.impacts) == count
    for a, b in zip(other, flight.impacts):
        assert a.points == b.points and abs(a.t - b.t) < 1e-11
        assert numbers(b) == pytest.approx(a.numbers, rel=1e-9, abs=1e-8)
        assert (b.energy_before, b.energy_after) == pytest.approx(a.energies, abs=1e-9)


def test_what_is_struck_one_after_the_other_gets_another_impulse() -> None:
    apart, together = Flight(0.5, x1=START), Flight(0.5, x1=START, gap_tolerance=1e-3)
    assert [i.points for i in apart.impacts] == [("O5",), ("O1",)]
    assert [i.points for i in together.impacts] == [("O1", "O5")]
    first, second = apart.impacts
    assert second.t - first.t == pytest.approx(9.1e-6, abs=5e-8)
    assert [c.impulse for i in apart.impacts for c in i.contacts] == pytest.approx([5.37066, 5.15391], abs=2e-4)


def test_endless_bounces_end_in_rest_and_take_energy() -> None:
    """O8 and O11 bounce ever faster until they rest."""
    flight = Flight(1.6, restitution=0.5)
    pair = [i for i in flight.impacts if i.points == ("O8", "O11") and i.t > 1.4753]
    ratios = [b.contacts[0].velocity_before / a.contacts[0].velocity_before for a, b in pairwise(pair)]
    assert pair[-1].settled is not None and len(pair) < 40
    assert np.abs(np.array(ratios) - 0.5).max() < 0.01
    assert all(i.energy_after < i.energy_before + 1e-10 for i in flight.impacts)
    assert flight.drift < 1e-11
    places = flight.positions(flight.run(1.55)[0])
    assert np.linalg.norm(places[[7, 10]], axis=1) == pytest.approx(2.5, abs=1e-9)  # they rest


def test_a_case_stands_beside_the_paper(tmp_path: Path) -> None:
    case = shafei2018.impacts()
    assert case.agrees and len(case.agreements) == 1 + 2 * 5 * 4 + 3
    paper = {row[0]: row[6:] for row in case.tables[0].rows}
    assert [x[0] for x in paper.values()] == [row.t for row in PRINTED]
    assert "5 of the 5 impacts" in case.statement and case.data["energy_drift"] < 1e-11
    json.dumps(case.data)


def test_a_case_says_what_the_printed_start_does() -> None:
    apart, together = shafei2018.impacts(x1=START), shafei2018.impacts(x1=START, gap_tolerance=1e-3)
    assert apart.agrees and "O5 strikes alone" in apart.statement
    assert together.agrees and "O1, O5 are one impact" in together.statement
    assert "Nothing here can be held against Table 3" in shafei2018.impacts(restitution=0.5, t_end=0.5).statement


def test_a_case_with_coarse_steps_is_not_judged_by_fine_digits() -> None:
    assert shafei2018.impacts(rtol=1e-8).agrees


def test_no_time_no_flight() -> None:
    with pytest.raises(ShapeError, match="t_end is 0 s, wanted a time above 0"):
        shafei2018.impacts(t_end=0.0)


@pytest.mark.slow
def test_a_saved_case_has_all_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    shafei2018.impacts(t_end=0.6).save(tmp_path)
    pictures = {f"figure-{k}.png" for k in range(14, 20)}
    tables = {"table-3.csv", "agreement.csv", "positions.csv", "velocities.csv", "energy.csv"}
    assert {p.name for p in tmp_path.iterdir()} == pictures | tables | {"report.html"}
    head, *rows = (tmp_path / "positions.csv").read_text().splitlines()
    assert head.split(",")[1:3] == ["O1 X1 [m]", "O1 X2 [m]"] and len(head.split(",")) == 1 + 2 * len(POINTS)
    assert len({row.partition(",")[0] for row in rows}) == len(rows) - 2  # both sides of two impacts


@pytest.mark.slow
def test_from_the_shell() -> None:
    words = ("--t-end", "1.2", "--x1", "-1.366", "--gap-tolerance", "1e-3", "--json")
    code = "import sys; from appell.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "paper", "shafei2018", *words]
    data = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert [[c["point"] for c in i["contacts"]] for i in data["impacts"]] == [
        ["O1", "O5"], ["O2", "O4"], ["O8", "O11"], ["O3"]
    ]  # fmt: skip
    first = data["impacts"][0]
    assert set(first) == {"t", "contacts", "energy_before", "energy_after"}
    assert set(first["contacts"][0]) == {"point", "attack_angle_deg", "normal_velocity_change", "impulse"}
    assert data["energy_drift"] < 1e-11


@pytest.mark.slow
def test_the_case_is_quick_once_its_kernels_are_there() -> None:
    """A blink on one core; processor time, as others may use the machine."""
    _seconds()
    best = min(_seconds() for _ in range(30))
    assert best < 0.05


def _seconds() -> float:
    start = process_time()
    assert len(Flight(rtol=1e-10).impacts) == 5
    return process_time() - start


def test_a_start_outside_is_a_case_that_fails_and_can_be_saved(tmp_path: Path) -> None:
    case = shafei2018.impacts(x1=-5.0)
    assert not case.agrees and "The motion stopped: it starts 3.09 m inside a wall, O1 at circle" in str(case)
    assert "<th>point</th>" in re.sub(' class="[^"]*"', "", case.save(tmp_path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("rods", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)])
def test_equations_of_a_branch_in_symbols(rods: int) -> None:
    case = shafei2018.branch(rods)
    assert case.agrees and case.data["M"][0][0] == ("m" if rods == 1 else f"{rods}*m")
    if rods == 2:
        assert case.data["M"][3][3] == "J + K" and case.data["M"][2][3] == "J + K + l*s*cos(q4)"
    with pytest.raises(ShapeError, match="rods is 5, wanted 1 to 4"):
        shafei2018.branch(5)
