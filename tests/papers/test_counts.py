"""Printed operation counts follow from their formulas, ours stay below them, and the page promises what is kept."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from oracles.few import few

from appell.formulations.table import FORMULATIONS
from appell.papers import counts, counts_page, library
from appell.papers.case import Case
from appell.papers.own_counts import (
    ARMS,
    READINGS,
    branched,
    chain,
    counted,
    counted_arm,
    has,
    methods,
    polynomial,
    products,
)
from appell.papers.printed_counts import FORWARD, INERTIA, INVERSE, MATA, SAHA, SHAFEI, SOLVE, VALERA, Formula
from appell.trace.counting import Operations, of_text

PAGE = Path(__file__).resolve().parents[2] / "docs" / "counts.md"
FEW = (3, 6)  # joints


def both(x: Operations) -> tuple[int, int]:
    return products(x), x.add


def test_formulas_are_read_as_they_are_written() -> None:
    assert Formula("1/6n^3 + 13n^2 + 695/6n - 157")(6) == 1042
    assert Formula("11.5n^2 - n")(3) == Fraction(201, 2)
    assert [Formula(x)(5) for x in ("0", "n", "-n^2 + 4", "150n")] == [0, 5, -21, 750]
    for wrong in ("2m + 1", "3n^ + 1", "", "2 * n"):
        with pytest.raises(ValueError, match="wanted terms"):
            Formula(wrong)(1)


def test_formulas_are_written_as_they_are_read() -> None:
    for text in ("1/6n^3 + 13n^2 + 695/6n - 157", "11.5n^2 - n", "-n^2 + 4", "150n", "0", "n - 1/3"):
        assert str(Formula.of(Formula(text).coefficients)) == text


def test_a_polynomial_is_found_where_there_is_one() -> None:
    assert polynomial({n: 96 * n - 69 for n in range(3, 9)}) == "96n - 69"
    assert polynomial({n: (n**3 + 5 * n) // 6 for n in range(3, 9)}) == "1/6n^3 + 5/6n"
    assert polynomial(dict.fromkeys(range(3, 9), 7)) == "7"
    assert polynomial({n: 110 * n + n % 2 for n in range(3, 9)}) == ""


def test_every_further_joint_costs_as_written_what_the_papers_print() -> None:
    """Step by step the texts are the papers'; only at the ends does a hand leave out more."""

    def leading(question: str, method: str) -> list[Fraction]:
        row = next(f for f in FORMULATIONS if (f.computes, f.name) == (question, method))
        found = {n: of_text(row, chain(n).tree) for n in range(3, 9)}
        both = polynomial({n: x.mul for n, x in found.items()}), polynomial({n: x.add for n, x in found.items()})
        return [Formula(x).coefficients[max(Formula(x).coefficients)] for x in both]

    assert leading(INVERSE, "gibbs_appell") == [96, 84]
    assert leading(INVERSE, "newton_euler_tensor") == [93, 81]
    assert leading(INVERSE, "kane") == [105, 87]  # 105 and 90 in print
    assert leading(INERTIA, "gibbs_appell_inertia") == [Fraction(23, 2), Fraction(17, 2)]
    assert leading(INERTIA, "composite_body") == [11, 7]  # 12 and 7
    assert leading(INERTIA, "natural_orthogonal_complement") == [1, 1]


def test_printed_values_follow_from_the_formulas_and_no_others_would() -> None:
    """As the cases judge them, without our own counts, which take longer."""
    judged = [*counts._at_six((*MATA, *VALERA, *SAHA)), *counts._crossover_values()]
    assert len(judged) == 2 * (4 + 3 + 5 + 4 + 7) + 3 * 5
    assert {a.verdict for a in judged} == {"holds"}
    wrong = [r for r in SAHA[0].rows if (r.mul(7), r.add(7)) == r.at_six]
    assert wrong == []


def test_crossovers_are_corrected_in_three_places() -> None:
    found = {(who, word[:2]): (right, printed, here) for who, word, right, printed, here in counts.crossovers()}
    assert all(right == here for right, _, here in found.values())
    off = {key: (printed, here) for key, (_, printed, here) in found.items() if printed != here}
    assert off == {("Valasek", "n+"): (15, 16), ("Brandl et al.", "n*"): (14, 15), ("Brandl et al.", "n+"): (16, 18)}


@pytest.mark.slow
def test_a_table_of_branches_grows_with_branches_and_the_square_of_links() -> None:
    case = counts.shafei2018()
    assert case.agrees
    assert len(case.agreements) == 6
    ours = {row[5]: row[6] + row[7] for row in case.tables[0].rows}
    assert ours["gibbs_appell"] < ours["lagrange"] < ours["gibbs_appell_tree"]  # as the statement says
    assert all(ours[name] * 2 < sum(at_four) for *_, at_four, name in SHAFEI)
    assert branched(3, 2).nv == 6 + 3 * 2


@pytest.mark.parametrize("n", few([3, 4, 6, 9, 12], 4))
def test_gibbs_appell_and_denoc_cost_less_than_their_papers_say(n: int) -> None:
    """Products and sums each, in Programs of the unmoved masses."""
    by = {(r.who, t.question): r for t in (*MATA, *SAHA) for r in t.rows}
    wanted = [
        (INVERSE, "gibbs_appell", by["this work, Gibbs-Appell", INVERSE]),
        (INERTIA, "gibbs_appell_inertia", by["this work, Gibbs-Appell", INERTIA]),
        (FORWARD, "gibbs_appell_forward", by["total", FORWARD]),
        (SOLVE, "denoc", by["Mohan and Saha (2007)", SOLVE]),
    ]
    for question, method, row in wanted:
        mul, add = both(counted(n, question, method).unmoved)
        assert mul <= row.mul(n)
        assert add <= row.add(n)


def test_a_general_arm_of_six_joints_goes_below_every_published_count() -> None:
    """412 + 348 is what a trial reached that moved masses; the least printed one is 475 + 404."""
    found = both(chain(6).count("inverse_dynamics").program)
    assert found <= (378, 317)
    least = min(r.mul(6) for t in (*MATA, *VALERA, *SAHA) if t.question == INVERSE for r in t.rows if r.ours)
    assert found[0] < least == 475


@pytest.mark.parametrize("n", FEW)
def test_what_runs_is_nowhere_above_a_paper(n: int) -> None:
    for t in (*MATA, *VALERA, *SAHA):
        for r in t.rows:
            if has(r.question or t.question, r.ours):
                mul, add = both(counted(n, r.question or t.question, r.ours).program)
                assert mul <= r.mul(n), f"{t.paper}, {t.name}, {r.who}"
                assert add <= r.add(n), f"{t.paper}, {t.name}, {r.who}"


def test_the_counts_of_every_paper_can_be_asked_for() -> None:
    with_counts = {paper for paper, cases in library.CASES.items() if "counts" in cases}
    assert {library.function(paper, "counts") for paper in with_counts} == set(counts_page.CASES)


# --- the page --------------------------------------------------------------------------------------------


def promised() -> dict[tuple[str, str, str], list[tuple[int, int]]]:
    """By question, reading and formulation: the counts for 1, 2, 3 ... joints."""
    question = reading = ""
    titles = {title: name for name, title in counts_page.QUESTIONS.items()}
    found: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    text = PAGE.read_text(encoding="utf-8")
    for line in text[text.index(counts_page.OWN) :].splitlines():
        if line.startswith("### "):
            question = titles[line[4:]]
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if cells and (head := re.fullmatch(r"`\.(\w+)`", cells[0])):
            reading = head[1]
        elif cells and cells[0] in ("arm", "formulas"):
            reading = ""
        elif cells and cells[0] != "---" and reading:
            found[question, reading, cells[0]] = [
                (int(a), int(b)) for a, _, b in (c.partition(" + ") for c in cells[1:])
            ]
    return found


def test_the_page_lists_every_formulation() -> None:
    wanted = {(q, r, m) for q in counts_page.QUESTIONS for r in READINGS for m in methods(q)}
    assert set(promised()) == wanted, f"run: {counts_page.COMMAND}"


@pytest.mark.parametrize("n", [*FEW, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 12))])
def test_texts_keep_what_the_page_promises(n: int) -> None:
    """A text may cost less than the page says, which then is rewritten at leisure; not more."""
    for (question, reading, method), row in promised().items():
        mul, add = both(getattr(counted(n, question, method), reading))
        assert mul + add <= sum(row[n - 1]), f"{method}, {reading}; run: {counts_page.COMMAND}"


@pytest.mark.slow
def test_the_arms_of_the_page_cost_no_more() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for question, title in counts_page.QUESTIONS.items():
        part = text[text.index(f"### {title}\n") :]
        lines = part[part.index("| arm |") :].partition("\n\n")[0].splitlines()[2:]
        assert len(lines) == len([*methods(question)])
        for line in lines:
            method, *cells = (cell.strip() for cell in line.split("|")[1:-1])
            today = [both(getattr(counted_arm(a, question, method), r)) for a in ARMS for r in READINGS]
            for cell, (mul, add) in zip(cells, today, strict=True):
                assert mul + add <= sum(map(int, cell.split(" + "))), f"{method}; run: {counts_page.COMMAND}"


def test_the_formulas_on_the_page_give_its_numbers() -> None:
    text, numbers, seen = PAGE.read_text(encoding="utf-8"), promised(), 0
    for question, title in counts_page.QUESTIONS.items():
        lines = text[text.index(f"### {title}\n") :].partition("| formulas |")[2].partition("\n\n")[0].splitlines()[2:]
        assert [line.split(" ")[1] for line in lines] == [*methods(question)]
        for line in lines:
            method, *cells = (cell.strip() for cell in line.split("|")[1:-1])
            for reading, cell in zip(READINGS, cells, strict=True):
                for k, formula in enumerate(cell.split(", ")):
                    row = numbers[question, reading, method]
                    assert formula == "-" or [Formula(formula)(n) for n in range(3, 13)] == [x[k] for x in row[2:]]
                    seen += formula != "-"
    assert seen > 50


def test_the_page_has_the_papers_formulas() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for t in (*MATA, *VALERA, *SAHA):
        for r in t.rows:
            assert f"| {r.who} | {r.mul} | {r.add} | {r.mul(6)} + {r.add(6)} |" in text


def test_the_page_is_rewritten_in_its_place_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts_page, "papers", lambda: iter(["one"]))
    monkeypatch.setattr(counts_page, "own", lambda: iter(["two"]))
    page = f"before\n{counts_page.BEGIN}\nold\n{counts_page.OWN}\nold\n{counts_page.END}\nafter\n"
    new = counts_page.rewritten(page)
    assert new.startswith(f"before\n{counts_page.BEGIN}\n\none") and new.endswith(f"{counts_page.END}\nafter\n")
    assert "old" not in new
    assert counts_page.rewritten(new) == new
    with pytest.raises(SystemExit, match="no place"):
        counts_page.rewritten("nothing")


@pytest.mark.slow
@pytest.mark.parametrize("case", counts_page.CASES, ids=lambda f: f.__name__)
def test_cases_agree_with_the_papers(case: object) -> None:
    found = case()  # type: ignore[operator]
    assert isinstance(found, Case)
    assert found.agrees
    assert len(found.agreements) >= 6
    assert "as the Program that runs, nowhere." in found.statement or found.paper == "shafei2018"
