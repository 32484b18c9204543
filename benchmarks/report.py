"""The page of the documentation."""

from __future__ import annotations

from typing import Any

from .goals import Verdict, verdicts
from .measure import UNDISTURBED
from .record import Looped, Measured, Result, least_share, mark
from .tables import duration, grid, memory, three
from .task import QUESTIONS

HOW = """\
All contenders run in one process pinned to one core and take turns, in random order, in blocks of about 2 ms; the
median block is given, and in brackets its ratio to Appell's bare kernel. Each was verified before it was timed, the
single answer and rows of the batch: against Pinocchio, else MuJoCo, and where neither holds so long a chain against
another formulation, forward dynamics by its residual there. The share of the core that the process got is recorded;
a comparison with less than 95 % is repeated up to three times and marked if that did not help.

* **One call**: `appell` is the bare kernel that gives a new array, `appell out=` the same into a given one, `appell
  method` is `robot.inverse_dynamics(q, v, a)` and its like. Pinocchio takes its arguments from NumPy arrays as Appell
  does; MuJoCo and CasADi find their state already in place.
* **Batch**: time per state; 10 000 states, fewer for long chains and where the answers would take more than 128 MB,
  as the tables say. Appell takes arrays `(states, n)`. Pinocchio and MuJoCo run in a Python loop over rows,
  `pool` and `rollout` are their own loops in C++ on one thread, CasADi runs its `map`.
* **MuJoCo** does the least work that answers: kinematics, comPos, comVel and rne for inverse dynamics, kinematics,
  comPos, makeM and fullM for the mass matrix, `mj_forward` without constraints and contacts for forward dynamics.
  `rollout` integrates a step as well.
* **CasADi** has no rigid bodies: its text is ours, the usual 6-D spatial recursions over SX with structural zeros of
  the model, then its `cse`, generated as C, gcc -O3 -march=native (-O1 above 20 000 instructions), the quickest of four
  copies of the library. Its derivatives are its own `jacobian` of inverse dynamics, not a hand-derived recursion."""
GROWTH = """\
Kernels of loops (`unroll=False`) on chains, into a given array; all lengths take turns. Inverse dynamics was verified
against a second formulation, forward dynamics by its residual there. Scratch is the memory
that the first calls asked for at most, inputs and answers excepted; the kernel keeps it for the next."""
METHODS = """\
The same question by every formulation of Appell's table, compiled for the robot; all of a column take turns, and in
brackets is the ratio to the quickest. One call gives a new array; the time in a batch is that of one state."""
MEMORY = """\
A mass matrix of a floating tree is large: 18 x 18 or 38 x 38 numbers. A small batch stays in the second cache, a large
one is written to memory; NumPy's `fill` of the same array writes and does nothing else."""
MOTION = """\
From rest to the end, everything that a user calls included; the error is that of the position at the end against the
closed form, for the tree of shafei2018 that of the times of its five impacts. Pinocchio's accelerations go into SciPy's
`solve_ivp` with terminal events, and the impacts are solved in NumPy; Appell's forward dynamics is articulated bodies
there as well. MuJoCo's contacts are springs, damped so that they give back the same share of the speed; half a swing of
one is ten steps of 1 ms, 32 of 0.1 ms, 100 of 0.01 ms."""
CROWDS = """\
The rows of `simulate_batch` go on by their own steps; in each the events are found to a ten-thousandth of the gap
tolerance, and Newton's law acts there. All variants of shafei2018 have another start, every coordinate up to 0.02 off,
and a restitution from 0.3 to 1; a hundred of them are compared with `simulate` at rtol 1e-11, and beside them stands
what `simulate` itself is off at the tolerance of the batch: impacts make the motions diverge. The pendulums are
compared with their closed form, the humanoids with `simulate` at rtol 1e-12. `rollout` takes steps of one length, and
its contacts are the springs of the section above; no wall of MuJoCo is round from inside, so it cannot follow the
tree."""
CLOSED = """\
Forces of the motors for a motion, and accelerations for forces, with the loops closed. `appell` is the bare kernel in
all joints, `appell reduced` that in the motors' coordinates, which finds the motion of all others too. Pinocchio has
the same loops as pairs of points that coincide, `constraintDynamics` with its proximal solver; it has no inverse
dynamics of closed chains, so rnea, the Jacobian of its constraints and NumPy's least squares stand for that. MuJoCo
has `connect` equalities, as hard as they can be made, and `mj_forward`. The truth is LAPACK's, from Pinocchio's
matrices and the accelerations of the points, on the motions that loops allow; in brackets are errors against its
largest number. Batches of Pinocchio and MuJoCo are Python loops over rows."""
LADDERS = """\
N parallelograms of rods side by side on hinges in space, three equations too many in each, falling through the line of
all their bars: time for a step of DOP853 at rtol 1e-10 (of a thousand 1e-9, as rounding allows), its projections
included, what is done once per motion left out. How far the cranks part is the error: they ought to move as one. Up to
48 degrees of freedom the loops are straight-line code, above sparse matrices, which cost some 15 ms a step at least."""
IDENTIFICATION = """\
The regressor has 60 columns, ten for each body, and goes into a given array. A million samples, made on the way, are
reduced to one triangle for each joint by Householder's reflections, in a process of its own; its memory is all that the
process had at most, Python and its libraries included. The PUMA's noise is that of the study in valera2003: 1001
samples of one motion, exact motion, white noise of forces. The 7R arm and the five-bar are identified from 30 s of
positions and forces of their motors at 1 kHz, both with noise, filtered to 10 Hz, and then predict another motion: the
residual of the worst joint is given in units of the noise that the filter leaves."""
CONTROL = """\
The law as `write_c` writes it, 10^7 steps over 1024 random states in a loop of C: the mean of all of them in a row, and
by the clock around each step, which costs some 20 ns more, what all but one in 100 000 take, and the worst, which is
the system's interruptions. Poses are those of random postures within the joints' limits; one is reached if what is
found is there to 1e-5. The Robotics Toolbox starts at random and searches up to a hundred times, `ik_LM` in C++; Appell
starts at zero, then at random. Its closed form gives all postures, without asking for limits."""
START = """\
Best of several fresh processes, bytecode at hand. The build is `robot.kernel("inverse_dynamics")` once Appell and
llvmlite are imported: tracing, writing, compiling and checking when cold, reading and loading from the cache."""


def markdown(result: Result) -> str:
    """The whole page."""
    parts = ["# Benchmarks", *_head(result), "## Goals", goal_table(result), *_comparisons(result)]
    parts += ["## Every formulation", METHODS, *_method_tables(result)] if result.methods else []
    parts += ["## Longer and longer chains", GROWTH, _growth_table(result)] if result.grown else []
    parts += ["## Mass matrices and memory", MEMORY, _memory_table(result)] if result.written else []
    parts += ["## Motion through impacts", MOTION, _motion_table(result)] if result.moved else []
    parts += ["## Many motions at once", CROWDS, _crowd_table(result)] if result.crowds else []
    parts += ["## Closed mechanisms", CLOSED, *_looped_tables(result)] if result.looped else []
    parts += ["## Ladders of loops", LADDERS, _ladder_table(result)] if result.ladders else []
    parts += ["## Identification", IDENTIFICATION, _identification_table(result)] if result.identified else []
    if result.stepped or result.posed:
        parts += ["## Control", CONTROL, _step_table(result), _pose_table(result)]
    parts += ["## Start", START, _start_table(result)] if result.started else []
    parts += ["## Left out", _left_out(result)] if result.skipped else []
    return "\n\n".join(p for p in parts if p) + "\n"


def _head(result: Result) -> list[str]:
    at = result.circumstances
    versions = ", ".join(f"{k} {v}" for k, v in at["versions"].items())
    machine = f"{at['cpu']}, {at['cores']} cores of which one is used, {at['system']}"
    first = f"Measured on {at['date']} by `python -m benchmarks.run` ({result.mode}): {machine}; {versions}."
    first += "" if at["load"] is None else f" Load of the machine at the start: {at['load']:.1f}."
    stopped = "**Interrupted:** what follows is what was measured until then." if result.interrupted else ""
    return [first, stopped, "## How", HOW, _disturbance(result)]


def _disturbance(result: Result) -> str:
    """How many measurements other processes spoilt; a reader must know before believing a ratio."""
    shares = [*{(m.robot, m.question, m.kind): m.share for m in result.measured}.values()]
    shares += {(g.question, g.kind): g.share for g in result.grown}.values()
    spoilt = sum(share < UNDISTURBED for share in shares)
    if not spoilt:
        return ""
    where = f"in {spoilt} of {len(shares)} comparisons other processes took part of the core to the end"
    return f"**Disturbed:** {where} (at worst we had {min(shares):.0%}); their medians are doubtful."


def goal_table(result: Result, measured_only: bool = False) -> str:
    """Each goal, what was reached, by which factor, yes or no."""
    lines = []
    for g in verdicts(result):
        if g.reached is None and measured_only:
            continue
        ratio = "" if g.ratio is None else f"{g.ratio:.2f}"
        lines.append([g.what, g.against, g.wanted, g.reached or "not measured", ratio, _answer(g)])
    return grid(["what", "against", "goal", "reached", "reached by goal", "met"], lines)


def _answer(g: Verdict) -> str:
    if g.reached is None:
        return ""
    word = {True: "yes", False: "**no**", None: "stated"}[g.met]
    return word + (" (disturbed)" if g.disturbed else "")


def _comparisons(result: Result) -> list[str]:
    parts = []
    for kind, title in (("call", "One call from Python"), ("batch", "A batch of states, time per state")):
        tables = [comparison_table(result, question, kind) for question in QUESTIONS]
        parts += [f"## {title}", *tables] if any(tables) else []
    return parts


def comparison_table(result: Result, question: str, kind: str) -> str:
    """Robots down, contenders across; in brackets the ratio to Appell."""
    mine = [m for m in result.measured if (m.question, m.kind) == (question, kind)]
    who = list(dict.fromkeys(m.contender for m in mine))
    lines = [_line(result.of(name, question, kind), who) for name in dict.fromkeys(m.robot for m in mine)]
    head = ["robot", *(["states"] if kind == "batch" else []), *who]
    return f"{question.replace('_', ' ').capitalize()}:\n\n{grid(head, lines)}" if mine else ""


def _line(times: dict[str, Measured], who: list[str]) -> list[str]:
    some, base = next(iter(times.values())), times.get("appell")
    name = some.robot + (f" ({mark(some.share)})" if mark(some.share) else "")
    count = [str(some.states)] if some.kind == "batch" else []
    return [name, *count, *(_cell(times.get(w), base) for w in who)]


def _cell(one: Measured | None, base: Measured | None) -> str:
    if one is None:
        return ""
    return duration(one.ns) + (f" ({one.ns / base.ns:.1f}x)" if base and one is not base else "")


def _method_tables(result: Result) -> list[str]:
    """A table for each question: formulations down, robots and ways to call across."""
    return [method_table(result, question) for question in dict.fromkeys(m.question for m in result.methods)]


def method_table(result: Result, question: str) -> str:
    """Times, and in brackets the ratio to the quickest of the column."""
    mine = [m for m in result.methods if m.question == question]
    columns = {(m.robot, m.kind): {} for m in mine}
    for m in mine:
        columns[m.robot, m.kind][m.contender] = m
    head = ["formulation", *(_column(robot, kind, at) for (robot, kind), at in columns.items())]
    names = dict.fromkeys(m.contender for m in mine)
    best = [min(at.values(), key=lambda m: m.ns) for at in columns.values()]
    lines = [[name, *(_cell(at.get(name), b) for at, b in zip(columns.values(), best))] for name in names]
    return f"{question.replace('_', ' ').capitalize()}:\n\n{grid(head, lines)}"


def _column(robot: str, kind: str, found: dict[str, Measured]) -> str:
    told = mark(least_share(found.values()))
    return f"{robot}, {'one call' if kind == 'call' else kind}" + (f" ({told})" if told else "")


def _growth_table(result: Result) -> str:
    head = ["n", "question", "states", "ns per body and state", "scratch"]
    lines = []
    for g in result.grown:
        time = f"{g.ns:.2f} {mark(g.share)}".rstrip()
        lines.append([str(g.n), g.question.replace("_", " "), str(g.states), time, memory(g.scratch)])
    return grid(head, lines)


def _memory_table(result: Result) -> str:
    lines: list[list[Any]] = []
    for w in result.written:
        who = "mass matrix" if w.who != "fill" else "`fill`"
        lines.append([w.robot, str(w.states), who, duration(w.ns), f"{w.rate:.1f} {mark(w.share)}".rstrip()])
    return grid(["robot", "states", "what", "per state", "GB/s written"], lines)


def _motion_table(result: Result) -> str:
    lines = []
    for m in result.moved:
        time = f"{duration(m.ns)} {mark(m.share)}".rstrip()
        lines.append([m.problem, m.who, m.setting, time, f"{m.error:.1e} {m.unit}"])
    return grid(["problem", "by", "setting", "time", "error at the end"], lines)


def _crowd_table(result: Result) -> str:
    lines = []
    for c in result.crowds:
        rate = f"{three(1e9 / c.ns)} {mark(c.share)}".rstrip()
        lines.append([c.problem, str(c.count), c.who, c.setting, rate, f"{c.error:.1e}", f"{c.most:.1e}"])
    return grid(["problem", "motions", "by", "setting", "motions per second", "median error", "95 % below"], lines)


def _looped_tables(result: Result) -> list[str]:
    """A table for each question and way to ask: mechanisms down, contenders across."""
    found: dict[tuple[str, str], dict[str, dict[str, Looped]]] = {}
    for x in result.looped:
        found.setdefault((x.question, x.kind), {}).setdefault(x.robot, {})[x.who] = x
    return [_looped_table(question, kind, rows) for (question, kind), rows in found.items()]


def _looped_table(question: str, kind: str, rows: dict[str, dict[str, Looped]]) -> str:
    """Times, and in brackets errors."""
    who = list(dict.fromkeys(name for row in rows.values() for name in row))
    lines = []
    for robot, row in rows.items():
        told = mark(least_share(row.values()))
        cells = [f"{duration(row[w].ns)} ({row[w].error:.0e})" if w in row else "" for w in who]
        lines.append([robot + (f" ({told})" if told else ""), *cells])
    title = f"{question.replace('_', ' ').capitalize()}, {'one call' if kind == 'call' else 'a batch, per state'}"
    return f"{title}:\n\n{grid(['robot', *who], lines)}"


def _ladder_table(result: Result) -> str:
    lines = []
    for x in result.ladders:
        time = f"{duration(x.ns)} {mark(x.share)}".rstrip()
        lines.append([str(x.n), str(x.steps), time, f"{x.off:.0e} rad", f"{x.drift:.0e}"])
    return grid(["four-bars", "steps", "time per step", "cranks part by", "energy drifts by"], lines)


def _identification_table(result: Result) -> str:
    lines = [[x.what, f"{three(x.value)} {x.unit} {mark(x.share)}".rstrip()] for x in result.identified]
    return grid(["what", "found"], lines)


def _step_table(result: Result) -> str:
    lines = []
    for s in result.stepped:
        times = (duration(x) if x == x else "" for x in (s.mean, s.most, s.worst))
        lines.append([s.what, f"{s.who} {mark(s.share)}".rstrip(), str(s.steps), *times])
    return grid(["law", "by", "steps", "mean", "all but 1e-5 below", "worst"], lines) if lines else ""


def _pose_table(result: Result) -> str:
    lines = []
    for p in result.posed:
        lines.append([p.robot, p.who, str(p.count), f"{p.reached:.1%}", f"{duration(p.ns)} {mark(p.share)}".rstrip()])
    return grid(["inverse kinematics of", "by", "poses", "reached", "per pose"], lines) if lines else ""


def _start_table(result: Result) -> str:
    lines = [[s.what, f"{duration(s.seconds * 1e9)} {mark(s.share)}".rstrip()] for s in result.started]
    return grid(["what", "time"], lines)


def _left_out(result: Result) -> str:
    """Once for each reason."""
    where: dict[tuple[str, str], list[str]] = {}
    for s in result.skipped:
        where.setdefault((s.who, s.why), []).append(s.where.replace("_", " "))
    return "\n".join(f"* {who}: {why} ({'; '.join(places)})." for (who, why), places in where.items())
