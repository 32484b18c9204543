"""As fast as the drives allow: a path kept, and the time along it chosen within limits of force, speed, acceleration.

With the way s along the path, x = (ds/dt)^2 and u = d2s/dt2, forces are

    tau = A(s) u + B(s) x + E(s) sqrt(x) + F(s)

with inertia in A, centrifugal forces in B, viscous friction in E, gravity and dry friction in F. From the end backwards
it is found how fast one may be everywhere and still stop; then, from the start, one goes as fast as that.

Source: pham2018, there without friction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import DataError, ModelError
from ..robot import Robot
from .gains import of_model
from .trajectory import Motion, Trajectory, within

Array = np.ndarray[Any, Any]
POINTS, FINER = 801, 4  # of the path; so many times more to measure its length by
TRIED, ROUNDS = 25, 5  # speeds that are tried at each point, and how often more finely
STANDS = 1e-12  # radians from point to point below which the path stands still
MENDED, SLOWER, LEEWAY = 40, 0.7, 0.01  # rounds for corners, the x there, and what a limit may be passed by
SLOWEST = 1e-9  # of the largest x, where one starts from rest


@dataclass(frozen=True, eq=False)
class Paced:
    """A path with another time along it; `binding` tells for each instant of the table which limit holds one back."""

    path: Any  # a spline over the way
    way: Array
    x: Array
    binding: tuple[str, ...]

    @cached_property
    def times(self) -> Array:
        """When each point of the table is passed."""
        speed = np.sqrt(self.x)
        return np.concatenate([[0.0], np.cumsum(2 * np.diff(self.way) / (speed[:-1] + speed[1:]))])

    @property
    def t_end(self) -> float:
        return float(self.times[-1])

    def __call__(self, t: Any) -> Motion:
        t = np.clip(within(t, self.t_end), 0.0, self.t_end)
        k = np.clip(np.searchsorted(self.times, t, "right") - 1, 0, len(self.way) - 2)
        u = np.diff(self.x)[k] / (2 * np.diff(self.way)[k])
        after, speed = t - self.times[k], np.sqrt(self.x[k])
        s, rate = self.way[k] + after * (speed + u * after / 2), (speed + u * after)[..., None]
        q, first, second = (self.path(s, order) for order in (0, 1, 2))
        return Motion(q, first * rate, first * u[..., None] + second * rate**2)


def fastest(
    robot: Robot, path: Trajectory, *, force: Any = None, speed: Any = None, acceleration: Any = None,
    points: int = POINTS,
) -> Paced:  # fmt: skip
    """The quickest motion from rest to rest along a path of the joints, which is joined through points by a spline.

    Limits are one number for all joints or one for each; force and speed are by default the model's `effort_limit` and
    `velocity_limit`. What no motion can keep to is a DataError that says which joint, and where.
    """
    bounds = Bounds.of(robot, force, speed, acceleration)
    from scipy.interpolate import CubicSpline

    t = np.linspace(0.0, path.t_end, FINER * points)
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path(t).q, axis=0), axis=1))])
    moves = np.concatenate([[True], np.diff(gone) > STANDS])
    if not gone[-1] > STANDS * len(t):
        raise DataError("fastest got a path that stands still, wanted one that goes somewhere")
    q = path(np.interp(np.linspace(0.0, gone[-1], points), gone[moves], t[moves])).q
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(q, axis=0), axis=1))])
    curve: Any = CubicSpline(way, q)
    grid = Grid.of(robot, bounds, curve, way)
    for _ in range(MENDED):
        found = Paced(curve, way, *grid.forwards(grid.backwards()))
        over = _beyond(robot, bounds, found)
        if not over.any():
            return found
        grid.top[over] = np.minimum(grid.top, SLOWER * found.x)[over]  # sharp corners, between the points
    raise DataError(f"the path turns too sharply at {100 * way[np.argmax(over)] / way[-1]:.0f} % of its way to be "
                    f"followed with {points} points, wanted a smoother one, or more points=")  # type: ignore[possibly-undefined]  # fmt: skip


def _beyond(robot: Robot, bounds: Bounds, found: Paced) -> Array:
    """Around which points a limit is broken between them."""
    t = (found.times[:-1] + np.diff(found.times) * np.array([[0.25], [0.5], [0.75]])).T
    q, v, a = found(t)
    use = np.concatenate([np.abs(robot.inverse_dynamics(q, v, a)) / bounds.force, np.abs(a) / bounds.acceleration], -1)
    broken = np.flatnonzero((use > 1 + LEEWAY).any((-1, -2)))
    over = np.zeros(len(found.way), bool)
    for shift in (-1, 0, 1, 2):
        over[np.clip(broken + shift, 1, len(over) - 2)] = True
    return over


@dataclass(frozen=True, eq=False)
class Bounds:
    """Of each joint."""

    names: tuple[str, ...]
    force: Array
    speed: Array
    acceleration: Array

    @staticmethod
    def of(robot: Robot, force: Any, speed: Any, acceleration: Any) -> Bounds:
        """Given, or the model's."""
        if robot.nq != robot.nv or robot.mechanism.closed:
            raise ModelError(f"robot {robot.name!r}: fastest wants an open chain or a tree without quaternions")
        found = [_limit(robot, what, x, key) for what, x, key in (
            ("force", force, "effort_limit"), ("speed", speed, "velocity_limit"), ("acceleration", acceleration, ""))]
        if all(np.isinf(x).all() for x in found):  # fmt: skip
            raise DataError("fastest got no limits, wanted force, speed or acceleration, or a model that has them")
        names = tuple(b.joint.name for b in robot.bodies if b.joint.type != "fixed")
        return Bounds(names, *found)


def _limit(robot: Robot, what: str, given: Any, key: str) -> Array:
    if given is None:
        return of_model(robot, key) if key else np.full(robot.nv, np.inf)
    x = np.broadcast_to(np.asarray(given, float), (robot.nv,)) if np.size(given) in (1, robot.nv) else np.zeros(1)
    if not (x > 0).all():
        raise DataError(f"fastest got the {what} {given!r}, wanted a number above 0 or {robot.nv} of them")
    return np.array(x)


@dataclass(frozen=True, eq=False)
class Grid:
    """Limits at the points of a path: |A u + B x + E sqrt(x) + F| <= most, one row for each, and x <= top."""

    names: tuple[str, ...]
    way: Array
    rows: tuple[Array, Array, Array, Array]  # A, B, E, F, (points, rows)
    most: Array
    top: Array

    @staticmethod
    def of(robot: Robot, bounds: Bounds, curve: Any, way: Array) -> Grid:
        """Along a curve."""
        q, first, second = (curve(way, order) for order in (0, 1, 2))
        still = np.zeros_like(q)
        rest = robot.inverse_dynamics(q, still, still)
        pushed = robot.inverse_dynamics(q, still, first) - rest
        there, back, faster, off = (robot.bias(q, k * first) for k in (1.0, -1.0, 2.0, -2.0))
        one, two = (there - back) / 2, (faster - off) / 2  # friction is odd in the speed: E + dry, 2 E + dry
        swept = (there + back) / 2 - rest + robot.inverse_dynamics(q, still, second) - rest
        forces = pushed, swept, two - one, rest + 2 * one - two
        grid = [np.concatenate([x, y], 1) for x, y in zip(forces, (first, second, still, still), strict=True)]
        with np.errstate(divide="ignore"):
            top = ((bounds.speed / np.abs(first)) ** 2).min(1)
        names = tuple(f"the {what} of {n!r}" for what in ("force", "acceleration") for n in bounds.names)
        most = np.concatenate([bounds.force, bounds.acceleration])
        keep = np.isfinite(most)
        A, B, E, F = (x[:, keep] for x in grid)
        found = Grid(tuple(n for n, k in zip(names, keep, strict=True) if k), way, (A, B, E, F), most[keep], top)
        found._check()
        return found

    def _check(self) -> None:
        """Nobody can hold still what weighs too much."""
        over = np.abs(self.rows[3]) - self.most
        k, j = np.unravel_index(np.argmax(over), over.shape) if over.size else (0, 0)
        if over.size and over[k, j] > 0:
            needed, part = abs(self.rows[3][k, j]), 100 * self.way[k] / self.way[-1]
            raise DataError(
                f"no motion along the path keeps {self.names[j]} within its limit {self.most[j]:.4g}: "
                f"just to be there it needs {needed:.4g} at {part:.0f} % of the way"
            )

    def room(self, k: int, x: Array, after: Array) -> tuple[Array, Array]:
        """The least and the largest u at a point for speeds x, (tried,), crossed where there is none.

        What is viscous at the next point is that of the speed `after`.
        """
        A, B, E, F, most = self._span[k]
        pairs = zip((x, after), np.split(E, 2), strict=True)
        viscous = np.concatenate([np.multiply.outer(np.sqrt(y), e) for y, e in pairs], 1)
        used = np.multiply.outer(x, B) + viscous + F
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.stack([(-most - used) / A, (most - used) / A])
        stuck = np.abs(A) < 1e-12 * (np.abs(A).max(initial=0.0) or 1.0)
        fits = np.abs(used) <= most * (1 + 1e-12)
        low = np.where(stuck, np.where(fits, -np.inf, np.inf), ends.min(0)).max(1, initial=-np.inf)
        high = np.where(stuck, np.where(fits, np.inf, -np.inf), ends.max(0)).min(1, initial=np.inf)
        return low, high

    @cached_property
    def _span(self) -> list[tuple[Array, ...]]:
        """The limits at both ends of the way to the next point, in u and in x at the first of them."""
        A, B, E, F = self.rows
        step = 2 * np.diff(self.way)[:, None]
        both = (A[:-1], A[1:] + step * B[1:]), (B[:-1], B[1:]), (E[:-1], E[1:]), (F[:-1], F[1:])
        columns = [np.concatenate(pair, 1) for pair in both]
        most = np.concatenate([self.most, self.most])
        return [(*(c[k] for c in columns), most) for k in range(len(self.way) - 1)]

    def backwards(self) -> Array:
        """The largest x at each point from which one can still stop at the end."""
        found = np.zeros(len(self.way))
        for k in range(len(self.way) - 2, -1, -1):
            step = 2 * (self.way[k + 1] - self.way[k])
            low, high = 0.0, self._above(k, found[k + 1], step)
            for _ in range(ROUNDS):
                x = np.linspace(low, high, TRIED)
                least, most = self.room(k, x, np.full(TRIED, found[k + 1]))
                good = (least <= most) & (x + step * least <= found[k + 1]) & (x + step * most >= 0)
                best = int(np.flatnonzero(good)[-1]) if good.any() else 0
                low, high = x[best], x[min(best + 1, TRIED - 1)]
            found[k] = low
        return found

    def _above(self, k: int, after: float, step: float) -> float:
        """An x that is too much at a point, or just what speeds allow."""
        high = after + step
        while high < self.top[k]:
            least, most = self.room(k, np.array([high]), np.array([after]))
            if least[0] > most[0] or high + step * least[0] > after:
                return high
            high *= 4
        return float(self.top[k])

    def forwards(self, bound: Array) -> tuple[Array, tuple[str, ...]]:
        """As fast as can be within what was found backwards; and what holds one back."""
        x, names = np.zeros(len(self.way)), []
        for k in range(len(self.way) - 1):
            step = 2 * (self.way[k + 1] - self.way[k])
            wanted = x[k]
            for _ in range(ROUNDS):  # friction at the end of the step is that of the speed there
                _, most = self.room(k, x[k : k + 1], np.array([max(wanted, 0.0)]))
                wanted = min(x[k] + step * most[0], bound[k + 1])
            least = SLOWEST * bound.max(initial=0.0) if k < len(self.way) - 2 else 0.0
            x[k + 1] = max(wanted, least)
            names.append(self._holding(k, x[k], (x[k + 1] - x[k]) / step))
        return x, (*names, "the end")

    def _holding(self, k: int, x: float, u: float) -> str:
        """The limit that is nearest."""
        A, B, E, F = (row[k] for row in self.rows)
        use = np.abs(A * u + B * x + E * np.sqrt(x) + F) / self.most
        j = int(np.argmax(use)) if len(use) else -1
        return self.names[j] if j >= 0 and use[j] > x / self.top[k] else "the speed"
