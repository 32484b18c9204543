"""A robot as text: its tree, a table of its links, and what its questions cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..formulations.table import FORMULATIONS
from ..model.mechanism import Body, Placement

if TYPE_CHECKING:
    from ..robot import Robot

Row = tuple[str, ...]
COUNTED = ("mul", "add", "div")
NOTHING = 1e-9  # a placement's numbers that differ by less are equal: files have about ten digits


def outline(data: dict[str, Any]) -> str:
    """A robot's plain data (`Robot.to_dict`) as a tree; an only child stays in its parent's column."""
    children: dict[str, list[dict[str, Any]]] = {}
    for body in data["bodies"]:
        children.setdefault(body["parent"], []).append(body)
    lines = [f"{data['name']}, gravity {tuple(data['gravity'])}", "base"]
    waiting = _branches(children.get("base", []), "")
    while waiting:  # a stack, not recursion: a chain may have 100 000 bodies
        body, mark, indent, below = waiting.pop()
        lines.append(f"{indent}{mark}{_in_words(body)}")
        waiting += _branches(children.get(body["name"], []), indent + below)
    return "\n".join([*lines, *_bound(data)])


def _bound(data: dict[str, Any]) -> list[str]:
    """What binds the tree, and the configurations that carry names."""
    lines = [
        f"loop {x['name']}: {x['joint']['type']}{_axes(x['joint'])} between {x['body_a']} and {x['body_b']}"
        for x in data.get("loops", ())
    ]
    for x in data.get("constraints", ()):
        on = f"{x['joint']} follows {x['of']}" if x["type"] == "coupling" else f"of {x['body']}"
        lines.append(f"constraint {x['name']}: {x['type'].replace('_', ' ')}, {on}")
    names = [x["name"] for x in data.get("configurations", ())]
    return [*lines, f"configurations: {', '.join(names)}"] if names else lines


def _branches(bodies: list[dict[str, Any]], indent: str) -> list[tuple[dict[str, Any], str, str, str]]:
    """Bodies of one parent, last first, each with its mark and with the indentation of what hangs on it."""
    if len(bodies) < 2:
        return [(b, "• ", indent, "") for b in bodies]
    marks = [("├─ ", "│  ")] * (len(bodies) - 1) + [("└─ ", "   ")]
    return [(b, mark, indent, below) for b, (mark, below) in zip(bodies, marks, strict=True)][::-1]


def _in_words(body: dict[str, Any]) -> str:
    joint = body["joint"]
    return f"{body['name']}: {joint['type']} {joint['name']}{_axes(joint)}, {body['mass']:g} kg"


def _axes(joint: dict[str, Any]) -> str:
    axes = [f"({', '.join(f'{x:g}' for x in joint[key])})" for key in ("axis", "axis2") if key in joint]
    return f" about {' and '.join(axes)}" if joint["type"] not in ("fixed", "ball", "free") and axes else ""


def dh_row(placement: Placement) -> tuple[float, float, float, float] | None:
    """(a, alpha, d, theta) with Rx(alpha) Tx(a) Rz(theta) Tz(d) the placement; None where there is no such row."""
    R, (x, y, z) = placement.rotation, placement.position
    alpha, theta = math.atan2(-R[1][2], R[2][2]), math.atan2(-R[0][1], R[0][0])
    d = -y * math.sin(alpha) + z * math.cos(alpha)
    fits = abs(R[0][2]) < NOTHING and abs(y * math.cos(alpha) + z * math.sin(alpha)) < NOTHING
    return (x, alpha, d, theta) if fits else None


def links(bodies: Sequence[Body]) -> tuple[Row, list[Row]]:
    """Head and rows: how each body stands in its parent, and its mass. By Denavit and Hartenberg where all fit."""
    rows = [dh_row(b.placement) for b in bodies]
    head: Row = ("body", "joint")
    if all(r is not None for r in rows):
        head += ("a [m]", "alpha [deg]", "d [m]", "theta [deg]")
        stands = [_degrees(r) for r in rows if r is not None]
    else:
        head += ("x [m]", "y [m]", "z [m]")
        stands = [tuple(_plain(x) for x in b.placement.position) for b in bodies]
    head += ("mass [kg]", "mass centre [m]", "ixx, iyy, izz [kg m²]")
    return head, [(b.name, b.joint.type, *stand, *_weights(b)) for b, stand in zip(bodies, stands, strict=True)]


def _degrees(row: tuple[float, float, float, float]) -> Row:
    a, alpha, d, theta = row
    return _plain(a), _plain(math.degrees(alpha)), _plain(d), _plain(math.degrees(theta))


def _weights(b: Body) -> Row:
    moments = b.inertia.ixx, b.inertia.iyy, b.inertia.izz
    return _plain(b.mass), ", ".join(map(_plain, b.com)), ", ".join(map(_plain, moments))


def _plain(x: float) -> str:
    return f"{x + 0.0:.6g}" if abs(x) >= NOTHING else "0"


def costs(robot: Robot, what: str, frame: str | None = None) -> tuple[Row, list[Row]]:
    """Head and rows: the operations of every method that answers a question for this robot."""
    robot.formulation(what)  # or an error that says which questions there are
    rows: list[Row] = []
    for name in (f.name for f in FORMULATIONS if f.computes == what):
        try:
            found = robot.count(what, name, frame=frame)
        except ModelError:  # a method that is not for this robot
            continue
        each = (getattr(x, k) for x in (found.text, found.unmoved, found.program) for k in COUNTED)
        rows.append((name, *map(str, each)))
    return ("method", *(f"{of}: {k}" for of in ("text", "unmoved", "program") for k in COUNTED)), rows


def table(head: Row, rows: Sequence[Row], indent: str = "  ") -> str:
    """Columns of text; those whose cells are all numbers stand to the right."""
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [is_numeric(column[1:]) for column in columns]
    lines = (_line(row, widths, right) for row in (head, *rows))
    return "\n".join(f"{indent}{line}".rstrip() for line in lines)


def _line(row: Row, widths: Sequence[int], right: Sequence[bool]) -> str:
    cells = (x.rjust(w) if r else x.ljust(w) for x, w, r in zip(row, widths, right, strict=True))
    return "  ".join(cells)


def is_numeric(cells: Sequence[str]) -> bool:
    """Whether all cells begin like a number, or are empty."""
    return all(not x or x[0] in "0123456789-+.<" for x in cells)
