"""The memory layout that the compiled callable relies on is proved, and a wrong one is noticed."""

from __future__ import annotations

import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

from appell.kernel import abi
from appell.write import callable_layout as layout
from appell.write.callable import Slot

verify = abi.supported.__wrapped__


def test_this_python_is_supported_or_says_why_not():
    fit, reason = abi.supported()
    assert fit == (reason == "")
    if sys.implementation.name == "cpython" and "free-threading" not in sys.version:
        assert fit, reason


def test_verification_is_cheap_and_done_once():
    times = []
    for _ in range(5):
        start = time.perf_counter()
        verify()
        times.append(time.perf_counter() - start)
    assert min(times) < 2e-3
    assert abi.supported() is abi.supported()


@pytest.mark.parametrize(
    "name", ["TYPE", "LENGTH", "ITEMS", "DATA", "NDIM", "DIMS", "STRIDES", "DESCR", "FLAGS", "BYTE_ORDER"]
)
@pytest.mark.parametrize("shift", [-8, 8, 16])
def test_a_wrong_offset_is_noticed(monkeypatch: pytest.MonkeyPatch, name: str, shift: int):
    monkeypatch.setattr(layout, name, getattr(layout, name) + shift)
    fit, reason = verify()
    assert not fit
    assert "wanted" in reason


@pytest.mark.parametrize("name", ["CONTIGUOUS", "ALIGNED", "WRITEABLE"])
def test_a_wrong_flag_is_noticed(monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setattr(layout, name, getattr(layout, name) << 1)
    assert not verify()[0]


def test_other_pythons_are_refused_by_name(monkeypatch: pytest.MonkeyPatch):
    cases = [
        ({"implementation": SimpleNamespace(name="pypy")}, "pypy"),
        ({"abiflags": "t"}, "free-threaded"),
        ({"version": "3.13.0 experimental free-threading build"}, "free-threaded"),
        ({"gettotalrefcount": int}, "debug"),
        ({"getobjects": list}, "debug"),
    ]
    plain = {"implementation": sys.implementation, "abiflags": "", "version": "3"}
    for change, word in cases:
        monkeypatch.setattr(abi, "sys", SimpleNamespace(**(plain | change)))
        fit, reason = verify()
        assert not fit
        assert word in reason


def test_a_missing_function_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(abi._FUNCTIONS, Slot.NEW_TUPLE, "PyTuple_Newest")
    assert verify() == (False, "Python exports no PyTuple_Newest")


def test_a_foreign_numpy_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(abi, "_NUMPY_ABI", (0x3000000,))
    fit, reason = verify()
    assert not fit
    assert "0x3000000" in reason


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_the_table_has_an_address_per_slot_in_their_order(dtype: str):
    slow = print
    table = abi.api_table(slow, 11, 22, dtype)
    assert len(table) == len(Slot)
    assert all(table)
    wanted = {Slot.NDARRAY: id(np.ndarray), Slot.DESCR: id(np.dtype(dtype)), Slot.SLOW: id(slow)}
    wanted |= {Slot.CTX: 11, Slot.SIZES: 22, Slot.NONE: id(None), Slot.TUPLE: id(tuple)}
    assert {slot: table[slot] for slot in wanted} == wanted
    assert len(set(table)) == len(table)


def test_slots_count_from_zero_without_a_gap():
    assert [int(slot) for slot in Slot] == list(range(len(Slot)))
