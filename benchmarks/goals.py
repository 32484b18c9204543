"""What the library set out to reach, and what a run found of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from . import control, crowds, identification, startup
from .measure import UNDISTURBED
from .memory import FLOATING
from .record import Grown, Measured, Result, least_share
from .tables import three
from .task import DID, FD, ID, M

ARMS = ("puma", "7r")
CONSTANT_FROM = 100  # bodies: shorter chains pay for the call itself
Reading = tuple[float, float]  # a value, and the share of the core that its measurement had
WORDS = {ID: "inverse dynamics", M: "mass matrix", FD: "forward dynamics", DID: "derivatives of inverse dynamics"}
PEER = {ID: "pin.rnea", M: "pin.crba", FD: "pin.aba", DID: "pin.computeRNEADerivatives"}


@dataclass(frozen=True)
class Goal:
    """A number to be reached: at least (`more`) or at most."""

    what: str
    against: str
    wanted: float
    unit: str
    read: Callable[[Result], Reading | None]
    more: bool = True


@dataclass(frozen=True)
class Verdict:
    """A goal with what a run found; None where it did not measure it."""

    what: str
    against: str
    wanted: str
    reached: str | None
    met: bool | None  # None also where the goal is to state what was found
    ratio: float | None  # above 1: better than wanted
    disturbed: bool = False


def verdict(goal: Goal, result: Result) -> Verdict:
    """What became of a goal."""
    wanted = f"{'at least' if goal.more else 'at most'} {three(goal.wanted)}{goal.unit}"
    found = goal.read(result)
    if found is None:
        return Verdict(goal.what, goal.against, wanted, None, None, None)
    value, share = found
    ratio = value / goal.wanted if goal.more else goal.wanted / max(value, 1e-30)
    return Verdict(
        goal.what, goal.against, wanted, three(value) + goal.unit, ratio >= 1.0, ratio, share < UNDISTURBED
    )  # fmt: skip


def verdicts(result: Result) -> list[Verdict]:
    """All goals, and what was to be stated."""
    return [*(verdict(goal, result) for goal in goals()), *(_stated(robot, result) for robot in FLOATING)]


def _stated(robot: str, result: Result) -> Verdict:
    """Batches of mass matrices of floating trees, which memory bounds: to be measured and stated."""
    rows = sorted((w for w in result.written if w.robot == robot), key=lambda w: (w.states, w.who))
    told = [f"{w.states} states {w.rate:.1f} GB/s" if w.who == M else f"`fill` {w.rate:.1f}" for w in rows[::-1]]
    reached = ", ".join(told) or None
    disturbed = least_share(rows) < UNDISTURBED
    against = "`fill` of the same array"
    return Verdict(f"{robot}, {WORDS[M]}, batch: GB/s", against, "stated", reached, None, None, disturbed)


def goals() -> Iterator[Goal]:
    """What the library set out to reach."""
    yield from _single_calls()
    yield from _batches()
    for r, kind, least in (("7r", "call", 4), ("7r", "batch", 20), ("humanoid", "call", 3)):
        words = "one call" if kind == "call" else kind
        yield Goal(f"{r}, {WORDS[DID]}, {words}", PEER[DID], least, "x", _ratio(r, DID, kind))
    yield from _formulations()
    yield from _long_chains()
    yield from _motions()
    yield from _closed()
    yield from _identified()
    yield from _control()
    yield from _starts()


def _single_calls() -> Iterator[Goal]:
    arms = [(r, x, least) for x, least in ((ID, 8), (M, 6), (FD, 8)) for r in ARMS]
    trees = [("quadruped", ID, 8), ("quadruped", FD, 6), ("humanoid", ID, 6), ("humanoid", FD, 5)]
    for r, x, least in arms:
        yield Goal(f"{r}, {WORDS[x]}, bare kernel, new array", PEER[x], least, "x", _ratio(r, x, "call"))
    for r, x, _ in arms:
        read = _ratio(r, x, "call", "appell out=", "casadi C")
        yield Goal(f"{r}, {WORDS[x]}, bare kernel, out=", "CasADi's C through FunctionBuffer", 2, "x", read)
    for r, x, _ in arms:
        yield Goal(f"{r}, {WORDS[x]}, robot.{x}(...)", PEER[x], 5, "x", _ratio(r, x, "call", "appell method"))
    for r, x, least in trees:
        yield Goal(f"{r}, {WORDS[x]}, bare kernel, new array", PEER[x], least, "x", _ratio(r, x, "call"))


def _batches() -> Iterator[Goal]:
    least = {ID: {"puma": 60, "7r": 50, "quadruped": 30, "humanoid": 22}}
    least |= {FD: {"puma": 80, "7r": 60, "quadruped": 30, "humanoid": 20}, M: {"puma": 25, "7r": 25}}
    for x, robots in least.items():
        for r, factor in robots.items():
            yield Goal(f"{r}, {WORDS[x]}, batch", f"a loop over {PEER[x]}", factor, "x", _ratio(r, x, "batch"))
    for r, factor in {"anymal": 40, "talos": 20}.items():
        what = f"{r}'s own URDF, floating, {WORDS[ID]}, batch"
        yield Goal(what, f"a loop over {PEER[ID]}", factor, "x", _ratio(r, ID, "batch"))


def _formulations() -> Iterator[Goal]:
    """Two ways to solve in O(n) without forming M ought to cost the same."""
    for r in ("puma", "7r", "chain30"):
        for kind, words in (("call", "one call"), ("batch", "batch")):
            what = f"{r}, {WORDS[FD]}, DeNOC and articulated bodies, {words}: slower by faster"
            yield Goal(what, "", 1.3, "x", _apart(r, FD, kind, "denoc", "articulated_body"), more=False)


def _long_chains() -> Iterator[Goal]:
    for x, most in ((ID, 25), (FD, 90)):
        yield Goal(f"chain of 1000, {WORDS[x]}, one call", "", most, " us", _microseconds("chain1000", x), more=False)
    for x in (ID, FD):
        yield Goal(f"chain of 300, {WORDS[x]}, one call", PEER[x], 2, "x", _ratio("chain300", x, "call"))
    batch, spread = "rolled chains, inverse dynamics, batch, n = 100 to 100 000", _spread(ID, "batch", 100_000)
    yield Goal(f"{batch}: per body and state", "", 10, " ns", _slowest(ID, "batch"), more=False)
    yield Goal(f"{batch}: slowest by fastest", "", 1.5, "x", spread, more=False)
    for kind, words in (("one", "one call"), ("batch", "batch")):
        what = f"rolled chains, forward dynamics, {words}: slowest by fastest per body, n = 100 to 10 000"
        yield Goal(what, "", 1.3, "x", _spread(FD, kind, 10_000), more=False)
    yield Goal("chain of 100 000, inverse dynamics: scratch", "", 200, " MB", _scratch, more=False)


def _motions() -> Iterator[Goal]:
    tree = "shafei2018: ten rods in a circle"
    time, error = _followed(tree, "rtol 1e-10", "ns", 1e6), _followed(tree, "rtol 1e-13", "error", 1e-12)
    yield Goal(f"{tree}, 1.5 s, rtol 1e-10", "", 50, " ms", time, more=False)
    yield Goal(f"{tree}, rtol 1e-13: error of times", "", 10, " ps", error, more=False)
    what = f"{crowds.FLIGHTS}, {crowds.MANY} of them, rtol 1e-06"
    yield Goal(what, "", 500, " motions/s", _together(crowds.FLIGHTS, "rtol 1e-06"))


def _closed() -> Iterator[Goal]:
    small = {ID: (1000, 100), FD: (2000, 250)}
    most = {"five_bar": small, "agile_wrist": small, "stewart": {ID: (5000, 600), FD: (15_000, 2000)}}
    for robot, questions in most.items():
        for x, (call, batch) in questions.items():
            for kind, words, ns in (("call", "one call", call), ("batch", "batch", batch)):
                what = f"{robot}, loops closed, {WORDS[x]}, {words}"
                yield Goal(what, "", ns, " ns", _looped(robot, x, kind), more=False)
    what = "ladders of four-bars, a step of 1000 by one of 100"
    yield Goal(what, "", 10, "x", _climbed(1000), more=False)


def _identified() -> Iterator[Goal]:
    here = identification
    for what, most, unit in ((here.KERNEL, 500, " ns"), (here.SECONDS, 10, " s"), (here.PEAK, 500, " MB"),
                             (here.WORST, 1.5, "x"), (here.ARM, 1.05, "x"), (here.BAR, 1.05, "x")):  # fmt: skip
        yield Goal(what, "", most, unit, _found(what), more=False)
    yield Goal(f"{here.COVERED}, between 92 and 97: off 94.5", "", 2.5, " %", _covered, more=False)


def _control() -> Iterator[Goal]:
    mean = _stepped("C, gcc, double")
    yield Goal(f"{control.LAW}, a step in C, mean", "", 1000, " ns", mean, more=False)
    for robot in ("puma560", "panda"):
        reached = _posed(robot, "appell, numbers, one by one")
        yield Goal(f"{robot}, inverse kinematics by numbers: reached", "", 0.99, "", reached)


def _starts() -> Iterator[Goal]:
    yield Goal(startup.COLD, "", 300, " ms", _milliseconds(startup.COLD), more=False)
    yield Goal(startup.WARM, "", 15, " ms", _milliseconds(startup.WARM), more=False)
    yield Goal(startup.IMPORT, "", 50, " ms", _milliseconds(startup.IMPORT), more=False)
    yield Goal(startup.PAPER, "", 1000, " ms", _milliseconds(startup.PAPER), more=False)


# ---- how a goal is read from a result


def _ratio(robot: str, question: str, kind: str, ours: str = "appell", theirs: str = "pinocchio") -> Callable:
    """How many times faster than a peer."""

    def read(result: Result) -> Reading | None:
        found = result.of(robot, question, kind)
        if ours not in found or theirs not in found:
            return None
        return found[theirs].ns / found[ours].ns, found[ours].share

    return read


def _apart(robot: str, question: str, kind: str, *pair: str) -> Callable:
    """How many times longer the slower of two formulations takes."""

    def read(result: Result) -> Reading | None:
        key = (robot, question, kind)
        rows = [m for m in result.methods if (m.robot, m.question, m.kind) == key and m.contender in pair]
        times = sorted(m.ns for m in rows)
        return (times[-1] / times[0], least_share(rows)) if len(rows) == len(pair) else None

    return read


def _microseconds(robot: str, question: str) -> Callable:
    def read(result: Result) -> Reading | None:
        found: Measured | None = result.of(robot, question, "call").get("appell")
        return found and (found.ns / 1e3, found.share)

    return read


def _grown(result: Result, question: str, kind: str, longest: int = 100_000) -> list[Grown]:
    return [g for g in result.grown if (g.question, g.kind) == (question, kind) and CONSTANT_FROM <= g.n <= longest]


def _slowest(question: str, kind: str) -> Callable:
    def read(result: Result) -> Reading | None:
        rows = _grown(result, question, kind)
        return (max(g.ns for g in rows), min(g.share for g in rows)) if _reaches(rows, 100_000) else None

    return read


def _spread(question: str, kind: str, longest: int) -> Callable:
    """The slowest by the fastest."""

    def read(result: Result) -> Reading | None:
        rows = _grown(result, question, kind, longest)
        times = [g.ns for g in rows]
        return (max(times) / min(times), min(g.share for g in rows)) if _reaches(rows, longest) else None

    return read


def _reaches(rows: list[Grown], longest: int) -> bool:
    """A shorter table says nothing of the goal."""
    return {CONSTANT_FROM, longest} <= {g.n for g in rows}


def _scratch(result: Result) -> Reading | None:
    sizes = [g.scratch for g in result.grown if g.n == 100_000 and g.question == ID]
    return (max(sizes) / 1e6, 1.0) if sizes else None


def _followed(problem: str, setting: str, what: str, unit: float = 1.0) -> Callable:
    """Of Appell's run of a problem: its time or its error."""

    def read(result: Result) -> Reading | None:
        rows = (m for m in result.moved if (m.problem, m.who, m.setting) == (problem, "appell", setting))
        return next(((getattr(m, what) / unit, m.share) for m in rows), None)

    return read


def _looped(robot: str, question: str, kind: str) -> Callable:
    """Nanoseconds of Appell's answer for a closed mechanism."""

    def read(result: Result) -> Reading | None:
        rows = (x for x in result.looped if (x.robot, x.question, x.kind, x.who) == (robot, question, kind, "appell"))
        return next(((x.ns, x.share) for x in rows), None)

    return read


def _climbed(n: int) -> Callable:
    """How many times longer a step of a ladder takes than of one with a tenth of its rungs."""

    def read(result: Result) -> Reading | None:
        rows = {x.n: x for x in result.ladders}
        if n not in rows or n // 10 not in rows:
            return None
        return rows[n].ns / rows[n // 10].ns, least_share(rows.values())

    return read


def _together(problem: str, setting: str) -> Callable:
    """How many motions Appell follows a second."""

    def read(result: Result) -> Reading | None:
        rows = (c for c in result.crowds if (c.problem, c.who, c.setting) == (problem, "appell", setting))
        return next(((1e9 / c.ns, c.share) for c in rows), None)

    return read


def _found(what: str) -> Callable:
    def read(result: Result) -> Reading | None:
        return next(((x.value, x.share) for x in result.identified if x.what == what), None)

    return read


def _covered(result: Result) -> Reading | None:
    """How far a coverage is from the middle of where it ought to be."""
    found = _found(identification.COVERED)(result)
    return found and (abs(found[0] - 94.5), found[1])


def _stepped(who: str) -> Callable:
    def read(result: Result) -> Reading | None:
        return next(((s.mean, s.share) for s in result.stepped if (s.what, s.who) == (control.LAW, who)), None)

    return read


def _posed(robot: str, who: str) -> Callable:
    def read(result: Result) -> Reading | None:
        return next(((p.reached, p.share) for p in result.posed if (p.robot, p.who) == (robot, who)), None)

    return read


def _milliseconds(what: str) -> Callable:
    def read(result: Result) -> Reading | None:
        return next(((s.seconds * 1e3, s.share) for s in result.started if s.what == what), None)

    return read
