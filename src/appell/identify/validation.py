"""How well forces are predicted that were not used: joint by joint, beside the noise."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..robot import Robot
from .estimate import Estimate, from_factors
from .factors import Factors, reduced
from .measurements import Measurements
from .regressor import Regressor
from .rest import moving

Array = np.ndarray[Any, Any]
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Validation:
    """Residuals of each joint on measurements: root mean squares, beside the forces' own, and the explained part."""

    rms: Array
    forces: Array
    explained: Array  # of the variance of the forces
    noise: Array | None  # that the estimate found on its own measurements
    predicted: Array
    data: Measurements

    @property
    def lasting(self) -> Array:
        """How much of what is left goes on from sample to sample: nothing of noise, much of what a model lacks."""
        off = self.data.tau - self.predicted
        if self.data.weight is not None:
            off = np.where(self.data.weight > 0, off, np.nan)
        both = off[1:] * off[:-1]
        return np.nanmean(both, axis=0) / np.maximum(np.nanmean(off**2, axis=0), 1e-300)

    @property
    def ratio(self) -> Array | None:
        """Residuals in units of the noise: 1 is as good as can be."""
        return None if self.noise is None else self.rms / self.noise


def validate(model: Estimate | Robot, data: Measurements) -> Validation:
    """A model, estimated or not, held to measurements."""
    if isinstance(model, Estimate):
        return held_to(data.forces(model.forces), moving(data, model.base.regressor), model.sigma)
    whole = Regressor.of(model, coordinates=data.coordinates)
    return held_to(data.forces(whole.forces), moving(data, whole), None)


def cross_validate(found: Estimate, data: Measurements, folds: int = FOLDS) -> Validation:
    """Every part of the measurements predicted from the others; what these cannot tell is the model's.

    `found` is the estimate from all of them.
    """
    data = moving(data, found.base.regressor)
    edges = np.linspace(0, len(data), folds + 1).astype(int)
    parts = [data.part(slice(a, b)) for a, b in pairwise(edges.tolist())]
    factors = [reduced(found.base.regressor, part.blocks()) for part in parts]
    predicted = []
    for k, part in enumerate(parts):
        others = Factors.merged(factors[:k] + factors[k + 1 :])
        without = from_factors(found.base, others, found.method)
        full = without.full
        predicted.append(part.forces(lambda q, v, a, full=full: found.base.regressor(q, v, a) @ full))
    return held_to(np.concatenate(predicted), data, found.sigma)


def held_to(predicted: Array, data: Measurements, noise: Array | None) -> Validation:
    """Predicted forces beside measured ones."""
    off = data.tau - predicted
    weight = np.ones_like(off) if data.weight is None else data.weight
    count = np.maximum(weight.sum(0), 1.0)
    rms = np.sqrt((weight * off**2).sum(0) / count)
    forces = np.sqrt((weight * data.tau**2).sum(0) / count)
    spread = (weight * (data.tau - (weight * data.tau).sum(0) / count) ** 2).sum(0) / count
    return Validation(rms, forces, 1 - rms**2 / np.maximum(spread, 1e-300), noise, predicted, data)
