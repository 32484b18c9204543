"""A walk that writes down what a text puts into its slots: the names, the lines, the equations of the page.

Nothing is known here of any formulation: a slot is called what the text calls it, and the mark at the end of the
line that fills it is the number of its equation.
"""

from __future__ import annotations

import inspect
import linecache
import math
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from .model.tree import Freedom, Link, Tree
from .model.walk import Matrix, Slots, Table, Walk
from .spatial import Wrench, leaves
from .vec import Vec3

MARK = re.compile(r"#.*?\((\d+)\)")


@dataclass(frozen=True)
class Entry:
    """One value that a page put into one slot."""

    page: str  # the function
    name: str  # of the slot, in the page
    link: int  # 0 is the base
    freedom: int | None  # where in v, for what each freedom has
    other: int | None  # the second freedom, in a matrix
    value: Any
    equation: int | None
    line: int

    @property
    def is_finite(self) -> bool:
        """Whether every number of it is one."""
        return all(math.isfinite(x) for x in leaves(self.value))


@dataclass
class Journal:
    """What was put down, in order; slots by their names, pages by theirs."""

    entries: list[Entry] = field(default_factory=list)
    pages: dict[str, str] = field(default_factory=dict)  # a function's name, and its docstring
    _names: dict[int, tuple[str, str, Any]] = field(default_factory=dict)

    def write(self, slots: Any, place: tuple[int, int | None, int | None], value: Any, frame: FrameType) -> None:
        """Notes a value, and where in the text it came from."""
        if id(slots) not in self._names:
            self._names[id(slots)] = *self._called(slots, frame), slots
        page, name, _ = self._names[id(slots)]
        mark = MARK.search(linecache.getline(frame.f_code.co_filename, frame.f_lineno))
        equation = int(mark[1]) if mark and frame.f_code.co_name == page else None
        self.entries.append(Entry(page + slots.walk.label, name, *place, value, equation, frame.f_lineno))

    def _called(self, slots: Any, frame: FrameType | None) -> tuple[str, str]:
        """The page, and the name that a slot has in it: a variable, or an attribute of one."""
        start = frame
        while frame is not None:
            held = {**{f"{k}.{a}": y for k, x in frame.f_locals.items() for a, y in _attributes(x)}, **frame.f_locals}
            for name, value in held.items():
                if value is slots:
                    self._read(frame)
                    return frame.f_code.co_name, name.rpartition(".")[2]
            frame = frame.f_back
        assert start is not None
        return start.f_code.co_name, "value"

    def _read(self, frame: FrameType) -> None:
        page = frame.f_globals.get(frame.f_code.co_name)
        self.pages.setdefault(frame.f_code.co_name, inspect.getdoc(page) or "")


def _attributes(x: Any) -> Iterable[tuple[str, Any]]:
    """The fields of an object of the formulations' own."""
    own = type(x).__module__.startswith("appell.formulations") and hasattr(x, "__dict__")
    return vars(x).items() if own else ()


class Recorder(Walk):
    """A robot that is walked with floats, and a journal of it."""

    def __init__(
        self, tree: Tree, journal: Journal, gravity: Vec3 | None = None, wrench: Callable[[int], Wrench] | None = None,
        origin: dict[int, int] | None = None, label: str = "",
    ) -> None:  # fmt: skip
        super().__init__(tree, gravity, wrench)
        self.journal, self.label = journal, label
        self.origin = origin or {b.index: b.index for b in tree.links}  # the links' numbers in the whole robot
        self.carrier = {z.index: b.index for b in tree.links for z in b.freedoms}

    def slots(self, kind: type | None = None) -> Slots:
        return _Slots(self, kind)

    def per_freedom(self, kind: type | None = None) -> Slots:
        return _Freedoms(self, kind)

    def per_pair(self, kind: type | None = None) -> Table:
        return _Table(self, kind)

    def vector(self) -> Slots:
        return _Freedoms(self, None)

    def matrix(self) -> Matrix:
        return _Matrix(self, None)

    def table(self, *shape: int | str) -> Table:
        return _Table(self, None)

    def _alone(self, path: list[Link], virtual: frozenset[int]) -> Walk:
        branch = super()._alone(path, virtual)
        origin = {k + 1: self.origin[b.index] for k, b in enumerate(path)}
        tip = f" to link {origin[len(path)]}"
        return Recorder(branch.tree, self.journal, self.gravity, branch._wrench, origin, tip)

    def place_of(self, key: Any, freedoms: bool) -> tuple[int, int | None, int | None]:
        """The link and the freedoms that a key stands for."""
        first, *rest = key if isinstance(key, tuple) else (key,)
        other = rest[0].index if rest and isinstance(rest[0], (Freedom, Link)) else rest[0] if rest else None
        if isinstance(first, Freedom) or freedoms:
            index = first.index if isinstance(first, Freedom) else first
            return self.origin.get(self.carrier.get(index, 0), 0), index, other
        link = first.index if isinstance(first, Link) else first
        return self.origin.get(link, 0), None, other


class _Noted:
    """A slot that tells its walk what is put into it."""

    freedoms = False

    def __init__(self, walk: Recorder, kind: type | None) -> None:
        super().__init__(kind)  # type: ignore[call-arg]
        self.walk = walk

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)  # type: ignore[misc]
        self.walk.journal.write(self, self.walk.place_of(key, self.freedoms), value, sys._getframe(1))


class _Slots(_Noted, Slots): ...


class _Table(_Noted, Table): ...


class _Freedoms(_Noted, Slots):
    freedoms = True


class _Matrix(_Noted, Matrix):
    freedoms = True
