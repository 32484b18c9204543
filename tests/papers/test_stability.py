"""What single precision costs: little where M is not formed, its condition where it is."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.errors import AppellError
from appell.papers import mata2002, stability
from appell.papers.stability import EPS, Stability, forward_rows
from appell.papers.two_plates import ABA, CRBA, DEGREES, of_joint_2, printed, two_plates

FORMS_M = [row.name for row in forward_rows() if row.name == CRBA or row.source == "mata2002"]


@pytest.fixture(scope="module")
def turn() -> Stability:
    return stability(two_plates(), np.stack([0 * DEGREES, np.radians(DEGREES)], -1))


@pytest.mark.slow
def test_the_case_agrees_with_the_corrected_paper() -> None:
    case = mata2002.stability()
    assert case.agrees, str(case)
    assert "NOT confirmed" in case.statement
    assert [t.name for t in case.tables] == ["table-5", "single-precision", "digits"]
    assert {row[0] for row in case.tables[0].rows} == {row.name for row in forward_rows()}


@pytest.mark.parametrize("method", (ABA, "denoc"))
def test_who_never_forms_the_mass_matrix_keeps_the_digits(turn: Stability, method: str) -> None:
    assert of_joint_2(turn, method)[0] < 3e-4
    assert not turn.loses_the_condition(method)


@pytest.mark.parametrize("method", FORMS_M)
def test_whoever_forms_the_mass_matrix_loses_its_condition(turn: Stability, method: str) -> None:
    largest, mean = of_joint_2(turn, method)
    assert 0.2 < largest < 2.0 and 0.05 < mean < 0.5
    assert turn.loses_the_condition(method)


def test_no_method_loses_more_than_the_condition(turn: Stability) -> None:
    for method in turn.single:
        assert (turn.error(method) < 2 * EPS * turn.condition).all()


def test_each_digit_more_gives_a_digit_more(turn: Stability) -> None:
    """The texts themselves, without a compiler: error / eps is the same at all precisions, up to some luck."""
    table = turn.by_digits((8, 12, 16, 20))
    for method, column in zip(table.head[1:], list(zip(*table.rows))[1:]):
        lost = [np.log10(e) + n - 1 for n, e in zip((8, 12, 16, 20), column)]
        assert max(lost) - min(lost) < 2.5, method
        if method in FORMS_M:
            assert 2.5 < np.mean(lost) < 5.5
        if method in (ABA, "denoc"):
            assert np.mean(lost) < 1.5


@pytest.mark.slow
def test_a_well_conditioned_robot_loses_nothing_by_any_method() -> None:
    """Two equal plates in line, each on its own joint about the base: M is diagonal."""
    data = two_plates().to_dict()
    data["bodies"][1]["parent"] = "base"
    data["bodies"][0] |= {key: data["bodies"][1][key] for key in ("mass", "com", "inertia")}
    found = stability(appell.Robot.from_dict(data), np.linspace(0, 6, 50)[:, None] * np.ones(2))
    assert found.condition.max() == pytest.approx(1.0)
    assert all(found.error(m).max() < 10 * EPS for m in found.single)


def test_any_robot_can_be_asked() -> None:
    found = appell.papers.stability(appell.load("scara"), methods=[ABA, CRBA], as_given=True)
    assert [*found.single] == [ABA, CRBA]
    assert len(found.q) == len(found.condition) == 100
    assert all((found.error(m) < 5 * EPS * found.condition).all() for m in found.single)
    page = str(found.case())
    assert "single-precision" in page and CRBA in page


def test_states_of_another_shape_are_refused() -> None:
    with pytest.raises(AppellError, match=r"q has shape \(7, 3\), wanted \(states, 2\)"):
        stability(two_plates(), np.zeros((7, 3)))
    with pytest.raises(AppellError, match="unknown method"):
        stability(two_plates(), methods=["abracadabra"])


def test_the_papers_own_method_has_the_papers_row() -> None:
    assert printed(ABA) == ABA and printed(CRBA) == CRBA
    assert {printed(row.name) for row in forward_rows() if row.source == "mata2002"} <= {"mata2002"}
