"""What is asked, and who answers: the words that all files of the benchmarks share."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .measure import Call

Array = np.ndarray[Any, Any]
Skip = Callable[[str, str], None]  # who is left out, and why

QUESTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "inverse_dynamics_derivatives")
ID, M, FD, DID = QUESTIONS


@dataclass(frozen=True)
class Task:
    """One question about one robot: a state, a batch of states; x is a, or tau for forward dynamics."""

    robot: dict[str, Any]
    question: str
    one: tuple[Array, Array, Array]
    many: tuple[Array, Array, Array]

    @property
    def inputs(self) -> int:
        return 1 if self.question == M else 3

    @property
    def states(self) -> int:
        return len(self.many[0])

    @property
    def nv(self) -> int:
        return self.one[1].size


@dataclass(frozen=True)
class Contender:
    """Who answers, what to time for one state and for the batch, and the answers to verify."""

    name: str
    single: Call | None = None
    answer: Callable[[], Array] | None = None
    batch: Call | None = None
    batch_answer: Callable[[], Array] | None = None


def answer_shape(question: str, nv: int) -> tuple[int, ...]:
    """Shape of one answer."""
    return {M: (nv, nv), DID: (3, nv, nv)}.get(question, (nv,))


def available(module: str) -> bool:
    """Whether a peer can be imported (a broken installation counts as absent)."""
    try:
        importlib.import_module(module)
    except Exception:
        return False
    return True
