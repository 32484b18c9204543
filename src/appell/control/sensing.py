"""Angles and speeds of joints from what the cards tell."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DataError, ShapeError
from .driver import Measurement
from .electronics import Encoders, Potentiometers

Array = np.ndarray[Any, Any]
SURE = 4.0  # standard deviations that must lie within half the way from index to index


class Sensing:
    """Where the joints are and how fast, sample after sample.

    Encoders tell how far, potentiometers where from: their mean until an index pulse comes, which is exact from then
    on. Speeds are differences of positions through a low pass of `cutoff` Hz.
    """

    def __init__(self, encoders: Encoders, potentiometers: Potentiometers, cutoff: float = 50.0) -> None:
        if not 0 < cutoff < np.inf:
            raise ShapeError(f"sensing got a cutoff of {cutoff!r} Hz, wanted a frequency above 0")
        self.encoders, self.potentiometers, self.cutoff = encoders, potentiometers, cutoff
        noise = np.asarray(potentiometers.noise) / potentiometers.volts * potentiometers.span
        room = np.pi / np.abs(np.asarray(encoders.gear, float))
        if np.any(SURE * noise > room):
            k = int(np.argmax(np.broadcast_to(SURE * noise > room, np.broadcast(noise, room).shape)))
            text = f"potentiometer {k + 1} is noisy by {np.atleast_1d(noise)[min(k, noise.size - 1)]:.3g} rad"
            raise ShapeError(f"{text}: it cannot tell which turn of its encoder an index pulse belongs to")
        self.samples, self.sum, self.known = 0, np.zeros(0), np.zeros(0, bool)
        self.zero, self.last, self.v = np.zeros(0), None, np.zeros(0)

    def __call__(self, m: Measurement) -> tuple[Array, Array]:
        """(q, v) of a sample."""
        moved = (m.counts + 0.5) * self.encoders.resolution  # the middle of a count
        if not self.samples:
            self.sum, self.zero, self.v = (np.zeros(len(moved)) for _ in range(3))
            self.known = np.zeros(len(moved), bool)
        self.samples += 1
        self.sum = self.sum + self.potentiometers.angle(m.potentiometers) - moved
        zero = np.where(self.known, self.zero, self.sum / self.samples)
        fine = self.encoders.resolution
        pulse = self.encoders.lines_passed(self.encoders.nearest(zero + m.latched * fine))
        self.zero = np.where(m.index, (pulse - m.latched) * fine, zero)
        self.known = self.known | m.index
        return self._differentiated(m.t, moved) + self.zero, self.v

    def _differentiated(self, t: float, moved: Array) -> Array:
        if self.last is not None:
            before, then = self.last
            if not t > before:
                raise DataError(f"a sample at t = {t:.9g} s after one at {before:.9g} s, wanted time that goes on")
            keep = np.exp(-2 * np.pi * self.cutoff * (t - before))
            self.v = keep * self.v + (1 - keep) * (moved - then) / (t - before)
        self.last = (t, moved)
        return moved
