"""How many digits forward dynamics keeps: every method in single against double precision, for any robot.

What a method loses is told twice: by its machine code, and by its text read with fewer and with more digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..formulations.table import FORMULATIONS, Formulation
from ..kernel.make import make
from ..model.tree import Tree
from ..robot import Robot
from ..show.charts import Chart, Panel, merged
from .case import Case, Table
from .digits import read

Array = np.ndarray[Any, Any]
FORWARD = "forward_dynamics"
EPS = float(np.finfo(np.float32).eps)
EXACT = 40  # digits that are exact for every purpose here
DIGITS = tuple(range(6, 21, 2))
STATES = 100  # where none are given
SAMPLES = 4  # states at which the texts are read with few and with many digits


@dataclass(frozen=True)
class Stability:
    """Accelerations of a robot at many states, by every method, in single and double precision."""

    robot: Robot
    tree: Tree  # what the kernels were made for
    q: Array
    v: Array
    tau: Array
    condition: Array  # of the mass matrix, state by state
    single: dict[str, Array]
    double: dict[str, Array]

    def difference(self, method: str) -> Array:
        """Single from double precision, joint by joint."""
        return np.abs(self.single[method] - self.double[method])

    def error(self, method: str) -> Array:
        """The largest difference at each state, by the largest acceleration there."""
        return self.difference(method).max(-1) / np.abs(self.double[method]).max(-1)

    def loses_the_condition(self, method: str) -> bool:
        """Whether its errors are nearer to cond(M) eps than to eps, which is what forming M costs."""
        return bool(np.median(self.error(method) / (EPS * np.sqrt(self.condition))) > 1.0)

    @property
    def summary(self) -> Table:
        """One line per method; errors relative, and in units of eps and of cond(M) eps."""
        head = ("method", "largest", "mean", "largest / eps", "largest / (cond eps)", "like")
        rows = []
        for method in self.single:
            e = self.error(method)
            by_condition = float((e / (EPS * self.condition)).max())
            like = "cond(M) eps" if self.loses_the_condition(method) else "eps"
            rows.append((method, float(e.max()), float(e.mean()), float(e.max() / EPS), by_condition, like))
        return Table("single-precision", head, rows)

    def by_digits(self, digits: Iterable[int] = DIGITS, samples: int = SAMPLES) -> Table:
        """The largest error of each text when it is read with so many decimal digits."""
        at = np.unique(np.linspace(0, len(self.q) - 1, samples).astype(int))
        states = [tuple(x[k] for x in (self.q, self.v, self.tau)) for k in at]
        rows = [row for row in forward_rows() if row.name in self.single]
        exact = [read(rows[0], self.tree, EXACT, *state) for state in states]
        found = []
        for n in digits:
            errors = (max(_off(read(r, self.tree, n, *s), a) for s, a in zip(states, exact, strict=True)) for r in rows)
            found.append((n, *errors))
        return Table("digits", ("digits", *(row.name for row in rows)), found)

    def case(self, at: Array | None = None, x: str = "state", joint: int = -1) -> Case:
        """The study as tables and charts, over the states' numbers or `at`; one joint is drawn."""
        digits, at = self.by_digits(), np.arange(len(self.q)) if at is None else at
        title = f"{self.robot.name}: forward dynamics in single and double precision"
        charts = (self._accelerations(at, x, joint), self._errors(at, x, joint), self._slopes(digits))
        data = {"q": self.q, "condition": self.condition, "single": self.single, "double": self.double}
        return Case("mata2002", "stability", title, self.statement, (self.summary, digits), charts, data=data)

    @property
    def statement(self) -> str:
        """What came out, in words."""
        poor = [m for m in self.single if self.loses_the_condition(m)]
        good = [m for m in self.single if m not in poor]
        low, high = float(self.condition.min()), float(self.condition.max())
        parts = [f"{len(self.q)} states, condition number of M from {low:.0f} to {high:.0f}."]
        for names, why in ((good, "nearer to eps than to cond(M) eps"), (poor, "nearer to cond(M) eps than to eps")):
            if names:
                worst = max(float(self.error(m).max()) for m in names)
                parts.append(f"Single precision is off by {worst:.1e} at most, {why}: {', '.join(names)}.")
        return " ".join(parts)

    def _accelerations(self, at: Array, x: str, joint: int) -> Chart:
        """Both precisions of one joint, a panel for each method; methods that agree to the last digit share one."""
        panels: list[Panel] = []
        for names, single in merged({m: a[:, joint] for m, a in self.single.items()}, near=0.0).items():
            method = names.partition(",")[0]
            key = "_" if panels else ""  # the first panel's serves all
            curves = {f"{key}single precision": single, f"{key}double precision": self.double[method][:, joint]}
            off = float(self.difference(method)[:, joint].max())
            panels.append(Panel("", curves, title=f"{names}: off by {off:.2g} at most"))
        title = f"{self.robot.name}: acceleration {self._freedom(joint)}"
        return Chart("accelerations", title, x, at, tuple(panels), height=1.5)

    def _errors(self, at: Array, x: str, joint: int) -> Chart:
        """How far single precision is off, beside what the condition number of M explains."""
        first = next(iter(self.double))
        limit = EPS * self.condition * np.abs(self.double[first]).max(-1)
        errors = merged({m: np.maximum(self.difference(m)[:, joint], 1e-12) for m in self.single}, near=0.0)
        panels = (
            Panel("single - double", {**errors, "cond(M) eps max|a|": limit}, log=True),
            Panel("cond(M)", {"_": self.condition}, log=True),
        )
        title = f"{self.robot.name}: what single precision costs acceleration {self._freedom(joint)}"
        return Chart("differences", title, x, at, panels)

    def _freedom(self, joint: int) -> int:
        """The number of a joint that is drawn, from 1 on."""
        return joint % self.robot.nv + 1

    def _slopes(self, table: Table) -> Chart:
        columns = dict(zip(table.head, map(np.array, zip(*table.rows, strict=True)), strict=True))
        digits = columns.pop("digits")
        unit = 10.0 ** (1.0 - digits)
        lines = {**columns, "eps": unit, "cond(M) eps": float(self.condition.max()) * unit}
        panel = Panel("largest relative error", lines, log=True)
        return Chart("digits", f"{self.robot.name}: the same texts read with more digits", "digits", digits, (panel,))


def stability(
    robot: Robot, q: Any = None, v: Any = 0.0, tau: Any = 0.0, *,
    methods: Iterable[str] | None = None, as_given: bool = False,
) -> Stability:  # fmt: skip
    """Forward dynamics of a robot in single and double precision, by all methods or some.

    At states (states, n), by default random configurations at rest without forces. The states are rounded to single
    precision first, so that both are asked the same. Kernels are the default ones, for the regrouped tree, which has
    the same accelerations; `as_given=True` makes them for the masses where they are.
    """
    q = [robot.random_state(k)[0] for k in range(STATES)] if q is None else q
    q = np.atleast_2d(np.asarray(q, float))
    if q.ndim != 2 or q.shape[1] != robot.nq:
        raise ShapeError(f"stability: q has shape {q.shape}, wanted (states, {robot.nq})")
    q, v, tau = (np.float32(x) for x in (q, *(np.broadcast_to(x, (len(q), robot.nv)) for x in (v, tau))))
    tree, rows = robot.tree if as_given else robot.light_tree, forward_rows(robot, methods)
    double = q.astype(float), v.astype(float), tau.astype(float)
    condition = np.linalg.cond(robot.mass_matrix(double[0]))
    answers = {code: {row.name: answer(row, tree, code, given) for row in rows}
               for code, given in (("f4", (q, v, tau)), ("f8", double))}  # fmt: skip
    return Stability(robot, tree, *double, condition, answers["f4"], answers["f8"])


def forward_rows(robot: Robot | None = None, methods: Iterable[str] | None = None) -> list[Formulation]:
    """The formulations of forward dynamics, or those named."""
    if robot is not None and methods is not None:
        return [robot.formulation(FORWARD, name) for name in methods]
    return [row for row in FORMULATIONS if row.computes == FORWARD]


def answer(row: Formulation, tree: Tree, code: str, given: tuple[Array, ...]) -> Array:
    """What a kernel of that precision says, in double."""
    unroll = not row.rolls or tree.nv <= row.unrolled_up_to
    return make(row, tree, dtype=code, unroll=unroll).callable(*given).astype(float)


def _off(got: Array, exact: Array) -> float:
    """The largest difference by the largest entry, both in decimal digits; 1 where nothing is left."""
    wide = exact[0].context
    gaps = [abs(wide.subtract(g.x, e.x)) for g, e in zip(got, exact, strict=True)]
    ratio = float(max(gaps) / max(abs(e.x) for e in exact))
    return ratio if ratio < 1.0 else 1.0
