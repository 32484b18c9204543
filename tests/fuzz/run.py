"""Coverage-guided fuzzing of all readers of robot files, by atheris.

    python tests/fuzz/run.py tests/fuzz/corpus -max_total_time=600 -timeout=2 -rss_limit_mb=1024

takes the options of libFuzzer. New inputs that reach new code are added to the first folder; what breaks a rule of
`target` is written to the current folder, and ends the run. `-merge=1 SMALL LARGE` keeps of a corpus what it needs.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["appell"]):
    import target

from mutation import mutated

FOLDER = Path(tempfile.mkdtemp(prefix="appell-fuzz-"))


def one(data: bytes) -> None:
    """One input."""
    target.check(data, FOLDER)


def mutate(data: bytes, largest: int, seed: int) -> bytes:
    """Half of the changes know what a document is, half are libFuzzer's."""
    if random.Random(seed).random() < 0.6:
        return mutated(data, seed, largest)
    return atheris.Mutate(data, largest)


if __name__ == "__main__":
    target.part(FOLDER)
    atheris.Setup(sys.argv, one, custom_mutator=mutate)
    atheris.Fuzz()
