"""What a file said beside its mechanism: where its elements stand, and what of it was not read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import ModelError
from ..model.mechanism import Mechanism
from .places import Roots
from .xml import Element, leftovers

NAMED = re.compile(r"(?:placement of )?((?:shape of )?\w+ (?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"))", re.S)


@dataclass(frozen=True)
class Choices:
    """What the user of a file decides: where its references may lead, and what the file leaves open."""

    roots: tuple[Any, ...] = ()  # folders beside the file's own
    floating: bool = False  # whether the root link moves freely
    unphysical: bool = False  # whether inertias that no matter has are taken as they are
    geometry: bool = True  # whether visual and collision geometry is read


PLAIN = Choices()


def choices(roots: Any, floating: bool, unphysical: bool, geometry: bool) -> Choices:
    """Choices as a user gives them: one folder, or many."""
    one = isinstance(roots, (str, os.PathLike))
    return Choices((roots,) if one else tuple(roots), floating, unphysical, geometry)


@dataclass(frozen=True)
class Ignored:
    """Something in a file that was not read: where, what, why; and whether the motion would be another with it."""

    line: int
    what: str
    why: str
    moves: bool = False
    file: str = ""

    @property
    def kind(self) -> str:
        """What it is, without the names of what it belongs to."""
        return re.sub(r" of (?!<)[^<]*$|(?<=>) .*$", "", self.what)

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}: {self.why}"


@dataclass(frozen=True)
class Source:
    """Where a mechanism was read from."""

    path: str
    format: str
    roots: Roots
    ignored: tuple[Ignored, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)  # of "body 'arm'", "joint 'elbow'" ...

    def line_of(self, message: str) -> int | None:
        """The line of the element that a message begins with."""
        found = NAMED.match(message)
        return self.lines.get(found[1]) if found else None

    def located(self, error: ModelError) -> ModelError:
        """An error of the mechanism, with the file and the line of what it names."""
        line = self.line_of(str(error))
        at = f", line {line}" if line else ""
        return ModelError(f"file {self.path!r}{at}: {error}")


@dataclass(frozen=True)
class Read:
    """A mechanism, and where it comes from."""

    mechanism: Mechanism
    source: Source


def unread(root: Element, reasons: Mapping[str, str], moving: Iterable[str] = ()) -> Iterator[Ignored]:
    """What was left in the elements, with the reason by its tag; `moving` tags would change the motion."""
    moving = set(moving)
    for e, keys in leftovers(root):
        yield told(e, keys, reasons.get(e.tag, "not known here"), e.tag in moving)


def told(e: Element, keys: list[str], why: str, moves: bool) -> Ignored:
    """An element that was not read, or some of its attributes."""
    return Ignored(e.line, f"{', '.join(keys)} of {e.title}" if keys else e.title, why, moves, e.file)
