"""Measurements as they lie in a file: named columns, each with its unit, made SI."""

from __future__ import annotations

import csv
import math
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError

Array = np.ndarray[Any, Any]
TURN = math.pi / 180
UNITS = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6},
    "angle": {"rad": 1.0, "deg": TURN, "°": TURN, "rev": 2 * math.pi},
    "length": {"m": 1.0, "mm": 1e-3},
    "number": {"1": 1.0},
    "angular velocity": {"rad/s": 1.0, "deg/s": TURN, "°/s": TURN, "rev/s": 2 * math.pi, "rpm": math.pi / 30},
    "velocity": {"m/s": 1.0, "mm/s": 1e-3},
    "angular acceleration": {
        "rad/s^2": 1.0, "rad/s2": 1.0, "rad/s²": 1.0, "deg/s^2": TURN, "deg/s2": TURN, "deg/s²": TURN,
    },
    "acceleration": {"m/s^2": 1.0, "m/s2": 1.0, "m/s²": 1.0},
    "moment": {
        "Nm": 1.0, "N m": 1.0, "N*m": 1.0, "N·m": 1.0, "mNm": 1e-3, "mN m": 1e-3, "kNm": 1e3, "kN m": 1e3,
    },
    "force": {"N": 1.0, "kN": 1e3},
}  # fmt: skip
FACTORS = {unit: (kind, factor) for kind, units in UNITS.items() for unit, factor in units.items()}
TURNING = {"q": "angle", "v": "angular velocity", "a": "angular acceleration", "tau": "moment"}
SLIDING = {"q": "length", "v": "velocity", "a": "acceleration", "tau": "force"}
HEAD = re.compile(r"\s*([^\[]*?)\s*(?:\[\s*(.*?)\s*\])?\s*$")
WANTED = "a head as in `t [s], q1 [rad], ..., tau1 [N m]`"


@dataclass(frozen=True, eq=False)
class Table:
    """Columns in SI units by name, what they are by their units, and what had to be assumed."""

    columns: Mapping[str, Array]
    notes: tuple[str, ...]
    source: str
    kinds: Mapping[str, str] = field(default_factory=dict)

    def column(self, names: Sequence[str], kind: str) -> Array:
        """The one that goes by one of some names, if its unit is that of a kind."""
        name = self.named(names)
        if name is None:
            raise DataError(f"{self.source} has no column {names[0]!r}, wanted {WANTED}")
        if self.kinds.get(name, kind) != kind:
            units = ", ".join(UNITS[kind])
            raise DataError(f"{self.source}: column {name!r} has the unit of a {self.kinds[name]}, wanted {units}")
        return self.columns[name]

    def named(self, names: Sequence[str]) -> str | None:
        """The first of some names that a column has."""
        return next((name for name in names if name in self.columns), None)


def read(path: Any) -> Table:
    """A CSV file with a head, or a Parquet file, as columns in SI units."""
    place = Path(os.fspath(path))
    if not place.is_file():
        raise DataError(f"no file {str(place)!r}, wanted measurements as .csv or .parquet")
    found = _parquet(place) if place.suffix.lower() in (".parquet", ".pq") else _csv(place)
    return table(found, str(place))


def table(columns: Mapping[str, Any], source: str = "data") -> Table:
    """Named columns, as "tau2 [N m]" or "tau2", made SI."""
    found, bare, kinds = dict[str, Array](), list[str](), dict[str, str]()
    for head, values in columns.items():
        name, unit = HEAD.match(head).groups()  # type: ignore[union-attr]
        if unit is None:
            bare.append(name)
        elif unit not in FACTORS:
            raise DataError(f"{source}: column {name!r} is in {unit!r}, wanted one of {', '.join(FACTORS)}")
        else:
            kinds[name] = FACTORS[unit][0]
        if name in found:
            raise DataError(f"{source}: column {name!r} stands there twice, wanted it once")
        found[name] = _numbers(source, name, values) * FACTORS[unit or "1"][1]
    _check_lengths(source, found)
    notes = (f"no units at {', '.join(bare)}: taken as SI",) if bare else ()
    return Table(found, notes, source, kinds)


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
