"""`make demo`: the PUMA by every formulation. Torques, agreement, times; a figure and a report."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from time import perf_counter

from ..errors import AppellError
from ..formulations.gibbs_appell import gibbs_appell
from ..model import zoo
from ..robot import Robot
from . import describe, plots, report
from .comparison import BASIC, ROUNDING, Agreement, Comparison, Cost, Motion, minimum_jerk
from .peer import Peer, pinocchio
from .report import Code, Part, Picture, Section, Table, Text
from .surroundings import about

STATES = 10_000
START = (0.0, -1.1, 3.0, 2.4, 1.1, -0.8)  # rad: the arm reaches forward, then turns, lifts and stretches
END = (1.6, -0.4, 2.0, 0.6, -0.9, 1.4)
DURATION = 2.0
AGREE = ("question", "answer of", "compared with", "largest difference", "allowed", "verdict")
TIMES = ("question", "formulation", "ready in", "plain Python", "one call", "in a batch", "states/s in a batch")
COUNTS = ("question", "formulation", "mul", "add", "div", "sin & cos", "run: mul", "run: add", "run: div")


@dataclass
class Findings:
    """What the demo found out, for the page."""

    robot: Robot
    motion: Motion
    remarks: list[str]
    agreements: list[Agreement] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)
    peer: Peer | None = None
    figure: bytes | None = None
    no_figure: str = ""

    @property
    def agree(self) -> bool:
        """Whether every comparison holds."""
        return all(a.holds for a in self.agreements)

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        many = f"{len(self.agreements)} comparisons of {len(self.costs)} formulations at {len(self.motion.t)} instants"
        failed = [a for a in self.agreements if not a.holds]
        if failed:
            return f"NOT ALL AGREE: {len(failed)} of {many} failed."
        worst = max(a.difference for a in self.agreements)
        return f"All agree: the largest relative difference in {many} is {worst:.1e}."


def run(out_dir: Path) -> int:
    """Runs the demo and leaves torques.png and report.html; 0 if all formulations agree, else 1."""
    start = perf_counter()
    found = _robot()
    comparison = _torques(found)
    _agreement(found, comparison)
    _times(found, comparison)
    _figure(found, comparison, out_dir)
    page = out_dir / "report.html"
    report.write(page, _page(found))
    print(f"\n{found.verdict}  ({perf_counter() - start:.1f} s)\n")
    print("\n".join(_next_steps(page)))
    return 0 if found.agree else 1


def _step(number: int, words: str) -> None:
    print(f"\n{number}/5  {words}", flush=True)


def _robot() -> Findings:
    _step(1, "The robot")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = Robot(zoo.load("puma560"))
    remarks = [str(w.message) for w in caught]
    print(_indented(describe.outline(robot.to_dict())) + "\n")
    print(describe.table(*describe.links(robot.bodies)))
    print("".join(f"\n  Note: {r}." for r in remarks))
    return Findings(robot, minimum_jerk(START, END, DURATION, STATES), remarks)


def _torques(found: Findings) -> Comparison:
    _step(2, f"Torques at {STATES} instants of a motion of {DURATION:g} s, by machine code made for this robot")
    comparison = Comparison(found.robot, found.motion)
    wide = max(len(row.name) for row in comparison.rows) + 2
    for row in comparison.rows:
        spent = comparison.build(row)
        print(f"  {row.computes:<18}{row.name:<{wide}}ready in {spent * 1e3:6.0f} ms", flush=True)
    for name, tau in comparison.torques.items():
        peaks = "  ".join(f"{x:8.3f}" for x in abs(tau).max(axis=0))
        print(f"  largest torques [N m], {name:<{wide}}{peaks}")
    return comparison


def _agreement(found: Findings, comparison: Comparison) -> None:
    _step(3, "Do they agree?")
    found.agreements += comparison.agreements()
    found.peer = pinocchio(found.robot.mechanism, found.motion)
    if found.peer:
        found.agreements.append(comparison.against("Pinocchio " + found.peer.version, found.peer.torques))
    print(describe.table(AGREE, _agree_rows(found)))


def _times(found: Findings, comparison: Comparison) -> None:
    _step(4, "How long does one state take? (best of many, one thread)")
    found.costs += (comparison.cost(row) for row in comparison.rows)
    print(describe.table(TIMES, _time_rows(found)))
    print(f"\n{describe.table(COUNTS, _count_rows(found))}")


def _figure(found: Findings, comparison: Comparison, out_dir: Path) -> None:
    _step(5, "Figure and report")
    joints = [b.joint.name for b in found.robot.bodies]
    title = f"{found.robot.name}: joint torques along a motion of {DURATION:g} s"
    try:
        found.figure = plots.torques(found.motion.t, comparison.torques, joints, title)
    except AppellError as error:
        found.no_figure = str(error)
        print(f"  {error}")
        return
    report.write(out_dir / "torques.png", found.figure)
    print(f"  {out_dir / 'torques.png'}")


# -- rows -----------------------------------------------------------------------------------------------------


def _agree_rows(found: Findings) -> list[describe.Row]:
    rows = []
    for a in found.agreements:
        verdict = "holds" if a.holds else "FAILS"
        rows.append((_words(a.question), a.what, a.against, f"{a.difference:.1e}", f"{a.allowed:.1e}", verdict))
    return rows


def _time_rows(found: Findings) -> list[describe.Row]:
    rows = []
    for c in found.costs:
        built = f"{c.build * 1e3:.0f} ms" + (", from cache" if c.from_cache else "")
        speed = (_span(c.plain), _span(c.call), _span(c.batch), f"{1e-6 / c.batch:.1f} million")
        rows.append((_words(c.formulation.computes), c.formulation.name, built, *speed))
    if found.peer:
        name = f"Pinocchio {found.peer.version}, from Python"
        rows += [(_words(q), name, "", "", _span(t), "", "") for q, t in found.peer.seconds.items()]
    return sorted(rows, key=lambda row: [_words(q) for q in BASIC].index(row[0]))


def _count_rows(found: Findings) -> list[describe.Row]:
    rows = []
    for c in found.costs:
        text, run = c.counts.text, c.counts.program
        numbers = (text.mul, text.add, text.div, text.sincos, run.mul, run.add, run.div)
        rows.append((_words(c.formulation.computes), c.formulation.name, *map(str, numbers)))
    return rows


def _span(seconds: float) -> str:
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e9:.3g} ns"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


# -- the page -------------------------------------------------------------------------------------------------


def _page(found: Findings) -> str:
    name = found.robot.name
    when = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %z")
    lead = [Text(found.verdict, "lead"), Text(f"Written by the demo on {when}.", "note")]
    return report.page(f"{name}: one motion, every formulation", lead, list(_sections(found)))


def _sections(found: Findings) -> Iterator[Section]:
    yield "The robot", _robot_part(found)
    yield "Torques", _torque_part(found)
    yield "Agreement", [Text(_HOW_AGREED), Table(AGREE, _agree_rows(found))]
    yield "Time for one state", [Text(_HOW_TIMED), Table(TIMES, _time_rows(found))]
    yield "Operations for one state", [Text(_HOW_COUNTED), Table(COUNTS, _count_rows(found))]
    yield "Where this ran", [Table(("what", "value"), [(k, v) for k, v in about().items() if k != "cache"])]
    yield "Again", [Text("With a checkout, or with the installed package:"), Code("make demo\nappell demo")]


def _robot_part(found: Findings) -> Sequence[Part]:
    robot = found.robot
    size = f"{robot.n} bodies, {robot.nv} degrees of freedom, {robot.mass:g} kg"
    gravity = ", ".join(f"{x:g}" for x in robot.mechanism.gravity)
    stands = "Each row tells where a joint stands in the body before (modified Denavit-Hartenberg)."
    text = Text(f"{size}; gravity ({gravity}) m/s². {stands}")
    return [text, Table(*describe.links(robot.bodies)), *(Text(f"Note: {r}.", "note") for r in found.remarks)]


def _torque_part(found: Findings) -> Sequence[Part]:
    text = (
        f"From q = {START} to {END} rad in {DURATION:g} s, from rest to rest (minimum jerk). Each formulation is "
        "one Python function, written like its paper's page and compiled for this robot: lines show the first, "
        "marks the others."
    )
    if found.figure is None:
        return [Text(text), Text(f"{found.no_figure}.", "note")]
    return [Text(text), Picture(found.figure, "Joint torques over time, by every formulation")]


_HOW_AGREED = (
    "The largest difference over the whole motion, relative to the largest number compared. Allowed are "
    f"{ROUNDING:.0e}, some hundred roundings, for torques and masses; accelerations magnify a rounding by the "
    "condition of the mass matrix."
)
_HOW_TIMED = (
    "Ready in tells how long it took to trace, compile and check a formulation, or to load it from the cache; the "
    "first has to load LLVM too. Plain Python is the same text read with floats. One call is the compiled function on "
    f"one state, from Python, with a new array for the answer. In a batch, {STATES} states go through one call on one "
    "thread, and the time is that of one state. Best of many runs; other work on the machine makes times longer."
)
_HOW_COUNTED = (
    "Of the text as written, and of what is run: after folding what is zero or shared, dropping what no answer needs, "
    "and moving masses along the axes to where they cost least. 2x is one addition; negation is free."
)


def _next_steps(page: Path) -> list[str]:
    text, command = Path(inspect.getfile(gibbs_appell)), Path(sys.executable).with_name("appell")
    return [
        f"Open    {page}  (one file; send it to whom you like)",
        f"Read    {_near(text)}, then docs/architecture.md: the same text down to the machine",
        f"Try     {_near(command)} show panda; {_near(command)} count panda; the files in examples/",
    ]


def _near(path: Path) -> Path:
    """A path as one would type it here."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
