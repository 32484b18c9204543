"""What a result carries with it: where the energy went, what was asked for, what it cost, and how it ended."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Ledger:
    """Energies at the times of a run, in joules; numbers and words about how it came about."""

    t: Array
    kinetic: Array
    potential: Array
    actuators: Array  # work done by the joints' forces since the start
    wrenches: Array  # work done by wrenches from outside
    friction: Array  # taken by damping and dry friction
    impacts: Array  # taken by impacts, or whatever else made the state jump
    outcome: str = ""
    facts: dict[str, Any] = field(default_factory=dict)  # steps, evaluations, tolerances, seconds, model, versions

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy."""
        return self.kinetic + self.potential

    @property
    def balance(self) -> Array:
        """Energy that came from nowhere: 0 but for errors of integration."""
        gained = self.energy - self.energy[:1]
        return gained - self.actuators - self.wrenches + self.friction + self.impacts

    @cached_property
    def drift(self) -> float:
        """The largest imbalance, relative to the energy at the start or the largest kinetic energy."""
        if not len(self.t):
            return 0.0
        scale = max(abs(float(self.energy[0])), float(self.kinetic.max()), sys.float_info.min)
        return float(np.abs(self.balance).max()) / scale

    def __getitem__(self, name: str) -> Any:
        return self.facts[name]

    def __str__(self) -> str:
        known = {name: x for name, x in self.facts.items() if not isinstance(x, (list, dict))}
        told = "; ".join(f"{name} {x:.3g}" if isinstance(x, float) else f"{name} {x}" for name, x in known.items())
        on = ", ".join(f"{name} {x}" for name, x in self.facts.get("versions", {}).items())
        return f"{self.outcome} Energy drift {self.drift:.1e}; {told}. With {on}."


@cache
def versions() -> dict[str, str]:
    """Of everything that the numbers depend on."""
    found = {"python": platform.python_version(), "numpy": np.__version__}
    for name in ("scipy", "llvmlite"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    package = sys.modules[__name__.partition(".")[0]]  # which stands below this file
    return {"appell": package.__version__, **found}
