"""The command line: what it prints, what it refuses, and with which exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")

from typer.testing import CliRunner

import appell
from appell import cli
from appell.errors import AppellError
from appell.formulations.table import FORMULATIONS
from appell.papers import library
from appell.show import surroundings

WORK = ("papers", "paper", "identify", "excite", "demo", "bench", "cache")
COMMANDS = ("info", "zoo", "show", "inspect", "convert", "assemble", "count", "explain", *WORK)
MAIN = "from appell.cli import main; main()"


def run(*arguments: str) -> Any:
    """A command in this process: exit code, stdout, stderr."""
    return CliRunner().invoke(cli.application(), list(arguments))


def shell(*arguments: str, code: str = MAIN) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_version() -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout.split() == ["appell", appell.__version__]
    module = subprocess.check_output([sys.executable, "-m", "appell", "--version"], text=True, timeout=120)
    assert module == result.stdout


def test_no_arguments_lists_every_command() -> None:
    result = run()
    assert all(f"\n  {command} " in result.output for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.output
    assert "Traceback" not in result.output


def test_a_warning_is_one_line_without_code() -> None:
    found = shell("show", "puma560")
    assert found.returncode == 0
    (line,) = found.stderr.splitlines()
    assert line.startswith("appell: robot 'puma560': radii of gyration")


def test_info_names_versions_and_the_call_path() -> None:
    import numpy

    result = run("info")
    assert result.exit_code == 0
    rows = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert rows["numpy"] == numpy.__version__
    assert rows["python"].endswith(sys.version.split()[0])
    assert rows["calls"].startswith(("compiled", "through ctypes"))


def test_info_survives_a_part_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> str:
        raise OSError("no such thing")

    monkeypatch.setattr(surroundings, "_processor", broken)
    assert surroundings.about()["processor"] == "unknown (no such thing)"


def test_zoo_lists_names_and_sizes() -> None:
    result = run("zoo")
    assert result.exit_code == 0
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines()[1:]}
    assert set(rows) == set(appell.zoo.names())
    assert rows["puma560"] == ["6", "6", "6"]


def test_assemble_closes_loops_on_every_branch() -> None:
    result = run("assemble", "four_bar", "--fixed", "motor=1", "--branch", "all", "--json")
    assert result.exit_code == 0
    both = json.loads(result.stdout)
    assert [x["joints"]["motor"] for x in both] == [[1.0], [1.0]]
    assert max(x["residual"] for x in both) < 1e-15
    page = run("assemble", "five_bar", "--fixed", "shoulder1").stdout
    assert "redundant equations: tip: position z" in page
    assert "0.523598776" in page
    assert shell("assemble", "four_bar", "--fixed", "pivot=3").stderr.startswith(
        "appell: 'four_bar' cannot be closed with"
    )
    for words in ("motor=x", "moter=1"):
        assert shell("assemble", "four_bar", "--fixed", words).returncode == 2


def test_show_prints_every_body_of_the_puma() -> None:
    result = run("show", "puma560")
    assert result.exit_code == 0
    assert [line.split(":")[0] for line in result.stdout.splitlines()[2:8]] == [f"• link{i}" for i in range(1, 7)]


def test_explain_prints_the_table_of_the_library() -> None:
    result = run("explain", "panda", "--method", "denoc", "--seed", "3")
    arm = appell.load("panda")
    q, v = arm.random_state(3)
    assert result.stdout.strip() == str(arm.explain("denoc", q, v, v)).strip()


def test_count_gives_the_numbers_of_the_library() -> None:
    result = run("count", "puma560", "--method", "newton_euler")
    assert result.exit_code == 0
    expected = appell.load("puma560").count("inverse_dynamics", method="newton_euler")
    assert result.stdout.strip() == str(expected)


def test_count_of_every_method_is_a_table() -> None:
    result = run("count", "panda", "--what", "forward_dynamics", "--all")
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines()[1:]]
    assert [row[0] for row in rows] == [f.name for f in FORMULATIONS if f.computes == "forward_dynamics"]
    found = appell.load("panda").count("forward_dynamics", rows[0][0])
    numbers = [getattr(x, k) for x in (found.text, found.unmoved, found.program) for k in ("mul", "add", "div")]
    assert [int(x) for x in rows[0][1:]] == numbers


def test_cite_prints_what_the_library_says() -> None:
    assert run("cite", "gibbs_appell", "luh1980").stdout.strip() == str(appell.cite("gibbs_appell", "luh1980"))
    robot = appell.load("panda")
    assert run("cite", "bias", "--robot", "panda").stdout.strip() == str(appell.cite("bias", robot=robot))


def test_papers_lists_papers_and_their_cases() -> None:
    result = run("papers")
    assert result.exit_code == 0
    rows = [line.split()[:2] for line in result.stdout.splitlines()[1:]]
    assert rows == [[paper, name.replace("_", "-")] for paper, names in library.CASES.items() for name in names]
    assert "--times" in result.stdout


@pytest.mark.slow
def test_a_case_of_a_paper_as_json() -> None:
    result = shell("paper", "saha2010", "--case", "stanford", "--times", "0,5", "--json")
    assert result.returncode == 0
    data = json.loads(result.stdout)
    assert data["t"] == [0.0, 5.0]
    assert [x[1] for x in data["tau"]] == pytest.approx([12.71376, 15.1589610551], abs=1e-9)


@pytest.mark.slow
def test_options_of_a_case_are_told_apart() -> None:
    for arguments, words in (
        (("saha2010", "--case", "stanford-fall", "--mode", "up"), ("stanford_fall", "--mode", "--times")),
        (("saha2010", "--case", "stanford", "--times", "soon"), ("--times", "'soon'", "a number")),
        (("saha2010", "--case", "stamford"), ("stamford", "stanford")),
        (("saha2011",), ("saha2011", "saha2010")),
    ):
        result = shell("paper", *arguments)
        assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert all(word in result.stderr for word in words)


def test_unknown_robot_is_one_line_and_code_2() -> None:
    result = shell("show", "puma650")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "puma650" in result.stderr
    assert "puma560" in result.stderr  # the nearest match


def test_unknown_command_and_missing_argument_are_code_2() -> None:
    for arguments in (("shwo",), ("show",), ("count", "puma560", "--wath", "x")):
        result = shell(*arguments)
        assert result.returncode == 2
        assert "Traceback" not in result.stderr
        assert result.stderr.strip()


def test_a_mistake_is_one_line_but_a_bug_keeps_its_traceback() -> None:
    def mistaken() -> None:
        raise AppellError("got a, wanted b")

    def buggy() -> None:
        raise ZeroDivisionError("deep inside")

    with pytest.raises(SystemExit) as left:
        cli.guarded(mistaken)()
    assert left.value.code == 2
    with pytest.raises(ZeroDivisionError):
        cli.guarded(buggy)()


def test_interrupt_is_code_130() -> None:
    stop = "def info():\n    raise KeyboardInterrupt\n"
    result = shell(code=f"import appell.cli as cli\n{stop}cli.info = info\ncli.main(['info'])")
    assert result.returncode == 130
    assert "Traceback" not in result.stderr


def test_without_typer_one_sentence_says_what_to_do() -> None:
    result = shell("info", code=f"import sys; sys.modules['typer'] = None\n{MAIN}")
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "appell[cli]" in result.stderr


def test_closed_pipe_is_no_traceback() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-c", "from appell.cli import main; main(['info'])"]
    result = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, timeout=120)
    os.close(write)
    assert "Traceback" not in result.stderr


def test_demo_goes_where_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    demo = pytest.importorskip("appell.show.demo")
    places: list[Path] = []
    monkeypatch.setattr(demo, "run", places.append)
    assert run("demo", "--out", str(tmp_path / "x")).exit_code == 0
    assert places == [tmp_path / "x"]


def test_bench_outside_a_checkout_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cli, "__file__", str(tmp_path / "a" / "b" / "cli.py"))
    with pytest.raises(AppellError, match="clone the repository"):
        cli.bench()


def test_cache_where_is_the_folder_of_the_cache() -> None:
    from appell.kernel import cache

    result = run("cache", "where")
    assert result.exit_code == 0
    assert result.stdout.strip() == str(cache.directory())
