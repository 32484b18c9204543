"""Motions given in advance: each is asked for (q, v, a) at an instant, or at an array of them.

Joints, or anything that is a vector, move by `ramps`, `splines` and `fourier`; a frame in space by what is in `space`;
a `JointPath` moves the joints that bring a frame along its way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..errors import ShapeError

Array = np.ndarray[Any, Any]


class Motion(NamedTuple):
    """Positions, velocities and accelerations: (..., n) for instants (...)."""

    q: Array
    v: Array
    a: Array


class Trajectory(Protocol):
    """What has a motion from 0 to t_end."""

    @property
    def t_end(self) -> float: ...

    def __call__(self, t: Any) -> Motion: ...


class FrameMotion(NamedTuple):
    """A frame's pose (..., 4, 4); its velocity and acceleration (..., 6), linear then angular, in world axes."""

    pose: Array
    velocity: Array
    acceleration: Array


class FrameTrajectory(Protocol):
    """What has a motion of a frame from 0 to t_end."""

    @property
    def t_end(self) -> float: ...

    def __call__(self, t: Any) -> FrameMotion: ...


def within(t: Any, t_end: float) -> Array:
    """Instants that a trajectory has; a ShapeError for others."""
    t = np.asarray(t, float)
    slack = 1e-9 * t_end
    if not ((t >= -slack) & (t <= t_end + slack)).all():
        raise ShapeError(f"trajectory: asked for t from {t.min():.6g} to {t.max():.6g}, wanted 0 to {t_end:.6g}")
    return t


@dataclass(frozen=True, eq=False)
class Held:
    """A trajectory that rests at its ends before it begins and after it is over."""

    inner: Trajectory

    @property
    def t_end(self) -> float:
        return self.inner.t_end

    def __call__(self, t: Any) -> Motion:
        t = np.asarray(t, float)
        q, v, a = self.inner(np.clip(t, 0.0, self.t_end))
        moving = (t >= 0.0) & (t <= self.t_end)
        moving = moving[..., None] if np.ndim(q) > t.ndim else moving
        return Motion(q, np.where(moving, v, 0.0), np.where(moving, a, 0.0))


@dataclass(frozen=True, eq=False)
class Chain:
    """Trajectories one after another; at an instant where two meet, the later one."""

    parts: Sequence[Trajectory]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ShapeError("a chain of no trajectories, wanted one at least")

    @property
    def t_end(self) -> float:
        return float(sum(p.t_end for p in self.parts))

    def __call__(self, t: Any) -> Motion:
        t = within(t, self.t_end)
        starts = np.cumsum([0.0, *(p.t_end for p in self.parts[:-1])])
        which = np.clip(np.searchsorted(starts, t, "right") - 1, 0, len(self.parts) - 1)
        motions = [p(np.clip(t - s, 0.0, p.t_end)) for p, s in zip(self.parts, starts, strict=True)]
        wide = (..., None) if np.ndim(motions[0].q) > t.ndim else (...,)
        chosen = [(which == k)[wide] for k in range(len(motions))]
        return Motion(*(np.select(chosen, x) for x in zip(*motions, strict=True)))
