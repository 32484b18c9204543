"""What all tests share: repeatable randomness, and a kernel cache that is theirs alone."""

from __future__ import annotations

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


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kernels built by the tests stay out of the user's cache, also in the processes that tests start."""
    before = os.environ.get("APPELL_CACHE_DIR")
    os.environ["APPELL_CACHE_DIR"] = str(tmp_path_factory.mktemp("kernels"))
    yield
    if before is None:
        del os.environ["APPELL_CACHE_DIR"]
    else:
        os.environ["APPELL_CACHE_DIR"] = before


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers, the same in every run."""
    return np.random.default_rng(20020128)
