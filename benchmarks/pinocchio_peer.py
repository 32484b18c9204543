"""Pinocchio: rnea, crba, aba, computeRNEADerivatives; for the batch a Python loop, and its own pool."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from .measure import Call
from .task import DID, FD, ID, Array, Contender, M, Task, answer_shape

FUNCTIONS = {ID: "rnea", M: "crba", FD: "aba", DID: "computeRNEADerivatives"}
POOLED_UP_TO = 100  # degrees of freedom: each pool holds another Data


def pinocchio_peers(task: Task, batch: bool) -> Iterator[Contender]:
    """One call; for the batch a Python loop over rows, and the pool's loop in C++."""
    from tests.oracles.pinocchio_model import PinocchioOracle

    pin: Any = importlib.import_module("pinocchio")
    oracle = PinocchioOracle(task.robot)
    f = getattr(pin, FUNCTIONS[task.question])
    names = {"f": f, "m": oracle.model, "d": oracle.data}
    letters = "qvx"[: task.inputs]
    call = f"f(m, d, {', '.join(letters)})"
    state = _in_its_order(oracle, task.one)[: task.inputs]
    rows = _rows(oracle, task, call, names) if batch else None
    rows_answer = (lambda: _left_behind(oracle, task.question, rows)) if rows else None
    yield Contender(
        "pinocchio",
        Call(call, names | dict(zip(letters, state))),
        lambda: _back(oracle, task.question, f(oracle.model, oracle.data, *state)),
        rows,
        rows_answer,
    )
    if batch and hasattr(pin, "rneaInParallel") and oracle.model.nv <= POOLED_UP_TO and task.question in (ID, FD):
        yield _pool(pin, oracle, task)


def _in_its_order(oracle: Any, state: tuple[Array, ...]) -> list[Array]:
    """q, v, x of a state or of rows in Pinocchio's order."""
    return [np.ascontiguousarray(x[..., i]) for x, i in zip(state, (oracle.iq, oracle.iv, oracle.iv))]


def _rows(oracle: Any, task: Task, call: str, names: dict[str, Any]) -> Call:
    """The loop over rows of a batch."""
    letters = ", ".join("qvx"[: task.inputs])
    many = _in_its_order(oracle, task.many)[: task.inputs]
    out = np.empty((task.states, *answer_shape(task.question, oracle.model.nv)))
    return Call(f"for {letters}, o in zip(*many, out): o[:] = {call}", names | {"many": many, "out": out})


def _left_behind(oracle: Any, question: str, call: Call) -> Array:
    """What the loop over rows wrote, in Appell's order."""
    call.timer().timeit(1)
    return np.array([_back(oracle, question, row) for row in call.names["out"]])


def _back(oracle: Any, question: str, answer: Any) -> Array:
    """One answer in Appell's order; Pinocchio fills the upper triangle of M, the last matrix of each answer."""
    if question in (ID, FD):
        return oracle.v_from_pin(answer)
    matrices = np.array(answer).reshape(-1, oracle.model.nv, oracle.model.nv)
    matrices[-1] = np.triu(matrices[-1]) + np.triu(matrices[-1], 1).T
    turned = np.array([oracle.square_from_pin(m) for m in matrices])
    return turned[0] if question == M else turned


def _pool(pin: Any, oracle: Any, task: Task) -> Contender:
    """Pinocchio's own batch (one thread): a loop in C++."""
    f = pin.rneaInParallel if task.question == ID else pin.abaInParallel
    columns = [np.asfortranarray(x.T) for x in _in_its_order(oracle, task.many)]
    out = np.empty((oracle.model.nv, task.states), order="F")
    names = {"f": f, "pool": pin.ModelPool(oracle.model, 1), "out": out}

    def answer() -> Array:
        f(1, names["pool"], *columns, out)
        back = np.empty(out.T.shape)
        back[:, oracle.iv] = out.T
        return back

    call = Call("f(1, pool, q, v, x, out)", names | dict(zip("qvx", columns)))
    return Contender("pinocchio pool", batch=call, batch_answer=answer)
