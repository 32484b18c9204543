"""The journal of a walk: names, equations and lines as the text has them, whatever the text is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import appell
from appell.model.walk import Coordinates
from appell.recording import Entry, Journal, Recorder
from appell.spatial import Twist

ARM = appell.load("double_pendulum")


def toy(robot: Any, q: Any) -> Any:
    """Twice q, and what carries it."""
    double, sums = robot.per_freedom(), robot.slots()
    pairs = robot.matrix()
    for b in robot.outward():
        for z in b.freedoms:
            double[z] = 2 * q[z]  # (1)
            pairs[z, z] = q[z]
        sums[b] = sums[b.parent] + 1  # one more (2)
    for b in robot.inward():
        sums[b.parent] += 0
    return double


def journal_of(text: Any, *given: Any) -> Journal:
    journal = Journal()
    text(Recorder(ARM.tree, journal), *given)
    return journal


def of(journal: Journal, name: str) -> list[Entry]:
    return [e for e in journal.entries if e.name == name]


def test_names_equations_and_places() -> None:
    journal = journal_of(toy, Coordinates([3.0, 4.0]))
    assert journal.pages == {"toy": "Twice q, and what carries it."}
    assert [(e.link, e.freedom, e.value, e.equation) for e in of(journal, "double")] == [(1, 0, 6.0, 1), (2, 1, 8.0, 1)]
    assert [(e.link, e.value, e.equation) for e in of(journal, "sums")] == [
        (1, 1, 2), (2, 2, 2), (1, 1, None), (0, 0, None),
    ]  # fmt: skip
    assert [(e.link, e.freedom, e.other) for e in of(journal, "pairs")] == [(1, 0, 0), (2, 1, 1)]


def test_lines_are_those_of_the_text() -> None:
    first = toy.__code__.co_firstlineno
    assert {e.line - first for e in of(journal_of(toy, Coordinates([3.0, 4.0])), "double")} == {6}


def test_what_is_not_finite() -> None:
    journal = journal_of(toy, Coordinates([3.0, float("nan")]))
    assert [e.is_finite for e in of(journal, "double")] == [True, False]


@dataclass
class Held:
    """Slots as a field of an object, filled where the page cannot be seen."""

    t: Any

    def fill(self, b: Any) -> None:
        self.t[b] = Twist()


def indirect(robot: Any) -> None:
    """Slots that have no name of their own."""
    for b in robot.outward():
        robot.slots()[b] = 1


def test_slots_in_objects_and_slots_without_a_name() -> None:
    def held(robot: Any) -> None:
        holder = Held(robot.slots(Twist))
        t = holder.t
        for b in robot.outward():
            holder.fill(b)
        assert t is holder.t

    assert {(e.page, e.name) for e in journal_of(held).entries} == {("held", "t")}
    assert {e.name for e in journal_of(indirect).entries} == {"value"}


def test_branches_are_told_apart() -> None:
    """Links of a branch are numbered anew there; the journal keeps the numbers of the whole robot."""
    tree = appell.zoo.tree(5, 3)

    def page(robot: Any) -> None:
        for branch in robot.branches():
            m = branch.slots()
            for b in branch.outward():
                m[b] = b.mass

    journal = Journal()
    page(Recorder(tree.tree, journal))
    tips = {e.page for e in journal.entries}
    assert len(tips) > 1
    masses = {b.index: b.mass for b in tree.tree.links}
    seen = {e.link for e in journal.entries if e.value}
    assert seen == set(masses)
    assert all(e.value in (0, masses[e.link]) for e in journal.entries)
