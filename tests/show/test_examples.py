"""The examples run, each in a process of its own, and their own assertions hold."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from oracles.few import few

HOME = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((HOME / "examples").glob("*.py"))


def test_there_are_examples() -> None:
    named = {"first_torques", "batch", "control_loop_1khz", "straight_line", "side_by_side"}
    assert named <= {p.stem for p in EXAMPLES}


@pytest.mark.parametrize(
    "path", few(EXAMPLES, *(p for p in EXAMPLES if p.stem == "first_torques")), ids=lambda p: p.stem
)
def test_example(path: Path, tmp_path: Path) -> None:
    command, here = [sys.executable, str(path)], {**os.environ, "PYTHONPATH": str(HOME / "src")}
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path, env=here)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()
    assert result.stderr == ""
    assert list(tmp_path.iterdir()) == []
