"""Parameters of which a few are tried by `make check`, and all by `make test`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def few(values: Iterable[Any], *fast: Any) -> list[Any]:
    """The values, those that are not among the fast ones marked slow; tuples are several arguments."""
    return [
        v if v in fast else pytest.param(*(v if type(v) is tuple else (v,)), marks=pytest.mark.slow) for v in values
    ]
