"""What a user may hand over, made into what a kernel takes: lists, odd types, broadcasts, strides; and plain words
where that cannot be done."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ShapeError

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Form:
    """One argument or result: its name and its shape for one state."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))


def workers(what: str, threads: Any) -> int:
    """How many threads are meant; 0 is one for each processor."""
    if not isinstance(threads, (int, np.integer)) or isinstance(threads, bool) or threads < 0:
        raise ShapeError(f"{what}: threads is {threads!r}, wanted a whole number, 0 for all processors")
    return int(threads) or os.cpu_count() or 1


def named(what: str, forms: Sequence[Form], args: Sequence[Any], given: dict[str, Any]) -> list[Any]:
    """The arguments in their order, those given by their names taken out of `given`."""
    for form in forms[: len(args)]:
        if form.name in given:
            raise ShapeError(f"{what} got {form.name} twice, by its place and by its name")
    rest = [form.name for form in forms[len(args) :]]
    if not any(name in given for name in rest):
        return list(args)
    if missing := [name for name in rest if name not in given]:
        raise ShapeError(f"{what} got no {missing[0]}, wanted {', '.join(f.name for f in forms)}")
    return [*args, *(given.pop(name) for name in rest)]


def taken(what: str, forms: Sequence[Form], args: Sequence[Any], dtype: np.dtype[Any]) -> list[Array]:
    """The arguments as arrays (..., size) of the kernel's type."""
    if len(args) != len(forms):
        wanted = ", ".join(f.name for f in forms)
        raise ShapeError(f"{what} got {len(args)} arguments, wanted {len(forms)}: {wanted}")
    return [_argument(what, form, x, dtype) for form, x in zip(forms, args, strict=True)]


def numbers(what: str, name: str, x: Any) -> Array:
    """Whatever can be an array of real numbers."""
    try:
        array = np.asarray(x)
    except (ValueError, TypeError) as error:
        raise ShapeError(f"{what}: {name} is no array of numbers ({error})") from None
    if array.dtype.kind not in "fiub":
        raise ShapeError(f"{what}: {name} holds {array.dtype}, wanted real numbers")
    return array


def _argument(what: str, form: Form, x: Any, dtype: np.dtype[Any]) -> Array:
    array = numbers(what, form.name, x)
    rank = len(form.shape)
    inner = array.shape[max(array.ndim - rank, 0) :]
    if inner == form.shape:
        return array.astype(dtype, copy=False).reshape(*array.shape[: array.ndim - rank], form.size)
    if array.shape[-1:] == (form.size,):
        return array.astype(dtype, copy=False)
    shape = ", ".join(map(str, form.shape))
    raise ShapeError(f"{what}: {form.name} has shape {array.shape}, wanted (..., {shape})")


def common(what: str, forms: Sequence[Form], arrays: Sequence[Array]) -> tuple[int, ...]:
    """The leading axes of a batch, broadcast."""
    try:
        return np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
    except ValueError:
        shapes = ", ".join(f"{f.name} {a.shape}" for f, a in zip(forms, arrays, strict=True))
        raise ShapeError(f"{what}: leading axes do not fit together: {shapes}") from None


def rows(array: Array, lead: tuple[int, ...]) -> Array:
    """An argument as (B, n), without a copy where strides allow; one state for all has a row stride of 0."""
    if array.ndim == 1:
        return np.broadcast_to(array, (int(np.prod(lead, dtype=np.int64)), array.shape[-1]))
    flat = np.broadcast_to(array, (*lead, array.shape[-1])).reshape(-1, array.shape[-1])
    item = flat.dtype.itemsize
    fit = flat.flags.aligned and all(s >= 0 and s % item == 0 for s in flat.strides)
    return flat if fit else np.ascontiguousarray(flat)


def views(arrays: Sequence[Array]) -> Array:
    """Where each array's data stand, bytes from state to state, bytes from number to number."""
    steps = [(a.strides[0] if len(a) > 1 else 0, a.strides[1] if a.shape[1] > 1 else a.itemsize) for a in arrays]
    return np.array([(a.ctypes.data, *step) for a, step in zip(arrays, steps, strict=True)], np.int64)


def spread(run: Callable[[int, int], None], count: int, threads: int) -> None:
    """The rows of a batch over threads, in even pieces."""
    if threads < 2 or count < 2 * threads:
        run(0, count)
        return
    from concurrent.futures import ThreadPoolExecutor  # 4 ms that a kernel without threads need not wait for

    edges = [count * k // threads for k in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, edges[:-1], edges[1:]))


def given_out(what: str, out: Any, results: Sequence[Array]) -> Any:
    """Results written into the user's arrays."""
    targets = (out,) if len(results) == 1 else out
    if not isinstance(targets, (tuple, list)) or len(targets) != len(results):
        raise ShapeError(f"{what}: out is {type(out).__name__}, wanted {len(results)} arrays")
    for target, result in zip(targets, results, strict=True):
        if not isinstance(target, np.ndarray):
            raise ShapeError(f"{what}: out is {type(target).__name__}, wanted a NumPy array")
        if target.shape != result.shape:
            raise ShapeError(f"{what}: out has shape {target.shape}, wanted {result.shape}")
        if not target.flags.writeable or not np.can_cast(result.dtype, target.dtype, "same_kind"):
            raise ShapeError(f"{what}: out must be a writeable array of {result.dtype}, got {target.dtype}")
        target[...] = result
    return out
