"""The peers as contenders: Pinocchio, MuJoCo and CasADi's generated C, each in its best way from Python.

A contender's arrays are laid out before it is timed; its answers are turned into Appell's order, so
that each can be verified against Pinocchio first.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .measure import Call, timings

Array = np.ndarray
Say = Callable[[str], None]

QUESTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "inverse_dynamics_derivatives")
HEAVY = 20_000  # instructions above which gcc -O3 takes minutes: -O1 then
TOO_MANY = 60_000  # and above which even -O1 does
COPIES = 3  # of a compiled library, see `fastest`
PINOCCHIO = {
    "inverse_dynamics": "rnea",
    "mass_matrix": "crba",
    "forward_dynamics": "aba",
    "inverse_dynamics_derivatives": "computeRNEADerivatives",
}


@dataclass(frozen=True)
class Task:
    """One question about one robot: a state, a batch of states; x is a, or tau for forward dynamics."""

    robot: dict[str, Any]
    question: str
    one: tuple[Array, Array, Array]
    many: tuple[Array, Array, Array]

    @property
    def inputs(self) -> int:
        return 1 if self.question == "mass_matrix" else 3


@dataclass(frozen=True)
class Contender:
    """Who answers, what to time for one state and for the batch, and the answers to verify."""

    name: str
    single: Call | None = None
    answer: Callable[[], Array] | None = None
    batch: Call | None = None
    batch_answer: Callable[[], Array] | None = None


def available(module: str) -> bool:
    """Whether a peer can be imported (a broken installation counts as absent)."""
    try:
        importlib.import_module(module)
    except Exception:
        return False
    return True


def contenders(task: Task, say: Say, batch: bool = True) -> Iterator[Contender]:
    """All peers that can answer; what a peer cannot do is said and left out."""
    makers = {"pinocchio": pinocchio_peers, "mujoco": mujoco_peers, "casadi": casadi_peers}
    for module, make in makers.items():
        if not available(module):
            say(f"skipped: {module} is not installed")
            continue
        try:
            yield from make(task, batch)
        except (MemoryError, NotImplementedError, ValueError, OSError) as reason:
            say(f"skipped: {module}, {task.question}: {reason}")


# ---- Pinocchio


def pinocchio_peers(task: Task, batch: bool) -> Iterator[Contender]:
    """One call of rnea, crba, aba, computeRNEADerivatives; for the batch a Python loop over rows."""
    import pinocchio as pin

    from tests.oracles.pinocchio_model import PinocchioOracle

    oracle = PinocchioOracle(task.robot)
    order = (oracle.iq, oracle.iv, oracle.iv)[: task.inputs]
    letters = "qvx"[: task.inputs]
    names = {"f": getattr(pin, PINOCCHIO[task.question]), "m": oracle.model, "d": oracle.data}
    names |= {letter: x[i] for letter, x, i in zip(letters, task.one, order, strict=False)}
    call = f"f(m, d, {', '.join(letters)})"
    single = Call(call, names)
    many = [np.ascontiguousarray(x[:, i]) for x, i in zip(task.many, order, strict=False)]
    loop = f"for {', '.join(letters)}, o in zip(*many, out): o[:] = {call}"
    out = np.empty((len(many[0]), *_shape(task.question, oracle.model.nv))) if batch else None
    rows = Call(loop, names | {"many": many, "out": out})
    yield Contender(
        "pinocchio",
        single,
        lambda: reference(oracle, task.question, *task.one),
        rows if batch else None,
        (lambda: _pinocchio_rows(oracle, task.question, rows)) if batch else None,
    )
    parallel = hasattr(pin, "rneaInParallel") and oracle.model.nv <= 100  # each pool holds another Data
    if batch and parallel and task.question in ("inverse_dynamics", "forward_dynamics"):
        yield _pool(pin, oracle, task, many)


def _pinocchio_rows(oracle: Any, question: str, call: Call) -> Array:
    """What the loop over rows left behind, in Appell's order."""
    call.timer().timeit(1)
    if question in ("inverse_dynamics", "forward_dynamics"):
        return np.array([oracle.v_from_pin(row) for row in call.names["out"]])
    whole = np.array(call.names["out"]).reshape(len(call.names["out"]), -1, oracle.model.nv, oracle.model.nv)
    for row in whole:  # Pinocchio fills the upper triangle of M, the last matrix of each answer
        row[-1] = np.triu(row[-1]) + np.triu(row[-1], 1).T
        row[:] = [oracle.square_from_pin(m) for m in row]
    return whole[:, 0] if question == "mass_matrix" else whole


def _shape(question: str, nv: int) -> tuple[int, ...]:
    """Shape of one answer."""
    return {"mass_matrix": (nv, nv), "inverse_dynamics_derivatives": (3, nv, nv)}.get(question, (nv,))


def _pool(pin: Any, oracle: Any, task: Task, many: list[Array]) -> Contender:
    """Pinocchio's own batch (one thread): a loop in C++."""
    f = pin.rneaInParallel if task.question == "inverse_dynamics" else pin.abaInParallel
    columns = [np.asfortranarray(x.T) for x in many]
    out = np.empty((oracle.model.nv, len(many[0])), order="F")
    names = {"f": f, "pool": pin.ModelPool(oracle.model, 1), "out": out}
    call = Call("f(1, pool, q, v, x, out)", names | dict(zip("qvx", columns, strict=True)))

    def answer() -> Array:
        f(1, names["pool"], *columns, out)
        back = np.empty(out.T.shape)
        back[:, oracle.iv] = out.T
        return back

    return Contender("pinocchio pool", batch=call, batch_answer=answer)


def reference(oracle: Any, question: str, q: Array, v: Array, x: Array) -> Array:
    """An oracle's answer in Appell's order."""
    if question == "inverse_dynamics":
        return oracle.rnea(q, v, x)
    if question == "mass_matrix":
        return oracle.crba(q)
    if question == "forward_dynamics":
        return oracle.aba(q, v, x)
    return np.stack(oracle.rnea_derivatives(q, v, x))


# ---- MuJoCo

LEAST = {
    "inverse_dynamics": "kin(m, d); com(m, d); vel(m, d); rne(m, d, 1, out)",
    "mass_matrix": "kin(m, d); com(m, d); make(m, d); full(m, d, out)",
    "forward_dynamics": "forward(m, d)",
}


def mujoco_peers(task: Task, batch: bool) -> Iterator[Contender]:
    """The least work for each question, state already in MuJoCo's data; batch = loop, and rollout."""
    import mujoco

    from tests.oracles.mujoco_model import MujocoOracle

    if task.question not in LEAST:
        raise NotImplementedError("MuJoCo has derivatives by finite differences only")
    oracle = MujocoOracle(task.robot)
    names = {"m": oracle.model, "d": oracle.data, **_mujoco_functions(mujoco)}
    forward = task.question == "forward_dynamics"
    out = np.empty(_shape(task.question, oracle.model.nv))
    names |= {"out": out, "result": oracle.data.qacc if forward else out}
    statement = LEAST[task.question]
    if task.question == "inverse_dynamics" and np.any(oracle.model.dof_armature):
        statement = "inverse(m, d); out[:] = d.qfrc_inverse"  # rne leaves rotors out
    single = Call(statement, names)
    rows = _mujoco_rows(oracle, task, statement, names) if batch else None
    rows_answer = _mujoco_batch(oracle, task, rows) if rows else None
    yield Contender("mujoco", single, _mujoco_answer(oracle, task, single), rows, rows_answer)
    if batch and forward:
        yield _rollout(oracle, task)


def _mujoco_functions(mujoco: Any) -> dict[str, Any]:
    short = {"kin": "kinematics", "com": "comPos", "vel": "comVel", "make": "makeM", "full": "fullM"}
    short |= {"rne": "rne", "forward": "forward", "inverse": "inverse"}
    return {key: getattr(mujoco, f"mj_{name}") for key, name in short.items()}


def _load(oracle: Any, task: Task, q: Array, v: Array, x: Array) -> None:
    if task.question == "forward_dynamics":
        oracle.load(q, v)
        oracle.data.qfrc_applied[:] = oracle.tau_to_mujoco(q, x)
    else:
        oracle.load(q, v, x)


def _mujoco_answer(oracle: Any, task: Task, call: Call) -> Callable[[], Array]:
    def answer() -> Array:
        _load(oracle, task, *task.one)  # stays there: the timed call works on this state
        call.timer().timeit(1)
        return _from_mujoco(oracle, task.question, *task.one[:2], call.names["result"].copy())

    return answer


def _from_mujoco(oracle: Any, question: str, q: Array, v: Array, result: Array) -> Array:
    if question == "mass_matrix":
        return oracle.matrix_from_mujoco(q, result)
    if question == "forward_dynamics":
        return oracle.a_from_mujoco(q, v, result)
    return oracle.tau_from_mujoco(q, result)


def _mujoco_batch(oracle: Any, task: Task, call: Call) -> Callable[[], Array]:
    def answer() -> Array:
        call.timer().timeit(1)
        rows = zip(*task.many[:2], call.names["results"], strict=True)
        found = np.array([_from_mujoco(oracle, task.question, *row) for row in rows])
        _load(oracle, task, *task.one)  # back to the state of the single call
        return found

    return answer


def _mujoco_states(oracle: Any, task: Task) -> list[Array]:
    forward = task.question == "forward_dynamics"
    rows = []
    for q, v, x in zip(*task.many, strict=True):
        third = oracle.tau_to_mujoco(q, x) if forward else oracle.a_to_mujoco(q, v, x)
        rows.append((oracle.q_to_mujoco(q), oracle.v_to_mujoco(q, v), third))
    return [np.array(column) for column in zip(*rows, strict=True)]


def _mujoco_rows(oracle: Any, task: Task, statement: str, names: dict[str, Any]) -> Call:
    """A loop over rows: state in, the same least work, answer out."""
    states, d = _mujoco_states(oracle, task), oracle.data
    third = d.qfrc_applied if task.question == "forward_dynamics" else d.qacc
    results = np.empty((len(states[0]), *names["result"].shape))
    loop = f"for q[:], v[:], x[:], o in zip(*many, results): {statement}; o[:] = result"
    return Call(loop, names | {"q": d.qpos, "v": d.qvel, "x": third, "many": states, "results": results})


def _rollout(oracle: Any, task: Task) -> Contender:
    """One step of `mujoco.rollout` from each state: forward dynamics and integration in C++."""
    from mujoco import rollout

    mujoco: Any = importlib.import_module("mujoco")

    q, v, tau = _mujoco_states(oracle, task)
    physics, applied = mujoco.mjtState.mjSTATE_FULLPHYSICS, mujoco.mjtState.mjSTATE_QFRC_APPLIED
    start = np.zeros((len(q), mujoco.mj_stateSize(oracle.model, physics)))
    nq, nv = oracle.model.nq, oracle.model.nv
    start[:, 1 : 1 + nq], start[:, 1 + nq : 1 + nq + nv] = q, v  # after the time
    end = np.empty((len(q), 1, start.shape[1]))
    fixed = {"control": tau[:, None, :], "control_spec": int(applied), "nstep": 1, "state": end}
    names = {"f": rollout.rollout, "m": oracle.model, "d": oracle.data, "start": start, "fixed": fixed}

    def answer() -> Array:
        rollout.rollout(oracle.model, oracle.data, start, **fixed)
        a = (end[:, 0, 1 + nq : 1 + nq + nv] - v) / oracle.model.opt.timestep
        rows = zip(*task.many[:2], a, strict=True)
        return np.array([oracle.a_from_mujoco(*row) for row in rows])

    return Contender("mujoco rollout", batch=Call("f(m, d, start, **fixed)", names), batch_answer=answer)


# ---- CasADi: the usual 6-D spatial recursions over SX, generated as C


def casadi_peers(task: Task, batch: bool) -> Iterator[Contender]:
    """Generated C, compiled by gcc, called through a FunctionBuffer with inputs bound beforehand."""
    from tests.oracles.pinocchio_model import PinocchioOracle

    if shutil.which("gcc") is None:
        raise NotImplementedError("gcc was not found")
    if len(task.robot["bodies"]) > 120:
        raise NotImplementedError("its straight-line C does not compile in sane time for so long a chain")
    text = SpatialText(PinocchioOracle(task.robot)).function(task.question)
    function = fastest(task.question, compiled(text), task.one[: task.inputs])
    single, answer = _bound(function, task.one[: task.inputs])
    if not batch:
        yield Contender("casadi C", single, answer)
        return
    count = len(task.many[0])
    rows, rows_answer = _bound(function.map(count), task.many[: task.inputs])
    shape = _shape(task.question, task.one[1].size)
    if task.question == "inverse_dynamics_derivatives":  # the answers come by output, then by state

        def batch_answer() -> Array:
            return rows_answer().reshape(3, count, *shape[1:]).swapaxes(0, 1)
    else:

        def batch_answer() -> Array:
            return rows_answer().reshape(count, *shape)

    yield Contender("casadi C", single, answer, rows, batch_answer)


def _bound(function: Any, inputs: tuple[Array, ...]) -> tuple[Call, Callable[[], Array]]:
    """A function with its inputs and results bound to memory."""
    buffer, evaluate = function.buffer()
    held = [np.ascontiguousarray(x, float).ravel() for x in inputs]
    for i, x in enumerate(held):
        buffer.set_arg(i, memoryview(x))  # pyright: ignore[reportArgumentType]
    outs = [np.zeros(function.size_out(i)[::-1]) for i in range(function.n_out())]
    for i, out in enumerate(outs):
        buffer.set_res(i, memoryview(out.reshape(-1)))  # pyright: ignore[reportArgumentType]

    def answer() -> Array:
        evaluate()
        return np.stack(outs).copy() if len(outs) > 1 else outs[0].squeeze().copy()

    return Call("evaluate()", {"evaluate": evaluate, "held": (buffer, held, outs)}), answer


def fastest(name: str, library: Path, inputs: tuple[Array, ...]) -> Any:
    """The quickest of several copies of one library.

    Where a file happens to lie in memory changed a function's time 1.8 times, byte for byte the same
    code (quadruped, forward dynamics). A peer is shown at its best, not at its luck.
    """
    import casadi

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        paths = [shutil.copy(library, Path(folder) / f"copy{i}{library.suffix}") for i in range(COPIES)]
        functions = [casadi.external(name, str(path)) for path in (library, *paths)]
        calls = {str(i): _bound(f, inputs)[0] for i, f in enumerate(functions)}
        found = timings(calls, 0.02)
        return functions[int(min(found, key=lambda k: found[k].median))]


def compiled(function: Any) -> Path:
    """The function as a shared library, kept in a private temporary folder under the hash of its C text."""
    import casadi

    if function.n_instructions() > TOO_MANY:
        raise NotImplementedError(f"{function.n_instructions()} instructions in one C function are too many for gcc")
    folder = Path(tempfile.gettempdir()) / f"appell-benchmarks-{os.getuid() if hasattr(os, 'getuid') else 0}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise OSError(f"{folder} belongs to somebody else")
    generator = casadi.CodeGenerator("generated.c")
    generator.add(function)
    text = generator.dump()
    level = "-O1" if function.n_instructions() > HEAVY else "-O3"
    library = folder / f"{hashlib.sha256((level + text).encode()).hexdigest()[:24]}.so"
    if not library.exists():
        _gcc(text, level, library)
    return library


def _gcc(text: str, level: str, library: Path) -> None:
    source, fresh = library.with_suffix(".c"), library.with_suffix(f".{os.getpid()}")
    source.write_text(text)
    command = ["gcc", level, "-march=native", "-fPIC", "-shared", str(source), "-o", str(fresh), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"gcc failed: {done.stderr[:200]}")
    os.replace(fresh, library)


class SpatialText:
    """RNEA, CRBA and ABA over CasADi's SX in body axes; motions and forces are pairs (linear, angular)."""

    def __init__(self, oracle: Any) -> None:
        import casadi

        self.ca, self.oracle, self.model = casadi, oracle, oracle.model
        self.q = casadi.SX.sym("q", oracle.model.nq)
        self.v = casadi.SX.sym("v", oracle.model.nv)
        self.x = casadi.SX.sym("x", oracle.model.nv)
        order = [int(i) for i in oracle.iv]
        self.vp, self.xp = self.v[order], self.x[order]
        self.R: list[Any] = [None]
        self.p: list[Any] = [None]
        self.S: list[Any] = [None]
        for i in range(1, self.model.njoints):
            self._place(i)

    def constant(self, m: Any) -> Any:
        """A matrix of numbers whose zeros are structural."""
        return self.ca.SX(self.ca.sparsify(self.ca.DM(np.asarray(m, float))))

    def _place(self, i: int) -> None:
        """Placement of body i in its parent, and the joint's freedoms as columns."""
        kind, axis, pitch = self.oracle.joints[i]
        q = self.q[[int(k) for k in self.oracle.iq[self.model.idx_qs[i] :][: self.model.nqs[i]]]]
        rotation, move, freedoms = self.constant(np.eye(3)), self.constant(np.zeros(3)), np.zeros((6, 1))
        if kind in ("ball", "free"):
            rotation = self._from_quaternion(q[-4:])
            move = q[:3] if kind == "free" else move
            freedoms = np.eye(6) if kind == "free" else np.eye(6)[:, 3:]
        elif kind == "prismatic":
            move, freedoms[:3, 0] = self.constant(axis) * q, axis
        else:
            rotation, move = self._about(axis, q), self.constant(pitch * axis) * q
            freedoms[:3, 0], freedoms[3:, 0] = pitch * axis, axis
        place = self.model.jointPlacements[i]
        base = self.constant(place.rotation)
        self.R.append(base @ rotation)
        self.p.append(self.constant(place.translation) + base @ move)
        self.S.append(self.constant(freedoms))

    def _about(self, axis: Array, angle: Any) -> Any:
        c, s = self.ca.cos(angle), self.ca.sin(angle)
        outer = np.outer(axis, axis)
        cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        return self.constant(outer) + c * self.constant(np.eye(3) - outer) + s * self.constant(cross)

    def _from_quaternion(self, q: Any) -> Any:
        x, y, z, w = q[0], q[1], q[2], q[3]
        row1 = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)]
        row2 = [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)]
        row3 = [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
        return self.ca.vertcat(*(self.ca.horzcat(*row) for row in (row1, row2, row3)))

    def _inertia(self, i: int) -> Any:
        return self.constant(self.model.inertias[i].matrix())

    def _into(self, i: int, m: Any) -> Any:
        """A motion of the parent seen from body i."""
        cross, turn = self.ca.cross, self.R[i].T
        return self.ca.vertcat(turn @ (m[:3] + cross(m[3:], self.p[i])), turn @ m[3:])

    def _out_of(self, i: int, f: Any) -> Any:
        """Forces (columns) of body i seen from its parent."""
        linear = self.R[i] @ f[:3, :]
        return self.ca.vertcat(linear, self.R[i] @ f[3:, :] + self._skew(self.p[i]) @ linear)

    def _skew(self, p: Any) -> Any:
        return self.ca.sparsify(self.ca.skew(p))

    def _motion_cross(self, v: Any, m: Any) -> Any:
        cross = self.ca.cross
        return self.ca.vertcat(cross(v[3:], m[:3]) + cross(v[:3], m[3:]), cross(v[3:], m[3:]))

    def _force_cross(self, v: Any, f: Any) -> Any:
        cross = self.ca.cross
        return self.ca.vertcat(cross(v[3:], f[:3]), cross(v[3:], f[3:]) + cross(v[:3], f[:3]))

    def _span(self, i: int) -> slice:
        return slice(int(self.model.idx_vs[i]), int(self.model.idx_vs[i] + self.model.nvs[i]))

    def _rates(self) -> tuple[list[Any], list[Any]]:
        """Velocity and bias acceleration of each body."""
        zero = self.constant(np.zeros(6))
        velocity, bias = [zero], [zero]
        for i in range(1, self.model.njoints):
            own = self.S[i] @ self.vp[self._span(i)]
            velocity.append(self._into(i, velocity[self.model.parents[i]]) + own)
            bias.append(self._motion_cross(velocity[i], own))
        return velocity, bias

    def _fall(self) -> Any:
        return self.constant(np.concatenate([-self.model.gravity.linear, np.zeros(3)]))

    def _unpermuted(self, pieces: list[Any]) -> Any:
        return self.ca.vertcat(*pieces)[[int(i) for i in np.argsort(self.oracle.iv)]]

    def inverse_dynamics(self) -> list[Any]:
        velocity, bias = self._rates()
        a, f = [self._fall()], [self.constant(np.zeros(6))]
        for i in range(1, self.model.njoints):
            a.append(self._into(i, a[self.model.parents[i]]) + self.S[i] @ self.xp[self._span(i)] + bias[i])
            inertia = self._inertia(i)
            f.append(inertia @ a[i] + self._force_cross(velocity[i], inertia @ velocity[i]))
        tau = [None] * self.model.njoints
        for i in range(self.model.njoints - 1, 0, -1):
            tau[i] = self.S[i].T @ f[i] + self.model.armature[self._span(i)] * self.xp[self._span(i)]
            f[self.model.parents[i]] += self._out_of(i, f[i])
        return [self._unpermuted(tau[1:])]

    def _carried(self, i: int, inertia: Any) -> Any:
        """X' I X: a 6 x 6 inertia of body i seen from its parent."""
        half = self._out_of(i, inertia)
        return self._out_of(i, half.T)

    def mass_matrix(self) -> list[Any]:
        nv, parents = self.model.nv, self.model.parents
        composite = [self.constant(np.zeros((6, 6)))]
        composite += [self._inertia(i) for i in range(1, self.model.njoints)]
        m = self.ca.SX(nv, nv)
        for i in range(self.model.njoints - 1, 0, -1):
            if parents[i]:
                composite[parents[i]] += self._carried(i, composite[i])
            f, j = composite[i] @ self.S[i], i
            m[self._span(i), self._span(i)] = self.S[i].T @ f + np.diag(self.model.armature[self._span(i)])
            while parents[j]:
                f, j = self._out_of(j, f), parents[j]
                m[self._span(j), self._span(i)] = self.S[j].T @ f
                m[self._span(i), self._span(j)] = m[self._span(j), self._span(i)].T
        back = [int(i) for i in np.argsort(self.oracle.iv)]
        return [self.ca.densify(m[back, back])]

    def forward_dynamics(self) -> list[Any]:
        """Articulated bodies, one freedom eliminated at a time."""
        velocity, bias = self._rates()
        n, parents, ca = self.model.njoints, self.model.parents, self.ca
        inertia = [None, *(self._inertia(i) for i in range(1, n))]
        force: list[Any] = [None]
        force += [self._force_cross(velocity[i], inertia[i] @ velocity[i]) for i in range(1, n)]
        pivots: dict[int, tuple[Any, Any, Any]] = {}
        for i in range(n - 1, 0, -1):
            ia, pa = inertia[i], force[i] + inertia[i] @ bias[i]
            for k in reversed(range(*self._span(i).indices(self.model.nv))):
                s = self.S[i][:, k - self._span(i).start]
                u = ia @ s
                pivots[k] = (u, s.T @ u + self.model.armature[k], self.xp[k] - s.T @ pa)
                scaled = u / pivots[k][1]
                ia, pa = ia - scaled @ u.T, pa + scaled * pivots[k][2]
            if parents[i]:
                inertia[parents[i]] += self._carried(i, ia)
                force[parents[i]] += self._out_of(i, pa)
        a, answer = [self._fall()], [None] * self.model.nv
        for i in range(1, n):
            here = self._into(i, a[parents[i]])
            free = here  # the pivots already hold the bias
            for k in range(*self._span(i).indices(self.model.nv)):
                u, d, rest = pivots[k]
                answer[k] = (rest - u.T @ free) / d
                free = free + self.S[i][:, k - self._span(i).start] * answer[k]
            a.append(free + bias[i])
        return [self._unpermuted([ca.SX(x) for x in answer])]

    def _tangent(self) -> Any:
        """dq by the tangent: identity, and R e, q * (0, e) / 2 for quaternions."""
        t = self.ca.SX(self.model.nq, self.model.nv)
        for i in range(1, self.model.njoints):
            kind = self.oracle.joints[i][0]
            rows = [int(k) for k in self.oracle.iq[self.model.idx_qs[i] :][: self.model.nqs[i]]]
            columns = [int(k) for k in self.oracle.iv[self._span(i)]]
            if kind not in ("ball", "free"):
                t[rows[0], columns[0]] = 1
                continue
            x, y, z, w = (self.q[k] for k in rows[-4:])
            half = [[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]]
            t[rows[-4:], columns[-3:]] = self.ca.vertcat(*(self.ca.horzcat(*r) for r in half)) / 2
            if kind == "free":
                t[rows[:3], columns[:3]] = self._from_quaternion(self.q[rows[-4:]])
        return t

    def inverse_dynamics_derivatives(self) -> list[Any]:
        tau = self.inverse_dynamics()[0]
        dq = self.ca.jacobian(tau, self.q) @ self._tangent()
        dv = self.ca.jacobian(tau, self.v)
        return [self.ca.densify(m).T for m in (dq, dv)] + self.mass_matrix()

    def function(self, question: str) -> Any:
        """The question as a CasADi function of (q, v, x), or of q alone."""
        outputs = self.ca.cse(getattr(self, question)())
        inputs = [self.q] if question == "mass_matrix" else [self.q, self.v, self.x]
        return self.ca.Function(question, inputs, outputs)
