"""What the Python callable of a kernel knows of memory: object offsets, flags, table slots, sizes.

The machine code holds no address: those of CPython and NumPy are read from the table `@api`, one pointer per
`Slot`. Offsets follow from the size of a bare Python object; `kernel/abi.py` proves them where they are used.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from ..errors import KernelError

HEAD: int = getattr(object, "__basicsize__", 16)
TYPE, LENGTH, ITEMS = HEAD - 8, HEAD, getattr(tuple, "__basicsize__", HEAD + 8)
DATA, NDIM, DIMS, STRIDES, DESCR, FLAGS = HEAD, HEAD + 8, HEAD + 16, HEAD + 24, HEAD + 40, HEAD + 48
BYTE_ORDER = HEAD + 10

CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
WARNS, COPIES_BACK = -0x80000000, 0x2000
"""Flags of an array that asks for a warning or a copy when it is written to."""

RELEASE_NS = 5_000
"""Work longer than this releases the GIL: releasing costs 20 ns."""
CHUNK_NS = 40_000_000
"""Work longer than this stops for signals: under 50 ms, with room for a wrong estimate."""

VIEW = "{ptr, i64, i64}"
FASTCALL = "(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)"


class Slot(IntEnum):
    """Where the table `@api` holds what."""

    NDARRAY = 0
    DESCR = 1
    DTYPE = 2
    TUPLE = 3
    NONE = 4
    OUT = 5
    SLOW = 6
    CTX = 7
    SIZES = 8
    NEW_ARRAY = 9
    NEW_TUPLE = 10
    INCREF = 11
    DECREF = 12
    SAVE_THREAD = 13
    RESTORE_THREAD = 14
    CHECK_SIGNALS = 15
    VECTORCALL = 16


@dataclass(frozen=True, eq=False, repr=False)
class Signature:
    """Flat length of each input, shape of each output, "f8" or "f4", nanoseconds of one state.

    None for a length, a dimension or the time means: known only when the callable is bound, read from SIZES.
    """

    inputs: tuple[int | None, ...]
    outputs: tuple[tuple[int | None, ...], ...]
    dtype: str
    cost_ns: float | None

    @property
    def item(self) -> int:
        """Bytes of one number."""
        return {"f8": 8, "f4": 4}[self.dtype]

    def sizes(self) -> list[int]:
        """The array in slot SIZES: lengths of the inputs, dimensions of the outputs, nanoseconds."""
        flat = [*self.inputs, *(d for shape in self.outputs for d in shape)]
        if None in flat or self.cost_ns is None:
            raise KernelError(f"a callable was bound with sizes {flat} and time {self.cost_ns}, wanted all known")
        return [*(int(d) for d in flat if d is not None), max(1, round(self.cost_ns))]
