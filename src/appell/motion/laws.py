"""What drives a motion: forces as numbers, as a table in time, as a function, or from a controller that samples.

Every law is a `Law`: `at(t, q, v)` for the right-hand side, `begin` where a step starts that it wants to start there,
`next_stop` for when the next such step shall start.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from math import floor, inf, isfinite
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from ..errors import AppellError, ShapeError

Array = np.ndarray[Any, Any]


class Law(Protocol):
    """Forces of joints (nv,), or wrenches on bodies (n, 6)."""

    @property
    def about(self) -> str:
        """What it is, in words, for the ledger."""
        ...

    @property
    def seconds(self) -> float:
        """Spent in the user's Python."""
        ...

    @property
    def calls(self) -> int:
        """How often the user's Python was called."""
        ...

    def at(self, t: float, q: Array, v: Array) -> Array:
        """The forces now."""
        ...

    def begin(self, t: float, q: Array, v: Array) -> None:
        """A step starts here, at a time that `next_stop` named, or at the start of all."""
        ...

    def next_stop(self, t: float) -> float:
        """The next time after t at which the law is not smooth."""
        ...

    def along(self, t: Array, q: Array, v: Array) -> Array:
        """The forces at many times that are past."""
        ...

    @property
    def smooth(self) -> bool:
        """Whether machine code can tell the forces, by a cubic or by a kernel."""
        ...

    @property
    def kernel(self) -> Any:
        """A kernel (t, q, v) -> forces, or None."""
        ...

    def cubic(self, t: float) -> Array:
        """Until the next stop: coefficients (4, ...) of rising powers of the time since t."""
        ...


class Constant:
    """The same forces at all times."""

    seconds, calls, smooth, kernel = 0.0, 0, True, None

    def __init__(self, value: Array, about: str) -> None:
        self.value, self.about = value, about

    def cubic(self, t: float) -> Array:
        return held(self.value)

    def at(self, t: float, q: Array, v: Array) -> Array:
        return self.value

    def begin(self, t: float, q: Array, v: Array) -> None:
        pass

    def next_stop(self, t: float) -> float:
        return inf

    def along(self, t: Array, q: Array, v: Array) -> Array:
        return np.broadcast_to(self.value, (len(t), *self.value.shape)).copy()


def held(value: Array) -> Array:
    """A cubic that does not change."""
    return np.stack([value, *[np.zeros_like(value)] * 3])


class Function:
    """A Python function (t, q, v) of the user's."""

    smooth, kernel = False, None

    def __init__(self, function: Callable[..., Any], name: str, shape: tuple[int, ...]) -> None:
        self.function, self.name, self.shape = function, name, shape
        self.about, self.seconds, self.calls = "a Python function", 0.0, 0

    def at(self, t: float, q: Array, v: Array) -> Array:
        start = perf_counter()
        value = of_user(self.name, self.function, t, q.copy(), v.copy())
        self.seconds += perf_counter() - start
        self.calls += 1
        return checked(self.name, value, self.shape, t)

    def begin(self, t: float, q: Array, v: Array) -> None:
        pass

    def next_stop(self, t: float) -> float:
        return inf

    def cubic(self, t: float) -> Array:
        raise AssertionError("a Python function has no cubic")

    def along(self, t: Array, q: Array, v: Array) -> Array:
        rows = np.full((len(t), *self.shape), np.nan)  # which stay where the law is what ended the motion
        for k in range(len(t)):
            with suppress(AppellError):
                rows[k] = self.at(float(t[k]), q[k], v[k])
        return rows


class Sampled:
    """A controller that looks every `period` seconds and holds its forces in between."""

    smooth, kernel = True, None

    def __init__(self, controller: Any, name: str, shape: tuple[int, ...], t0: float) -> None:
        self.function = Function(controller, name, shape)
        self.period, self.t0 = _period(name, controller), t0
        self.times: list[float] = []
        self.values: list[Array] = []
        self.about = f"a controller with a period of {self.period:g} s"

    @property
    def seconds(self) -> float:
        """Spent in the controller."""
        return self.function.seconds

    @property
    def calls(self) -> int:
        """How many samples."""
        return self.function.calls

    def at(self, t: float, q: Array, v: Array) -> Array:
        return self.values[-1]

    def cubic(self, t: float) -> Array:
        return held(self.values[-1] if self.values else np.zeros(self.function.shape))

    def begin(self, t: float, q: Array, v: Array) -> None:
        if not self.times or t >= self.next_stop(self.times[-1]):
            self.values.append(self.function.at(t, q, v).copy())
            self.times.append(t)

    def next_stop(self, t: float) -> float:
        k = floor((t - self.t0) / self.period)  # which round-off may put one too high or too low
        return next(x for x in (self.t0 + j * self.period for j in (k, k + 1, k + 2)) if x > t)

    def along(self, t: Array, q: Array, v: Array) -> Array:
        if not self.times:
            return np.full((len(t), *self.function.shape), np.nan)
        return np.array(self.values)[np.clip(np.searchsorted(self.times, t, "right") - 1, 0, None)]


class Table:
    """Forces at times, and what is between them: held, linear or a cubic spline. Steps end at the times."""

    seconds, calls, smooth, kernel = 0.0, 0, True, None

    def __init__(self, times: Array, values: Array, between: str, name: str) -> None:
        self.times, self.shape = times.tolist(), values.shape[1:]
        self.c = _cubics(times, values.reshape(len(times), -1), between)
        self.now = 0
        self.about = f"a table in time, {between}" if between != "spline" else "a table in time, a cubic spline between"

    def at(self, t: float, q: Array, v: Array) -> Array:
        i = self.now
        x = t - self.times[i]
        c = self.c[i]
        return (((c[3] * x + c[2]) * x + c[1]) * x + c[0]).reshape(self.shape)

    def cubic(self, t: float) -> Array:
        c, x = self.c[self.now], t - self.times[self.now]
        moved = [c[0] + x * (c[1] + x * (c[2] + x * c[3])), c[1] + x * (2 * c[2] + 3 * x * c[3]), c[2] + 3 * x * c[3]]
        return np.stack([*moved, c[3]]).reshape(4, *self.shape)

    def begin(self, t: float, q: Array, v: Array) -> None:
        self.now = min(max(bisect_right(self.times, t) - 1, 0), len(self.c) - 1)

    def next_stop(self, t: float) -> float:
        i = bisect_right(self.times, t)
        return self.times[i] if i < len(self.times) else inf

    def along(self, t: Array, q: Array, v: Array) -> Array:
        i = np.clip(np.searchsorted(self.times, t, "right") - 1, 0, len(self.c) - 1)
        x = (t - np.array(self.times)[i])[:, None]
        c = self.c[i]
        return (((c[:, 3] * x + c[:, 2]) * x + c[:, 1]) * x + c[:, 0]).reshape(-1, *self.shape)


BETWEEN = ("held", "linear", "spline")


def law(name: str, given: Any, shape: tuple[int, ...], t0: float, t_end: float) -> Law:
    """Whatever the user drives a motion with, as a law."""
    if given is None:
        return Constant(np.zeros(shape), "none")
    if hasattr(given, "period") and callable(given):
        return Sampled(given, name, shape, t0)
    if callable(given):
        return Function(given, name, shape)
    if isinstance(given, tuple) and len(given) == 3 and isinstance(given[2], str):
        return _table(name, *given, shape=shape, t0=t0, t_end=t_end)
    return Constant(checked(name, given, shape, None), "constant")


def of_user(name: str, function: Callable[..., Any], t: float, q: Array, v: Array) -> Any:
    """What a function of the user's gives; where it fails, a sentence with the time, and its own error behind it."""
    try:
        return function(t, q, v)
    except AppellError:
        raise
    except Exception as error:
        raise AppellError(f"{name} at t = {t:.15g} raised {type(error).__name__}: {error}") from error


def checked(name: str, value: Any, shape: tuple[int, ...], t: float | None) -> Array:
    """Forces as an array, or a sentence on what is wrong with them and when."""
    when = "" if t is None else f" at t = {t:.15g}"
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        raise ShapeError(f"{name}{when} is {value!r}, wanted {shape} numbers") from None
    if array.shape != shape:
        raise ShapeError(f"{name}{when} has shape {array.shape}, wanted {shape}")
    if not isfinite(array.sum()) and not np.isfinite(array).all():
        raise ShapeError(f"{name}{when} is {_shown(array)}, wanted finite numbers")
    return np.ascontiguousarray(array)


def _shown(array: Array) -> str:
    """A few numbers, or of many the first that is not finite."""
    if array.ndim < 2:
        return f"{array}"
    at = tuple(int(k[0]) for k in np.nonzero(~np.isfinite(array)))
    return f"{array[at]} in row {at[0]}"


def _period(name: str, controller: Any) -> float:
    period = controller.period
    if isinstance(period, bool) or not isinstance(period, (int, float, np.number)) or not 0 < period < inf:
        raise ShapeError(f"{name}: the controller's period is {period!r}, wanted a positive time")
    return float(period)


def _table(
    name: str, times: Any, values: Any, between: str, *, shape: tuple[int, ...], t0: float, t_end: float
) -> Table:  # fmt: skip
    if between not in BETWEEN:
        raise ShapeError(f"{name}: between its times the table is {between!r}, wanted one of {', '.join(BETWEEN)}")
    times = checked(f"{name}: times", times, np.shape(times), None)
    if times.ndim != 1 or len(times) < 2 or not (np.diff(times) > 0).all():
        raise ShapeError(f"{name}: the table's times of shape {times.shape} do not rise, wanted two or more that do")
    if times[0] > t0 or times[-1] < t_end:
        raise ShapeError(
            f"{name}: the table is for t = {times[0]:g} to {times[-1]:g}, wanted {t0:g} to {t_end:g} at least"
        )
    return Table(times, checked(f"{name}: values", values, (len(times), *shape), None), between, name)


def _cubics(times: Array, values: Array, between: str) -> Array:
    """Coefficients (intervals, 4, n) of rising powers of the time since the last entry."""
    c = np.zeros((len(times) - 1, 4, values.shape[1]))
    c[:, 0] = values[:-1]
    if between == "linear":
        c[:, 1] = np.diff(values, axis=0) / np.diff(times)[:, None]
    elif between == "spline":
        from scipy.interpolate import CubicSpline

        c[:] = np.moveaxis(CubicSpline(times, values).c, 0, 1)[:, ::-1]
    return c
