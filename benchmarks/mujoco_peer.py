"""MuJoCo: the least work for each question, its state already in place; for the batch a loop, and `rollout`."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .measure import Call
from .task import FD, ID, Array, Contender, M, Task, answer_shape

LEAST = {
    ID: "kin(m, d); com(m, d); vel(m, d); rne(m, d, 1, out)",
    M: "kin(m, d); com(m, d); make(m, d); full(m, d, out)",
    FD: "forward(m, d)",
}
WITH_ROTORS = "inverse(m, d); out[:] = d.qfrc_inverse"  # rne leaves rotors out
SHORT = {"kin": "kinematics", "com": "comPos", "vel": "comVel", "make": "makeM", "full": "fullM"}
SHORT |= {"rne": "rne", "forward": "forward", "inverse": "inverse"}


def mujoco_peers(task: Task, batch: bool) -> Iterator[Contender]:
    """One call, the loop over rows, and for forward dynamics `rollout`."""
    from tests.oracles.mujoco_model import MujocoOracle

    if task.question not in LEAST:
        raise NotImplementedError("MuJoCo has derivatives by finite differences only")
    oracle = MujocoOracle(task.robot)
    armed = task.question == ID and np.any(oracle.model.dof_armature)
    single = Call(WITH_ROTORS if armed else LEAST[task.question], _names(oracle, task.question))
    rows = _rows(oracle, task, single) if batch else None
    rows_answer = _rows_answer(oracle, task, rows) if rows else None
    yield Contender("mujoco", single, _answer(oracle, task, single), rows, rows_answer)
    if batch and task.question == FD:
        yield _rollout(oracle, task)


def _names(oracle: Any, question: str) -> dict[str, Any]:
    mujoco: Any = importlib.import_module("mujoco")
    functions = {key: getattr(mujoco, f"mj_{name}") for key, name in SHORT.items()}
    out = np.empty(answer_shape(question, oracle.model.nv))
    result = oracle.data.qacc if question == FD else out
    return {"m": oracle.model, "d": oracle.data, "out": out, "result": result, **functions}


def _load(oracle: Any, task: Task) -> None:
    """The task's single state into MuJoCo's data, where the timed call finds it."""
    q, v, x = task.one
    if task.question == FD:
        oracle.load(q, v)
        oracle.data.qfrc_applied[:] = oracle.tau_to_mujoco(q, x)
    else:
        oracle.load(q, v, x)


def _answer(oracle: Any, task: Task, call: Call) -> Callable[[], Array]:
    def answer() -> Array:
        _load(oracle, task)
        call.timer().timeit(1)
        return _back(oracle, task.question, *task.one[:2], call.names["result"].copy())

    return answer


def _back(oracle: Any, question: str, q: Array, v: Array, result: Array) -> Array:
    """An answer in Appell's order and axes."""
    if question == M:
        return oracle.matrix_from_mujoco(q, result)
    return oracle.a_from_mujoco(q, v, result) if question == FD else oracle.tau_from_mujoco(q, result)


def _states(oracle: Any, task: Task) -> list[Array]:
    """The batch in MuJoCo's order and axes."""
    rows = []
    for q, v, x in zip(*task.many):
        third = oracle.tau_to_mujoco(q, x) if task.question == FD else oracle.a_to_mujoco(q, v, x)
        rows.append((oracle.q_to_mujoco(q), oracle.v_to_mujoco(q, v), third))
    return [np.array(column) for column in zip(*rows)]


def _rows(oracle: Any, task: Task, single: Call) -> Call:
    """A loop over rows: state in, the same least work, answer out."""
    many, d = _states(oracle, task), oracle.data
    third = d.qfrc_applied if task.question == FD else d.qacc
    results = np.empty((task.states, *single.names["result"].shape))
    loop = f"for q[:], v[:], x[:], o in zip(*many, results): {single.statement}; o[:] = result"
    return Call(loop, {**single.names, "q": d.qpos, "v": d.qvel, "x": third, "many": many, "results": results})


def _rows_answer(oracle: Any, task: Task, call: Call) -> Callable[[], Array]:
    def answer() -> Array:
        call.timer().timeit(1)
        rows = zip(*task.many[:2], call.names["results"])
        found = np.array([_back(oracle, task.question, *row) for row in rows])
        _load(oracle, task)  # back to the state of the single call
        return found

    return answer


def _rollout(oracle: Any, task: Task) -> Contender:
    """One step of `mujoco.rollout` from each state: forward dynamics and integration in C++."""
    rollout: Any = importlib.import_module("mujoco.rollout")
    start, v, fixed = _starts(oracle, task)
    names = {"f": rollout.rollout, "m": oracle.model, "d": oracle.data, "start": start, "fixed": fixed}
    at = slice(1 + oracle.model.nq, 1 + oracle.model.nq + oracle.model.nv)

    def answer() -> Array:
        rollout.rollout(oracle.model, oracle.data, start, **fixed)
        a = (fixed["state"][:, 0, at] - v) / oracle.model.opt.timestep
        return np.array([oracle.a_from_mujoco(*row) for row in zip(*task.many[:2], a)])

    return Contender("mujoco rollout", batch=Call("f(m, d, start, **fixed)", names), batch_answer=answer)


def _starts(oracle: Any, task: Task) -> tuple[Array, Array, dict[str, Any]]:
    """Full physics states (time, q, v), v, and what `rollout` takes by keyword."""
    mujoco: Any = importlib.import_module("mujoco")
    q, v, tau = _states(oracle, task)
    physics, applied = mujoco.mjtState.mjSTATE_FULLPHYSICS, mujoco.mjtState.mjSTATE_QFRC_APPLIED
    start = np.zeros((len(q), mujoco.mj_stateSize(oracle.model, physics)))
    nq, nv = oracle.model.nq, oracle.model.nv
    start[:, 1 : 1 + nq], start[:, 1 + nq : 1 + nq + nv] = q, v
    end = np.empty((len(q), 1, start.shape[1]))
    return start, v, {"control": tau[:, None, :], "control_spec": int(applied), "nstep": 1, "state": end}
