"""What all tests share: repeatable randomness, and a kernel cache that is theirs alone."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

try:
    from hypothesis import HealthCheck, settings
except ModuleNotFoundError:  # the property tests skip themselves
    pass
else:
    # No deadline: the first example of a property may build a kernel. The same examples in every run.
    quiet = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    settings.register_profile("appell", deadline=None, derandomize=True, suppress_health_check=quiet)
    settings.load_profile("appell")


HERE = Path(__file__).parent
LONG = 1.0  # seconds of processor that `make check` has for a test
UPPER = ("closing", "control", "files", "fuzz", "identify", "motion", "papers", "show")  # what stands on all else
FEW = 2


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`make check` tries a few cases of each test, of the upper floors a few of each file; `make test` tries all."""
    tried: Counter[tuple[Path, str]] = Counter()
    for item in items:
        if item.get_closest_marker("slow"):
            continue
        upper = item.path.relative_to(HERE).parts[0] in UPPER
        what = item.path, "" if upper else getattr(item, "originalname", item.name)
        tried[what] += 1
        if tried[what] > FEW:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """How much of the processor a test takes, other processes that it starts included."""
    before = sum(os.times()[:4])
    try:
        return (yield)
    finally:
        item.user_properties.append(("processor", sum(os.times()[:4]) - before))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Names the tests that are too long for `make check`."""
    if config.option.markexpr != "not slow":
        return
    spent = {r.nodeid: dict(r.user_properties).get("processor", 0.0) for r in terminalreporter.stats.get("passed", ())}
    terminalreporter.line(f"{sum(spent.values()):.0f} s of processor")
    for name, seconds in sorted(spent.items(), key=lambda pair: -pair[1]):
        if seconds > LONG:
            terminalreporter.line(f"{seconds:.1f} s of processor, wants to be marked slow: {name}")


def pytest_collection_finish() -> None:
    """Thousands of collected tests are not looked through for garbage again and again: a fifth of all time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kernels built by the tests stay out of the user's cache, also in the processes that tests start.

    Processes that share the tests share what they have built, too.
    """
    before = os.environ.get("APPELL_CACHE_DIR")
    mine = tmp_path_factory.getbasetemp()
    place = (mine.parent if os.environ.get("PYTEST_XDIST_WORKER") else mine) / "kernels"
    os.environ["APPELL_CACHE_DIR"] = str(place)
    yield
    if before is None:
        del os.environ["APPELL_CACHE_DIR"]
    else:
        os.environ["APPELL_CACHE_DIR"] = before


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers, the same in every run."""
    return np.random.default_rng(20020128)
