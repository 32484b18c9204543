"""APPELL_DEBUG: what is shown at each level, and nothing without it."""

from __future__ import annotations

import pytest

import appell
from appell.model import zoo
from appell.trace import stages


def shown(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], level: str, seed: int) -> str:
    """What building a kernel writes to stderr; another robot each time, since a kernel is built only once."""
    monkeypatch.setenv("APPELL_DEBUG", level)
    with pytest.MonkeyPatch.context() as quiet:
        quiet.setenv("APPELL_DEBUG", "")
        robot = appell.Robot(zoo.tree(2, seed))
    robot.kernel("inverse_dynamics")
    captured = capfd.readouterr()
    assert captured.out == ""
    return captured.err


def titles(text: str) -> list[str]:
    return [line.split()[1] for line in text.splitlines() if line.startswith("appell: ")]


@pytest.mark.parametrize("level", ["", "0", "no"])
def test_nothing_is_shown_unless_asked(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], level: str
) -> None:
    assert shown(monkeypatch, capfd, level, 100 + len(level)) == ""


def test_level_1_has_a_time_for_every_stage(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    text = shown(monkeypatch, capfd, "1", 111)
    assert titles(text) == ["trace", "passes", "passes", "cache", "write", "compile", "load"]
    assert all(line.endswith(" ms") for line in text.splitlines())
    assert "miss" in text


@pytest.mark.parametrize(
    "level, present, absent",
    [
        ("2", ["program inverse_dynamics"], ["define "]),
        ("3", ["@many("], ["\tret"]),
        ("4", ["@many(", "many:", "\tret"], []),
    ],
)
def test_levels_2_to_4_show_the_texts(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    level: str,
    present: list[str],
    absent: list[str],
) -> None:
    text = shown(monkeypatch, capfd, level, 120 + int(level))
    assert all(x in text for x in present)
    assert not any(x in text for x in absent)


def test_a_stage_without_debug_calls_nothing_but_its_maker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("APPELL_DEBUG", raising=False)
    calls: list[str] = []
    stages.show(1, "never", lambda: calls.append("text") or "")
    assert stages.timed("never", lambda: 7, lambda made: calls.append("about") or "") == 7
    assert calls == []
