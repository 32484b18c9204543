"""valera2003, section 4, on a simulated robot behind its cards: what the three laws of Table 4 do, and what they leave.

The paper shows its robot follow ramps and splines (Figure 5) and says what goes wrong: an error of the model shifts the
equilibrium, static friction leaves a dead zone, and an integral takes both away.

Source: valera2003.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import zoo
from ..control.controller import Controller, continuous
from ..control.drive import Log, drive
from ..control.feedback import point_to_point, tracking
from ..control.gains import Gains
from ..control.ramps import MinimumJerk
from ..control.splines import Ramps, Spline
from ..control.trajectory import Held, Trajectory
from ..motion.simulate import simulate
from ..show.charts import Chart, Panel
from .case import Agreement, Case, Table
from .puma_device import MOTORS, PERIOD, STATIC, device, geared, sensing

Array = np.ndarray[Any, Any]
KP, KD = 100.0, 20.0  # 1/s^2 and 1/s: critically damped, as the check of the errata has them
INTEGRAL = 3.0  # rad/s, the pole that integral action adds
HOME = np.array([0.0, -1.0, 2.5, 0.3, 0.5, 0.0])
AWAY = HOME + np.array([0.6, 0.4, -0.4, 0.5, 0.4, 0.6])
LAWS = {"tracking": Gains(KP, KD), "with integral action": Gains.of(10.0, 1.0, INTEGRAL)}
JOINTS = tuple(f"joint {k}" for k in range(1, 7))
CLOSE = {"with integral action": 0.03}  # rad that a reference may be missed by
SETTLED = 0.3  # s at the end of a run, over which an error is said to be left
SHOWN = 10  # samples between two points of a chart
HEAVIER = 1.1  # what the true robot's masses and inertias are of those that the controller believes


def run(gains: Gains, way: Trajectory, t_end: float) -> Log:
    """A run of the tracking law on the device; the law knows links and rotors, and nothing of friction."""
    law = tracking(geared(), gains, period=PERIOD, limit=MOTORS.limit)
    return drive(device(way(0.0).q), Controller(law, Held(way), PERIOD), sensing(), MOTORS, t_end)


def references() -> Case:
    """Ramps and splines followed by the robot: Figure 5."""
    ways = {
        "ramps": Ramps([0.0, 0.5, 2.5, 3.0], [HOME, HOME, AWAY, AWAY]),
        "splines": Spline([0.0, 1.0, 2.0, 3.0], [HOME, (2 * HOME + AWAY) / 3, (HOME + 3 * AWAY) / 4, AWAY]),
    }
    logs = {(r, law): run(gains, way, way.t_end + 1.0) for r, way in ways.items() for law, gains in LAWS.items()}
    rows = [(r, law, *map(float, np.abs(log.error).max(0))) for (r, law), log in logs.items()]
    sampled = [(r, float(t), *map(float, (*w, *q))) for (r, law), log in logs.items() if law != "tracking"
               for t, w, q in zip(log.t[::SHOWN], log.wanted[::SHOWN], log.true[::SHOWN], strict=True)]  # fmt: skip
    head = ("reference", "t [s]", *(f"{j} wanted [rad]" for j in JOINTS), *(f"{j} [rad]" for j in JOINTS))
    agreements = [
        Agreement(f"largest error, {r}, {law} [rad]", 0.0, float(np.abs(log.error).max()), CLOSE.get(law))
        for (r, law), log in logs.items()
    ]
    return Case(
        "valera2003",
        "references",
        "A PUMA behind its cards follows ramps and splines",
        "The paper draws joints that follow both; gains, friction and noise are not printed, so the picture is met and "
        "not its numbers. What a ramp asks for at its corners no robot can do.",
        (
            Table("errors", ("reference", "law", *(f"{j} [rad]" for j in JOINTS)), rows),
            Table("positions", head, sampled, 50),
        ),
        tuple(_followed(r, logs[r, "with integral action"]) for r in ways),
        tuple(agreements),
        {f"{r}, {law}": np.abs(log.error).max(0) for (r, law), log in logs.items()},
    )  # fmt: skip


def dead_zone() -> Case:
    """Static friction leaves an error, and an integral takes it away."""
    way = MinimumJerk(HOME, AWAY, 1.5)
    logs = {law: run(gains, way, 4.0) for law, gains in LAWS.items()}
    left = {law: np.abs(log.error[log.t > log.t[-1] - SETTLED]).max(0) for law, log in logs.items()}
    asked = np.abs(geared().mass_matrix(AWAY) @ (KP * logs["tracking"].error[-1])) / STATIC
    rows = [(law, *map(float, x)) for law, x in left.items()]
    panels = tuple(Panel(f"{j} [rad]", {law: log.error[::SHOWN, k] for law, log in logs.items()})
                   for k, j in enumerate(JOINTS))  # fmt: skip
    return Case(
        "valera2003",
        "dead_zone",
        "The dead zone of static friction, without and with integral action",
        "Without integral action a joint stops as soon as what its error asks for is less than its static friction.",
        (Table("left", ("law", *(f"{j} [rad]" for j in JOINTS)), rows),),
        (Chart("errors", "Errors of the joints, from the start on", "time [s]", logs["tracking"].t[::SHOWN], panels),),
        (
            Agreement("left without integral action: largest [rad]", 0.0, float(left["tracking"].max())),
            Agreement("that error's torque by the static friction, largest", 0.0, float(asked.max()), 1.05),
            Agreement("left with integral action: largest [rad]", 0.0, float(left["with integral action"].max()), 2e-3),
        ),
        left,
    )


def model_error() -> Case:
    """A robot that is heavier than the law believes: where it comes to rest, without and with integral action."""
    believed, goal = zoo.load("puma560"), AWAY
    true = believed.with_parameters({name: HEAVIER * x for name, x in believed.parameters().items()
                                     if ".first." in name or ".second." in name or name.endswith(".mass")})  # fmt: skip
    t, still = np.linspace(0.0, 3.0, 301), np.zeros(6)
    law = continuous(point_to_point(believed, Gains(KP, KD)), goal)
    exact = simulate(believed, HOME, still, 1.0, torque=law, times=t[:101], rtol=1e-12, atol=1e-13)
    formula = np.multiply.outer((1 + 10 * exact.t) * np.exp(-10 * exact.t), goal - HOME)
    off = simulate(true, HOME, still, 3.0, torque=law, times=t)
    q = off.q[-1]
    told = np.linalg.solve(believed.mass_matrix(q), true.gravity_forces(q) - believed.gravity_forces(q)) / KP
    whole = Controller(tracking(believed, LAWS["with integral action"], period=PERIOD), goal, PERIOD)
    mended = simulate(true, HOME, still, 6.0, torque=whole, integrator="rk4", step=PERIOD)
    ends = {"point to point": goal - q, "with integral action": goal - mended.q[-1]}
    rows = [(name, *map(float, left)) for name, left in ends.items()]
    both = (goal - off.q).T, (np.interp(t, mended.t, e) for e in (goal - mended.q).T)
    panels = tuple(Panel(f"{j} [rad]", {"point to point": a, "with integral action": b})
                   for j, a, b in zip(JOINTS, *both, strict=True))  # fmt: skip
    return Case(
        "valera2003",
        "model_error",
        "A wrong model shifts the equilibrium, and an integral brings it back",
        f"All masses and inertias of the robot are {HEAVIER} times those of the law. Gravity that is not compensated "
        "stands against M Kp e, so the robot rests beside its goal.",
        (Table("left", ("law", *(f"{j} [rad]" for j in JOINTS)), rows),),
        (Chart("errors", "Errors with a wrong model", "time [s]", t, panels),),
        (
            Agreement("true model: error beside e0 (1 + 10 t) exp(-10 t) [rad]", 0.0,
                      float(np.abs(goal - exact.q - formula).max()), 1e-9),
            Agreement("wrong model: error beside M^-1 (g - g_believed) / Kp [rad]", 0.0,
                      float(np.abs(goal - q - told).max()), 1e-9),
            Agreement("wrong model: error [rad]", 0.0, float(np.abs(goal - q).max())),
            Agreement("with integral action: error [rad]", 0.0, float(np.abs(goal - mended.q[-1]).max()), 1e-6),
        ),
        {**ends, "told": told},
    )  # fmt: skip


def _followed(reference: str, log: Log) -> Chart:
    """Wanted and true positions."""
    pairs = zip(JOINTS, log.wanted.T, log.true.T, strict=True)
    panels = tuple(Panel(f"{j} [rad]", {"wanted": w[::SHOWN], "robot": q[::SHOWN]}) for j, w, q in pairs)
    return Chart(reference, f"The robot follows {reference}", "time [s]", log.t[::SHOWN], panels, height=1.8)
