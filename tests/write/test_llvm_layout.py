"""The blocks between rows and lanes: every mode against NumPy, between canaries and guard pages."""

from __future__ import annotations

import ctypes
import mmap
import sys
from functools import cache

import numpy as np
import pytest

from appell.write.llvm_layout import lanes_to_rows_ir, rows_to_lanes_ir

ll = pytest.importorskip("llvmlite.binding")
ATTRIBUTES = (
    'attributes #0 = {{ nounwind "target-cpu"="{0}" "target-features"="{1}" "prefer-vector-width"="512" '
    '"min-legal-vector-width"="512" "no-builtins" "no-stack-arg-probe" }}'
)
ENGINES: list[object] = []  # code must outlive its callers
CANARY = 7.25
EVERY = (*range(1, 41), 1444)
SOME = (1, 2, 3, 5, 8, 9, 16, 17, 33, 1444)
MODES = ("rows", "wide rows", "components", "single", "everything reversed", "every other")


@cache
def movers(lanes: int, dtype: str, sizes: tuple[int | None, ...]) -> dict[tuple[bool, int | None], object]:
    """(inward, size) -> the compiled block; all in one module."""
    ll.initialize_native_target()
    ll.initialize_native_asmprinter()
    texts = []
    for size in sizes:
        texts.append(rows_to_lanes_ir(f"in_{size}", lanes, dtype, size).replace("internal void @in", "void @in"))
        texts.append(lanes_to_rows_ir(f"out_{size}", lanes, dtype, size).replace("internal void @out", "void @out"))
    engine = jitted("\n".join(t.replace("define void @", "define dso_local void @") for t in texts))
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    inward = ctypes.CFUNCTYPE(None, pointer, number, number, pointer, number)
    outward = ctypes.CFUNCTYPE(None, pointer, pointer, number, number, number)
    found = {(True, n): inward(engine.get_function_address(f"in_{n}")) for n in sizes}
    return found | {(False, n): outward(engine.get_function_address(f"out_{n}")) for n in sizes}


def jitted(text: str):
    cpu, features = ll.get_host_cpu_name(), ll.get_host_cpu_features().flatten()
    machine = ll.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=1, jit=True)
    module = ll.parse_assembly(text + "\n" + ATTRIBUTES.format(cpu, features))
    builder = ll.create_pass_builder(machine, ll.create_pipeline_tuning_options(speed_level=0))
    passes = ll.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.run(module, builder)
    engine = ll.create_mcjit_compiler(ll.parse_assembly(""), machine)
    engine.add_object_file(ll.ObjectFileRef.from_data(machine.emit_object(module)))
    engine.finalize_object()
    ENGINES.append(engine)
    return engine


def aligned(count: int, dtype: str) -> np.ndarray:
    """Scratch: `count` canaries at a multiple of 64 bytes."""
    memory = np.zeros(count + 16, dtype)
    start = -memory.ctypes.data % 64 // memory.itemsize
    memory[:] = CANARY
    return memory[start : start + count]


def user_rows(mode: str, lanes: int, n: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """A pool of numbers and the view of it that is the user's array (lanes, n)."""
    pool = np.full(4 * (lanes + 1) * (n + 4) + 8, CANARY, dtype)
    body = pool[3:]  # aligned to an item, no better
    if mode == "wide rows":
        return pool, body[: lanes * (n + 3)].reshape(lanes, n + 3)[:, 1 : n + 1]
    if mode == "components":
        return pool, body[: lanes * n].reshape(n, lanes).T
    if mode == "single":
        return pool, np.broadcast_to(body[:n], (lanes, n))
    if mode == "every other":
        return pool, body[: 4 * lanes * n].reshape(2 * lanes, 2 * n)[::2, ::2]
    rows = body[: lanes * n].reshape(lanes, n)
    return pool, rows[::-1, ::-1] if mode == "everything reversed" else rows


def bring(mover, rows: np.ndarray) -> np.ndarray:
    """The rows as the block lays them into scratch; nothing may be written after them."""
    lanes, n = rows.shape
    scratch = aligned(lanes * (n + 2), rows.dtype.str[1:])
    mover(rows.ctypes.data, *rows.strides, scratch.ctypes.data, n)
    assert np.all(scratch[lanes * n :] == CANARY)
    return scratch[: lanes * n].reshape(n, lanes).T


def take(mover, rows: np.ndarray, values: np.ndarray) -> None:
    """Let the block write values (lanes, n) into the rows."""
    scratch = aligned(values.size, rows.dtype.str[1:])
    scratch[:] = values.T.ravel()
    mover(scratch.ctypes.data, rows.ctypes.data, *rows.strides, values.shape[1])


def check(lanes: int, dtype: str, n: int, known: bool, movers_: dict) -> None:
    rng = np.random.default_rng(n)
    size = n if known else None
    for mode in MODES:
        pool, rows = user_rows(mode, lanes, n, dtype)
        pool[:] = rng.normal(size=pool.size)
        np.testing.assert_array_equal(bring(movers_[True, size], rows), rows, err_msg=f"{mode} {n}")
        if mode == "single":
            continue
        values = rng.normal(size=(lanes, n)).astype(dtype)
        wanted = pool.copy()
        offset = (rows.ctypes.data - pool.ctypes.data) // pool.itemsize
        steps = [s // pool.itemsize for s in rows.strides]
        places = offset + np.arange(lanes)[:, None] * steps[0] + np.arange(n) * steps[1]
        wanted[places] = values
        take(movers_[False, size], rows, values)
        np.testing.assert_array_equal(pool, wanted, err_msg=f"{mode} {n}")  # and nothing beside them


@pytest.mark.parametrize("dtype", ["f8", pytest.param("f4", marks=pytest.mark.slow)])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16])
def test_every_mode_at_known_sizes(lanes: int, dtype: str) -> None:
    sizes = EVERY if (lanes, dtype) in ((8, "f8"), (4, "f8")) else SOME
    for n in sizes:
        check(lanes, dtype, n, True, movers(lanes, dtype, sizes))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16])
def test_every_mode_at_a_size_known_when_run(lanes: int, dtype: str) -> None:
    for n in EVERY:
        check(lanes, dtype, n, False, movers(lanes, dtype, (None,)))


@pytest.mark.parametrize("inward", [True, False])
def test_no_component_is_nothing_to_do(inward: bool) -> None:
    mover = movers(8, "f8", (None,))[inward, None]
    scratch, user = aligned(8, "f8"), aligned(8, "f8")
    ends = (user.ctypes.data, 8, 8, scratch.ctypes.data) if inward else (scratch.ctypes.data, user.ctypes.data, 8, 8)
    mover(*ends, 0)
    assert np.all(scratch == CANARY) and np.all(user == CANARY)


def fenced(count: int, dtype: str) -> np.ndarray:
    """Whole pages between two pages that nobody may touch."""
    page = mmap.PAGESIZE
    inside = -(-count * np.dtype(dtype).itemsize // page) * page
    memory = mmap.mmap(-1, inside + 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert protect(start, page, 0) == 0 and protect(start + page + inside, page, 0) == 0
    return np.frombuffer(memory, dtype, inside // np.dtype(dtype).itemsize, page)


@pytest.mark.skipif(sys.platform == "win32", reason="no mprotect")
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16])
def test_nothing_outside_the_users_memory_is_touched(lanes: int, dtype: str) -> None:
    """A stray access ends the process: rows and components lie flush against both forbidden pages."""
    whole = fenced(lanes * max(SOME), dtype)
    for n in SOME:
        for size in (n, None):
            both = movers(lanes, dtype, SOME if size else (None,))
            for start in (0, whole.size - lanes * n):
                for by_component in (False, True):
                    flat = whole[start : start + lanes * n]
                    rows = flat.reshape(n, lanes).T if by_component else flat.reshape(lanes, n)
                    values = np.random.default_rng(n).normal(size=(lanes, n)).astype(dtype)
                    take(both[False, size], rows, values)
                    np.testing.assert_array_equal(bring(both[True, size], rows), values)
            single = np.broadcast_to(whole[whole.size - n :], (lanes, n))
            np.testing.assert_array_equal(bring(both[True, size], single), single)
