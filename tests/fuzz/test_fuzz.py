"""Robot files that were made to break the readers: those that were kept, changes of them, and a short guided run."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
import target
from mutation import mutated

HERE = Path(__file__).parent
CORPUS = sorted((HERE / "corpus").iterdir())
SECONDS = 8


def test_kept_inputs(tmp_path: Path) -> None:
    """Each a valid robot or an error; some of both."""
    target.part(tmp_path)
    robots = sum(target.check(path.read_bytes(), tmp_path) for path in CORPUS)
    assert 10 < robots < len(CORPUS) - 10


@pytest.mark.parametrize("seed", range(4))
def test_changes_of_them(seed: int, tmp_path: Path) -> None:
    target.part(tmp_path)
    rng = random.Random(seed)
    for _ in range(150):
        data, change = rng.choice(CORPUS).read_bytes(), rng.randrange(1 << 30)
        try:
            target.check(mutated(data, change), tmp_path)
        except Exception as error:
            pytest.fail(f"{error!r} of {mutated(data, change)!r}")


def test_what_is_opened_outside_is_seen(tmp_path: Path) -> None:
    with pytest.raises(target.Broken, match="opened"), target.inside(tmp_path):
        (HERE / "none").read_bytes()
    with pytest.raises(target.Broken, match=r"os\.system"), target.inside(tmp_path):
        os.system("true")


@pytest.mark.slow
def test_a_short_guided_run(tmp_path: Path) -> None:
    """As `run` tells, with its bounds of time and memory."""
    pytest.importorskip("atheris")
    (tmp_path / "new").mkdir()
    options = [f"-max_total_time={SECONDS}", "-timeout=4", "-rss_limit_mb=1024", "-max_len=5000", "-seed=1"]
    words = [sys.executable, str(HERE / "run.py"), str(tmp_path / "new"), str(HERE / "corpus"), *options]
    small = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"  # a child's peak begins at its parent's
    paths = os.pathsep.join([str(HERE.parents[1] / "src"), str(HERE)])
    words = [sys.executable, "-c", small, *words]
    done = subprocess.run(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "cov: " in done.stderr
