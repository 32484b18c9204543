"""The cases of mata2002: Gibbs-Appell for serial robots. Example 5.1 is in `two_plates`; here is 5.2, a PUMA's hand
along a straight line, simulated under the torques that inverse dynamics gives.

The paper names no data of its robot, so it is that of valera2003. Its line of 0.3286 m takes 3.286 s at 0.1 m/s and
not the 5.0 s of the text: both are offered.

Source: mata2002.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from time import perf_counter
from typing import Any, Literal

import numpy as np

from .. import zoo
from ..control.joint_path import JointPath
from ..control.ramps import Uniform
from ..control.space import Line, zyz
from ..errors import ShapeError
from ..formulations.table import FORMULATIONS
from ..motion.run import Run
from ..motion.simulate import simulate
from ..show.charts import Chart, Panel
from .case import Agreement, Case, Table
from .straight import Straight
from .two_plates import stability

__all__ = ["cost", "feeds", "line", "stability"]

Array = np.ndarray[Any, Any]
START, END = (0.50, 0.0, 0.05), (0.62, 0.30, 0.11)  # metres
SPEED = 0.1  # metres per second
LENGTH = float(np.linalg.norm(np.subtract(END, START)))
DURATIONS = {"3.286": LENGTH / SPEED, "5.0": 5.0}  # seconds: by the speed, and as the text says
Duration = Literal["3.286", "5.0"]
FEEDS = ("exact", "spline", "linear", "held")
CALLS = 500  # of a kernel between two looks at the clock
EXACT = 1e-12  # tolerance of the run that tells whether forward dynamics undoes inverse dynamics
FINE = f"exact, tolerance {EXACT:g}"
# Table 6, of the 5.0 s: average differences of q, v, a. The velocity of joint 2 is a misprint (it is joint 3's).
PRINTED = (
    (6.91878269e-4, 1.28209533e-3, 2.84439095e-3),
    (1.73972101e-2, float("nan"), 9.22318761e-2),
    (8.54693990e-4, 1.66087459e-3, 3.13261587e-3),
    (1.73972067e-2, 4.05637323e-2, 9.22318581e-2),
    (1.78259578e-2, 4.17630699e-2, 9.54221869e-3),
    (6.91878269e-4, 1.21908065e-3, 2.43724278e-3),
)

PRINTED_COST = (("CRBA", 0.65, 1122), ("ABM", 0.71, 1089), ("GA", 0.59, 1092))  # Table 7


@cache
def straight(duration: float) -> Straight:
    """The line of the paper in some seconds, followed by the robot of valera2003."""
    attitude = zyz(*np.radians([0.0, 90.0, 180.0]))
    return Straight(zoo.load("puma560"), Line(START, END, attitude, Uniform(0.0, 1.0, duration)))


def line(branch: int = 1, duration: Duration | None = None, times: tuple[float, ...] = ()) -> Case:
    """The straight line of Example 5.2 in all branches, in 3.286 s, in 5.0 s, or in both.

    `branch` is drawn alone.
    """
    paths = {name: straight(seconds) for name, seconds in DURATIONS.items() if duration in (None, name)}
    title = "mata2002, 0.3286 m in"
    return Case(
        "mata2002",
        "line",
        "A PUMA's hand along a short straight line: what drives the joints",
        "The paper gives no data of the robot and no torques, so what agrees here is the line, its branches, and two "
        "formulations with each other. At 0.1 m/s it takes 3.286 s; the 5.0 s of the text would be 0.066 m/s.",
        tuple(table for name, path in paths.items() for table in path.tables(f"_{name}s")),
        tuple(chart for name, path in paths.items() for chart in path.charts(branch, f"{title} {name} s", f"_{name}s")),
        tuple(a for path in paths.values() for a in path.agreements(0.3286, 5e-5, 8)),
        {name: path.data(branch, times) for name, path in paths.items()},
    )


@dataclass(frozen=True, eq=False)
class Fed:
    """A path that is followed by forward dynamics under its torques, known every so often or at any time."""

    path: JointPath
    interval: float
    rtol: float

    def __post_init__(self) -> None:
        if not 0 < self.interval <= self.path.t_end:
            raise ShapeError(f"interval is {self.interval:g} s, wanted one above 0 and up to {self.path.t_end:.6g} s")

    @cached_property
    def t(self) -> Array:
        """The instants at which torques are known and errors are taken: multiples of the interval, and the end."""
        count = int(np.ceil(self.path.t_end / self.interval - 1e-9))
        return np.append(np.arange(count) * self.interval, self.path.t_end)

    def torque(self, t: float, q: Array, v: Array) -> Array:
        """What the path needs at an instant, wherever the robot is."""
        return self.path.robot.inverse_dynamics(*self.path(t))

    def run(self, feed: str, rtol: float | None = None, method: str | None = None) -> Run:
        """The motion under the torques; `feed` says what they are between the instants."""
        motion, robot, rtol = self.path(self.t), self.path.robot, rtol or self.rtol
        torque = self.torque if feed == "exact" else (self.t, robot.inverse_dynamics(*motion), feed)
        options: dict[str, Any] = {"times": self.t, "rtol": rtol, "atol": rtol, "method": method}
        return simulate(robot, motion.q[0], motion.v[0], self.path.t_end, torque=torque, **options)

    def errors(self, run: Run) -> tuple[Array, Array, Array]:
        """|q - q*|, |v - v*|, |a - a*| at the instants, for every joint."""
        q, v, a = self.path(self.t)
        there = self.path.robot.forward_dynamics(run.q, run.v, run.tau)
        return np.abs(run.q - q), np.abs(run.v - v), np.abs(there - a)


def feeds(branch: int = 1, interval: float = 0.1, rtol: float = 1e-6) -> Case:
    """Table 6: forward dynamics under the torques of inverse dynamics, known every so often."""
    fed = {name: Fed(straight(duration).branch(branch), interval, rtol) for name, duration in DURATIONS.items()}
    runs = {
        name: {**{feed: case.run(feed) for feed in FEEDS}, FINE: case.run("exact", EXACT)} for name, case in fed.items()
    }
    errors = {name: {f: fed[name].errors(run) for f, run in each.items()} for name, each in runs.items()}
    rows = [
        (name, feed, *_largest(errors[name][feed]), run.ledger["steps"], run.ledger["evaluations"])
        for name, each in runs.items()
        for feed, run in each.items()
    ]
    head = ("duration [s]", "torques", "|dq| [rad]", "|dv| [rad/s]", "|da| [rad/s^2]", "steps", "evaluations")
    off = ", ".join(f"{x:.2g} ({feed})" for name, feed, x, *_ in rows if name == "5.0" and feed in FEEDS)
    return Case(
        "mata2002",
        "feeds",
        "Forward dynamics undoes inverse dynamics, as far as the torques are fed exactly",
        "Averages over the instants, of the joint where they are largest. How torques are fed between their samples, "
        f"which the paper does not say, decides: in 5.0 s, with a tolerance of {rtol:g}, the angles are {off} rad off; "
        f"the paper prints {max(q for q, _, _ in PRINTED):.2g}. Without feedback every error grows.",
        (Table("feeds", head, rows), *(_table_6(name, each) for name, each in errors.items())),
        tuple(_over_time(name, case.t, errors[name]) for name, case in fed.items()),
        tuple(
            Agreement(f"average |q - q*| in {name} s, {FINE} [rad]", 0.0, _largest(each[FINE])[0], 1e-9)
            for name, each in errors.items()
        ),
        {name: {feed: _largest(e) for feed, e in each.items()} for name, each in errors.items()},
    )


def _largest(errors: tuple[Array, Array, Array]) -> tuple[float, float, float]:
    """The averages over the instants, of the joint where they are largest."""
    q, v, a = (float(e.mean(0).max()) for e in errors)
    return q, v, a


def _table_6(name: str, errors: dict[str, tuple[Array, Array, Array]]) -> Table:
    """The averages of every joint, below them those that the paper prints."""
    averages = {feed: np.stack([e.mean(0) for e in each], -1) for feed, each in errors.items()}
    if name == "5.0":
        averages["printed"] = np.array(PRINTED)
    rows = [
        (feed, joint, *("misprint" if np.isnan(x) else float(x) for x in row))
        for feed, each in averages.items()
        for joint, row in enumerate(each, 1)
    ]
    return Table(f"table_6_{name}s", ("torques", "joint", "|dq| [rad]", "|dv| [rad/s]", "|da| [rad/s^2]"), rows)


def _over_time(name: str, t: Array, errors: dict[str, tuple[Array, Array, Array]]) -> Chart:
    """The largest error of any joint, from the second instant on: at the first there is none."""
    words = ("error of angles [rad]", "error of rates [rad/s]")
    each = ({feed: e[k].max(-1)[1:] for feed, e in errors.items()} for k in range(2))
    panels = tuple(Panel(y, curves, log=True) for y, curves in zip(words, each, strict=True))
    return Chart(f"errors_{name}s", f"mata2002, 0.3286 m in {name} s: how far from the line", "time [s]", t[1:], panels)


def cost(
    duration: Duration = "5.0",
    feed: Literal["spline", "linear", "held"] = "spline",
    interval: float = 0.1,
    rtol: float = 1e-6,
    repeat: int = 20,
) -> Case:
    """Table 7 anew: what the simulation costs by every method of forward dynamics."""
    if repeat < 1:
        raise ShapeError(f"repeat is {repeat}, wanted 1 or more")
    case = Fed(straight(DURATIONS[duration]).branch(1), interval, rtol)
    methods = [f.name for f in FORMULATIONS if f.computes == "forward_dynamics"]
    runs = {method: case.run(feed, method=method) for method in methods}
    seconds = dict.fromkeys(methods, np.inf)
    for _ in range(repeat):  # in turn, so that whatever else the machine does falls on all
        for method in methods:
            seconds[method] = min(seconds[method], case.run(feed, method=method).ledger["seconds"])
    calls = _calls(case, methods, repeat)
    rows = [
        (m, 1e3 * seconds[m], run.ledger["evaluations"], 1e9 * calls[m], calls[m] / min(calls.values()))
        for m, run in runs.items()
    ]
    head = ("method", "simulation [ms]", "evaluations", "one forward dynamics [ns]", "to the fastest")
    last = np.stack([run.q[-1] for run in runs.values()])
    short = [m.replace("_", "\n") for m in methods]
    bars = (
        Panel("simulation [ms]", {"_": [row[1] for row in rows]}, bars=True),
        Panel("one forward dynamics [ns]", {"_": [row[3] for row in rows]}, bars=True),
    )
    return Case(
        "mata2002",
        "cost",
        "What the simulation costs by each method of forward dynamics",
        "The paper's times are of a Pentium II with 400 MHz and of a Runge-Kutta method of order 4 and 5; these are of "
        "this machine and of a method of order 8 whose steps end where the torques have samples. As in the paper the "
        "evaluations hardly depend on the formulation. Most of a simulation's time is spent around it; one forward "
        "dynamics is the formulation alone.",
        (Table("table_7", head, rows), Table("printed", ("method", "simulation [s]", "evaluations"), PRINTED_COST)),
        (Chart("cost", f"mata2002, the line in {duration} s, torques fed by {feed}", "", short, bars),),
        (
            Agreement("last posture, between the methods [rad]", 0.0, float(np.ptp(last, axis=0).max()), 1e-9),
            Agreement("evaluations, composite bodies", 1122, runs["composite_body"].ledger["evaluations"]),
        ),
        {row[0]: dict(zip(("ms", "evaluations", "ns"), row[1:], strict=False)) for row in rows},
    )


def _calls(case: Fed, methods: list[str], repeat: int) -> dict[str, float]:
    """Seconds of one bare call of each method's kernel, in turn, the best of some thousands."""
    q, v, a = case.path(0.0)
    robot, out = case.path.robot, np.empty(6)
    tau = robot.inverse_dynamics(q, v, a)
    kernels = {m: robot.kernel("forward_dynamics", method=m) for m in methods}
    best = dict.fromkeys(methods, np.inf)
    for _ in range(10 * repeat):
        for m, kernel in kernels.items():
            start = perf_counter()
            for _ in range(CALLS):
                kernel(q, v, tau, out=out)
            best[m] = min(best[m], (perf_counter() - start) / CALLS)
    return best
