"""Many motions at once: how many a second on one core, and how far off they end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

import appell
from appell import simulate, simulate_batch

from .crowds_mujoco import rolled_humanoids, rolled_pendulums
from .measure import Share
from .motion_problems import ANGLE, ROD_E, pendulum, pendulum_angle
from .record import Crowd, Result, mark, say
from .task import available

Array = np.ndarray[Any, Any]
SWINGING, FLYING, PLAIN = "pendulums against a wall, 5 s", "humanoids in flight, 1 s", 1e-3
COUNT, CHECKED, ONE_BY_ONE = 512, 48, 100
FLIGHTS = "variants of shafei2018, 1.5 s"
MANY = 10_000


@dataclass(frozen=True)
class Way:
    """Somebody's way to follow many motions: gives where they end."""

    who: str
    setting: str
    count: int
    run: Callable[[], Array]


def crowd(result: Result, many: int = MANY) -> None:
    """All problems, everybody in turn, each for once: the motions are many enough to average over."""
    for name, ways, errors in (_pendulums(result), _humanoids(result), _flights(many)):
        say(name)
        for way in ways:
            way.run() if way.count <= COUNT else None  # kernels and caches
            with Share() as share:
                start = perf_counter()
                ends = way.run()
                seconds = perf_counter() - start
            half, most = np.quantile(errors(ends), (0.5, 0.95)).tolist()
            row = Crowd(name, way.who, way.setting, way.count, 1e9 * seconds / way.count, half, most, share.value)
            result.crowds.append(row)
            told = f"{way.who}, {way.setting}: {way.count / seconds:.3g} a second, off by {half:.1e}"
            say(f"{told} {mark(row.share)}".rstrip())


Part = tuple[str, Iterator[Way], Callable[[Array], Array]]


def _pendulums(result: Result) -> Part:
    """Rods that swing against a wall, from other angles; their ends are known in closed form."""
    problem = pendulum()
    robot, start = appell.Robot.from_dict(problem.robot), np.linspace(ANGLE - 0.5, ANGLE + 0.3, COUNT)
    options: dict[str, Any] = {"walls": problem.wall(), "points": problem.points, "restitution": ROD_E}

    def ours(**given: Any) -> Callable[[], Array]:
        return lambda: simulate_batch(robot, start[:, None], [0.0], problem.t_end, **options, **given).q[:, -1]

    def ways() -> Iterator[Way]:
        for rtol in (1e-4, 1e-6, 1e-9):
            yield Way("appell", f"rtol {rtol:g}", COUNT, ours(rtol=rtol, atol=PLAIN * rtol, gap_tolerance=PLAIN * rtol))
        yield Way("appell", "RK4, 0.005 s", COUNT, ours(integrator="rk4", step=5e-3))
        if not available("mujoco"):
            result.skip("mujoco", SWINGING, "it is not installed")
            return
        for step in (1e-3, 1e-4):
            rows = start[:: COUNT // CHECKED]
            yield Way("mujoco rollout", f"RK4, {step:g} s", len(rows), rolled_pendulums(problem, rows, step))

    def errors(ends: Array) -> Array:
        at = start if len(ends) == COUNT else start[:: COUNT // CHECKED]
        return np.abs(ends[:, 0] - [pendulum_angle(problem.t_end, x) for x in at])

    return SWINGING, ways(), errors


def _humanoids(result: Result) -> Part:
    """A floating tree of 38 freedoms that nothing touches: what integration alone costs."""
    from .robots import load, state

    data = load("humanoid")
    robot, (q, v, _) = appell.Robot.from_dict(data), state(data, 1, COUNT)
    v = 0.3 * v
    exact = [simulate(robot, q[k], v[k], 1.0, rtol=1e-12).q[-1] for k in range(CHECKED)]

    def ours(**given: Any) -> Callable[[], Array]:
        return lambda: simulate_batch(robot, q, v, 1.0, **given).q[:, -1]

    def ways() -> Iterator[Way]:
        yield Way("appell", "rtol 1e-06", COUNT, ours(rtol=1e-6))
        yield Way("appell", "rtol 1e-09", COUNT, ours(rtol=1e-9, atol=1e-12))
        yield Way("appell", "RK4, 0.002 s", COUNT, ours(integrator="rk4", step=2e-3))
        if not available("mujoco"):
            result.skip("mujoco", FLYING, "it is not installed")
            return
        for step in (2e-3, 5e-4):
            yield Way("mujoco rollout", f"RK4, {step:g} s", CHECKED, rolled_humanoids(data, q[:CHECKED], v, step))

    def errors(ends: Array) -> Array:
        return np.array([np.abs(robot.difference(a, b)).max() for a, b in zip(ends, exact)])

    return FLYING, ways(), errors


def _flights(many: int) -> Part:
    """Other starts and restitutions of the tree in its circle; some of them are followed one by one, and exactly."""
    flights = Variants.of(many)
    exact = flights.one_by_one(1e-11)

    def ways() -> Iterator[Way]:
        yield Way("appell", "rtol 1e-06", many, lambda: flights.together(1e-6))
        some = len(exact)
        yield Way("appell, one by one", "rtol 1e-06", some, lambda: flights.one_by_one(1e-6))

    return FLIGHTS, ways(), lambda ends: np.abs(ends[: len(exact)] - exact).max(1)


@dataclass(frozen=True)
class Variants:
    """The case of shafei2018, disturbed: every coordinate by up to 0.02, restitutions from 0.3 to 1."""

    q: Array
    e: Array

    @staticmethod
    def of(count: int) -> Variants:
        from appell.papers.tree_in_circle import Flight

        rng = np.random.default_rng(0)
        q = Flight().start + 0.02 * rng.uniform(-1, 1, (count, 12))
        q[:, 1] = q[:, 0]
        return Variants(q, rng.uniform(0.3, 1.0, count))

    def together(self, rtol: float) -> Array:
        robot, options = _tree()
        return simulate_batch(robot, self.q, np.zeros(12), 1.5, rtol=rtol, restitution=self.e, **options).q[:, -1]

    def one_by_one(self, rtol: float) -> Array:
        robot, options = _tree()
        return np.array([
            simulate(robot, q, np.zeros(12), 1.5, rtol=rtol, atol=PLAIN * rtol, restitution=float(e), **options).q[-1]
            for q, e in zip(self.q[:ONE_BY_ONE], self.e)
        ])  # fmt: skip


def _tree() -> tuple[appell.Robot, dict[str, Any]]:
    from appell.papers.tree_in_circle import POINTS, RADIUS, Flight

    return Flight().robot, {"walls": appell.Circle(RADIUS), "points": POINTS, "gap_tolerance": 1e-6}
