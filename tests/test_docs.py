"""What the pages show in Python runs as it stands there, and so do the examples."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from oracles.few import few

HOME = Path(__file__).resolve().parents[1]
PAGES = (
    *("README.md", "docs/notation.md", "docs/motion.md", "docs/closed-chains.md", "docs/robot-files.md"),
    "docs/identification.md",
    "docs/control.md",
)


EXAMPLES = tuple(sorted(p.name for p in (HOME / "examples").glob("*.py")))


def run(*words: str, cwd: Path) -> str:
    """What Python says; warnings are errors."""
    paths = os.pathsep.join([str(HOME / "src"), *(p for p in sys.path if p)])
    command, env = [sys.executable, "-W", "error", *words], {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def blocks(page: str) -> list[str]:
    """The Python blocks of a page."""
    return re.findall(r"^```python\n(.*?)^```$", (HOME / page).read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", few(PAGES, "README.md"))
def test_the_blocks_of_a_page_run_one_after_the_other(page: str, tmp_path: Path) -> None:
    assert blocks(page)
    run("-c", "\n".join(blocks(page)), cwd=tmp_path)


@pytest.mark.parametrize("example", few(EXAMPLES, "first_torques.py"))
def test_examples_run(example: str, tmp_path: Path) -> None:
    assert run(str(HOME / "examples" / example), cwd=tmp_path)
