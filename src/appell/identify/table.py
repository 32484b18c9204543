"""Measurements as they lie in a file: named columns, each with its unit, made SI."""

from __future__ import annotations

import csv
import math
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError
from ..robot import Robot

Array = np.ndarray[Any, Any]
TURN = math.pi / 180
UNITS = {
    "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6,
    "rad": 1.0, "deg": TURN, "°": TURN, "rev": 2 * math.pi, "m": 1.0, "mm": 1e-3, "1": 1.0,
    "rad/s": 1.0, "deg/s": TURN, "°/s": TURN, "rev/s": 2 * math.pi, "rpm": math.pi / 30, "m/s": 1.0, "mm/s": 1e-3,
    "rad/s^2": 1.0, "rad/s2": 1.0, "rad/s²": 1.0, "deg/s^2": TURN, "deg/s2": TURN, "deg/s²": TURN,
    "m/s^2": 1.0, "m/s2": 1.0, "m/s²": 1.0,
    "Nm": 1.0, "N m": 1.0, "N*m": 1.0, "N·m": 1.0, "mNm": 1e-3, "mN m": 1e-3, "kNm": 1e3, "N": 1.0, "kN": 1e3,
}  # fmt: skip
HEAD = re.compile(r"\s*([^\[]*?)\s*(?:\[\s*(.*?)\s*\])?\s*$")
KINDS = ("q", "v", "a", "tau")
WANTED = "a head as in `t [s], q1 [rad], ..., tau1 [N m]`"


@dataclass(frozen=True, eq=False)
class Table:
    """Columns in SI units by name, and what had to be assumed."""

    columns: Mapping[str, Array]
    notes: tuple[str, ...]
    source: str


def read(path: Any) -> Table:
    """A CSV file with a head, or a Parquet file, as columns in SI units."""
    place = Path(os.fspath(path))
    if not place.is_file():
        raise DataError(f"no file {str(place)!r}, wanted measurements as .csv or .parquet")
    found = _parquet(place) if place.suffix.lower() in (".parquet", ".pq") else _csv(place)
    return table(found, str(place))


def table(columns: Mapping[str, Any], source: str = "data") -> Table:
    """Named columns, as "tau2 [N m]" or "tau2", made SI."""
    found, bare = dict[str, Array](), list[str]()
    for head, values in columns.items():
        name, unit = HEAD.match(head).groups()  # type: ignore[union-attr]
        if unit is None:
            bare.append(name)
        elif unit not in UNITS:
            raise DataError(f"{source}: column {name!r} is in {unit!r}, wanted one of {', '.join(UNITS)}")
        if name in found:
            raise DataError(f"{source}: column {name!r} stands there twice, wanted it once")
        found[name] = _numbers(source, name, values) * UNITS.get(unit or "1", 1.0)
    _check_lengths(source, found)
    notes = (f"no units at {', '.join(bare)}: taken as SI",) if bare else ()
    return Table(found, notes, source)


def of_robot(robot: Robot, given: Table) -> dict[str, Array]:
    """t, q and tau, and v and a where they are there, in the robot's order."""
    known = {kind: names(robot, kind) for kind in KINDS}
    found = {"t": _one(given, ("t", "time"))}
    for kind, freedoms in known.items():
        there = [next((n for n in freedom if n in given.columns), None) for freedom in freedoms]
        missing = [freedom[0] for freedom, name in zip(freedoms, there, strict=True) if name is None]
        if missing and (kind in ("q", "tau") or len(missing) < len(freedoms)):
            raise DataError(f"{given.source} has no column {missing[0]!r}, wanted {WANTED}")
        if not missing:
            found[kind] = np.stack([given.columns[n] for n in there if n], -1)
    return found


def names(robot: Robot, kind: str) -> list[tuple[str, ...]]:
    """What a column may be called, for each entry of q, v, a or tau: by number, by joint or by body."""
    starts = robot.mechanism.q_starts if kind == "q" else robot.mechanism.v_starts
    found: list[tuple[str, ...]] = []
    for body, start, end in zip(robot.bodies, starts, starts[1:], strict=False):
        for k in range(start, end):
            tail = "" if end - start == 1 else f".{k - start + 1}"
            owners = (f"{kind}.{body.joint.name}{tail}", f"{kind}.{body.name}{tail}")
            found.append((f"{kind}{k + 1}", f"{kind}_{k + 1}", *owners))
    return found


def _one(given: Table, options: Sequence[str]) -> Array:
    for name in options:
        if name in given.columns:
            return given.columns[name]
    raise DataError(f"{given.source} has no column {options[0]!r}, wanted {WANTED}")


def _csv(place: Path) -> dict[str, Array]:
    try:
        with place.open(encoding="utf-8-sig", newline="") as file:
            head = next(csv.reader(file), None)
            if not head or all(_is_number(x) for x in head):
                raise DataError(f"{str(place)!r} has no head, wanted {WANTED}")
            with warnings.catch_warnings(action="ignore"):  # of a file without rows, which is told below
                rows = np.loadtxt(_filled(file), delimiter=",", ndmin=2, comments=None)
    except (ValueError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{str(place)!r} is no table of numbers: {error}") from None
    if not len(rows):
        raise DataError(f"{str(place)!r} has no rows under its head")
    if rows.shape[1] != len(head):
        raise DataError(f"{str(place)!r} has {len(head)} names above {rows.shape[1]} columns")
    if len(set(head)) < len(head):
        raise DataError(f"{str(place)!r} has a column twice: {next(x for x in head if head.count(x) > 1)!r}")
    return dict(zip(head, rows.T, strict=True))


def _filled(lines: Any) -> Any:
    """Lines whose empty cells are not a number."""
    for line in lines:
        if ",," in line or line.startswith(",") or line.rstrip().endswith(","):
            yield ",".join(cell.strip() or "nan" for cell in line.rstrip("\r\n").split(","))
        else:
            yield line


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parquet(place: Path) -> dict[str, Array]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise DataError("Parquet is read with pyarrow: python -m pip install 'appell[data]'") from None
    try:
        found = parquet.read_table(place)
    except (ArrowException, OSError) as error:
        raise DataError(f"{str(place)!r} is no Parquet file: {error}") from None
    return {name: found[name].to_numpy() for name in found.column_names}


def _numbers(source: str, name: str, values: Any) -> Array:
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError):
        raise DataError(f"{source}: column {name!r} holds no numbers") from None


def _check_lengths(source: str, columns: Mapping[str, Array]) -> None:
    for name, x in columns.items():
        first = next(iter(columns.values()))
        if x.ndim != 1 or len(x) != len(first):
            raise DataError(f"{source}: column {name!r} has shape {x.shape}, wanted ({len(first)},)")
