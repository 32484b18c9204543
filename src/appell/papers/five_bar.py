"""The five-bar of saha2010: its motors along the cycloid, and its free fall through the pose where they fail.

Source: saha2010, section 3.5.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .. import zoo
from ..closing.driven import Driven
from ..control.ramps import Cycloid
from ..control.trajectory import Motion
from ..errors import ShapeError
from ..motion.events import Event
from ..motion.run import Run
from ..motion.simulate import simulate
from ..robot import Robot
from ..show.charts import Chart, Panel
from .case import Agreement, Case, Table
from .joints import over_time

Array = np.ndarray[Any, Any]
MOTORS, PLACES = ("shoulder1", "shoulder2"), (0, 2)
BARS, BASE = ((0.6, 1.1), (0.7, 1.2)), 1.2  # metres; the base is not printed
RAMP = Cycloid(np.radians([30.0, 30.0]), np.radians([90.0, 70.3]), 20.0)  # (35)
FALLS_FROM = tuple(np.radians([80.0, 70.0]))  # (36)
# From two derivations that share nothing with this one (see the errata)
AT_REST = (16.690224677620, 11.452452737939)  # torques at t = 0, N m
SINGULAR = 1.36671844  # seconds of free fall, until the motors' angles tell the rest no longer
CLOSE, EQUAL = 1e-10, 1e-12  # to the reference, and of two formulations, against the largest
BEFORE = 1.3  # seconds, up to which the fall can be followed in the motors' angles with all digits
FALLEN = 1e-9  # what two integrations may differ by there


@cache
def robot() -> Robot:
    """One for all cases, so that its kernels are found at once."""
    return zoo.load("five_bar")


@cache
def driven(method: str) -> Driven:
    """All joints from the two motors."""
    return robot().driven_by(MOTORS, method)


def posture(angles: Array) -> Array:
    """All joints (..., 4) for the motors' angles (..., 2), from +x; the tip below the elbows."""
    elbows = [np.array([b, 0.0]) + bars[0] * np.stack([np.cos(x), np.sin(x)], -1)
              for b, bars, x in zip((0.0, BASE), BARS, np.moveaxis(angles, -1, 0), strict=True)]  # fmt: skip
    d, (r, s) = elbows[1] - elbows[0], (BARS[0][1], BARS[1][1])
    square = (d * d).sum(-1)
    along = (r * r - s * s + square) / (2 * square)
    across = np.sqrt(r * r / square - along * along)
    tip = elbows[0] + d * along[..., None] + np.stack([d[..., 1], -d[..., 0]], -1) * across[..., None]
    lower = [np.arctan2(*np.moveaxis(tip - elbow, -1, 0)[::-1]) for elbow in elbows]
    first, second = np.moveaxis(angles, -1, 0)
    return np.stack([first, lower[0] - first, second, lower[1] - second], -1)


def led(motion: Motion) -> Motion:
    """All joints, from the motion of the motors."""
    q, (v, a) = posture(motion.q), (np.zeros((*x.shape[:-1], 4)) for x in motion[1:])
    v[..., PLACES], a[..., PLACES] = motion.v, motion.a
    _, v, a = driven("denoc_parallel").inverse_dynamics(q, v, a)
    return Motion(q, v, a)


def five_bar(times: tuple[float, ...] = ()) -> Case:
    """The five-bar along (22): its joints, Figure 12, and the torques of its motors, Figure 13.

    `times` are the instants of the data.
    """
    t = np.linspace(0.0, RAMP.t_end, 201)
    asked, motion = np.array(times) if times else t, led(RAMP(t))
    tau = driven("denoc_parallel").inverse_dynamics(*motion)[0]
    others = {
        "by subsystems": driven("closed_subsystems").inverse_dynamics(*motion)[0],
        "in the motors' angles": robot().inverse_dynamics(*motion, actuators=MOTORS),
    }
    agreements = [Agreement(f"tau_{k + 1}(0 s) [N m]", x, float(tau[0, k]), CLOSE * x) for k, x in enumerate(AT_REST)]
    for way, other in others.items():
        off = float(np.abs(tau - other).max() / np.abs(tau).max())
        agreements.append(Agreement(f"torques {way}, largest difference", 0.0, off, EQUAL))
    return Case(
        "saha2010",
        "five_bar",
        "The five-bar along the cycloid: what drives its two motors",
        "The paper shows curves, and leaves out how wide the base is; here it is 1.2 m. Both legs are led by DeNOC, "
        "section 3, with the point where they meet as end-effector; section 4, where no subsystem is determinate and "
        "the whole tree is solved, gives the same, as do equations in the motors' angles alone.",
        (over_time(robot(), "positions", "position", t, motion.q), _torques(t, tau)),
        (_joints("figure-12", "Figure 12: joint angles along (22)", t, motion.q),
         Chart("figure-13", "Figure 13: torques of the motors along (22)", "time [s]", t, (_motors(tau),))),
        tuple(agreements),
        {
            "t": asked, "tau": driven("denoc_parallel").inverse_dynamics(*led(RAMP(asked)))[0],
            "q": posture(RAMP(asked).q),
        },
    )  # fmt: skip


def five_bar_fall(t_end: float = 2.0, times: tuple[float, ...] = ()) -> Case:
    """The five-bar falling from (36), through the pose in which its motors no longer hold it: Figure 14."""
    if not t_end > 0:
        raise ShapeError(f"t_end is {t_end:g} s, wanted a time above 0")
    t = np.linspace(0.0, t_end, 201)
    run = fallen(t_end, t)
    asked = np.array(times) if times else t
    q, v = run(asked)
    found = [event.t for event in run.events]
    agreements = []
    if t_end >= BEFORE:
        there, wanted = run(BEFORE)[0][list(PLACES)], in_motors_angles(BEFORE)
        agreements += [Agreement(f"{name}({BEFORE} s), in the motors' angles alone [rad]", x, float(y), FALLEN)
                       for name, x, y in zip(MOTORS, wanted, there, strict=True)]  # fmt: skip
    if t_end >= SINGULAR + 0.01:
        met = found[0] if found else np.nan
        agreements.append(Agreement("the motors' angles become singular at [s]", SINGULAR, met, 5e-9))
    return Case(
        "saha2010",
        "five_bar_fall",
        "The five-bar in free fall",
        "The paper's program stops after about 1.4 s, as its coordinates, the motors' angles, become singular: the "
        "lower links come into one line, and the tip could move with the motors held. The mechanism falls on. Beside "
        "the run in all joints, kept on the loop, stands one in the motors' angles, by DeNOC of the legs, up to 1.3 s. "
        f"Energy drifts by {run.ledger.drift:.1e} of itself.",
        (over_time(robot(), "positions", "position", t, run.q),),
        (_joints("figure-14", "Figure 14: free fall; dotted: the motors' angles are singular", t, run.q, found[:1]),),
        tuple(agreements),
        {"t": asked, "q": q, "v": v, "singular": found, "energy_drift": run.ledger.drift},
    )


def fallen(t_end: float, t: Array) -> Run:
    """The fall of the whole mechanism, and when its lower links are in line."""
    line = Event(lambda t, q, v: in_line(q), "lower links in line", vectorised=True)
    start = posture(np.array(FALLS_FROM))
    return simulate(robot(), start, np.zeros(4), t_end, times=t, events=line, rtol=1e-12, atol=1e-13)


def in_line(q: Array) -> Array:
    """The sine of the angle between the lower links: 0 where Phi of the legs is singular."""
    return np.sin(q[..., 0] + q[..., 1] - q[..., 2] - q[..., 3])


def in_motors_angles(t_end: float) -> Array:
    """Where the motors' angles have fallen to, integrated alone; all else follows from them."""
    from scipy.integrate import solve_ivp

    way, still = driven("denoc_parallel"), np.zeros(4)

    def rate(_: float, y: Array) -> Array:
        v = np.zeros(4)
        v[list(PLACES)] = y[2:]
        return np.concatenate([y[2:], way.forward_dynamics(posture(y[:2]), v, still)[list(PLACES)]])

    begin = np.array([*FALLS_FROM, 0.0, 0.0])
    return solve_ivp(rate, (0.0, t_end), begin, method="DOP853", rtol=1e-12, atol=1e-14).y[:2, -1]


# -- tables and figures -----------------------------------------------------------------------------------------


def _joints(name: str, title: str, t: Array, q: Array, instants: list[float] | None = None) -> Chart:
    panels = (
        Panel("leg 1 [deg]", {"theta 1": np.degrees(q[:, 0]), "theta 2": np.degrees(q[:, 1])}),
        Panel("leg 2 [deg]", {"theta 1": np.degrees(q[:, 2]), "theta 2": np.degrees(q[:, 3])}),
    )
    return Chart(name, title, "time [s]", t, panels, instants=tuple(instants or ()))


def _motors(tau: Array) -> Panel:
    return Panel("torque [N m]", {"tau 1-1": tau[:, 0], "tau 1-2": tau[:, 1]})


def _torques(t: Array, tau: Array) -> Table:
    rows = [(float(x), *map(float, row)) for x, row in zip(t, tau, strict=True)]
    return Table("torques", ("t [s]", *(f"{name} [N m]" for name in MOTORS)), rows, every=20)
