"""The demo: what it leaves, that it is whole, and that it would tell if a formulation were wrong."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import appell
from appell.errors import AppellError
from appell.formulations.table import FORMULATIONS
from appell.show import comparison, demo, plots, report
from appell.show.comparison import BASIC, Comparison, minimum_jerk
from appell.trace.counting import Operations

VOID = {"meta", "img", "br", "link"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few states, short timings: the demo itself is what is tested, not its patience."""
    monkeypatch.setattr(demo, "STATES", 200)
    monkeypatch.setattr(comparison, "best", lambda *_: 1e-6)


class Page(HTMLParser):
    """Checks that tags nest, and gathers text and addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.addresses += [value for key, value in attrs if key in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    assert page.open == []
    return page


@pytest.mark.slow
def test_the_demo_leaves_a_figure_and_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "new" / "folder"
    assert demo.run(out) == 0
    assert sorted(p.name for p in out.iterdir()) == ["report.html", "torques.png"]
    assert (out / "torques.png").read_bytes().startswith(b"\x89PNG")
    page = read(out / "report.html")
    assert len(page.addresses) == 1 and page.addresses[0].startswith("data:image/png;base64,")
    printed = capsys.readouterr().out
    for row in (f for f in FORMULATIONS if f.computes in BASIC):
        assert row.name in page.text and row.name in printed
    for word in ("All agree", "holds", "numpy", "llvmlite", "make demo", "alpha [deg]"):
        assert word in page.text
    assert "FAILS" not in page.text + printed
    assert len(printed.splitlines()[-3:]) == 3 and str(out / "report.html") in printed


@pytest.mark.slow
def test_without_matplotlib_one_sentence_and_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert demo.run(tmp_path) == 0
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    assert read(tmp_path / "report.html").addresses == []
    assert capsys.readouterr().out.count("no figure without matplotlib") == 1


@pytest.mark.slow
def test_a_wrong_formulation_is_found_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right: Callable[..., Any] = Comparison.kernel

    def wrong(self: Comparison, row: Any) -> Any:
        ask = right(self, row)
        return ask if row.name != "newton_euler" else lambda *x: ask(*x) * (1 + 1e-9)

    monkeypatch.setattr(Comparison, "kernel", wrong)
    monkeypatch.setattr(Comparison, "cost", lambda self, row: _no_cost(row))
    assert demo.run(tmp_path) == 1
    assert "NOT ALL AGREE: 2 of" in capsys.readouterr().out
    assert "FAILS" in read(tmp_path / "report.html").text


def _no_cost(row: Any) -> comparison.Cost:
    counted = comparison.Counts(*[Operations()] * 3)
    return comparison.Cost(row, 1.0, False, 1.0, 1.0, 1.0, counted)


def test_nan_is_no_agreement() -> None:
    assert not comparison.Agreement("inverse_dynamics", "x", "y", float("nan"), 1.0).holds


def test_minimum_jerk_moves_as_its_derivatives_say() -> None:
    start, end = np.array([0.0, 1.0]), np.array([2.0, -1.0])
    m = minimum_jerk(start, end, 1.7, 4001)
    np.testing.assert_array_equal(m.q[0], start)
    np.testing.assert_allclose(m.q[-1], end, rtol=1e-14)
    np.testing.assert_allclose(np.gradient(m.q, m.t, axis=0, edge_order=2), m.v, atol=1e-5)
    np.testing.assert_allclose(np.gradient(m.v, m.t, axis=0, edge_order=2), m.a, atol=1e-5)
    assert abs(np.concatenate([m.v[[0, -1]], m.a[[0, -1]]])).max() < 1e-12


@pytest.mark.slow
def test_every_formulation_of_the_basic_questions_agrees_on_another_robot() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = appell.load("stanford")
    q, _ = robot.random_state(3)
    found = Comparison(robot, minimum_jerk(q, q + 0.5, 1.0, 50))
    agreements = list(found.agreements())
    assert {a.question for a in agreements} == set(BASIC)
    assert [a for a in agreements if not a.holds] == []


def test_text_in_the_page_is_escaped() -> None:
    page = report.page("a < b", [report.Text("x & y", "lead")], [("<s>", [report.Table(("h<",), [("1 > 0",)])])])
    assert "a &lt; b" in page and "x &amp; y" in page and "&lt;s&gt;" in page and "1 &gt; 0" in page


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    report.write(path, "first")
    with pytest.raises(UnicodeEncodeError):
        report.write(path, "\ud800")
    assert path.read_text() == "first"
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    (tmp_path / "file").write_text("")
    with pytest.raises(AppellError, match="cannot write"):
        report.write(tmp_path / "file" / "page.html", "x")


def test_the_figure_names_every_joint_and_formulation(monkeypatch: pytest.MonkeyPatch) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    kept: list[Any] = []
    monkeypatch.setattr(plots, "_png", lambda _, figure: kept.append(figure) or b"")
    t = np.linspace(0, 1, 100)
    answers = {name: np.outer(t, np.arange(7)) for name in ("one", "two", "three")}
    plots.torques(t, answers, [f"joint{i}" for i in range(7)], "a title")
    axes = kept[0].axes
    assert [label for a in axes for label in a.get_legend_handles_labels()[1]] == [f"joint{i}" for i in range(7)]
    assert axes[0].get_title(loc="left") == "a title"
    assert all(a.get_ylabel() == "torque [N m]" for a in axes) and axes[-1].get_xlabel() == "time [s]"
    key = kept[0].texts[0].get_text()
    assert re.findall(r": (\w+)", key) == ["one", "two", "three"]
    plt.close(kept[0])
