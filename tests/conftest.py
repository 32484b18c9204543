"""What all tests share: repeatable randomness, and a kernel cache that is theirs alone."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

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
