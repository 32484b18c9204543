"""The pages of the formulations show the code and the counts of today."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from appell.citations import page
from appell.formulations.gibbs_appell_forward import gibbs_appell_forward
from appell.formulations.table import FORMULATIONS
from appell.show import formulations
from appell.show.formulations import BASIC, COMMAND, Folder, answers, code, default, names, rows_of

pytestmark = pytest.mark.filterwarnings("ignore:.*radii of gyration")
HOME = Path(__file__).resolve().parents[2] / "docs" / "formulations"
FOLDER = Folder.read(HOME)


def test_every_formulation_has_a_note_and_a_page_and_nobody_else_has() -> None:
    assert set(FOLDER.notes) == {"README", *names()}
    assert {p.name for p in HOME.iterdir()} == {"notes.toml", "times.json", *(f"{name}.md" for name in FOLDER.notes)}
    assert all(note.title and note.brief.strip() for note in FOLDER.notes.values())


@pytest.mark.parametrize("name", names())
def test_equations_and_code_in_a_page_are_those_of_today(name: str) -> None:
    text, note = (HOME / f"{name}.md").read_text(encoding="utf-8"), FOLDER.notes[name]
    for part in (
        note.title,
        note.brief.strip(),
        note.use.strip(),
        answers(rows_of(name)),
        *formulations._texts(rows_of(name)),
    ):
        assert part in text, f"run: {COMMAND}"
    for row in rows_of(name):
        doc = (inspect.getdoc(page(row)) or "").partition("Source:")[0]
        assert doc.strip() in text and code(page(row)) in text


@pytest.mark.slow
def test_pages_are_whole() -> None:
    """With counts, which take seconds; times are those that were kept."""
    for name, content in formulations.pages(FOLDER):
        assert (HOME / name).read_text(encoding="utf-8") == content, f"{name}; run: {COMMAND}"


def test_one_row_answers_by_default_at_each_size() -> None:
    for question in BASIC:
        told = [default(row) for row in FORMULATIONS if row.computes == question and default(row) != "no"]
        assert told[0] == "always" or (told[0].startswith("1 to ") and told[-1].startswith("from "))


def test_code_is_shown_without_its_docstring() -> None:
    shown = code(gibbs_appell_forward)
    assert shown.startswith("def gibbs_appell_forward(robot, q, v, tau):\n    h = ") and '"""' not in shown
    compile(shown, "shown", "exec")


def test_times_are_taken_from_a_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"robot": "puma", "question": "mass_matrix", "kind": "call", "contender": "lagrange", "best": 1234.5}
    bench = {"circumstances": {"cpu": "abacus", "date": "2025-01-01"}, "methods": [row]}
    (tmp_path / "bench.json").write_text(json.dumps(bench))
    (tmp_path / "notes.toml").write_text((HOME / "notes.toml").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(
        formulations, "pages", lambda folder: [("one.md", folder.time("puma", "mass_matrix", "call", "lagrange"))]
    )
    formulations.main([str(tmp_path), "--times", str(tmp_path / "bench.json")])
    assert (tmp_path / "one.md").read_text() == "1.23 us"
    with pytest.raises(SystemExit, match="which folder"):
        formulations.main([])
