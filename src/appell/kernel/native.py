"""A Python callable from the address of machine code."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

from ..write.callable_layout import Signature
from . import abi
from .indirect import Indirect

_FASTCALL_WITH_KEYWORDS = 0x80 | 0x02
_kept: list[object] = []


class _MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("call", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


def bind(
    call_address: int,
    api_address: int,
    kernel: object,
    name: str,
    doc: str,
    slow: Callable[..., Any],
    signature: Signature,
    ctx: int,
    *,
    many_address: int,
) -> Callable[..., Any]:
    """The callable of a loaded kernel: `kernel.<name>` must give it, so that it can be pickled.

    `doc` begins with "name(q, v, a, *, out=None)\\n--\\n\\n". `slow` is called with whatever the compiled
    checks refuse. `signature` has no unknown sizes. The machine code must never be unloaded.
    """
    if not abi.supported()[0]:
        return Indirect(kernel, name, doc, slow, signature, ctx, many_address)
    _fill(api_address, slow, signature, ctx)
    definition = _MethodDef(name.encode(), call_address, _FASTCALL_WITH_KEYWORDS, doc.encode())
    keep(definition)
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(("PyCFunction_NewEx", ctypes.pythonapi))(ctypes.addressof(definition), kernel, None)


def keep(*things: object) -> None:
    """Keep objects for ever, past the end of the interpreter: machine code may be called until then."""
    _kept.extend(things)
    for thing in things if sys.implementation.name == "cpython" else ():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _fill(api_address: int, slow: Callable[..., Any], signature: Signature, ctx: int) -> None:
    numbers = signature.sizes()
    sizes = (ctypes.c_int64 * len(numbers))(*numbers)
    keep(slow, sizes)
    table = abi.api_table(slow, ctx, ctypes.addressof(sizes), signature.dtype)
    (ctypes.c_void_p * len(table)).from_address(api_address)[:] = table
