"""The compiled callable: what it serves itself, what it leaves to Python, and that it never leaks or crashes.

Everything about answers is asked twice, also of the callable that goes through ctypes.
"""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import pydoc
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.few import few
from toy_kernel import Toy, empty_text

from appell.errors import KernelError
from appell.kernel import abi
from appell.write.callable import Signature, callable_ir

SMALL = {"known sizes": {}, "read sizes": {"known": False}, "float32": {"dtype": "f4"}}
MAKERS = SMALL | {
    "two outputs": {"matrix": True},
    "two, read sizes, f4": {"matrix": True, "known": False, "dtype": "f4"},
}
native_only = pytest.mark.skipif(not abi.supported()[0], reason=abi.supported()[1])


@cache
def _toy(direct: bool, **options: Any) -> Toy:
    with pytest.MonkeyPatch.context() as patch:
        if not direct:
            patch.setattr(abi, "supported", lambda: (False, "forced"))
        return Toy(**options)


@pytest.fixture(params=["compiled", "through ctypes"])
def make(request: pytest.FixtureRequest) -> Callable[..., Toy]:
    """Makes a toy kernel."""
    if request.param == "compiled" and not abi.supported()[0]:
        pytest.skip(abi.supported()[1])

    def toy(**options: Any) -> Toy:
        made = _toy(request.param == "compiled", **options)
        made.refused.clear()
        return made

    return toy


@pytest.fixture(params=list(MAKERS))
def toy(request: pytest.FixtureRequest, make: Callable[..., Toy]) -> Toy:
    """Toy kernels of all kinds."""
    return make(**MAKERS[request.param])


def _random(toy: Toy, *shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(shape).standard_normal(shape).astype(toy.signature.dtype)


def _list(result: Any) -> list[np.ndarray[Any, Any]]:
    return list(result) if type(result) is tuple else [result]


def _check(toy: Toy, result: Any, *args: Any) -> None:
    """The result is the right one, fresh in kind, and Python was not asked."""
    assert toy.refused == []
    wanted = toy.wanted(*args)
    assert len(_list(result)) == len(wanted)
    for got, want in zip(_list(result), wanted, strict=True):
        assert type(got) is np.ndarray
        assert got.dtype == toy.signature.dtype
        np.testing.assert_array_equal(got, want)


def _outs(toy: Toy, *lead: int) -> Any:
    outs = [np.full((*lead, *shape), np.nan, toy.signature.dtype) for shape in toy.shapes]
    return tuple(outs) if len(outs) > 1 else outs[0]


def test_one_state(toy: Toy):
    q, v = _random(toy, 6), _random(toy, 1, 6)[0]
    _check(toy, toy.f(q, v), q, v)
    _check(toy, toy.f(q, q), q, q)
    assert all(a.flags.owndata and a.flags.c_contiguous for a in _list(toy.f(q, v)))


@pytest.mark.parametrize("lead", [(), (0,), (1,), (7,)])
def test_result_given(toy: Toy, lead: tuple[int, ...]):
    q, v, out = _random(toy, *lead, 6), _random(toy, 6), _outs(toy, *lead)
    q_, v_ = (q, v) if not lead else (q, np.broadcast_to(v, q.shape))
    assert toy.f(q, v, out=out) is out
    _check(toy, out, q_, v_)
    _check(toy, toy.f(q, v, out=None), q_, v_)


def test_results_without_rows_overlap_nothing(toy: Toy):
    """Though they may lie as near to each other as memory allows."""
    q, v = _random(toy, 0, 6), _random(toy, 6)
    room = np.zeros(3, toy.signature.dtype)
    outs = [room[k : k + 1][:0].reshape(0, *shape) for k, shape in enumerate(toy.shapes)]
    out = tuple(outs) if len(outs) > 1 else outs[0]
    assert toy.f(q, v, out=out) is out
    assert toy.refused == []


@pytest.mark.parametrize("rows", [0, 1, 2, 9, 1000])
def test_batch(toy: Toy, rows: int):
    q, v = _random(toy, rows, 6), _random(toy, rows, 6)
    _check(toy, toy.f(q, v), q, v)
    _check(toy, toy.f(q, v[0] if rows else _random(toy, 6)), q, v[0] if rows else _random(toy, 6))
    _check(toy, toy.f(_random(toy, 6), v), _random(toy, 6), v)


def test_component_major_and_strided_without_python(toy: Toy):
    q, v = _random(toy, 6, 9).T, _random(toy, 18, 12)[::2, 1::2]
    _check(toy, toy.f(q, v), q, v)
    _check(toy, toy.f(q[3], v[3]), q[3], v[3])
    turned = [np.zeros((*s, 9), toy.signature.dtype) for s in toy.shapes]
    out = tuple(np.moveaxis(t, -1, 0) for t in turned) if len(turned) > 1 else turned[0].T
    assert toy.f(q, v, out=out) is out
    _check(toy, out, q, v)
    column = np.zeros((6, 3), toy.signature.dtype)[:, 1]
    if len(turned) == 1:
        assert toy.f(q[0], v[0], out=column) is column
        _check(toy, column, q[0], v[0])


def test_broadcast_views_are_read_without_a_copy(toy: Toy):
    q = np.broadcast_to(_random(toy, 6), (5, 6))
    _check(toy, toy.f(q, q), q, q)


def test_unpickled_arrays_bring_their_own_dtype_object(toy: Toy):
    q, v = pickle.loads(pickle.dumps((_random(toy, 6), _random(toy, 4, 6)[1])))
    _check(toy, toy.f(q, v), q, v)
    out = pickle.loads(pickle.dumps(_outs(toy)))
    assert toy.f(q, v, out=out) is out
    _check(toy, out, q, v)


def _misaligned(count: int) -> np.ndarray[Any, Any]:
    return np.zeros(8 * count + 1, np.uint8)[1:].view("f8")


class _Sub(np.ndarray[Any, Any]):
    """Not exactly an array."""


Q, V, B = np.zeros(6), np.ones(6), np.zeros((4, 6))
LOCKED = np.zeros(6)
LOCKED.flags.writeable = False
WARNED = np.zeros(6)
WARNED.flags._warn_on_write = True  # type: ignore[attr-defined]
REFUSED: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "no arguments": ((), {}),
    "too few": ((Q,), {}),
    "too many": ((Q, V, Q), {}),
    "list": (([0.0] * 6, V), {}),
    "None": ((Q, None), {}),
    "number": ((1, 2.0), {}),
    "masked array": ((np.ma.masked_array(Q), V), {}),
    "subclass": ((Q.view(_Sub), V), {}),
    "short": ((Q[:5], V), {}),
    "long": ((Q, np.zeros(7)), {}),
    "float32": ((Q.astype("f4"), V), {}),
    "integers": ((Q, V.astype(int)), {}),
    "objects": ((Q.astype(object), V), {}),
    "other byte order": ((Q.astype(">f8" if sys.byteorder == "little" else "<f8"), V), {}),
    "no axis": ((np.float64(1), np.array(1.0)), {}),
    "three axes": ((np.zeros((2, 2, 6)), V), {}),
    "rows differ": ((B, np.zeros((5, 6))), {}),
    "one row and four": ((B, np.zeros((1, 6))), {}),
    "columns differ": ((B, np.zeros((4, 5))), {}),
    "misaligned": ((_misaligned(6), V), {}),
    "backwards": ((Q[::-1], V), {}),
    "rows backwards": ((B[::-1], V), {}),
    "one number repeated": ((np.broadcast_to(np.zeros(1), (6,)), V), {}),
    "half steps": ((np.zeros((6, 3), "f4").view(np.uint8)[:, :8].view("f8")[:, 0], V), {}),
    "unknown keyword": ((Q, V), {"threads": 2}),
    "out and another": ((Q, V), {"out": np.zeros(6), "threads": 2}),
    "inputs by name": ((), {"q": Q, "v": V}),
    "out by position": ((Q, V, np.zeros(6)), {}),
    "out is locked": ((Q, V), {"out": LOCKED}),
    "out warns when written to": ((Q, V), {"out": WARNED}),
    "strided, out warns": ((np.zeros(12)[::2], V), {"out": WARNED}),
    "out is a list": ((Q, V), {"out": [0.0] * 6}),
    "out is a tuple": ((Q, V), {"out": (np.zeros(6),)}),
    "out is a subclass": ((Q, V), {"out": np.zeros(6).view(_Sub)}),
    "out is short": ((Q, V), {"out": np.zeros(5)}),
    "out is float32": ((Q, V), {"out": np.zeros(6, "f4")}),
    "out has an axis too many": ((Q, V), {"out": np.zeros((1, 6))}),
    "out is misaligned": ((Q, V), {"out": _misaligned(6)}),
    "out is backwards": ((Q, V), {"out": np.zeros(6)[::-1]}),
    "out is one number": ((Q, V), {"out": np.lib.stride_tricks.as_strided(np.zeros(1), (6,), (0,))}),
    "out is q": ((Q, V), {"out": Q}),
    "out overlaps v": ((Q, B.ravel()[3:9]), {"out": B.ravel()[8:14]}),
    "batch, out is locked": ((B, V), {"out": np.broadcast_to(LOCKED, (4, 6))}),
    "batch, out lacks a row": ((B, V), {"out": np.zeros((3, 6))}),
    "batch, out lacks an axis": ((B, V), {"out": np.zeros(6)}),
    "batch, out is q": ((B, V), {"out": B}),
    "batch, out overlaps": ((B[:2], V), {"out": B[1:3]}),
}


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("case", list(REFUSED))
def test_all_else_goes_to_python_unchanged(make: Callable[..., Toy], case: str, known: bool):
    toy = make(known=known)
    args, named = REFUSED[case]
    before = [np.array(a) for a in (*args, *named.values())]
    assert toy.f(*args, **named) == "slow"
    [(got_args, got_named)] = toy.refused
    assert len(got_args) == len(args)
    assert all(a is b for a, b in zip(got_args, args, strict=True))
    assert got_named.keys() == named.keys()
    assert all(got_named[key] is value for key, value in named.items())
    for old, new in zip(before, (*args, *named.values()), strict=True):
        np.testing.assert_array_equal(old, np.array(new))


def test_tuples_of_results_are_checked(make: Callable[..., Toy]):
    toy = make(matrix=True)
    a, m = np.zeros(6), np.zeros((6, 6))
    shared = np.zeros(42)
    bad: list[Any] = [a, (a,), [a, m], (m, a), (a, m, a), (a, None), (a, m.T[:5]), (a, np.zeros(36))]
    bad += [(a, np.zeros((6, 12))[:, :6]), (shared[:6], shared[3:39].reshape(6, 6)), (m[0], m)]
    for out in bad:
        assert toy.f(Q, V, out=out) == "slow"
    assert toy.f(B, V, out=(np.zeros((4, 6)), np.zeros((4, 6, 12))[:, :, :6])) == "slow"
    assert len(toy.refused) == len(bad) + 1


def test_keywords_are_compared_by_value_in_the_end(make: Callable[..., Toy]):
    toy, out = make(), np.zeros(6)
    toy.f(Q, V, **{"".join(["o", "ut"]): out})
    served = not toy.refused
    assert served == bool(out.any()), "either the callable wrote the result or Python was asked"


def test_random_layouts_give_the_right_answer_or_go_to_python(make: Callable[..., Toy]):
    rng, toy, served = np.random.default_rng(5), make(n=3), 0
    for _ in range(1500):
        pool = rng.standard_normal(160)
        q, v, out = (_random_view(rng, pool) for _ in range(3))
        wanted, rest = (toy.wanted(q, v)[0], pool.copy()) if _agree(q, v) else (None, pool.copy())
        result = toy.f(q, v, out=out)
        if isinstance(result, str):
            np.testing.assert_array_equal(pool, rest)
            continue
        served += 1
        assert wanted is not None
        np.testing.assert_array_equal(out, wanted)
        out[...] = 0
        assert np.count_nonzero(pool != rest) <= out.size
    assert served > 50


def _agree(q: np.ndarray[Any, Any], v: np.ndarray[Any, Any]) -> bool:
    return q.shape[-1:] == v.shape[-1:] and (q.ndim == 1 or v.ndim == 1 or q.shape == v.shape)


def _random_view(rng: np.random.Generator, pool: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    start, rows = int(rng.integers(0, 100)), int(rng.integers(1, 4))
    base = pool[start : start + 60]
    kind = rng.integers(0, 5)
    if kind == 0:
        return base[:3]
    if kind == 1:
        return base[: 3 * rows].reshape(rows, 3)
    if kind == 2:
        return base[: 3 * rows].reshape(3, rows).T
    if kind == 3:
        return base[: 30 : int(rng.choice([-1, 2, 3]))][:3]
    return base[: 18 * rows].reshape(rows, 18)[:, :: int(rng.choice([6, -6]))]


@pytest.mark.parametrize("n", [0, 1, 40])
@pytest.mark.parametrize("known", [True, False])
def test_other_lengths(make: Callable[..., Toy], n: int, known: bool):
    toy = make(n=n, known=known, matrix=True)
    q, v = _random(toy, n), _random(toy, n)
    result = toy.f(q, v)
    _check(toy, result, q, v)
    _check(toy, toy.f(_random(toy, 3, n), v), _random(toy, 3, n), v)
    assert [a.shape for a in _list(result)] == [(n,), (n, n)]


def test_sizes_must_be_known_when_bound():
    assert Signature((6, 2), ((6,), (6, 6), ()), "f8", 0.4).sizes() == [6, 2, 6, 6, 6, 1]
    with pytest.raises(KernelError, match="wanted all known"):
        Signature((6, None), ((6,),), "f8", 1.0).sizes()
    with pytest.raises(KernelError, match="wanted all known"):
        Signature((6,), ((6,),), "f8", None).sizes()


@pytest.mark.parametrize("sizes", [([6, 6], [[6]], 80.0), ([None, 3], [[None, 6], []], None)])
def test_the_text_is_the_same_twice_and_needs_nothing_from_outside(sizes: Any):
    inputs, outputs, cost = sizes
    text = callable_ir("f", inputs, outputs, "f8", cost)
    assert text == callable_ir("f", inputs, outputs, "f8", cost)
    assert "declare" not in text
    assert "external" not in text
    called = set(re.findall(r"call \w+ (@\w+)", text))
    assert called == {"@one", "@many", "@batch"}


def test_memory_errors_are_raised_and_undone(make: Callable[..., Toy]):
    gc.collect()
    for matrix in (False, True):
        toy = make(matrix=matrix, n=1000)
        rows = 10**5 if matrix else 10**12
        q = np.broadcast_to(np.zeros(1000), (rows, 1000))
        before = sys.getrefcount(np.dtype("f8"))
        for _ in range(20):
            with pytest.raises(MemoryError):
                toy.f(q, q)
        assert abs(sys.getrefcount(np.dtype("f8")) - before) < 10


@native_only
def test_a_million_calls_leave_nothing_behind():
    toy, two = Toy(), Toy(matrix=True)
    q, v, out, outs, batch = np.zeros(6), np.ones(6), np.zeros(6), _outs(two), np.zeros((3, 6))
    wide = np.zeros((3, 6))
    watched = [q, v, out, outs, *outs, batch, wide, toy, None, np.ndarray, np.dtype("f8"), "out", tuple]

    def some(count: int) -> None:
        for _ in range(count):
            toy.f(q, v)
            toy.f(q, v, out=out)
            two.f(q, v)
            two.f(q, v, out=outs)
            toy.f(batch, v)
            toy.f(batch, v, out=wide)
            toy.f([], v)
            toy.refused.clear()

    some(10_000)
    counts, memory = [sys.getrefcount(w) for w in watched], _resident()
    some(150_000)
    assert all(abs(sys.getrefcount(w) - c) < 50 for w, c in zip(watched, counts, strict=True))
    assert _resident() - memory < 4e6


def _resident() -> float:
    """Bytes in memory, now."""
    gc.collect()
    try:
        return 4096.0 * int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0


def test_pickle_and_copy_go_through_the_kernel(make: Callable[..., Toy]):
    toy, q = make(n=5), np.arange(5.0)
    again = pickle.loads(pickle.dumps(toy.f))
    assert isinstance(again.__self__, Toy)
    assert again.__self__ is not toy
    for f in (again, copy.copy(toy.f), copy.deepcopy(toy.f)):
        np.testing.assert_array_equal(f(q, q), 3 * q)


def test_help_and_signature(make: Callable[..., Toy]):
    f = make().f
    assert str(inspect.signature(f)) == "(q, v, *, out=None)"
    assert inspect.getdoc(f) == "A sum, and what is left of it."
    assert f.__name__ == "f"
    assert "A sum" in pydoc.render_doc(f)


@native_only
def test_help_shows_the_call():
    assert "f(q, v, *, out=None)" in pydoc.plain(pydoc.render_doc(Toy().f))


@native_only
def test_the_callable_keeps_its_kernel():
    f = Toy().f
    gc.collect()
    q = np.arange(6.0)
    assert isinstance(f.__self__, Toy)
    np.testing.assert_array_equal(f(q, q), 3 * q)
    cycle: list[Any] = [f]
    cycle.append(cycle)
    del cycle, f
    gc.collect()


def test_threads_share_a_callable(make: Callable[..., Toy]):
    toy, errors = make(cost_ns=1000.0), []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(300):
            q, v = rng.standard_normal((2, 40, 6))
            if not np.array_equal(toy.f(q, v), q + 2 * v) or not np.array_equal(toy.f(q[0], v[0]), q[0] + 2 * v[0]):
                errors.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert toy.refused == []


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("rows", [None, 40])
def test_long_work_lets_other_threads_run(make: Callable[..., Toy], known: bool, rows: int | None):
    toy = make(spins=200_000 if rows else 8_000_000, cost_ns=1e6, known=known)
    q = np.zeros((rows, 6)) if rows else np.zeros(6)
    done, ticks = threading.Event(), 0

    def work() -> None:
        toy.f(q, q)
        done.set()

    threading.Thread(target=work).start()
    while not done.wait(0.001):
        ticks += 1
    assert ticks >= 5


PREFIX = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
PREFIX += "import numpy as np\nfrom toy_kernel import Toy, abi_off\n"


def _python(script: str, *, indirect: bool = False) -> str:
    """What a fresh Python prints; it must end well and complain of nothing."""
    head = PREFIX + ("abi_off()\n" if indirect else "")
    run = subprocess.run([sys.executable, "-c", head + script], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    return run.stdout


INTERRUPT = """
import os, signal, threading, time, tracemalloc
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background is born deaf
toy = Toy(spins=50_000, cost_ns=1e6, matrix=True)
q = np.zeros((30_000, 6))
before = sys.getrefcount(q)
toy.f(q[:1], q[:1])
tracemalloc.start()
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.perf_counter()
try:
    toy.f(q, q)
    print("finished")
except KeyboardInterrupt:
    print("stopped", time.perf_counter() - start < 2)
print(sys.getrefcount(q) - before, tracemalloc.get_traced_memory()[0] < 10**6)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("indirect", few([False, True], False))
def test_a_long_batch_can_be_interrupted(indirect: bool):
    assert _python(INTERRUPT, indirect=indirect) == "stopped True\n0 True\n"


AT_EXIT = """
import atexit, os
toy = Toy()
f, q = toy.f, np.arange(6.0)
class Last:
    def __init__(self, name):
        self.name, self.f, self.q, self.write = name, f, q, os.write
    def __del__(self):
        x, y = self.f(self.q, self.q)[5], self.f(self.q, self.q, out=self.q.copy())[1]
        self.write(1, f"{self.name} {x} {y} {self.f([], [])}\\n".encode())
early = Last("early")
del early
late, cycle, sys.last = Last("late"), Last("cycle"), Last("last")
cycle.cycle = cycle
atexit.register(lambda: os.write(1, f"exit {f(q, q)[5]}\\n".encode()))
del toy
"""


@pytest.mark.parametrize("indirect", [False, True])
def test_calls_from_del_and_at_exit(indirect: bool):
    first, second, *rest = _python(AT_EXIT, indirect=indirect).splitlines()
    assert [first, second] == ["early 15.0 3.0 slow", "exit 15.0"]
    assert set(rest) <= {f"{name} 15.0 3.0 slow" for name in ("late", "cycle", "last")}
    # when modules are gone, Python code may be of no use any more; machine code is, and nothing crashes
    assert indirect or "late 15.0 3.0 slow" in rest


@native_only
def test_the_price_of_a_call():
    """Far below any conversion: a rough bound, for busy machines; benchmarks measure it."""
    from timeit import repeat

    f = Toy(text=empty_text(3), inputs=3).f
    q, out = np.zeros(6), np.zeros(6)
    names = {"f": f, "q": q, "out": out}
    with_out = min(repeat("f(q, q, q, out=out)", globals=names, number=20_000, repeat=10)) / 20_000
    fresh = min(repeat("f(q, q, q)", globals=names, number=20_000, repeat=10)) / 20_000
    assert with_out < 100e-9
    assert fresh < 300e-9
