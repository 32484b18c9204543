"""A robot file looked at: its tree, masses and inertias, how it can move, and everything of it that was not read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import AppellError
from ..files.load import load
from ..files.source import PLAIN, Choices, Read
from ..model.inertia import impossible, principal, tensors
from ..robot import Robot
from .describe import Row, outline, table

SHOWN = 12  # lines that are named of one kind


@dataclass(frozen=True)
class Inspection:
    """What can be told of a robot file; `str` is the page."""

    read: Read
    warnings: tuple[str, ...]

    @cached_property
    def robot(self) -> Robot:
        return Robot(self.read.mechanism)

    def __str__(self) -> str:
        parts = (self.head(), outline(self.robot.to_dict()), self.masses(), self.bound(), self.drawn())
        return "\n\n".join(x for x in (*parts, self.warned(), self.left()) if x)

    def head(self) -> str:
        """File and sizes in one line."""
        r, s = self.robot, self.read.source
        total = f"{r.mass:.6g} kg"
        return f"{s.path}: {s.format}, {r.n} bodies, {r.nq} coordinates, {r.nv} freedoms of joints, {total}"

    def masses(self) -> str:
        """Mass, centre and principal moments of every body, and whether matter could have them."""
        bodies = self.robot.bodies
        moments = principal(tensors([b.inertia for b in bodies]))
        odd = np.logical_or(*impossible(moments, np.array([b.mass for b in bodies], float)))
        rows: list[Row] = [
            (b.name, f"{b.mass:.6g}", _listed(b.com), _listed(m), "impossible" if bad else "")
            for b, m, bad in zip(bodies, moments, odd, strict=True)
        ]
        head = ("body", "mass [kg]", "mass centre [m]", "principal moments [kg m²]", "")
        return table(head, rows) if rows else ""

    def bound(self) -> str:
        """How the whole can move where loops and constraints bind it."""
        if not self.read.mechanism.closed:
            return ""
        try:
            return str(self.robot.assemble())
        except AppellError as error:
            return f"not closed: {error}"

    def drawn(self) -> str:
        """How many shapes of which kind, and which meshes are not there."""
        shapes, roots = self.read.mechanism.shapes, self.read.source.roots
        if not shapes:
            return ""
        kinds = sorted({x.type for x in shapes})
        told = ", ".join(f"{sum(x.type == kind for x in shapes)} {kind}" for kind in kinds)
        files = sorted({x.file for x in shapes if x.file is not None})
        missing = [x for x in files if (place := roots.find(x)) is None or not place.is_file()]
        more = f"; {len(missing)} of {len(files)} meshes are not there, as {missing[0]}" if missing else ""
        return f"shapes: {told}{more}"

    def warned(self) -> str:
        """Warnings, with lines."""
        return "\n".join(["warnings:", *(f"  {x}" for x in self.warnings)]) if self.warnings else ""

    def left(self) -> str:
        """What was not read, like with like."""
        return "\n".join(["not read:", *(f"  {x}" for x in self._left())]) if self.read.source.ignored else ""

    def _left(self) -> Iterator[str]:
        groups: dict[tuple[str, str, bool], list[int]] = {}
        for x in self.read.source.ignored:
            groups.setdefault((x.kind, x.why, x.moves), []).append(x.line)
        for (kind, why, moves), lines in sorted(groups.items(), key=lambda item: not item[0][2]):
            named = ", ".join(map(str, lines[:SHOWN])) + (", ..." if len(lines) > SHOWN else "")
            times = f" ({len(lines)} times)" if len(lines) > 1 else ""
            word = "lines" if len(lines) > 1 else "line"
            yield f"{kind}: {why}{times}; {word} {named}{' - the motion would be another' if moves else ''}"

    def plain(self) -> dict[str, Any]:
        """All of it as plain data."""
        s = self.read.source
        ignored = [{"line": x.line, "what": x.what, "why": x.why, "moves": x.moves} for x in s.ignored]
        sizes = {"bodies": self.robot.n, "nq": self.robot.nq, "nv": self.robot.nv, "mass": self.robot.mass}
        head = {"file": s.path, "format": s.format, **sizes, "warnings": list(self.warnings), "ignored": ignored}
        return {**head, "robot": self.robot.to_dict()}


def inspect(path: str, choices: Choices = PLAIN) -> Inspection:
    """A robot file, or one of the zoo, looked at."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = load(path, choices)
    told = []
    for message in (str(x.message) for x in caught):
        line = found.source.line_of(message)
        told.append(f"line {line}: {message}" if line else message)
    return Inspection(found, tuple(dict.fromkeys(x for x in told if "the motion may be another" not in x)))


def _listed(values: Any) -> str:
    return ", ".join(f"{x + 0.0:.5g}" if abs(x) > 1e-12 else "0" for x in values)
