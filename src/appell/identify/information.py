"""How much a motion tells of base parameters, and how that changes with the motion: exactly, sample by sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..errors import unknown
from ..formulations.table import Formulation, Question
from ..trace.derivative import gradient
from ..trace.reading import read
from .base import BaseParameters

Array = np.ndarray[Any, Any]
CRITERIA = ("condition", "determinant")


@dataclass(frozen=True, eq=False)
class Information:
    """The rows of all samples, weighed by each joint's noise, on base parameters."""

    base: BaseParameters
    noise: Array
    criterion: str

    def __post_init__(self) -> None:
        if self.criterion not in CRITERIA:
            raise unknown("criterion of excitation", self.criterion, CRITERIA)

    def rows(self, q: Array, v: Array, a: Array) -> Array:
        """(samples, nv, r)."""
        return (self.base.regressor(q, v, a) @ self.base.spread) / self.noise[:, None]

    def cost(self, q: Array, v: Array, a: Array) -> tuple[float, Array, Array, Array]:
        """The criterion, smaller is better, and its derivatives by every q, v and a.

        "condition" is log(s_1 / s_r) of the rows with columns of one length, "determinant" - 1/2 log det of their
        squares for each parameter.
        """
        rows = self.rows(q, v, a)
        W = rows.reshape(-1, rows.shape[-1])
        cost, slope = (_condition if self.criterion == "condition" else _determinant)(W)
        by_rows = (slope.reshape(rows.shape) / self.noise[:, None]) @ self.base.spread.T
        return cost, *self.pulled(q, v, a, by_rows.reshape(len(q), -1))

    @cached_property
    def pulled(self) -> Any:
        """A kernel (q, v, a, A) -> derivatives of sum A K by q, v and a."""
        from ..kernel.make import make_of

        asked = self.base.regressor
        shape = asked.rows, len(asked.names)
        question = Question(("q", "v", "a", "A"), (("s", (1,)),), "a sum", sizes=(("A", shape[0] * shape[1]),))
        text = partial(weighed, page=asked.text, shape=shape)
        row = Formulation("gibbs_appell", "weighed", text, "mata2002", rolls=False, asks=question)
        tree, given = asked.stage
        program = read(row, tree, **given)
        pulled = gradient(program, "s", ("q", "v", "a"))
        return make_of(pulled.name, pulled, tree).callable


def weighed(robot: Any, q: Any, v: Any, a: Any, A: Any, page: Any, shape: tuple[int, int], **given: Any) -> Any:
    """The sum of A K, a weight for each entry of the regressor."""
    K, s = page(robot, q, v, a, **given), robot.table(1)
    for j in range(shape[0]):
        for k in range(shape[1]):
            s[0] += K[j, k] * A[j * shape[1] + k]
    return s


def _condition(W: Array) -> tuple[float, Array]:
    """log of the condition number with columns of one length, and its derivatives by W: by the squares, which are small
    and good to half the digits."""
    size = np.linalg.norm(W, axis=0)
    size = np.where(size > 0, size, 1.0)
    C = W / size
    squares, V = np.linalg.eigh(C.T @ C)
    least, most = max(float(squares[0]), 1e-15 * float(squares[-1])), float(squares[-1])
    by_C = C @ (np.outer(V[:, -1], V[:, -1]) / most - np.outer(V[:, 0], V[:, 0]) / least)
    return 0.5 * float(np.log(most / least)), (by_C - C * np.sum(by_C * C, axis=0)) / size


def _determinant(W: Array) -> tuple[float, Array]:
    """- log det(W' W) / 2r, and its derivatives: - W (W' W)^-1 / r."""
    count, squares = W.shape[1], W.T @ W
    return -0.5 * float(np.linalg.slogdet(squares)[1]) / count, -W @ np.linalg.inv(squares) / count
