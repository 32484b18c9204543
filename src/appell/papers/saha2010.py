"""saha2010: the PUMA and the Stanford arm of section 2.5, driven along the cycloid (22), and falling freely.

The closed mechanisms of sections 3.5 and 4.4 are in `five_bar` and `scraper`.

Source: saha2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import zoo
from ..control.ramps import Cycloid
from ..errors import ShapeError
from ..motion.simulate import simulate
from ..robot import Robot
from ..show.charts import Chart
from .case import Agreement, Case
from .five_bar import five_bar, five_bar_fall
from .joints import over_time, panels, units
from .scraper import scraper

__all__ = ["five_bar", "five_bar_fall", "puma", "puma_fall", "scraper", "stanford", "stanford_fall"]
Array = np.ndarray[Any, Any]
T = 10.0  # seconds, of (22) and (23)
CLOSE = 1e-9  # what a reference value may be missed by, in its own unit


@dataclass(frozen=True)
class Arm:
    """One of the paper's arms: where it starts and ends along (22), (23), and what is known of it."""

    model: str
    title: str
    start: tuple[float, ...]
    end: tuple[float, ...]
    torques: dict[float, tuple[float, ...]]  # at some instants, in N m and N
    falls_to: tuple[int, float] | None = None  # a joint (from 0) and where it is after one second of free fall

    @property
    def robot(self) -> Robot:
        return zoo.load(self.model)

    @property
    def ramp(self) -> Cycloid:
        return Cycloid(self.start, self.end, T)


PUMA = Arm(
    "puma_saha",
    "PUMA",
    (0.0,) * 6,
    (np.pi,) * 6,
    {
        0.0: (0.0, -69.68576664, -0.481671, 0.0, 0.0, 0.0),
        5.0: (-0.1263381751, 0.5682971969, 0.6226129303, -0.0963588964, 0.1480757637, 0.0111329138),
    },
    (1, 2.493441290865),
)
# theta_2 starts at pi/2 as the text says; from the 0 of the table nothing turns, and link 3 only slides down
STANFORD = Arm(
    "stanford",
    "Stanford arm",
    (0.0, np.pi / 2, 0.0, 0.0, 0.0, 0.0),
    (np.pi / 3, np.pi / 3, 0.1, np.pi / 3, np.pi / 3, np.pi / 3),
    {
        0.0: (0.0, 12.71376, 0.0, 0.0, -0.62784, 0.0),
        5.0: (-0.0043836533, 15.1589610551, -15.5748810358, 0.1524200244, -0.5369589534, -0.0000697973),
    },
)


def puma(times: tuple[float, ...] = ()) -> Case:
    """The torques of the PUMA along (22): Figure 6.

    `times` are the instants of the data; of the other cases too.
    """
    return _driven("puma", PUMA, times)


def stanford(times: tuple[float, ...] = ()) -> Case:
    """The torques and the force of the Stanford arm along (22) and (23): Figure 8."""
    return _driven("stanford", STANFORD, times)


def puma_fall(t_end: float = 1.0, times: tuple[float, ...] = ()) -> Case:
    """The PUMA falling from the configuration of Table 3: Figure 7."""
    return _falling("puma_fall", PUMA, t_end, times)


def stanford_fall(t_end: float = 1.0, times: tuple[float, ...] = ()) -> Case:
    """The Stanford arm falling with theta_2 from pi/2: Figure 9."""
    return _falling("stanford_fall", STANFORD, t_end, times)


def _driven(name: str, arm: Arm, times: tuple[float, ...]) -> Case:
    robot, ramp = arm.robot, arm.ramp
    t, asked = np.linspace(0.0, T, 101), np.array(times or np.linspace(0.0, T, 101))
    tau = robot.inverse_dynamics(*ramp(t))
    agreements = tuple(
        Agreement(f"tau_{i + 1}({at:g} s) [{unit}]", wanted, float(here), CLOSE)
        for at, row in arm.torques.items()
        for i, (unit, wanted, here) in enumerate(zip(units(robot, "force"), row, _force(robot, ramp, at), strict=True))
    )
    return Case(
        "saha2010",
        name,
        f"{arm.title} along the cycloid: what drives its joints",
        "The paper shows curves; its numbers are not printed. The values to compare with were computed twice from the "
        "paper's equations, as the errata correct them, by programs that share nothing with this one.",
        (over_time(robot, "forces", "force", t, tau),),
        (Chart("forces", f"{arm.title} along the cycloid (22)", "time [s]", t, panels(robot, "force", tau)),),
        agreements,
        {"t": asked, "tau": robot.inverse_dynamics(*ramp(asked)), "units": units(robot, "force")},
    )


def _force(robot: Robot, ramp: Cycloid, t: float) -> Array:
    return robot.inverse_dynamics(*ramp(t))


def _falling(name: str, arm: Arm, t_end: float, times: tuple[float, ...]) -> Case:
    if not t_end > 0:
        raise ShapeError(f"t_end is {t_end:g} s, wanted a time above 0")
    robot, start, rest = arm.robot, np.array(arm.start), np.zeros(6)
    t = np.linspace(0.0, t_end, 101)
    run = simulate(robot, start, rest, t_end, times=t, rtol=1e-12, atol=1e-13)
    other = implicitly(robot, start, t_end)
    agreements = [
        Agreement(f"q_{i + 1}({t_end:g} s), integrated implicitly", float(other[i]), float(run.q[-1, i]), CLOSE)
        for i in range(6)
    ]
    if arm.falls_to and t_end == 1:
        joint, wanted = arm.falls_to
        agreements.insert(0, Agreement(f"q_{joint + 1}(1 s) [rad]", wanted, float(run.q[-1, joint]), CLOSE))
    asked = np.array(times) if times else t
    q, v = run(asked)
    return Case(
        "saha2010",
        name,
        f"{arm.title} in free fall",
        f"The paper shows curves. Beside the run by an explicit method of order 8 stands one by an implicit method of "
        f"order 5, with the accelerations from another formulation. Energy drifts by {run.ledger.drift:.1e} of itself.",
        (over_time(robot, "positions", "position", t, run.q),),
        (Chart("positions", f"{arm.title} in free fall", "time [s]", t, panels(robot, "position", run.q)),),
        tuple(agreements),
        {"t": asked, "q": q, "v": v, "energy_drift": run.ledger.drift, "steps": run.ledger["steps"]},
    )


def implicitly(robot: Robot, start: Array, t_end: float) -> Array:
    """Where the robot has fallen to from rest: by Radau's method, with M and Newton's and Euler's bias."""
    from scipy.integrate import solve_ivp

    n = robot.nv

    def rate(_: float, y: Array) -> Array:
        h = robot.bias(y[:n], y[n:], method="newton_euler")
        return np.concatenate([y[n:], np.linalg.solve(robot.mass_matrix(y[:n]), -h)])

    begin = np.concatenate([start, np.zeros(n)])
    return solve_ivp(rate, (0.0, t_end), begin, method="Radau", rtol=1e-11, atol=1e-14).y[:n, -1]
