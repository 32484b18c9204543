"""Our integrator beside SciPy's, on the same right-hand sides: time, steps and evaluations for the error reached.

python -m benchmarks.integrators
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

import appell
from appell.motion.integrate import Counts, Dop853, Tolerances
from appell.motion.laws import law
from appell.motion.machine import Machine
from appell.motion.rate import WORKS, Rate

ROBOTS = {"PUMA, 6 freedoms": "puma560", "humanoid, 33 freedoms": "humanoid"}
THEIRS = ("DOP853", "LSODA", "Radau")
OURS = {"Appell, stages in machine code": Machine, "Appell, stages in Python": Dop853}
SPAN, RTOLS, ROUNDS = 5.0, (1e-6, 1e-10), 11


@dataclass
class Case:
    """A robot that falls freely from a random state."""

    robot: appell.Robot

    def __post_init__(self) -> None:
        self.rate = Rate(self.robot, law("torque", None, (self.robot.nv,), 0.0, SPAN))
        q, v = self.robot.random_state(2)
        self.start = np.concatenate([q, 0.2 * v, np.zeros(WORKS)])
        self.exact = self.ours(Machine, 1e-13)[0]

    def ours(self, kind: type[Any], rtol: float) -> tuple[Any, int, int]:
        """The state at the end; steps; evaluations. Dense output and events are ready for all steps."""
        counts = Counts()
        stepper = kind(self.rate, Tolerances(rtol, 1e-2 * rtol), counts)
        stepper.restart(0.0, self.start)
        while stepper.t < SPAN:
            stepper.advance(SPAN)
        return stepper.y.copy(), counts.steps, counts.evaluations

    def theirs(self, name: str, rtol: float) -> tuple[Any, int, int]:
        """The same by SciPy's solve_ivp, with dense output."""
        from scipy.integrate import solve_ivp

        y, dy = np.zeros(self.rate.size), np.zeros(self.rate.size)
        derive = self.rate.bound(y, dy)

        def slope(t: float, state: Any) -> Any:
            y[:] = state
            derive(t)
            return dy.copy()

        found = solve_ivp(slope, (0.0, SPAN), self.start, name, rtol=rtol, atol=1e-2 * rtol, dense_output=True)
        return found.y[:, -1], len(found.t) - 1, found.nfev

    def error(self, y: Any) -> float:
        """How far q is off."""
        nq = self.robot.nq
        return float(np.abs(self.robot.difference(y[:nq], self.exact[:nq])).max())


def compare(case: Case, rtol: float) -> None:
    """Lines of the table: in turns, the best of many rounds."""
    ours: dict[str, Callable[[], Any]] = {name: partial(case.ours, kind, rtol) for name, kind in OURS.items()}
    both = ours | {f"SciPy {name}": partial(case.theirs, name, rtol) for name in THEIRS}
    best = dict.fromkeys(both, float("inf"))
    for _ in range(ROUNDS):
        for label, run in both.items():
            start = perf_counter()
            run()
            best[label] = min(best[label], perf_counter() - start)
    for label, run in both.items():
        y, steps, evaluations = run()
        figures = f"{rtol:8.0e} {best[label] * 1e3:8.2f} {steps:6} {evaluations:12} {case.error(y):11.1e}"
        print(f"  {label:30} {figures}")


def main() -> None:
    """Prints the table."""
    print(f"{'':32} {'rtol':>8} {'ms':>8} {'steps':>6} {'evaluations':>12} {'error of q':>11}")
    for title, name in ROBOTS.items():
        case = Case(appell.load(name))
        print(f"{title}, {SPAN:g} s of free motion")
        for rtol in RTOLS:
            compare(case, rtol)


if __name__ == "__main__":
    main()
