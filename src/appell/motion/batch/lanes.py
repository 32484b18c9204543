"""Lanes of a batch: where each is and how it goes on, what several have in common while they step, and their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .fleet import Own

Array = np.ndarray[Any, Any]
RUNNING, REACHED, VANISHED, ENDLESS, UNSOLVABLE, INSIDE, INTERRUPTED = range(7)


@dataclass
class Lanes:
    """The lanes of a block."""

    own: Own
    t: Array
    y: Array
    slope: Array
    h: Array  # of the next step
    grow: Array  # how much longer that may be than the last
    g: Array  # gaps and their rates, in the walls' own measures
    rate: Array
    held: Array  # 1 or 0
    f: Array  # in what is held
    slack: Array  # how far below zero open contacts were by round-off when they were left
    row: Array  # the next of the times
    status: Array
    lost: Array  # energy, by impacts
    struck: Array  # how many impacts
    steps: Array
    events: Array
    since: Array  # when the last MANY events began

    @staticmethod
    def at(t: float, y: Array, own: Own, contacts: int) -> Lanes:
        """Lanes at their start."""
        k = len(y)
        of_contacts = {name: np.zeros((k, contacts)) for name in ("rate", "held", "f", "slack")}
        counts = {name: np.zeros(k, int) for name in ("row", "struck", "steps", "events")}
        numbers = {name: np.zeros(k) for name in ("h", "lost")}
        status, since = np.full(k, RUNNING), np.full(k, -np.inf)
        rest = {**of_contacts, **counts, **numbers, "status": status, "since": since, "grow": np.ones(k)}
        return Lanes(own, np.full(k, t), y, np.zeros_like(y), g=np.ones((k, contacts)), **rest)


@dataclass(frozen=True)
class Group:
    """Lanes that step together: what they have of their own, what is held in them, what slack their gaps have."""

    own: Own
    held: Array | None
    slack: Array

    def of(self, rows: Any) -> Group:
        """The same of fewer lanes."""
        return Group(self.own.of(rows), None if self.held is None else self.held[rows], self.slack[rows])


@dataclass(frozen=True)
class Start:
    """Where steps begin: a group, its states, their derivatives, gaps, rates of gaps, and forces."""

    group: Group
    t: Array
    y: Array
    slope: Array
    g: Array
    rate: Array
    f: Array

    def of(self, rows: Any) -> Start:
        """The same of fewer lanes."""
        arrays = (getattr(self, name)[rows] for name in ("t", "y", "slope", "g", "rate", "f"))
        return Start(self.group.of(rows), *arrays)


class Rows:
    """States at the times asked for."""

    def __init__(self, times: Array, count: int, size: int) -> None:
        self.times = times
        self.y = np.full((count, len(times), size), np.nan)
        self.lost = np.full((count, len(times)), np.nan)

    def keep(self, L: Lanes, i: Array) -> None:
        """Takes down the lanes that are at one of the times."""
        i = i[self.times[L.row[i]] <= L.t[i]]
        while len(i):
            self.y[i, L.row[i]], self.lost[i, L.row[i]] = L.y[i], L.lost[i]
            L.row[i] += 1
            over = L.row[i] == len(self.times)
            L.status[i[over]] = REACHED
            L.row[i[over]] -= 1
            i = i[~over]
            i = i[self.times[L.row[i]] <= L.t[i]]
