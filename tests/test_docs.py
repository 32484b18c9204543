"""What the pages show in Python runs as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from oracles.few import few

HOME = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/notation.md", "docs/motion.md")


def blocks(page: str) -> list[str]:
    """The Python blocks of a page."""
    return re.findall(r"^```python\n(.*?)^```$", (HOME / page).read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", few(PAGES, "README.md"))
def test_the_blocks_of_a_page_run_one_after_the_other(page: str, tmp_path: Path) -> None:
    assert blocks(page)
    paths = os.pathsep.join([str(HOME / "src"), *(p for p in sys.path if p)])
    command = [sys.executable, "-W", "error", "-c", "\n".join(blocks(page))]
    env = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
