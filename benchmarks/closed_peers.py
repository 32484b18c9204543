"""Who answers for closed mechanisms: Appell in two ways, Pinocchio's constraintDynamics, MuJoCo's equalities."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from .closed_robots import Closed, Truth
from .measure import Call
from .task import ID, Array, Contender, Skip, available

PROXIMAL = 1e-12, 1e-12, 1e-8, 20  # absolute and relative accuracy, mu, most iterations
STIFF = {"solref": [2e-3, 1.0], "solimp": [0.9999, 0.9999, 1e-3, 0.5, 2.0]}
LEAST = 1e-9  # kg m2, the moments of what turns about other axes
CALL = "f(q, v, x)"


def everyone(task: Closed, question: str, skip: Skip) -> Iterator[Contender]:
    """Appell and the peers; what a peer cannot do is said."""
    yield from ours(task, question)
    yield pinocchio(task, question)
    if question == ID:
        skip("mujoco", "its inverse dynamics knows no forces of some motors in a mechanism with loops")
    elif available("mujoco"):
        yield mujoco(task)
    else:
        skip("mujoco", "it is not installed")


def ours(task: Closed, question: str) -> Iterator[Contender]:
    """In all joints of the tree; and in the motors' coordinates, where the motion of all others is found as well."""
    robot, way = task.robot, task.robot.reduced(task.motors)
    whole = robot.kernel(question, actuators=task.motors if question == ID else None)
    yield _kernel("appell", whole, (task.q, task.v, task.third(question)), lambda found: found)
    u, du = way.rates(task.q, task.v), way.rates(task.q, task.a)
    third = du if question == ID else task.push
    back = (lambda found: found) if question == ID else partial(_led, way, task.q, u)
    yield _kernel("appell reduced", way.kernel(question), (task.q, u, third), back)


def _led(way: Any, q: Array, u: Array, du: Array) -> Array:
    """The accelerations of all joints."""
    return way.accelerations(q, u, du) if du.ndim > 1 else way.accelerations(q[0], u[0], du)


def _kernel(name: str, f: Any, many: tuple[Array, ...], back: Callable[[Array], Array]) -> Contender:
    one = tuple(np.ascontiguousarray(x[0]) for x in many)
    single, batch = (Call(CALL, dict(zip("fqvx", (f, *state)))) for state in (one, many))
    return Contender(name, single, lambda: back(f(*one)), batch, lambda: back(f(*many)))


def pinocchio(task: Closed, question: str) -> Contender:
    """Its forward dynamics with the loops as points; for forces rnea, its Jacobian of the loops, and LAPACK."""
    pin: Any = importlib.import_module("pinocchio")
    truth = Truth(task.robot, task.motors)
    o, models, datas = truth.oracle, truth.models(), pin.StdVec_RigidConstraintData()
    for model in models:
        datas.append(model.createData())
    names = {"m": o.model, "d": o.data, "models": models, "datas": datas}
    order = (o.iq, o.iv, o.iv)
    many = [np.ascontiguousarray(x[:, i]) for x, i in zip((task.q, task.v, task.third(question)), order)]
    if question == ID:
        return _rows(CALL, names | {"f": _forces(pin, truth.S[:, o.iv], names)}, many, lambda tau: tau)
    pin.initConstraintDynamics(o.model, o.data, models, datas)
    names |= {"f": pin.constraintDynamics, "settings": pin.ProximalSettings(*PROXIMAL)}
    back = np.argsort(o.iv)
    return _rows("f(m, d, q, v, x, models, datas, settings)", names, many, lambda a: a[..., back])


def _rows(call: str, names: dict[str, Any], many: list[Array], back: Callable[[Array], Array]) -> Contender:
    """Pinocchio's call for one state, and a Python loop over rows; each writes what it answers."""
    one = names | dict(zip("qvx", (x[0].copy() for x in many))) | {"out": [None]}
    single, rows = Call(call, one), Call(f"for q, v, x in zip(*many): {call}", names | {"many": many})
    kept = Call(f"out[:] = [{call}.copy() for q, v, x in many]", names | {"many": [*zip(*many)], "out": []})
    first = Call(f"out[0] = {call}", one)

    def answer(asked: Call) -> Array:
        asked.timer().timeit(1)
        return back(np.array(asked.names["out"]))

    return Contender("pinocchio", single, lambda: answer(first)[0], rows, lambda: answer(kept))


def _forces(pin: Any, S: Array, known: dict[str, Any]) -> Callable[..., Array]:
    """The motors' forces, and those of the loops, whose sum is rnea's: what one writes with Pinocchio."""
    m, d, models, datas = (known[key] for key in ("m", "d", "models", "datas"))

    def motors(q: Array, v: Array, a: Array) -> Array:
        tau = pin.rnea(m, d, q, v, a)
        pin.computeJointJacobians(m, d, q)
        for model, data in zip(models, datas):
            model.calc(m, d, data)
        J = pin.getConstraintsJacobian(m, d, models, datas)
        return np.linalg.lstsq(np.concatenate([S, J]).T, tau, rcond=1e-12)[0][: len(S)]

    return motors


def mujoco(task: Closed) -> Contender:
    """`mj_forward` with the loops as `connect` equalities, its state in place."""
    from tests.oracles.mujoco_model import MujocoOracle

    mj: Any = importlib.import_module("mujoco")
    pairs = Truth(task.robot, task.motors).ends
    oracle = MujocoOracle(_thick(task.robot.to_dict()), lambda spec, bodies: _connected(mj, spec, bodies, pairs))
    states = [(oracle.q_to_mujoco(q), oracle.v_to_mujoco(q, v), oracle.tau_to_mujoco(q, x))
              for q, v, x in zip(task.q, task.v, task.tau)]  # fmt: skip
    many, data, out = [np.array(x) for x in zip(*states)], oracle.data, np.empty_like(task.a)
    places = dict(zip("qvx", (data.qpos, data.qvel, data.qfrc_applied)))
    for place, x in zip(places.values(), many):
        place[:] = x[0]
    names = {"f": mj.mj_forward, "m": oracle.model, "d": data}
    loop = "for q[:], v[:], x[:], o in zip(*many, out): f(m, d); o[:] = d.qacc"
    batch = Call(loop, {**names, **places, "many": many, "out": out})

    def single() -> Array:
        mj.mj_forward(oracle.model, data)
        return oracle.a_from_mujoco(task.q[0], task.v[0], data.qacc.copy())

    def rows() -> Array:
        batch.timer().timeit(1)
        found = np.array([oracle.a_from_mujoco(*row) for row in zip(task.q, task.v, out)])
        for place, x in zip(places.values(), many):
            place[:] = x[0]  # back to the state of the single call
        return found

    return Contender("mujoco", Call("f(m, d)", names), single, batch, rows)


def _thick(data: dict[str, Any]) -> dict[str, Any]:
    """MuJoCo refuses rods without thickness."""
    for body in data["bodies"]:
        body["inertia"] |= {key: max(body["inertia"][key], LEAST) for key in ("ixx", "iyy", "izz")}
    return data


def _connected(mj: Any, spec: Any, bodies: dict[str, Any], pairs: list[list[tuple[str, Array]]]) -> None:
    """Loops as pairs of points that MuJoCo holds together, as hard as it can."""
    spec.option.disableflags = int(mj.mjtDisableBit.mjDSBL_CONTACT)
    spec.option.tolerance, spec.option.iterations = 1e-15, 100
    for k, pair in enumerate(pairs):
        names = [f"loop{k}{x}" for x in "ab"]
        for name, (body, point) in zip(names, pair):
            bodies[body].add_site(name=name, pos=point)
        spec.add_equality(
            type=mj.mjtEq.mjEQ_CONNECT, objtype=mj.mjtObj.mjOBJ_SITE, name1=names[0], name2=names[1], **STIFF
        )
