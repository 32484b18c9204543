"""What a run found: one record for each number, filled as it goes, so that an interrupted run keeps what it has."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from .measure import UNDISTURBED


@dataclass(frozen=True)
class Measured:
    """Nanoseconds per state of a contender; `kind` is "call" (one state) or "batch"."""

    robot: str
    question: str
    kind: str
    contender: str
    ns: float
    best: float
    states: int
    share: float
    tries: int


@dataclass(frozen=True)
class Grown:
    """A rolled kernel over a chain: nanoseconds per body and state, and bytes of scratch at most."""

    n: int
    question: str
    kind: str
    ns: float
    states: int
    scratch: int
    share: float


@dataclass(frozen=True)
class Written:
    """A batch of mass matrices, or NumPy's `fill` of the same memory: nanoseconds per matrix, GB/s written."""

    robot: str
    who: str
    states: int
    ns: float
    rate: float
    share: float


@dataclass(frozen=True)
class Moved:
    """Nanoseconds that a simulation takes, the median and the best, and how far its end is off."""

    problem: str
    who: str
    setting: str
    ns: float
    best: float
    error: float
    unit: str
    share: float


@dataclass(frozen=True)
class Crowd:
    """Many motions at once: nanoseconds for each, and how far off the median and the 95 % best of their ends are."""

    problem: str
    who: str
    setting: str
    count: int
    ns: float
    error: float
    most: float
    share: float


@dataclass(frozen=True)
class Looped:
    """Nanoseconds per state of an answer for a closed mechanism, and how far it is off by the largest number."""

    robot: str
    question: str
    kind: str
    who: str
    ns: float
    error: float
    states: int
    share: float


@dataclass(frozen=True)
class Ladder:
    """n four-bars side by side in motion: nanoseconds per step, how far they part, how energy drifts."""

    n: int
    ns: float
    steps: int
    off: float
    drift: float
    share: float


@dataclass(frozen=True)
class Stepped:
    """A control step: nanoseconds in the mean, below which all but one in 100 000 stay, and at worst."""

    what: str
    who: str
    steps: int
    mean: float
    most: float
    worst: float
    share: float


@dataclass(frozen=True)
class Posed:
    """Inverse kinematics: which share of poses was reached, and nanoseconds for each."""

    robot: str
    who: str
    count: int
    reached: float
    ns: float
    share: float


@dataclass(frozen=True)
class Started:
    """Seconds of something in a fresh process."""

    what: str
    seconds: float
    share: float


@dataclass(frozen=True)
class Identified:
    """A number of identification: a time, a size, or a quality, which has no unit."""

    what: str
    value: float
    unit: str
    share: float


@dataclass(frozen=True)
class Skipped:
    """Who was left out, where and why."""

    who: str
    where: str
    why: str


@dataclass
class Result:
    """All that a run found."""

    mode: str
    circumstances: dict[str, Any]
    measured: list[Measured] = field(default_factory=list)
    methods: list[Measured] = field(default_factory=list)  # as contenders, beside each other alone
    grown: list[Grown] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    moved: list[Moved] = field(default_factory=list)
    crowds: list[Crowd] = field(default_factory=list)
    looped: list[Looped] = field(default_factory=list)
    ladders: list[Ladder] = field(default_factory=list)
    stepped: list[Stepped] = field(default_factory=list)
    posed: list[Posed] = field(default_factory=list)
    started: list[Started] = field(default_factory=list)
    identified: list[Identified] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    interrupted: bool = False

    def skip(self, who: str, where: str, why: str) -> None:
        """Notes and says what is left out."""
        self.skipped.append(Skipped(who, where, why))
        say(f"skipped: {who}, {where}: {why}")

    def skipping(self, where: str) -> Callable[[str, str], None]:
        """The same for one place: takes who, and why."""
        return lambda who, why: self.skip(who, where, why)

    def of(self, robot: str, question: str, kind: str) -> dict[str, Measured]:
        """The contenders of one comparison, by name."""
        wanted = (robot, question, kind)
        return {m.contender: m for m in self.measured if (m.robot, m.question, m.kind) == wanted}

    def plain(self) -> dict[str, Any]:
        """As data for JSON."""
        return {"format": "appell-benchmarks/1", **asdict(self)}


def say(line: str) -> None:
    """A line of progress."""
    print(f"  {line}", flush=True)


def least_share(records: Iterable[Any]) -> float:
    """The worst share of the core among records."""
    return min((r.share for r in records), default=1.0)


def mark(share: float) -> str:
    """Nothing, or what to say of a number whose measurement others disturbed to the end."""
    return "" if share >= UNDISTURBED else f"disturbed, {share:.0%} of the core"
