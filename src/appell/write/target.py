"""What code is made for, and the words of memory through which it knows a robot."""

from __future__ import annotations

from dataclasses import dataclass

WRITER = "11"  # part of every cache key: raise it when the same Program becomes other code
TABLES = 3  # words of a context: the two tables of a robot
SPARE, ROOM, MALLOC, FREE = 5, 6, 7, 8  # scratch at hand, its bytes, how to get more
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
