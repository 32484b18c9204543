"""Proof that CPython and NumPy lie in memory as the compiled callable expects, and the addresses it needs."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from ..errors import KernelError
from ..write import callable_layout as at
from ..write.callable_layout import Slot

_NUMPY_ABI = (0x1000009, 0x2000000)
_NEW_ARRAY, _ARRAY_TYPE, _ABI_VERSION = 94, 2, 0
_OUT = sys.intern("out")

_FUNCTIONS = {
    Slot.NEW_TUPLE: "PyTuple_New",
    Slot.INCREF: "Py_IncRef",
    Slot.DECREF: "Py_DecRef",
    Slot.SAVE_THREAD: "PyEval_SaveThread",
    Slot.RESTORE_THREAD: "PyEval_RestoreThread",
    Slot.CHECK_SIGNALS: "PyErr_CheckSignals",
    Slot.VECTORCALL: "PyObject_Vectorcall",
}


@cache
def supported() -> tuple[bool, str]:
    """Whether the compiled callable works on this Python and NumPy; if not, why."""
    reason = _interpreter() or _functions() or next((f for f in _probes() if f), "")
    return not reason, reason


def api_table(slow: Callable[..., Any], ctx: int, sizes: int, dtype: str) -> list[int]:
    """What goes into `@api`, in the order of `Slot`; `ctx` and `sizes` are addresses.

    The table borrows: whoever fills it keeps `slow`, and the memory behind `ctx` and `sizes`, for ever.
    """
    builtin = np.dtype(dtype)
    things = {Slot.NDARRAY: np.ndarray, Slot.DESCR: builtin, Slot.DTYPE: type(builtin), Slot.TUPLE: tuple}
    things |= {Slot.NONE: None, Slot.OUT: _OUT, Slot.SLOW: slow}
    table = {slot: id(thing) for slot, thing in things.items()} | {Slot.CTX: ctx, Slot.SIZES: sizes}
    table |= {slot: _function(name) for slot, name in _FUNCTIONS.items()}
    table[Slot.NEW_ARRAY] = _numpy_api()[_NEW_ARRAY]
    return [table[slot] for slot in Slot]


def _interpreter() -> str:
    if sys.implementation.name != "cpython":
        return f"Python is {sys.implementation.name}, wanted cpython"
    if "t" in getattr(sys, "abiflags", "") or "free-threading" in sys.version:
        return "Python is a free-threaded build, wanted one with a GIL"
    if hasattr(sys, "gettotalrefcount") or hasattr(sys, "getobjects"):
        return "Python is a debug build, wanted a release build"
    if ctypes.sizeof(ctypes.c_void_p) != 8:
        return f"pointers have {ctypes.sizeof(ctypes.c_void_p)} bytes, wanted 8"
    return ""


def _functions() -> str:
    missing = [name for name in _FUNCTIONS.values() if not hasattr(ctypes.pythonapi, name)]
    return f"Python exports no {missing[0]}" if missing else ""


def _probes() -> Iterator[str]:
    """A sentence for each fact that does not hold; empty where it does. Later facts rest on earlier ones."""
    yield _object_probe()
    for array in _arrays():
        yield _array_probe(array)
    yield _order_probe()
    yield _table_probe()


def _object_probe() -> str:
    """The type of any object, the length and the items of a tuple."""
    pair = (_OUT, None, 7)
    found = [_word(pair, at.TYPE), _word(pair, at.LENGTH)]
    found += [_word(pair, at.ITEMS + 8 * i) for i in range(len(pair))]
    wanted = [id(tuple), len(pair), *map(id, pair)]
    return _differ("a tuple's type, length and items", found, wanted)


def _arrays() -> list[np.ndarray[Any, Any]]:
    """Arrays that differ in everything the callable looks at."""
    plain = np.zeros((3, 5, 2))
    locked = np.zeros(4, np.float32)
    locked.flags.writeable = False
    shifted = np.zeros(33, np.uint8)[1:].view(np.float64)
    return [plain, plain[::2, 1:4, 1], plain.T, locked, shifted, np.zeros((0, 6), np.int16)]


def _array_probe(array: np.ndarray[Any, Any]) -> str:
    """What the callable reads of an array is what NumPy says of it."""
    if array.__sizeof__() < at.FLAGS + 4 or np.ndarray.__basicsize__ < at.FLAGS + 4:
        return f"an array has {np.ndarray.__basicsize__} bytes, wanted at least {at.FLAGS + 4}"
    dims, strides = _word(array, at.DIMS), _word(array, at.STRIDES)
    facts = [_word(array, at.TYPE), _word(array, at.DATA), _int(array, at.NDIM), _word(array, at.DESCR)]
    wanted = [id(np.ndarray), array.__array_interface__["data"][0], array.ndim, id(array.dtype)]
    # NumPy puts the strides behind the dimensions; knowing that, the pointers can be followed
    found = [*facts, _flags(array), strides - dims]
    wrong = _differ("an array's fields", found, [*wanted, _known_flags(array), 8 * array.ndim])
    return wrong or _differ("an array's shape", _words(dims, 2 * array.ndim), [*array.shape, *array.strides])


def _flags(array: np.ndarray[Any, Any]) -> int:
    return _int(array, at.FLAGS) & (at.CONTIGUOUS | at.ALIGNED | at.WRITEABLE)


def _known_flags(array: np.ndarray[Any, Any]) -> int:
    known = array.flags
    return at.CONTIGUOUS * known.c_contiguous | at.ALIGNED * known.aligned | at.WRITEABLE * known.writeable


def _order_probe() -> str:
    """The letter of a dtype's byte order, and that a name gives NumPy's own dtype object."""
    native = np.dtype(np.float64)
    orders = [native, native.newbyteorder("S")]
    found = [ctypes.c_char.from_address(id(d) + at.BYTE_ORDER).value for d in orders]
    wrong = _differ("a dtype's byte order", found, [d.byteorder.encode() for d in orders])
    return wrong or _differ("the dtype f8", [id(np.dtype("f8"))], [id(np.zeros(1).dtype)])


def _table_probe() -> str:
    """NumPy's table of functions: its version, its array type, and one array made by it."""
    table = _numpy_api()
    version = ctypes.PYFUNCTYPE(ctypes.c_uint)(table[_ABI_VERSION])()
    if version not in _NUMPY_ABI or table[_ARRAY_TYPE] != id(np.ndarray):
        return f"NumPy's C interface has version {version:#x}, wanted one of {[hex(v) for v in _NUMPY_ABI]}"
    made = [_made(table[_NEW_ARRAY], np.dtype(name)) for name in ("f8", "f4")]
    wanted = [((2, 3), "float64"), ((2, 3), "float32")]
    return _differ("new arrays", [(array.shape, array.dtype.name) for array in made], wanted)


def _made(new_array: int, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array of shape (2, 3) from NumPy's function, called as the callable calls it."""
    word, number = ctypes.c_void_p, ctypes.c_int
    new = ctypes.PYFUNCTYPE(ctypes.py_object, word, ctypes.py_object, number, word, word, word, number, word)
    dims = (ctypes.c_int64 * 2)(2, 3)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(dtype))
    return new(new_array)(id(np.ndarray), dtype, 2, ctypes.addressof(dims), None, None, 0, None)


@cache
def _numpy_api() -> list[int]:
    """The first hundred addresses of NumPy's C interface."""
    core: Any = getattr(np, "_core", None) or getattr(np, "core")  # noqa: B009 - NumPy 1 has only the latter
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    unpack = pointer(_function("PyCapsule_GetPointer"))
    return _words(unpack(core._multiarray_umath._ARRAY_API, None), 100)


def _function(name: str) -> int:
    address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
    if not address:
        raise KernelError(f"Python's {name} has no address, wanted one for the compiled callable")
    return address


def _word(thing: object, offset: int) -> int:
    return ctypes.c_int64.from_address(id(thing) + offset).value


def _int(thing: object, offset: int) -> int:
    return ctypes.c_int32.from_address(id(thing) + offset).value


def _words(address: int, count: int) -> list[int]:
    return list((ctypes.c_int64 * count).from_address(address))


def _differ(what: str, found: list[Any], wanted: list[Any]) -> str:
    return "" if found == wanted else f"{what} read from memory are {found}, wanted {wanted}"
