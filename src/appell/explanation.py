"""What a formulation computes on its way: a table per body, by any method, without a line of code for any of them.

The method's text is read with floats by a walk that keeps a journal (`recording.py`); the page that gives the
Gibbs function of the same motion is read after it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from .asking import numbers_of, of_bodies
from .errors import ShapeError, unknown
from .formulations.gibbs_function import gibbs_function
from .formulations.table import FORMULATIONS, Formulation
from .model.walk import Coordinates, Walk
from .recording import Entry, Journal, Recorder
from .vec import Mat3, Rot, Sym3, Vec3

if TYPE_CHECKING:
    from .robot import Robot

QUESTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
MOTION = "gibbs_function"  # the page that every explanation ends with


@dataclass(frozen=True)
class Explanation:
    """Every quantity of a method in one motion, body by body: print it, or take `rows`, or `to_dict()`."""

    robot: str
    method: str
    question: str
    bodies: tuple[str, ...]  # of each link, the base first
    pages: dict[str, str]  # the texts that were read, and their docstrings
    entries: tuple[Entry, ...]  # all that was put down, in order
    answer: np.ndarray[Any, Any] | None  # none where a division by zero ended the text
    stopped: str | None

    @property
    def last(self) -> dict[tuple[Any, ...], Entry]:
        """What stood in every slot at the end."""
        return {(e.page, e.link, e.name, e.freedom, e.other): e for e in self.entries}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row per body: its name, and the quantities of each page by their names.

        What a slot held first is its `value`; what it held at the end, where it grew or was used again, its `last`.
        """
        found: list[dict[str, Any]] = [{"body": name} for name in self.bodies]
        for e in self.entries:
            at = [i for i in (e.freedom, e.other) if i is not None]
            name = f"{e.name}[{', '.join(map(str, at))}]" if at else e.name
            values, value = found[e.link].setdefault(e.page, {}), _plain(e.value)
            if name in values:
                values[name]["last"] = value
            else:
                values[name] = {"value": value, "equation": e.equation, "line": e.line}
        return found

    @property
    def gibbs(self) -> dict[str, float]:
        """The Gibbs function of each body; the derivative of their sum by a is what moves the links."""
        return {
            self.bodies[e.link]: float(e.value) for e in self.last.values() if e.page == MOTION and e.name == "S"
        }  # fmt: skip

    @property
    def first_nan(self) -> str | None:
        """The first value that is not a number, by body and equation; none where all are finite."""
        for e in self.entries:
            if not e.is_finite:
                by = f"equation ({e.equation})" if e.equation else f"line {e.line}"
                return f"{e.name} of {self.bodies[e.link]!r}, {by} of {e.page}, is the first that is not finite"
        return None

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, ready for JSON."""
        answer = None if self.answer is None else self.answer.tolist()
        found = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("entries", "answer", "bodies")}
        return {**found, "answer": answer, "rows": self.rows, "gibbs": self.gibbs, "first_nan": self.first_nan}

    def __str__(self) -> str:
        lines = [f"{self.question} of {self.robot} by {self.method}", ""]
        lines += [line for line in (self.first_nan, self.stopped) if line]
        for page, text in self.pages.items():
            lines += [f"-- {page} " + "-" * max(0, 96 - len(page)), *_indented(text)]
            for row in self.rows:
                for label in (x for x in row if x.split(" to ")[0] == page):
                    lines += ["", f"{row['body']}{label[len(page) :]}", *_table(row[label])]
            lines.append("")
        if self.gibbs:
            lines.append(f"Gibbs function of all bodies: {sum(self.gibbs.values()):.6g}")
        return "\n".join(lines)


def explain(robot: Robot, method: str, q: Any, v: Any, a: Any, what: str | None = None) -> Explanation:
    """The quantities of a method in the motion q, v, a, of the first of the basic questions that it answers.

    Forward dynamics is asked with the forces of that motion. Values are those of the robot as it is given, in the
    text's own axes and about its own points; of a regrouped robot those of its bodies, as its links are no matter.
    """
    row, tree = _row(robot, method, what), of_bodies(robot)
    state = state_of(robot, q=q, v=v, a=a)
    journal, answer, stopped = Journal(), None, None
    if "tau" in row.question.inputs:
        forces = next(f for f in FORMULATIONS if f.computes == "inverse_dynamics")
        found = _read(forces.text, Walk(tree), state, ("q", "v", "a"))
        state["tau"] = np.array([found[i] for i in range(robot.nv)])
    try:
        values = _read(row.text, Recorder(tree, journal), state, row.question.inputs)
        answer = np.zeros((robot.nv,) * len(row.question.outputs[0][1]))
        for at in np.ndindex(answer.shape):
            answer[at] = values[at[0] if len(at) == 1 else at]
    except (ZeroDivisionError, ValueError) as error:
        stopped = f"the text ended with an error of numbers: {error}"
    else:
        _read(gibbs_function, Recorder(tree, journal), state, ("q", "v", "a"))
    names = link_names(robot)
    return Explanation(robot.name, method, row.computes, names, journal.pages, (*journal.entries,), answer, stopped)


def _row(robot: Robot, method: str, what: str | None) -> Formulation:
    """The row of the table that is to be explained."""
    if what is not None:
        if what not in QUESTIONS:
            raise unknown("question to explain", what, QUESTIONS)
        return robot.formulation(what, method)
    rows = {f.name: f for what in reversed(QUESTIONS) for f in FORMULATIONS if f.computes == what}
    if method not in rows:
        raise unknown("method", method, rows)
    return rows[method]


def _read(text: Callable[..., Any], walk: Walk, state: dict[str, Any], inputs: tuple[str, ...]) -> Any:
    return text(walk, *(Coordinates(state[name].tolist()) for name in inputs))


def state_of(robot: Robot, **given: Any) -> dict[str, np.ndarray[Any, Any]]:
    """The numbers of one state, finite or not."""
    found = dict(zip(given, numbers_of("explain", **given), strict=True))
    for name, x in found.items():
        n = robot.nq if name == "q" else robot.nv
        if x.shape != (n,):
            raise ShapeError(f"{name} of one state has shape {x.shape}, wanted ({n},)")
    return {name: x.astype(float) for name, x in found.items()}


def link_names(robot: Robot) -> tuple[str, ...]:
    """Of each link the body on it, after the base; links without one are inside a joint of several axes."""
    names = ["base", *(f"link {b.index}" for b in robot.tree.links)]
    for body, place in reversed([*zip(robot.bodies, robot.tree.bodies, strict=True)]):
        if place.link:
            names[place.link] = body.name
    return tuple(names)


def _plain(value: Any) -> Any:
    """A value as plain numbers, lists and dicts of them."""
    if isinstance(value, Vec3):
        return [float(x) for x in value]
    if isinstance(value, (Sym3, Rot)):
        return _plain(value.matrix)
    if isinstance(value, Mat3):
        return [_plain(row) for row in value]
    if hasattr(value, "__dataclass_fields__"):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    return float(value)


def _table(values: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Lines of quantities: name, equation, numbers."""
    for name, x in values.items():
        mark = f"({x['equation']})" if x["equation"] else ""
        shown = {name: x["value"]}
        if "last" in x and x["last"] != x["value"]:
            shown["at last"] = x["last"]
        for label, numbers in (line for title, value in shown.items() for line in _lines(title, value)):
            yield f"  {label:<14}{mark:<5}{''.join(f'{_short(n):>13}' for n in numbers)}".rstrip()
            mark = ""


def _lines(name: str, value: Any) -> Iterator[tuple[str, list[float]]]:
    if isinstance(value, dict):
        for part, inner in value.items():
            yield from _lines(f"{name}.{part}", inner)
    elif isinstance(value, list) and isinstance(value[0], list):
        for k, row in enumerate(value):
            yield (name if k == 0 else ""), row
    else:
        yield name, value if isinstance(value, list) else [value]


def _short(x: float) -> str:
    return f"{x + 0.0:.5g}" if math.isfinite(x) else str(x)


def _indented(text: str) -> list[str]:
    return [f"  {line}".rstrip() for line in text.splitlines()]
