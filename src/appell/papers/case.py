"""A case of a paper, worked out: tables, charts, and how far they agree with what was printed."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..show import report
from ..show.charts import Drawing
from ..show.describe import table


@dataclass(frozen=True)
class Table:
    """Named rows of numbers and words; `name` becomes the file's name, which holds every row."""

    name: str
    head: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
    every: int = 1  # a reader sees every so many-th row, and the last

    def csv(self) -> str:
        """All digits, for other programs."""
        lines = io.StringIO()
        csv.writer(lines, lineterminator="\n").writerows([self.head, *self.rows])
        return lines.getvalue()

    def words(self) -> list[tuple[str, ...]]:
        """The rows as a reader wants them."""
        last = len(self.rows) - 1
        shown = [row for k, row in enumerate(self.rows) if not k % self.every or k == last]
        return [tuple(_plain(x) for x in row) for row in shown]

    def __str__(self) -> str:
        return table(self.head, self.words())


@dataclass(frozen=True)
class Agreement:
    """One number of a paper beside ours; without `allowed` the difference is shown and not judged."""

    what: str
    paper: float
    here: float
    allowed: float | None = None

    @property
    def difference(self) -> float:
        """How far apart they are."""
        return abs(self.here - self.paper)

    @property
    def verdict(self) -> str:
        """A word for the table."""
        if self.allowed is None:
            return "shown"
        return "holds" if self.difference <= self.allowed else "FAILS"


@dataclass(frozen=True)
class Case:
    """What came out: printable, and to be saved as a report with its charts and tables."""

    paper: str  # the key in references.bib
    name: str  # of the case within the paper, as a folder could be called
    title: str
    statement: str  # how it agrees with the paper, in words
    tables: tuple[Table, ...] = ()
    charts: tuple[Drawing, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)  # for programs: numbers, words, lists, arrays, by name
    in_files: Callable[[], Iterable[Table | Drawing]] = tuple  # what takes time, and is made when the case is saved

    @property
    def agrees(self) -> bool:
        """Whether every judged number holds."""
        return all(a.verdict != "FAILS" for a in self.agreements)

    @property
    def compared(self) -> Table:
        """The agreements as a table."""
        rows = [
            (a.what, a.paper, a.here, a.difference, "" if a.allowed is None else a.allowed, a.verdict)
            for a in self.agreements
        ]
        return Table("agreement", ("quantity", "wanted", "here", "difference", "allowed", "verdict"), rows)

    @property
    def all_tables(self) -> tuple[Table, ...]:
        """The tables, the agreement last where there is one."""
        return (*self.tables, self.compared) if self.agreements else self.tables

    def __str__(self) -> str:
        parts = [f"{self.title} ({self.paper})", self.statement]
        return "\n\n".join([*parts, *(f"{t.name}\n{t}" for t in self.all_tables)])

    def save(self, folder: Path | str) -> Path:
        """Writes report.html, one CSV per table and one PNG per chart; gives the report's path."""
        folder = Path(folder)
        sections: list[report.Section] = []
        for item in (*self.all_tables, *self.charts, *self.in_files()):
            if isinstance(item, Table):
                report.write(folder / f"{item.name}.csv", item.csv())
                sections.append((item.name, [report.Table(item.head, item.words())]))
            else:
                png = item.png()
                report.write(folder / f"{item.name}.png", png)
                sections.append((item.title, [report.Picture(png, item.title)]))
        page = report.page(self.title, [report.Text(self.statement, "lead")], sections)
        report.write(folder / "report.html", page)
        return folder / "report.html"


def _plain(x: Any) -> str:
    return f"{x:.6g}" if isinstance(x, float) else str(x)
