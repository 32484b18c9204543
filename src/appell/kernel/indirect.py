"""The callable where none can be compiled: the same answers through ctypes, some microseconds later."""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ..write.callable_layout import CHUNK_NS, COPIES_BACK, WARNS, WRITEABLE, Signature

Array = np.ndarray[Any, Any]


class _View(ctypes.Structure):
    """An argument of `@many`: where the first number is, bytes from state to state, from number to number."""

    _fields_ = [("data", ctypes.c_void_p), ("row", ctypes.c_int64), ("step", ctypes.c_int64)]


class Indirect:
    """Calls `@many` through ctypes; what it cannot serve goes to `slow`, as in the compiled callable."""

    def __init__(
        self,
        kernel: object,
        name: str,
        doc: str,
        slow: Callable[..., Any],
        signature: Signature,
        ctx: int,
        many_address: int,
    ) -> None:
        self.__self__, self.__name__, self._slow, self._ctx = kernel, name, slow, ctx
        head, _, self.__doc__ = doc.partition("\n--\n\n")
        self.__signature__ = _signature(head)
        self._inputs, self._outputs = _known(signature)
        self._dtype, self._chunk = np.dtype(signature.dtype), max(16, CHUNK_NS // signature.sizes()[-1])
        words = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
        self._many = ctypes.CFUNCTYPE(None, *words)(many_address)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The outputs for one state or a batch; see the compiled callable."""
        lead = self._lead(args) if set(named) <= {"out"} else None
        results = None if lead is None else self._results(lead, named.get("out"), args)
        if lead is None or results is None:
            return self._slow(*args, **named)
        views = [_input_view(array, lead) for array in args]
        views += [_output_view(array, lead) for array in results]
        self._run((_View * len(views))(*views), lead[0] if lead else 1)
        given = named.get("out")
        return given if given is not None else results[0] if len(results) == 1 else tuple(results)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.__self__, self.__name__)

    def _run(self, views: ctypes.Array[_View], rows: int) -> None:
        for start in range(0, rows, self._chunk):
            self._many(views, start, min(rows, start + self._chunk), self._ctx)

    def _lead(self, args: Sequence[Any]) -> tuple[int, ...] | None:
        """The batch axis, () if there is none, None if the arguments need Python's help."""
        if len(args) != len(self._inputs) or not all(map(self._plain, args)):
            return None
        if any(a.ndim not in (1, 2) or a.shape[-1] != n for a, n in zip(args, self._inputs, strict=True)):
            return None
        leads = {a.shape[:-1] for a in args if a.ndim == 2}
        return None if len(leads) > 1 else next(iter(leads), ())

    def _plain(self, array: Any) -> bool:
        """Whether an array has the kernel's type and strides that it can follow."""
        if type(array) is not np.ndarray or array.dtype != self._dtype or not array.flags.aligned:
            return False
        if array.size == 0 or not array.ndim:
            return True
        return array.strides[-1] > 0 and all(s >= 0 and s % self._dtype.itemsize == 0 for s in array.strides)

    def _results(self, lead: tuple[int, ...], out: Any, args: Sequence[Array]) -> list[Array] | None:
        """New arrays, or those of the user if they are fit, else None."""
        shapes = [(*lead, *shape) for shape in self._outputs]
        if out is None:
            return [np.empty(shape, self._dtype) for shape in shapes]
        given = [out] if len(shapes) == 1 else list(out) if type(out) is tuple else []
        fit = len(given) == len(shapes) and all(map(self._target, given, shapes))
        fit = fit and all(_even(array, len(lead)) for array in given)
        return given if fit and not _overlap(given, args) else None

    def _target(self, array: Any, shape: tuple[int, ...]) -> bool:
        """Whether results of this shape can be written to an array."""
        if not self._plain(array) or array.shape != shape:
            return False
        return array.flags.num & (WRITEABLE | WARNS | COPIES_BACK) == WRITEABLE


def _known(signature: Signature) -> tuple[list[int], list[tuple[int, ...]]]:
    """Lengths and shapes, none of them unknown."""
    numbers = iter(signature.sizes())
    inputs = [next(numbers) for _ in signature.inputs]
    return inputs, [tuple(next(numbers) for _ in shape) for shape in signature.outputs]


def _even(array: Array, first: int) -> bool:
    """Whether the numbers of one state, from axis `first` on, are one step apart, and no two in one place."""
    strides, shape = array.strides, array.shape
    even = all(strides[r] == strides[r + 1] * shape[r + 1] for r in range(first, array.ndim - 1))
    return array.size == 0 or (even and 0 not in strides)


def _overlap(results: Sequence[Array], args: Sequence[Array]) -> bool:
    pairs = [*combinations(results, 2), *((r, a) for r in results for a in args)]
    return any(np.may_share_memory(*pair) for pair in pairs)


def _input_view(array: Array, lead: tuple[int, ...]) -> tuple[int, int, int]:
    return _data(array), array.strides[0] if array.ndim == 2 else 0, array.strides[-1]


def _output_view(array: Array, lead: tuple[int, ...]) -> tuple[int, int, int]:
    step = array.strides[-1] if array.ndim > len(lead) else array.itemsize
    return _data(array), array.strides[0] if lead else 0, step


def _data(array: Array) -> int:
    return array.__array_interface__["data"][0]


def _signature(head: str) -> inspect.Signature:
    """The call that "name(q, v, *, out=None)" describes."""
    kind, parameters = inspect.Parameter.POSITIONAL_OR_KEYWORD, []
    for word in head[head.index("(") + 1 : -1].split(", "):
        if word in ("*", "/"):
            kind = inspect.Parameter.KEYWORD_ONLY
            continue
        default = None if word.endswith("=None") else inspect.Parameter.empty
        parameters.append(inspect.Parameter(word.removesuffix("=None"), kind, default=default))
    return inspect.Signature(parameters)
