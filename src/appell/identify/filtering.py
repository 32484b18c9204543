"""Signals without their noise, and their derivatives: filters that do not delay."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
ORDER = 4  # of the Butterworth filter, run forwards and backwards
MOVED = 0.999  # of the power of a motion lies below its band's end
ABOVE = 10.0  # times the band's end is where noise begins
WIDTH = 0.898  # times the cut-off is how wide the filter's band is for noise: (1 - 1/8) (pi/8) / sin(pi/8)
PERIODS = 3.0  # of the cut-off are lost at each end


def cut_off(q: Array, step: float) -> float:
    """A frequency in Hz below which the motion lies, with some room: from the spectrum of q."""
    window = np.hanning(len(q))[:, None]
    power = (np.abs(np.fft.rfft((q - q.mean(0)) * window, axis=0)) ** 2).sum(1)
    share = np.cumsum(power) / max(float(power.sum()), 1e-300)
    band = float(np.fft.rfftfreq(len(q), step)[int(np.searchsorted(share, MOVED))])
    return float(np.clip(ABOVE * band, 4.0 / (len(q) * step), 0.4 / step))


def amplitudes(q: Array, step: float) -> tuple[Array, Array]:
    """(frequencies in Hz, amplitudes of every coordinate there), about the mean."""
    window = np.hanning(len(q))
    spectrum = np.abs(np.fft.rfft((q - q.mean(0)) * window[:, None], axis=0)) * (2 / window.sum())
    return np.fft.rfftfreq(len(q), step), spectrum


def smoothed(x: Array, step: float, limit: float) -> Array:
    """x (N, k) without what is faster than `limit` Hz, and without delay."""
    from scipy.signal import butter, sosfiltfilt

    return sosfiltfilt(butter(ORDER, 2 * limit * step, output="sos"), x, axis=0, padlen=_pad(len(x), step, limit))


def too_short(count: int, step: float, limit: float) -> bool:
    """Whether a piece has nothing left between the ends that a filter spoils."""
    return count < 4 * lost(step, limit) + 10


def differentiated(x: Array, step: float) -> Array:
    """dx/dt by central differences of five points; two points at the ends are of lower order."""
    d = np.gradient(x, step, axis=0, edge_order=2)
    d[2:-2] = (8 * (x[3:-1] - x[1:-3]) - (x[4:] - x[:-4])) / (12 * step)
    return d


def _pad(count: int, step: float, limit: float) -> int:
    return min(count - 1, int(PERIODS / (step * limit)))


def lost(step: float, limit: float) -> int:
    """How many samples at each end are spoilt."""
    return int(PERIODS / (step * limit)) + 4
