"""What code is made for, and the words of memory through which it knows a robot."""

from __future__ import annotations

from dataclasses import dataclass

from ..trace.program import Array, Program
from .llvm_streams import TILE, streamed

WRITER = "10"  # part of every cache key: raise it when the same Program becomes other code
SPARE, ROOM, MALLOC, FREE = 5, 6, 7, 8  # words of a context: scratch at hand, its bytes, how to get more
WORDS = 9


@dataclass(frozen=True)
class Target:
    """What the code is made for."""

    lanes: int
    dtype: str = "f8"
    fma: bool = True
    pack: int = 1  # how many angles of one state share a vector sine

    @property
    def bytes(self) -> int:
        return 8 if self.dtype == "f8" else 4


def scratch_bytes(program: Program, target: Target, sizes: dict[str, int]) -> int:
    """How much scratch one call needs."""
    extent = {**sizes, "n+1": sizes["n"] + 1}

    def numbers(array: Array) -> int:
        total = array.width
        for s in array.shape:
            total *= s if isinstance(s, int) else extent[s]
        return total

    flows = streamed(program) if target.lanes > 1 else ()

    def room(array: Array) -> int:
        lanes = max(TILE * target.lanes, numbers(array)) if array in flows else numbers(array) * target.lanes
        return -(-lanes * target.bytes // 64) * 64

    arrays = sum(map(room, (*program.inputs, *program.outputs)))
    return 128 + arrays + sum(numbers(a) for a in program.slots) * target.lanes * target.bytes
