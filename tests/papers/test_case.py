"""A case prints, saves everything it holds, and says when it does not agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from appell.errors import AppellError
from appell.papers.case import Agreement, Case, Table
from appell.papers.library import run
from appell.show.charts import Chart, Panel


def _case(here: float) -> Case:
    chart = Chart("curve", "A curve", "t [s]", [0, 1, 2], (Panel("x [m]", {"a": [1, 2, 3]}),))
    table = Table("rows", ("word", "number"), [("one", 1.0), ("third", 1 / 3)])
    return Case("saha2010", "trial", "A trial", "Agrees.", (table,), (chart,), (Agreement("x", 1.0, here, 0.1),))


def test_a_case_saves_its_report_tables_and_charts(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    page = _case(1.05).save(tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {"report.html", "rows.csv", "curve.png", "agreement.csv"}
    assert (tmp_path / "rows.csv").read_text() == f"word,number\none,1.0\nthird,{1 / 3!r}\n"
    assert "A trial" in page.read_text() and (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_a_case_judges_what_it_may() -> None:
    assert _case(1.05).agrees and "holds" in str(_case(1.05))
    assert not _case(1.2).agrees and "FAILS" in str(_case(1.2))


def test_unknown_papers_are_told() -> None:
    with pytest.raises(AppellError, match="paper"):
        run("saha2011", "", Path("nowhere"))
