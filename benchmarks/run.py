"""Measure Appell against its peers, on one core, in turns: ``python -m benchmarks.run --help``."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from . import measure, peers, robots
from .measure import Call
from .peers import Contender, Task

Array = np.ndarray
Row = dict[str, Any]

ID, M, FD, DID = peers.QUESTIONS
ABSENT = (AttributeError, MemoryError, NotImplementedError, ValueError)  # what an unfinished answer raises
UNDISTURBED = 0.95  # share of the core below which other processes spoil medians
LONG = 40  # degrees of freedom above which batches are smaller and derivatives are left out
GROWTH = (10, 30, 100, 300, 1000, 10_000, 100_000)
PACKAGES = ("appell", "numpy", "llvmlite", "pin", "mujoco", "casadi")
HOW = (
    "All contenders run in one process pinned to one core and take turns, in random order, in blocks of about "
    "2 ms; the median block is given. Each was verified against Pinocchio (or MuJoCo), single answer and rows "
    "of the batch, before it was timed. One call: MuJoCo and CasADi find their state already in place, "
    "Pinocchio and Appell take it as arguments. Batch: time per state; Pinocchio and MuJoCo in a Python loop "
    "over rows, `pool` and `rollout` their own loops in C++ on one thread, CasADi its `map`. CasADi is C "
    "generated from the 6-D recursions over SX after its `cse`, gcc -O3 -march=native (-O1 above 20 000 "
    "instructions), the quickest of four copies of the library; its derivatives are its own `jacobian` of "
    "inverse dynamics, not a hand-derived recursion."
)
UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))


@dataclass(frozen=True)
class Options:
    """How long and how much to measure."""

    seconds: float = 0.6
    states: int = 10_000
    growth: tuple[int, ...] = GROWTH


@dataclass(frozen=True)
class Goal:
    """`ours` at least `factor` times faster than `theirs`; without `theirs`, at most `factor` nanoseconds."""

    robot: str
    question: str
    kind: str
    factor: float
    ours: str = "appell"
    theirs: str = "pinocchio"


def goals() -> list[Goal]:
    """What the library set out to reach."""
    arms = [(r, x, f) for r in ("puma", "7r") for x, f in ((ID, 8), (M, 6), (FD, 8))]
    found = [Goal(r, x, "call", f) for r, x, f in arms]
    found += [Goal(r, x, "call", 2, "appell out=", "casadi C") for r, x, _ in arms]
    found += [Goal(r, x, "call", 5, "appell method") for r, x, _ in arms]
    trees = [("quadruped", ID, 8), ("quadruped", FD, 6), ("humanoid", ID, 6), ("humanoid", FD, 5)]
    found += [Goal(r, x, "call", f) for r, x, f in trees]
    batch = {"puma": (60, 80), "7r": (50, 60), "quadruped": (30, 30), "humanoid": (22, 20)}
    found += [Goal(r, x, "batch", f) for r, pair in batch.items() for x, f in zip((ID, FD), pair, strict=True)]
    found += [Goal(r, M, "batch", 25) for r in ("puma", "7r")]
    found += [Goal("7r", DID, "call", 4), Goal("7r", DID, "batch", 20), Goal("humanoid", DID, "call", 3)]
    found += [Goal("chain300", ID, "call", 2), Goal("chain300", FD, "call", 2)]
    limits = ((ID, 25e3), (FD, 90e3))
    return [*found, *(Goal("chain1000", x, "call", ns, theirs="") for x, ns in limits)]


# ---- measuring


def say(line: str) -> None:
    print(f"  {line}", flush=True)


def appell_contenders(task: Task) -> Iterator[Contender]:
    """The bare kernel (new array, and `out=`), the method, and the batch."""
    appell: Any = importlib.import_module("appell")

    robot: Any = appell.Robot.from_dict(task.robot)
    letters = "q, v, x" if task.inputs == 3 else "q"
    names: Row = {"f": robot.kernel(task.question), "robot": robot, **dict(zip("qvx", task.one, strict=True))}
    many: Row = names | dict(zip("qvx", task.many, strict=True))

    f, method = names["f"], getattr(robot, task.question)
    one, rows = task.one[: task.inputs], task.many[: task.inputs]
    short, call = f"f({letters})", f"robot.{task.question}({letters})"
    if task.question == DID:  # three results in a tuple, and no `out=`
        stacked = partial(_stacked, f, rows)
        yield Contender("appell", Call(short, names), lambda: np.stack(f(*one)), Call(short, many), stacked)
        yield Contender("appell method", Call(call, names), lambda: np.stack(method(*one)))
        return
    yield Contender("appell", Call(short, names), lambda: f(*one), Call(short, many), lambda: f(*rows))
    yield Contender("appell method", Call(call, names), lambda: method(*one))
    names, many = names | {"out": np.empty_like(f(*one))}, many | {"out": np.empty_like(f(*rows))}
    filled, out = f"f({letters}, out=out)", many["out"]
    single, batch = Call(filled, names), Call(filled, many)
    yield Contender("appell out=", single, lambda: f(*one, out=names["out"]), batch, lambda: f(*rows, out=out))


def _stacked(f: Any, rows: tuple[Array, ...]) -> Array:
    return np.stack(f(*rows), axis=1)


def oracle_for(d: Row) -> Any:
    """Pinocchio where it can hold the robot, else MuJoCo, else None."""
    if peers.available("pinocchio"):
        from tests.oracles.pinocchio_model import LARGEST, PinocchioOracle

        if len(d["bodies"]) <= LARGEST:
            return PinocchioOracle(d)
    if peers.available("mujoco"):
        from tests.oracles.mujoco_model import DEEPEST, MujocoOracle

        if len(d["bodies"]) <= DEEPEST:
            return MujocoOracle(d)
    return None


def task_for(d: Row, oracle: Any, question: str, states: int) -> Task:
    """A state and a batch; for forward dynamics tau is what these accelerations need."""
    one = tuple(x[0] for x in robots.state(d, 1, 1))
    many = robots.state(d, 2, states)
    if question == FD:
        force = oracle.rnea if oracle is not None else _forces(d)
        one = (*one[:2], force(*one))
        many = (*many[:2], np.array([force(*row) for row in zip(*many, strict=True)]))
    return Task(d, question, one, many)  # pyright: ignore[reportArgumentType]


def _forces(d: Row) -> Callable[..., Array]:
    """Without an oracle Appell's own inverse dynamics serves, and without Appell nobody asks."""
    try:
        appell: Any = importlib.import_module("appell")
        return appell.Robot.from_dict(d).inverse_dynamics
    except (ImportError, *ABSENT):
        return lambda q, v, a: a


def tolerance(task: Task, oracle: Any) -> float:
    """Relative to the largest entry; forward dynamics by the condition of the mass matrix."""
    if task.question != FD:
        return 1e-9
    return 1e-8 + 1e-14 * float(np.linalg.cond(oracle.crba(task.one[0])))


def verified(contender: Contender, task: Task, oracle: Any) -> bool:
    """Whether a contender's answers are the oracle's; a wrong one is named and not timed."""
    if oracle is None:
        say(f"not verified: {contender.name}, {task.question}: no peer holds so many bodies")
        return True
    limit, worst = tolerance(task, oracle), 0.0
    if contender.answer is not None:
        worst = _error(contender.answer(), peers.reference(oracle, task.question, *task.one))
    if contender.batch_answer is not None:
        given = contender.batch_answer()
        for i in (0, 1, len(given) // 2, len(given) - 1):
            wanted = peers.reference(oracle, task.question, *(x[i] for x in task.many))
            worst = max(worst, _error(given[i], wanted))
    if not worst <= limit:
        error = f"error {worst:.1e}, wanted at most {limit:.1e}"
        say(f"WRONG, so not timed: {contender.name}, {task.question}: {error}")
    return worst <= limit


def _error(got: Array, wanted: Array) -> float:
    return float(np.max(np.abs(np.asarray(got) - wanted)) / max(1e-300, np.max(np.abs(wanted))))


def everyone(task: Task, batch: bool) -> Iterator[Contender]:
    """Appell, if it is there, and the peers."""
    if peers.available("appell"):
        try:
            yield from appell_contenders(task)
        except ABSENT as reason:
            say(f"skipped: appell, {task.question}: {reason}")
    else:
        say("skipped: appell cannot be imported")
    yield from peers.contenders(task, say, batch)


def questions_for(dof: int) -> tuple[str, ...]:
    """Large chains: no derivatives; the mass matrix only while it fits in memory."""
    if dof > 1000:
        return (ID, FD)
    return peers.QUESTIONS if dof <= LONG else (ID, M, FD)


def measure_robot(name: str, options: Options) -> list[Row]:
    """All questions about one robot."""
    d = robots.load(name)
    dof = len(d["bodies"])
    states = options.states if dof <= LONG else max(16, min(options.states, 20_000 // dof))
    oracle, rows = oracle_for(d), []
    for question in questions_for(dof):
        started = time.perf_counter()
        count = min(states, 2000) if question == DID else states
        task = task_for(d, oracle, question, count)
        able = [c for c in everyone(task, True) if verified(c, task, oracle)]
        for kind, scale in (("call", 1), ("batch", count)):
            calls = {c.name: getattr(c, "single" if kind == "call" else "batch") for c in able}
            with measure.Share() as share:
                found = measure.timings({k: c for k, c in calls.items() if c is not None}, options.seconds)
            rows += [
                {"robot": name, "question": question, "kind": kind, "contender": who, "share": share.value}
                | {"ns": t.median / scale, "best": t.best / scale, "states": scale}
                for who, t in found.items()
            ]
            if share.value < UNDISTURBED:
                say(f"disturbed: this process had {share.value:.0%} of its core; medians are doubtful")
            if found:
                show(name, question, kind, rows)
        print(f"  ({time.perf_counter() - started:.1f} s)", flush=True)
    return rows


def show(name: str, question: str, kind: str, rows: list[Row]) -> None:
    """One line of progress: times, and ratios to Appell where it took part."""
    times = pick(rows, name, question, kind)
    base = times.get("appell")
    parts = [f"{who} {duration(ns)}" + (f" ({ns / base:.1f}x)" if base else "") for who, ns in times.items()]
    print(f"  {question}, {kind}: {', '.join(parts)}", flush=True)


def growth(options: Options) -> list[Row]:
    """Rolled kernels over chains: time per body and state, one call and a batch, and peak scratch."""
    if not peers.available("appell"):
        say("skipped: appell cannot be imported")
        return []
    rows = []
    for n in options.growth:
        for question in (ID, FD):
            try:
                rows += _grown(n, question, options)
            except ABSENT as reason:
                say(f"skipped: appell, {question}, n = {n}: {reason}")
    return rows


def _grown(n: int, question: str, options: Options) -> list[Row]:
    states = max(16, min(options.states, 1_000_000 // n))
    rows = []
    for kind, count in (("one", 1), ("rolled", states)):
        d = robots.load(f"chain{n}")
        f = _fresh_kernel(d, question, count)
        inputs = [x[0] if kind == "one" else x for x in robots.state(d, 3, count)]
        names = dict(zip("fqvx", (f, *inputs), strict=True)) | {"out": np.empty_like(inputs[1])}
        peak = measure.peak_memory(partial(f, *inputs, out=names["out"]))  # the first call: scratch may be kept
        ns = measure.compare({"appell": Call("f(q, v, x, out=out)", names)}, options.seconds / 2)["appell"]
        found = {"robot": f"chain{n}", "question": question, "kind": kind, "contender": "appell"}
        found |= {"ns": ns / count, "states": count, "per_body": ns / count / n, "scratch": peak}
        rows.append(found)
        memory = "unknown" if peak is None else f"{peak / 1e6:.2f} MB"
        print(
            f"  {question}, n = {n}, {count} states: {ns / count / n:.2f} ns per body, scratch {memory}",
            flush=True,
        )
    return rows


def _fresh_kernel(long: Row, question: str, salt: int) -> Any:
    """A rolled kernel that holds no scratch yet, its code loaded: a small chain is called, the long one not.

    Appell gives the same kernel for the same robot, so this one's first mass is its own.
    """
    appell: Any = importlib.import_module("appell")
    small = robots.load("chain12")
    warm = appell.Robot.from_dict(small).kernel(question, unroll=False)
    rows = robots.state(small, 1, 16)
    warm(*rows)
    warm(*(x[0] for x in rows))
    long["bodies"][0]["mass"] *= 1.0 + 0.01 / salt
    return appell.Robot.from_dict(long).kernel(question, unroll=False)


def startup() -> Row:
    """Seconds to import each package above NumPy, and to build Appell's PUMA kernel cold and from cache."""
    found: Row = {}
    for module in ("appell", "pinocchio", "mujoco", "casadi"):
        if peers.available(module):
            found[f"import {module}"] = measure.import_seconds(module)
    if "import appell" in found:
        load = "import numpy, appell; z = numpy.zeros(6); robot = appell.load('puma560')"
        build = "robot.kernel('inverse_dynamics')(z, z, z)"
        try:
            found["build cold"], found["build from cache"] = measure.build_seconds(load, build)
        except subprocess.CalledProcessError as reason:
            say(f"skipped: build times: {reason.stderr.strip().splitlines()[-1]}")
    for what, seconds in found.items():
        print(f"  {what}: {duration(seconds * 1e9)}", flush=True)
    return found


# ---- telling


def pick(rows: list[Row], robot: str, question: str, kind: str) -> dict[str, float]:
    wanted = (robot, question, kind)
    return {r["contender"]: r["ns"] for r in rows if (r["robot"], r["question"], r["kind"]) == wanted}


def duration(ns: float) -> str:
    """A time with three figures and its unit."""
    size, unit = next(((s, u) for s, u in UNITS if ns >= s), UNITS[-1])
    return f"{ns / size:.3g} {unit}"


def judged(rows: list[Row]) -> list[Row]:
    """Each goal with what was reached: a ratio, or nanoseconds; None where nobody was measured."""
    found = []
    for goal in goals():
        times = pick(rows, goal.robot, goal.question, goal.kind)
        ours, theirs = times.get(goal.ours), times.get(goal.theirs)
        reached = ours if not goal.theirs else (theirs / ours if ours and theirs else None)
        met = None if reached is None else (reached >= goal.factor if goal.theirs else reached <= goal.factor)
        found.append(asdict(goal) | {"reached": reached, "met": met})
    return found


def circumstances() -> Row:
    """Machine, versions, date: what a number means nothing without."""
    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), cpu)
        flags = next((line.split() for line in lines if line.startswith("flags")), [])
        cpu += next((f", {name}" for key, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if key in flags), "")
    where = {"cpu": cpu, "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}"}
    where["load"] = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return where | {"date": time.strftime("%Y-%m-%d"), "versions": _versions()}


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    try:
        gcc = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True)
        found["gcc"] = gcc.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        pass
    return found


def markdown(result: Row) -> str:
    """The page of the documentation."""
    at, rows = result["circumstances"], result["rows"]
    versions = ", ".join(f"{k} {v}" for k, v in at["versions"].items())
    parts = [
        "# Benchmarks",
        f"Measured on {at['date']} by `python -m benchmarks.run` ({result['mode']}): {at['cpu']}, "
        f"{at['cores']} cores of which one is used, {at['system']}; {versions}.",
        HOW,
        _disturbance(rows),
    ]
    for kind, title in (("call", "One call from Python"), ("batch", "A batch of states, time per state")):
        parts += [f"## {title}", *(table(rows, q, kind) for q in peers.QUESTIONS)]
    grown = [r for r in rows if "per_body" in r]
    parts += ["## Rolled chains", _grown_table(grown)] if grown else []
    parts += [
        "## Start",
        _grid(["what", "time"], [[k, duration(s * 1e9)] for k, s in result["startup"].items()]),
    ]
    parts += ["## Goals", _goal_table(result["goals"])]
    return "\n\n".join(p for p in parts if p) + "\n"


def _disturbance(rows: list[Row]) -> str:
    """How many measurements other processes spoilt; a reader must know before believing a ratio."""
    cases = {(r["robot"], r["question"], r["kind"]): r["share"] for r in rows if "share" in r}
    spoilt = sum(share < UNDISTURBED for share in cases.values())
    if not spoilt:
        return ""
    worst = min(cases.values())
    return f"**Disturbed:** in {spoilt} of {len(cases)} comparisons other processes took part of the core " + (
        f"(at worst it had {worst:.0%}); their medians are doubtful."
    )


def table(rows: list[Row], question: str, kind: str) -> str:
    """Robots down, contenders across; in brackets the ratio to Appell."""
    mine = [r for r in rows if r["question"] == question and r["kind"] == kind]
    who = list(dict.fromkeys(r["contender"] for r in mine))
    lines = []
    for name in dict.fromkeys(r["robot"] for r in mine):
        times = pick(rows, name, question, kind)
        lines.append([name, *(_cell(times.get(w), None if w == "appell" else times.get("appell")) for w in who)])
    return f"{question.replace('_', ' ').capitalize()}:\n\n" + _grid(["robot", *who], lines) if mine else ""


def _cell(ns: float | None, base: float | None) -> str:
    if ns is None:
        return ""
    return duration(ns) + (f" ({ns / base:.1f}x)" if base else "")


def _grown_table(rows: list[Row]) -> str:
    head = ["chain", "question", "states", "ns per body and state", "peak scratch, MB"]
    lines = []
    for r in rows:
        scratch = "" if r["scratch"] is None else f"{r['scratch'] / 1e6:.2f}"
        lines.append([r["robot"], r["question"], str(r["states"]), f"{r['per_body']:.2f}", scratch])
    return _grid(head, lines)


def _goal_table(found: list[Row]) -> str:
    head = ["robot", "question", "kind", "who", "goal", "reached", ""]
    lines = []
    for g in found:
        ratio = bool(g["theirs"])
        show_number = (lambda x: f"{x:.3g}x") if ratio else duration
        reached = "not measured" if g["reached"] is None else show_number(g["reached"])
        verdict = {None: "", True: "yes", False: "**no**"}[g["met"]]
        who = f"{g['ours']} against {g['theirs']}" if ratio else g["ours"]
        lines.append([g["robot"], g["question"], g["kind"], who, show_number(g["factor"]), reached, verdict])
    return _grid(head, lines)


def _grid(head: list[str], lines: list[list[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def write(path: str, text: str) -> None:
    """Atomically: a reader sees the old file or the new one."""
    fresh = Path(f"{path}.{os.getpid()}.tmp")
    fresh.parent.mkdir(parents=True, exist_ok=True)
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, path)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="PUMA and 7R, short times: a minute")
    parser.add_argument("--only", action="append", metavar="NAME", choices=(*robots.NAMES, "growth", "startup"))
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--markdown", metavar="FILE")
    return parser.parse_args()


def main() -> int:
    """Measure, print, write."""
    asked = arguments()
    options = Options(0.15, 1000, GROWTH[:5]) if asked.quick else Options()
    default = ("puma", "7r", "growth", "startup") if asked.quick else (*robots.NAMES, "growth", "startup")
    names, core = asked.only or default, measure.pin_to_core()
    print(f"pinned to core {core}" if core is not None else "not pinned: the system offers no way")
    rows: list[Row] = []
    started: Row = {}
    for name in names:
        print(name, flush=True)
        if name == "startup":
            started = startup()
        else:
            rows += growth(options) if name == "growth" else measure_robot(name, options)
    mode = "quick" if asked.quick else "full"
    result = {"format": "appell-benchmarks/1", "mode": mode, "circumstances": circumstances()}
    result |= {"rows": rows, "startup": started, "goals": judged(rows)}
    if asked.json:
        write(asked.json, json.dumps(result, indent=1) + "\n")
    if asked.markdown:
        write(asked.markdown, markdown(result))
    print("\n" + _goal_table([g for g in result["goals"] if g["reached"] is not None]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
