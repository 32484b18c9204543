"""Denavit-Hartenberg tables as CSV: a row for each joint, and above them lines `# key: value` for the whole.

    # convention: modified
    # angles: degrees
    joint,type,a,alpha,d,theta,mass,x,y,z,ixx,iyy,izz,ixy,ixz,iyz,lower,upper
    shoulder,revolute,0,-90,0.4,0,...

`convention` must be told, as none is the usual one. Others are name, angles (radians, if it is not told), gravity, and
base and tool, 16 numbers each, row by row. Columns may stand in any order; a, alpha, d and theta are needed. x, y, z
are the mass centre in frame i; limits, friction and springs of joints have columns of their names; angles are lower,
upper, rest, alpha and theta of what turns.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ModelError, unknown
from ..model.content import read_text
from ..model.dh import KEYS, TYPES, from_dh
from ..model.mechanism import Mechanism
from ..model.parts import plain
from ..model.reading import refuse, shown
from .dh_table import DHTable, to_dh
from .places import roots_of
from .source import PLAIN, Choices, Read, Source
from .xml import number
from .xml_text import Written
from .xml_text import number as written

LARGEST, MOST = 20_000_000, 100_000  # bytes, rows
HEAD = ("convention", "name", "angles", "gravity", "base", "tool")
CENTRE, INERTIA = ("x", "y", "z"), ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
CONSTANTS = ("damping", "coulomb", "smoothing", "rotor_inertia", "gear", "stiffness", "rest", "preload")
CONSTANTS += ("effort_limit", "velocity_limit")
COLUMNS = ("joint", "body", "type", *KEYS, "mass", *CENTRE, *INERTIA, "lower", "upper", *CONSTANTS)
TURNED = ("alpha", "theta")
TURNED_OF_HINGES = ("lower", "upper", "rest")
UNITS = {"radians": 1.0, "degrees": math.pi / 180}
WANTED = "a table of Denavit-Hartenberg parameters"


class Cells(NamedTuple):
    """A row: where it stands, and its words by their columns."""

    where: str
    words: Mapping[str, str]

    def number(self, key: str, absent: float = 0.0) -> float:
        text = self.words.get(key, "").strip()
        found = absent if not text else number(text)
        if found is None:
            raise refuse(self.where, f"{key} = {shown(text)}", "a finite number, with a decimal point")
        return found


def read(path: str | os.PathLike[str], choices: Choices = PLAIN) -> Read:
    """The robot in a table."""
    file, where = os.fspath(path), f"file {os.fspath(path)!r}"
    if choices.floating:
        raise ModelError(f"{where}: got floating=True, which is for URDF; the robot of a table stands")
    head, lines = _split(read_text(path, LARGEST, WANTED), where)
    rows = _rows(lines, where)
    scale = UNITS[head.get("angles", "radians")]
    options: dict[str, Any] = {"convention": head["convention"], "name": head.get("name") or Path(file).stem or "robot"}
    for key, n in (("gravity", 3), ("base", 16), ("tool", 16)):
        if key in head:
            values = _numbers(head[key], n, f"{where}, {key}")
            options[key] = values if n == 3 else [values[k : k + 4] for k in range(0, 16, 4)]
    try:
        return Read(
            from_dh([_row(x, scale) for x in rows], **options, **_more(rows, scale)), Source(file, "dh", roots_of(path))
        )
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from None


def _split(text: str, where: str) -> tuple[dict[str, str], list[tuple[int, str]]]:
    """What is told of the whole, and the other lines with their numbers."""
    head: dict[str, str] = {}
    lines: list[tuple[int, str]] = []
    for k, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        if not line.lstrip().startswith("#"):
            lines += [(k, line)] if line.strip(" ,\t") else []
            continue
        key, colon, value = line.lstrip("# \t").partition(":")
        if colon and key.strip() in HEAD:
            head[key.strip()] = value.strip(" ,\t\r")
    if head.get("convention") not in ("standard", "modified"):
        got = f"convention: {shown(head['convention'])}" if "convention" in head else "no convention"
        raise refuse(where, got, "a line `# convention: standard` or `# convention: modified`")
    if head.get("angles", "radians") not in UNITS:
        raise refuse(where, f"angles: {shown(head['angles'])}", "radians or degrees")
    return head, lines


def _rows(lines: list[tuple[int, str]], where: str) -> list[Cells]:
    """The rows, by the names of the first one."""
    if len(lines) < 2 or len(lines) > MOST:
        raise refuse(where, f"{len(lines)} lines", f"the names of the columns, and 1 to {MOST} rows")
    try:
        names = [x.strip() for x in next(csv.reader(io.StringIO(lines[0][1]), strict=True))]
        words = [next(csv.reader(io.StringIO(line), strict=True)) for _, line in lines[1:]]
    except (csv.Error, StopIteration) as error:
        raise refuse(where, f"broken CSV ({error})", "words with commas between them") from None
    at = f"{where}, line {lines[0][0]}"
    for name in names:
        if name not in COLUMNS:
            raise ModelError(f"{at}: {unknown('column', name, COLUMNS)}")
    lost = [key for key in KEYS if key not in names]
    if lost or len(set(names)) < len(names):
        raise refuse(at, f"no column {lost[0]!r}" if lost else "a column twice", f"{', '.join(KEYS)}, once each")
    found = []
    for (k, _), row in zip(lines[1:], words, strict=True):
        if len(row) > len(names):
            raise refuse(f"{where}, line {k}", f"{len(row)} cells", f"{len(names)}; a decimal comma, perhaps?")
        found.append(Cells(f"{where}, line {k}", dict(zip(names, row, strict=False))))
    return found


def _row(x: Cells, scale: float) -> tuple[Any, ...]:
    kind = x.words.get("type", "").strip() or "revolute"
    if kind not in TYPES:
        raise ModelError(f"{x.where}: {unknown('joint type', kind, TYPES)}")
    return (*(x.number(key) * (scale if key in TURNED else 1.0) for key in KEYS), kind)


def _more(rows: list[Cells], scale: float) -> dict[str, Any]:
    """Names, weights, and what else joints have."""
    found: dict[str, Any] = {"masses": [x.number("mass") for x in rows]}
    found["coms"] = [tuple(x.number(key) for key in CENTRE) for x in rows]
    found["inertias"] = [{key: x.number(key) for key in INERTIA} for x in rows]
    for key, mine, stem in (("body", "body_names", "link"), ("joint", "joint_names", "joint")):
        found[mine] = [x.words.get(key, "").strip() or f"{stem}{k}" for k, x in enumerate(rows, 1)]
    found["joints"] = [_joint(x, scale) for x in rows]
    return found


def _joint(x: Cells, scale: float) -> dict[str, Any]:
    turns = TYPES[x.words.get("type", "").strip() or "revolute"] == "revolute"
    by: dict[str, float] = dict.fromkeys(TURNED_OF_HINGES, scale if turns else 1.0)
    told = {
        key: x.number(key) * by.get(key, 1.0) for key in (*CONSTANTS, "lower", "upper") if x.words.get(key, "").strip()
    }
    ends = told.pop("lower", -math.inf), told.pop("upper", math.inf)
    if ends[0] > ends[1]:
        raise refuse(x.where, f"lower = {ends[0]} above upper = {ends[1]}", "the lower limit first")
    return told if ends == (-math.inf, math.inf) else told | {"limits": list(ends)}


def _numbers(text: str, n: int, where: str) -> list[float]:
    found = [number(x) for x in text.replace(",", " ").split()]
    if None in found or len(found) != n:
        raise refuse(where, shown(text), f"{n} finite numbers")
    return found  # type: ignore[return-value]


# -- written ------------------------------------------------------------------------------------------------------


def text(mechanism: Mechanism, convention: Any = "standard", tool: str | None = None) -> Written:
    """The table of a serial robot, in radians."""
    table = to_dh(mechanism, convention, tool)
    if not table.rows:
        raise refuse(f"robot {mechanism.name!r}", "no joint that moves", "one at least, for a table of them")
    lines = [f"# convention: {convention}", f"# name: {' '.join(mechanism.name.split())}"]
    options = table.options()
    for key in ("gravity", "base", "tool"):
        values = [float(x) for x in _flat(options[key])]
        lines.append(f"# {key}: {' '.join(map(written, values))}")
    rows = [_cells(table, k) for k in range(len(table.rows))]
    names = [key for key in COLUMNS if any(row.get(key) for row in rows) or key in KEYS]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([[row.get(key, "") for key in names] for row in rows])
    return Written("\n".join(lines) + "\n" + out.getvalue(), list(_notes(mechanism, table)))


def _flat(value: Any) -> list[float]:
    return [x for row in value for x in row] if hasattr(value[0], "__len__") else list(value)


def _cells(table: DHTable, k: int) -> dict[str, str]:
    (name, more), row, weight = table.joints[k], table.rows[k], table.matters[k]
    found = {"joint": name, "body": table.bodies[k], "type": row[4]}
    numbers = {
        **dict(zip(KEYS, row[:4], strict=True)),
        "mass": weight.mass,
        **dict(zip(CENTRE, weight.com, strict=True)),
    }
    numbers |= plain(weight.inertia) | {key: x for key, x in more.items() if key in CONSTANTS}
    ends = dict(zip(("lower", "upper"), more.get("limits", ()), strict=False))
    numbers |= {key: x for key, x in ends.items() if not math.isinf(x)}
    return found | {key: written(x) for key, x in numbers.items()}


def _notes(mechanism: Mechanism, table: DHTable) -> list[str]:
    """What a table cannot hold."""
    found = []
    if table.residual > 1e-9:
        found.append(f"a table whose robot is off by {table.residual:.1e}")
    if len(mechanism.bodies) != len(table.rows):
        found.append("no bodies but those that joints move, with all that is fixed on them")
    if len(mechanism.frames) > 1:
        found.append("no frames but the tool")
    for what in ("shapes", "actuators", "configurations"):
        if getattr(mechanism, what):
            found.append(f"no {what}")
    return found
