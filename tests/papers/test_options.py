"""Words of the command line become what a case's function takes, or one sentence."""

from __future__ import annotations

import json
from inspect import signature
from pathlib import Path
from typing import Any, Literal, get_type_hints

import numpy as np
import pytest

from appell.errors import AppellError
from appell.papers import library, saha2010
from appell.papers.case import Agreement, Case
from appell.papers.options import given, in_words


def case(
    times: tuple[float, ...] = (), t_end: float | None = None, count: int = 1, mode: Literal["up", "down"] = "up",
    loud: bool = False, name: str = "",
) -> None:  # fmt: skip
    """A case that takes one of everything."""


def nothing() -> None:
    """A case that takes nothing."""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", {}),
        ("--times 0,5", {"times": (0.0, 5.0)}),
        ("--times=1e-3 --t-end 2", {"times": (1e-3,), "t_end": 2.0}),
        ("--t-end=-1.5 --count 3", {"t_end": -1.5, "count": 3}),
        ("--mode down --name x=y", {"mode": "down", "name": "x=y"}),
        ("--loud --mode up", {"loud": True, "mode": "up"}),
        ("--loud no", {"loud": False}),
        ("--count 2 --loud", {"count": 2, "loud": True}),
    ],
)
def test_words_become_values(words: str, told: dict[str, Any]) -> None:
    assert given(case, "trial", words.split()) == told


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--tiems 1", r"unknown option of case trial '--tiems'; did you mean '--times'\?"),
        ("times 1", "unknown option of case trial 'times'"),
        ("--times 1,x", "case trial: --times got '1,x', wanted a number or several with commas between"),
        ("--times", "case trial: --times got '', wanted a number"),
        ("--times 0,nan", "wanted a number"),
        ("--count 1.5", "wanted a whole number"),
        ("--t-end soon", "case trial: --t-end got 'soon', wanted a number"),
        ("--mode left", "wanted up or down"),
        ("--loud=maybe", "wanted yes or no"),
    ],
)
def test_other_words_are_told(words: str, sentence: str) -> None:
    with pytest.raises(AppellError, match=sentence) as error:
        given(case, "trial", words.split())
    assert "\n" not in str(error.value)


def test_a_case_without_options_says_so() -> None:
    with pytest.raises(AppellError, match="case nothing got '--x', wanted nothing"):
        given(nothing, "nothing", ["--x"])


def test_every_case_can_be_found() -> None:
    """Each name is a function whose every parameter has a default and a type that a word can be read as."""
    for paper, names in library.CASES.items():
        for name in names:
            function = library.function(paper, name)
            for key, parameter in signature(function).parameters.items():
                assert parameter.default is not parameter.empty
                assert in_words(get_type_hints(function)[key]) != ""


def test_data_as_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def trial(x: float = 1.0) -> Case:
        data = {"a": np.arange(3.0), "b": (x, np.float64("nan"), np.int64(2)), "c": {1: "word"}}
        return Case("saha2010", "trial", "", "", agreements=(Agreement("x", 1.0, x, 0.1),), data=data)

    monkeypatch.setattr(saha2010, "puma", trial)
    assert library.run("saha2010", "puma", tmp_path, ["--x", "1"], as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == {"a": [0.0, 1.0, 2.0], "b": [1.0, None, 2], "c": {"1": "word"}}
    assert library.run("saha2010", "puma", tmp_path, ["--x", "2"], as_json=True) == 1
    assert not list(tmp_path.iterdir())


def test_options_choose_the_cases_that_take_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Without a name: the paper's main case, else all that take what is given."""

    def trial(name: str) -> Any:
        def worked_out(t_end: float = 1.0, times: tuple[float, ...] = (), **more: Any) -> Case:
            return Case("saha2010", name, "", "", data={"t_end": t_end})

        return worked_out

    def asked(paper: str, *words: str) -> Any:
        assert library.run(paper, "", tmp_path, words, as_json=True) == 0
        return json.loads(capsys.readouterr().out)

    cases = {name: trial(name) for name in ("first", "second")}
    cases["third"] = lambda mode="up": Case("saha2010", "third", "", "", data={"mode": mode})
    cases["third"].__annotations__["mode"] = str
    monkeypatch.setattr(library, "function", lambda paper, name: cases[name])
    monkeypatch.setitem(library.CASES, "saha2010", tuple(cases))
    assert set(asked("saha2010")) == {"first", "second", "third"}
    assert asked("saha2010", "--t-end", "2") == {"first": {"t_end": 2.0}, "second": {"t_end": 2.0}}
    assert asked("saha2010", "--mode=down") == {"third": {"mode": "down"}}
    with pytest.raises(AppellError, match=r"unknown option of saha2010 '--mod'; did you mean '--mode'\?"):
        asked("saha2010", "--mod", "up")
    with pytest.raises(AppellError, match=r"wanted options that one case takes: --mode is of third; --t-end is of"):
        asked("saha2010", "--mode", "up", "--t-end", "2")
    monkeypatch.setitem(library.MAIN, "saha2010", "second")
    assert asked("saha2010") == {"t_end": 1.0}
