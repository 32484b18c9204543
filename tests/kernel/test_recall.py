"""What was asked before is found without its text being read, and only if nothing has changed that matters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot

import appell
from appell.errors import KernelError
from appell.kernel import build, cache, make, recall
from appell.kernel.arrays import Form
from appell.kernel.interface import Interface
from appell.trace import reading

DATA = random_robot(1, 3)
Q = np.array([0.3, -0.7, 1.1])


class Asked:
    """Asks for kernels as if in new processes, and tells which of them were made by reading a text."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch, self.read, self.count = patch, reading.read, 0
        patch.setattr(reading, "read", self._read)

    def _read(self, *args: Any, **given: Any) -> Any:
        self.count += 1
        return self.read(*args, **given)

    def __call__(self, what: str, data: Any = DATA, **options: Any) -> tuple[Any, bool]:
        """The kernel, and whether its text was read."""
        self.patch.setattr(make, "_made", {})
        before = self.count
        kernel = appell.Robot.from_dict(data).kernel(what, **options).__self__  # type: ignore[attr-defined]
        return kernel, self.count > before


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(monkeypatch)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("APPELL_CACHE_DIR", str(tmp_path))
    return tmp_path


QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("inverse_dynamics", {}),
    "method": ("inverse_dynamics", {"method": "newton_euler"}),
    "single": ("mass_matrix", {"dtype": "f4"}),
    "frame": ("jacobian", {"frame": "tool"}),
    "wrench": ("forward_dynamics", {"inputs": ["wrench"]}),
    "lifted": ("inverse_dynamics", {"inputs": ["body1.mass", "body2.first.x"]}),
    "hybrid": ("hybrid_dynamics", {"prescribed": ["joint2"]}),
    "loops": ("forward_dynamics", {"unroll": False}),
    "many answers": ("inverse_dynamics_derivatives", {}),
}


@pytest.mark.parametrize("case", list(QUESTIONS))
def test_it_is_the_same_kernel(case: str, place: Path, ask: Asked):
    what, options = QUESTIONS[case]
    (first, read), (again, read_again) = ask(what, **options), ask(what, **options)
    assert read and not read_again
    assert again.from_cache and again.interface == first.interface
    rng = np.random.default_rng(1)
    given = [rng.uniform(-1, 1, (5, *form.shape)) for form in again.inputs]
    for x, y in zip(_list(first.callable(*given)), _list(again.callable(*given)), strict=True):
        assert np.array_equal(x, y)
    assert repr(again) == repr(first) and again.callable.__doc__ == first.callable.__doc__
    assert again.program.text() == first.program.text(), "its Program is there for who asks"


def _list(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


def test_questions_and_robots_are_told_apart(place: Path, ask: Asked):
    assert all(ask(what, **options)[1] for what, options in QUESTIONS.values())
    assert len(list(place.glob("*.ask"))) == len(QUESTIONS)
    heavier = random_robot(1, 3)
    heavier["bodies"][2]["mass"] *= 1 + 1e-15
    assert ask("inverse_dynamics", heavier)[1]


def test_another_package_or_machine_reads_again(place: Path, ask: Asked, monkeypatch: pytest.MonkeyPatch):
    ask("mass_matrix")
    for change in ((recall, "sources", lambda: "other files"), (recall, "surroundings", lambda target: ("other",))):
        with monkeypatch.context() as patch:
            patch.setattr(*change)
            assert ask("mass_matrix")[1]
    assert not ask("mass_matrix")[1]


def test_a_changed_file_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for room in recall.ROOMS:
        (tmp_path / room).mkdir(exist_ok=True)
    file = tmp_path / "formulations" / "page.py"
    file.write_text("f = m * a\n")
    monkeypatch.setattr(recall, "HOME", tmp_path)
    seen = [recall.sources.__wrapped__()]
    file.write_text("f = m + a\n")
    os.utime(file, ns=(1, 1))
    seen.append(recall.sources.__wrapped__())
    file.write_text("f = m * a + b\n")
    os.utime(file, ns=(1, 1))
    seen.append(recall.sources.__wrapped__())
    assert len(set(seen)) == 3
    monkeypatch.setattr(recall, "HOME", tmp_path / "package.zip")
    assert recall.sources.__wrapped__() == ""


def test_where_files_cannot_be_seen_nothing_is_kept(place: Path, ask: Asked, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(recall, "sources", lambda: "")
    ask("mass_matrix")
    assert not list(place.glob("*.ask"))


@pytest.mark.parametrize("damaged", [False, True], ids=["lost", "damaged"])
@pytest.mark.parametrize("kind", ["o", "ask"])
def test_what_is_lost_or_damaged_is_made_anew(kind: str, damaged: bool, place: Path, ask: Asked):
    wanted = ask("mass_matrix")[0].callable(Q)
    (entry,) = place.glob(f"*.{kind}")
    if damaged:
        entry.write_bytes(entry.read_bytes()[:-1])
    else:
        entry.unlink()
    again, read = ask("mass_matrix")
    assert read and np.array_equal(again.callable(Q), wanted)
    assert not ask("mass_matrix")[1]


def test_long_robots_are_read_again(place: Path, ask: Asked, monkeypatch: pytest.MonkeyPatch):
    """To say which robot it is takes as long."""
    monkeypatch.setattr(recall, "UP_TO", 2)
    assert all(ask("mass_matrix", unroll=False)[1] for _ in range(2))
    assert not list(place.glob("*.ask"))


def test_stages_are_shown_by_doing_them(place: Path, ask: Asked, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    ask("mass_matrix")
    monkeypatch.setenv("APPELL_DEBUG", "2")
    assert ask("mass_matrix")[1]
    assert "program mass_matrix" in capsys.readouterr().err


def test_what_fails_is_not_kept(place: Path, ask: Asked, monkeypatch: pytest.MonkeyPatch):
    def refuse(ir: str) -> bytes:
        raise KernelError("no")

    monkeypatch.setattr(build, "compile_object", refuse)
    with pytest.raises(KernelError):
        ask("mass_matrix")
    assert not list(place.iterdir())


def test_an_interface_is_read_as_it_was_written():
    forms = (Form("q", (7,)), Form("wrench", (2, 6)))
    interface = Interface("ab" * 32, "f4", forms, (Form("M", (6, 6)),), (2, 7, 6), 4096, 12.5, True, ("mass",), ())
    assert Interface.read(interface.text().encode()) == interface


def test_clear_forgets_questions_as_well(place: Path, ask: Asked):
    ask("mass_matrix")
    assert cache.clear() == 1
    assert not list(place.iterdir())


def test_a_new_process_neither_reads_nor_writes_programs(place: Path):
    code = """
import sys, numpy, appell
print(*appell.load("puma560").gravity_forces([0, 1, 2, 3, 4, 5]))
print(*sorted(m for m in sys.modules if m.startswith(("appell.trace", "appell.write"))))
"""
    runs = [subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True) for _ in "ab"]
    (a, cold), (b, warm) = (run.stdout.splitlines() for run in runs)
    assert a == b
    assert "appell.trace.reading" in cold.split() and "appell.write.llvm" in cold.split()
    assert not {"appell.trace.program", "appell.trace.reading", "appell.write.llvm"} & set(warm.split())
