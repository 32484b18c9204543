"""Rules of kernels: rows of batches, layouts, threads, types, and code that needs nothing from outside."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import threading
from functools import cache
from typing import Any

import numpy as np
import pytest
from oracles.few import few
from oracles.random_robots import random_robot, random_state

import appell
from appell.errors import ShapeError
from appell.formulations.table import FORMULATIONS, QUESTIONS, Formulation
from appell.kernel.machine import undefined_symbols
from appell.robot import Robot

Array = np.ndarray[Any, Any]
EPS = {"f8": 2e-11, "f4": 2e-2}
ROWS = [(f, unroll) for f in FORMULATIONS for unroll in (True, False) if unroll or f.rolls]
FEW = [(f, u) for f, u in ROWS if f.computes in ("inverse_dynamics", "mass_matrix", "forward_dynamics")]
FAST = [(f, u) for f, u in FEW if f.name in ("gibbs_appell", "composite_body", "articulated_body")]
BASIC, ALL = few(FEW, *FAST), few(ROWS, *FAST)


def _id(value: Any) -> str:
    if isinstance(value, Formulation):
        return f"{value.name}-{value.computes}"
    return {True: "unrolled", False: "rolled"}.get(value, str(value))


@cache
def _robot(kind: str) -> Robot:
    """A short arm, or a small floating tree of all kinds of joints."""
    if kind == "arm":
        return Robot.from_dict(random_robot(4, 3))
    return Robot.from_dict(random_robot(12, 4, joints="mixed", floating=True, shape="tree", order="shuffled"))


def _function(robot: Robot, row: Formulation, unroll: bool, dtype: str = "f8") -> Any:
    frame = "tool" if QUESTIONS[row.computes].of_frame else None
    return robot.kernel(row.computes, method=row.name, unroll=unroll, dtype=dtype, frame=frame)


def _inputs(robot: Robot, what: str, count: int | None, dtype: str = "f8") -> list[Array]:
    """One state, or some."""
    states = [random_state(robot.to_dict(), 50 + k) for k in range(count or 1)]
    q, v, a = (np.array(x, dtype) for x in zip(*states))
    named = {"q": q, "v": v, "a": a, "tau": 3 * a}
    return [named[n] if count is not None else named[n][0] for n in QUESTIONS[what].inputs]


def _tuple(answer: Any) -> tuple[Array, ...]:
    return answer if isinstance(answer, tuple) else (answer,)


def _same(found: Any, wanted: Any) -> None:
    """Equal bit for bit."""
    for a, b in zip(_tuple(found), _tuple(wanted), strict=True):
        np.testing.assert_array_equal(a, b)


def _rows_are_calls(robot: Robot, row: Formulation, unroll: bool, dtype: str, counts: Any) -> None:
    f = _function(robot, row, unroll, dtype)
    given = _inputs(robot, row.computes, max(counts), dtype)
    single = [_tuple(f(*(x[k] for x in given))) for k in range(max(counts))]
    wanted = [np.array(parts) for parts in zip(*single)]
    assert all(w.dtype == dtype and np.isfinite(w).all() for w in wanted)
    for count in counts:
        _same(f(*(x[:count] for x in given)), tuple(w[:count] for w in wanted))


def _agree(found: Any, wanted: Any, tolerance: float) -> None:
    for a, b in zip(_tuple(found), _tuple(wanted), strict=True):
        assert np.abs(a - b).max(initial=0) <= tolerance * np.abs(b).max(initial=1e-30)


# -- rows of batches ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("row", "unroll"), ALL, ids=_id)
def test_a_row_of_a_batch_is_the_single_call_bit_for_bit(row: Formulation, unroll: bool):
    _rows_are_calls(_robot("arm"), row, unroll, "f8", (1, 2, 7, 8, 9, 20))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize(("row", "unroll"), BASIC, ids=_id)
def test_every_length_of_a_batch(row: Formulation, unroll: bool, dtype: str):
    _rows_are_calls(_robot("arm"), row, unroll, dtype, range(1, 40))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize(("row", "unroll"), ROWS, ids=_id)
def test_rows_of_a_floating_tree_of_all_joints(row: Formulation, unroll: bool, dtype: str):
    if row.computes.endswith("derivatives") and (not unroll or dtype == "f4"):
        pytest.skip("seconds of building, and nothing in it that others have not")
    _rows_are_calls(_robot("tree"), row, unroll, dtype, (1, 2, 7, 15, 16, 17, 20))


@pytest.mark.parametrize("row", few([f for f in FORMULATIONS if f.rolls], *(f for f, _ in FAST)), ids=_id)
def test_rolled_equals_unrolled(row: Formulation):
    given = _inputs(_robot("arm"), row.computes, 9)
    unrolled, rolled = (_function(_robot("arm"), row, unroll)(*given) for unroll in (True, False))
    _agree(rolled, unrolled, EPS["f8"])


@pytest.mark.parametrize(("row", "unroll"), BASIC, ids=_id)
def test_float32_is_near_float64(row: Formulation, unroll: bool):
    robot = _robot("arm")
    wide = _function(robot, row, unroll)(*_inputs(robot, row.computes, 9))
    small = _function(robot, row, unroll, "f4")(*_inputs(robot, row.computes, 9, "f4"))
    assert small.dtype == np.float32
    _agree(small, wide, 1e-3)


@pytest.mark.parametrize(("row", "unroll"), BASIC, ids=_id)
def test_nan_stays_in_its_row(row: Formulation, unroll: bool):
    robot = _robot("arm")
    f, given = _function(robot, row, unroll), _inputs(robot, row.computes, 19)
    wanted = f(*given).copy()
    for bad in (0, 7, 18):
        spoilt = [given[0].copy(), *given[1:]]
        spoilt[0][bad] = np.nan
        found, rest = f(*spoilt), np.arange(19) != bad
        assert np.isnan(found[bad]).any()
        np.testing.assert_array_equal(found[rest], wanted[rest])


@pytest.mark.parametrize(("row", "unroll"), ALL, ids=_id)
def test_object_code_needs_nothing_from_outside(row: Formulation, unroll: bool):
    kernel = _function(_robot("arm"), row, unroll).__self__
    assert undefined_symbols(kernel.code) == []
    assert "declare external" not in kernel.build.ir


def test_undefined_symbols_are_found():
    from appell.errors import KernelError
    from appell.kernel.machine import compile_object

    text = "declare double @somewhere(double)\ndefine double @f(double %x) {\n"
    text += "  %y = call double @somewhere(double %x)\n  ret double %y\n}\n"
    with pytest.raises(KernelError, match="somewhere from outside"):
        compile_object(text)


# -- layouts --------------------------------------------------------------------------------------------------

UNROLLS = pytest.mark.parametrize("unroll", [True, False], ids=["unrolled", "rolled"])


def _three(unroll: bool, count: int | None = 12) -> tuple[Any, list[Array], Array]:
    f = _robot("arm").kernel("inverse_dynamics", unroll=unroll)
    given = _inputs(_robot("arm"), "inverse_dynamics", count)
    return f, given, f(*given).copy()


@UNROLLS
def test_component_major_and_strided(unroll: bool):
    f, given, wanted = _three(unroll)
    _same(f(*(np.ascontiguousarray(x.T).T for x in given)), wanted)
    _same(f(*(np.asfortranarray(x) for x in given)), wanted)
    spaced = [np.zeros((24, 7)) for _ in given]
    for s, x in zip(spaced, given):
        s[::2, 1:7:2] = x
    _same(f(*(s[::2, 1:7:2] for s in spaced)), wanted)
    _same(f(*(s[::2, 1:7:2][4] for s in spaced)), wanted[4])


@UNROLLS
def test_backwards_misaligned_and_foreign_byte_order(unroll: bool):
    f, given, wanted = _three(unroll)
    _same(f(*(x[::-1].copy()[::-1] for x in given)), wanted)
    _same(f(*(x[:, ::-1].copy()[:, ::-1] for x in given)), wanted)
    _same(f(*(x[3, ::-1].copy()[::-1] for x in given)), wanted[3])
    _same(f(*(x.astype(">f8") for x in given)), wanted)
    odd = [np.zeros(x.nbytes + 1, np.uint8)[1:].view("f8").reshape(x.shape) for x in given]
    for o, x in zip(odd, given):
        o[...] = x
    _same(f(*odd), wanted)
    _same(f(*(o[5] for o in odd)), wanted[5])
    _same(f(odd[0][5], given[1], given[2]), f(given[0][5], given[1], given[2]))


@UNROLLS
def test_lists_integers_and_small_floats(unroll: bool):
    f, given, wanted = _three(unroll)
    _same(f(*(x.tolist() for x in given)), wanted)
    _same(f(*(tuple(x[2].tolist()) for x in given)), wanted[2])
    whole = [np.arange(3) - k for k in range(3)]
    _same(f(*whole), f(*(x.astype(float) for x in whole)))
    _same(f(*(x.astype(np.int8) for x in whole)), f(*(x.astype(float) for x in whole)))
    _same(f(*(x.astype("f4") for x in given)), f(*(x.astype("f4").astype("f8") for x in given)))
    _same(f([True, False, True], *whole[1:]), f([1, 0, 1], *whole[1:]))


@UNROLLS
def test_read_only_and_subclasses(unroll: bool):
    class Sub(np.ndarray[Any, Any]):
        pass

    f, given, wanted = _three(unroll)
    for x in given:
        x.flags.writeable = False
    _same(f(*given), wanted)
    _same(f(*(x.view(Sub) for x in given)), wanted)


@UNROLLS
def test_broadcasting(unroll: bool):
    f, (q, v, a), _ = _three(unroll)
    _same(f(q, v[0], a[0]), f(q, np.tile(v[0], (12, 1)), np.tile(a[0], (12, 1))))
    _same(f(q[0], v[0], a), f(np.tile(q[0], (12, 1)), np.tile(v[0], (12, 1)), a))
    _same(f(q[:1], v, a), f(np.tile(q[0], (12, 1)), v, a))
    _same(f(np.broadcast_to(q[0], (12, 3)), v, a), f(q[:1], v, a))
    same = np.broadcast_to(np.array([[0.4]]), (12, 3))
    _same(f(same, v, a), f(np.full((12, 3), 0.4), v, a))
    table = f(q[:, None], v[None, :5], a[0])
    assert table.shape == (12, 5, 3)
    _same(table[7, 2], f(q[7], v[2], a[0]))


@UNROLLS
def test_higher_leading_axes_and_empty_batches(unroll: bool):
    f, given, wanted = _three(unroll)
    shaped = [x.reshape(2, 3, 2, 3) for x in given]
    _same(f(*shaped), wanted.reshape(2, 3, 2, 3))
    _same(f(*(x.transpose(2, 0, 1, 3) for x in shaped)), wanted.reshape(2, 3, 2, 3).transpose(2, 0, 1, 3))
    assert f(*(x[:0] for x in given)).shape == (0, 3)
    assert f(*(np.zeros((4, 0, 3)) for _ in given)).shape == (4, 0, 3)
    M = _robot("arm").kernel("mass_matrix", unroll=unroll)
    assert M(shaped[0]).shape == (2, 3, 2, 3, 3)
    assert M(np.zeros((0, 3))).shape == (0, 3, 3)


# -- results given --------------------------------------------------------------------------------------------


@UNROLLS
def test_out(unroll: bool):
    f, given, wanted = _three(unroll)
    out = np.full((12, 3), np.nan)
    assert f(*given, out=out) is out
    _same(out, wanted)
    one = np.full(3, np.nan)
    assert f(*(x[3] for x in given), out=one) is one
    _same(one, wanted[3])
    cube, small = np.full((2, 6, 3), np.nan), np.full((12, 3), np.nan, "f4")
    assert f(*(x.reshape(2, 6, 3) for x in given), out=cube) is cube
    _same(cube.reshape(12, 3), wanted)
    assert f(*given, out=small) is small
    _same(small, wanted.astype("f4"))
    strided = np.full((24, 6), np.nan)[::2, ::2]
    assert f(*(x.tolist() for x in given), out=strided) is strided
    _same(strided, wanted)


def test_out_of_several_results():
    robot = _robot("arm")
    f, given = robot.kernel("inverse_dynamics_derivatives"), _inputs(robot, "inverse_dynamics", 5)
    wanted = f(*given)
    out = tuple(np.full((5, 3, 3), np.nan) for _ in range(3))
    assert f(*given, out=out) is out
    _same(out, wanted)
    listed = [np.full((5, 3, 3), np.nan) for _ in range(3)]
    assert f(*given, out=listed) is listed
    _same(tuple(listed), wanted)


@UNROLLS
def test_out_may_overlap_the_inputs(unroll: bool):
    f, given, wanted = _three(unroll)
    q = given[0].copy()
    assert f(q, *given[1:], out=q) is q
    _same(q, wanted)
    pool = np.zeros(200)
    v, out = pool[:36].reshape(12, 3), pool[17:53].reshape(12, 3)
    v[...] = given[1]
    f(given[0], v, given[2], out=out)
    _same(out, wanted)


def test_out_that_does_not_fit():
    f, given, _ = _three(True)
    locked = np.zeros((12, 3))
    locked.flags.writeable = False
    for out, words in (
        (np.zeros((11, 3)), r"shape \(11, 3\), wanted \(12, 3\)"),
        (np.zeros(3), r"shape \(3,\), wanted \(12, 3\)"),
        (np.zeros((12, 3), int), "writeable array of float64, got int64"),
        (locked, "writeable"),
        ([0.0] * 3, "out is list, wanted a NumPy array"),
        ((np.zeros((12, 3)),), "out is tuple, wanted a NumPy array"),
        ("here", "out is str"),
    ):
        with pytest.raises(ShapeError, match=words):
            f(*given, out=out)
    three = _robot("arm").kernel("inverse_dynamics_derivatives")
    for out in (np.zeros((12, 3, 3)), (np.zeros((12, 3, 3)),) * 2, (np.zeros((12, 3, 3)), None, None)):
        with pytest.raises(ShapeError, match="out is"):
            three(*given, out=out)


# -- threads --------------------------------------------------------------------------------------------------


@UNROLLS
@pytest.mark.parametrize("count", [1, 3, 64, 257])
def test_threads_change_nothing(unroll: bool, count: int):
    f, given, wanted = _three(unroll, count)
    for threads in (0, 1, 2, 3, np.int64(2)):
        _same(f(*given, threads=threads), wanted)
    out = np.full((count, 3), np.nan)
    assert f(*given, threads=2, out=out) is out
    _same(out, wanted)
    _same(_robot("arm").inverse_dynamics(*given, threads=2, unroll=unroll), wanted)


def test_long_batches_let_other_threads_run():
    f, given, _ = _three(True)
    many = [np.tile(x, (150_000, 1)) for x in given]
    for call in ({}, {"threads": 1}, {"threads": 2}):
        done, ticks = threading.Event(), 0

        def work(call: dict[str, Any] = call, done: threading.Event = done) -> None:
            f(*many, **call)
            done.set()

        threading.Thread(target=work).start()
        while not done.wait(0.0005):
            ticks += 1
        assert ticks >= 5, call


@pytest.mark.parametrize("what", ["inverse_dynamics", "mass_matrix"])
def test_concurrent_calls_of_a_rolled_kernel_with_scratch_of_its_own(what: str):
    """A chain so long that scratch is asked for in every call, and given back."""
    robot, wrong = appell.zoo.chain(60 if what == "mass_matrix" else 2000), []
    f = robot.kernel(what, unroll=False)
    given = [_inputs(robot, what, None)] + [[x * (k + 2) for x in _inputs(robot, what, None)] for k in range(2)]
    wanted = [f(*x).copy() for x in given]

    def work(k: int) -> None:
        batch = [np.tile(x, (5, 1)) for x in given[k]]
        for _ in range(30):
            single, several = f(*given[k]), f(*batch)
            if not np.array_equal(single, wanted[k]) or not (several == wanted[k]).all():
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


# -- the function as an object --------------------------------------------------------------------------------

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("inverse_dynamics", {}),
    ("inverse_dynamics", {"dtype": "f4"}),
    ("inverse_dynamics", {"method": "newton_euler", "unroll": False}),
    ("inverse_dynamics", {"inputs": ["wrench"]}),
    ("inverse_dynamics", {"inputs": ["wrench"], "unroll": False}),
    ("inverse_dynamics", {"inputs": ["body1.mass", "body2.offset.x"]}),
    ("jacobian", {"frame": "tool"}),
    ("hybrid_dynamics", {"prescribed": ["joint1"]}),
]


@pytest.mark.parametrize(("what", "options"), OPTIONS, ids=str)
def test_pickle_keeps_options(what: str, options: dict[str, Any]):
    robot = _robot("arm")
    f = robot.kernel(what, **options)
    back = pickle.loads(pickle.dumps(f))
    given = _inputs(robot, what, None, options.get("dtype", "f8"))
    inputs = options.get("inputs", ())
    given += [np.arange(18.0).reshape(3, 6)] if "wrench" in inputs else []
    given += [robot.parameters(inputs) * 1.5] if "body1.mass" in inputs else []
    _same(back(*given), f(*given))
    assert [x.dtype for x in _tuple(back(*given))] == [x.dtype for x in _tuple(f(*given))]
    for clone in (copy.copy(f), copy.deepcopy(f)):
        _same(clone(*given), f(*given))


def test_help_and_signature():
    f = _robot("arm").kernel("inverse_dynamics")
    assert str(inspect.signature(f)) == "(q, v, a, *, out=None)"
    text = pydoc.plain(pydoc.render_doc(f))
    assert "inverse_dynamics(q, v, a, *, out=None)" in text
    assert "One state, or a batch" in text
    rolled = _robot("arm").kernel("inverse_dynamics", inputs=["wrench"], unroll=False)
    assert [*inspect.signature(rolled).parameters] == ["q", "v", "a", "wrench", "out"]
    assert str(inspect.signature(Robot.inverse_dynamics)).startswith("(self, q: 'Any', v: 'Any', a: 'Any'")
    assert repr(f.__self__) == "<Kernel inverse_dynamics float64 n=3 unrolled>"


def test_arguments_by_name():
    f, (q, v, a), wanted = _three(True)
    _same(f(q=q, v=v, a=a), wanted)
    _same(f(q, a=a, v=v), wanted)
    robot = Robot.from_dict(_robot("arm").to_dict())
    for _ in range(2):  # the second call is the bare one
        _same(robot.inverse_dynamics(q=q, v=v, a=a), wanted)
        once = robot.inverse_dynamics(q, v, a, method="newton_euler")
        _same(robot.inverse_dynamics(q, v, a, method="newton_euler", threads=2), once)
        robot.inverse_dynamics(q, v, a)
    with pytest.raises(ShapeError, match="twice"):
        f(q, v, a, q=q)
    with pytest.raises(ShapeError, match="got no v, wanted q, v, a"):
        f(q, a=a)


@pytest.mark.slow
def test_a_million_calls_leave_nothing_behind():
    resource = pytest.importorskip("resource")
    robot = _robot("arm")
    f, three = robot.kernel("inverse_dynamics"), robot.kernel("inverse_dynamics_derivatives")
    long = robot.kernel("mass_matrix", unroll=False)
    q, v, a = _inputs(robot, "inverse_dynamics", None)
    out, batch, rows, listed = np.zeros(3), np.tile(q, (4, 1)), np.zeros((4, 3)), q.tolist()

    def some(count: int) -> None:
        for _ in range(count):
            f(q, v, a)
            f(q, v, a, out=out)
            robot.inverse_dynamics(q, v, a)
            three(q, v, a)
            long(q)
            f(batch, v, a)
        for _ in range(count // 20):
            f(listed, v, a)
            f(batch, v, a, threads=1, out=rows)
            robot.pose(q, "tool")
            with pytest.raises(ShapeError):
                f(q, v)

    some(10_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    some(250_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 5_000  # kB, of 1.5 million calls
