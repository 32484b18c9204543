"""abedloo2014, section IV: the Agile Wrist along (52), and the loop by which the paper verifies its model.

Source: abedloo2014.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from ..errors import ShapeError
from ..formulations.jet import Jet
from ..formulations.spherical_parallel import dynamic_matrices
from ..model.walk import Coordinates, Walk
from ..show.charts import Chart, Panel, merged
from .case import Agreement, Case, Table
from .wrist import ELBOWS, MOTORS, PERIOD, Wrist, waves, wrist

Array = np.ndarray[Any, Any]
Mode: TypeAlias = Literal["+", "-"]
# At home, and in the mode with theta < 0: from two derivations that share nothing with this one (see the errata)
HOME = (69.6779629835, -86.3203555996)  # theta and psi in degrees, with the sign of the mode
INERTIA = (1.0841153158e-3, 4.7501663700e-3, 4.7501663700e-3)  # the diagonal of M(0), kg m^2
TORQUES = {
    0.0: (0.06963852038, 0.06468605930, 0.05670077848),
    1.0: (-0.24897957691, -0.01931627618, 0.43985135333),
}
CLOSE, EQUAL = 1e-10, 1e-12  # to the reference, and of two formulations, against the largest
# What the model is off by along a simulated motion: printed in Figures 6 and 7, as an order, and allowed here
ERRORS = {
    "angle [rad]": (1e-7, 1e-12),
    "rate [rad/s]": (1e-6, 1e-12),
    "acceleration [rad/s^2]": (1e-5, 1e-11),
    "torque [N m]": (1e-5, 1e-12),
}


def agile_wrist(mode: Mode = "-", times: tuple[float, ...] = ()) -> Case:
    """The Agile Wrist along (52): its joints, M, C, G, and the torques of its motors.

    `mode` is the sign of theta at home; `times` are the instants of the data.
    """
    robot, t = wrist(mode), np.linspace(0.0, PERIOD, 201)
    asked = np.array(times) if times else t
    tau, found = robot.platform.inverse_dynamics(*waves(t)), robot.hinges(waves(t))
    M, C, G, A = robot.platform.matrices(*waves(asked)[:2])
    return Case(
        "abedloo2014",
        "agile_wrist",
        f"The Agile Wrist along (52), theta {'above' if mode == '+' else 'below'} 0 at home",
        "The paper prints no number of the motion. Joints, M, C, G and torques come from its closed form, M and C from "
        "the Jacobians (17) to (21) with J. as the errata have it; the same torques come from the DeNOC of the three "
        "legs and from equations in the motors' angles. The values to compare with were computed twice, by programs "
        "that share nothing with this one.",
        (_over_time("joints", t, _joints(found.q)), _over_time("torques", t, _motors(tau)), _matrices(robot)),
        (
            Chart("joints", "Joints along (52)", "time [s]", t, tuple(_angles(found.q))),
            Chart("torques", "Torques of the motors along (52)", "time [s]", t, (Panel("torque [N m]", _motors(tau)),)),
        ),
        tuple(_agreements(robot, t, tau)),
        {
            "mode": mode, "t": asked, "tau": robot.platform.inverse_dynamics(*waves(asked)), "x": waves(asked).q,
            "joints": robot.hinges(waves(asked)).q, "names": [*MOTORS, *ELBOWS], "M": M, "C": C, "G": G, "A": A,
        },
    )  # fmt: skip


def loop(mode: Mode = "-", t_end: float = PERIOD) -> Case:
    """A simulated wrist under a stiff PD law, and the model beside it: Figures 4 to 7."""
    if not t_end > 0:
        raise ShapeError(f"t_end is {t_end:g} s, wanted a time above 0")
    robot = wrist(mode)
    run = robot.simulated(t_end)
    a = robot.robot.forward_dynamics(run.q, run.v, run.tau)
    seen, places = robot.seen(run.q, run.v, a), robot.places
    own, model = [x[:, places] for x in (run.q, run.v, a)], robot.hinges(seen)
    given, wanted = run.tau[:, places[:3]], robot.platform.inverse_dynamics(*seen)
    off = [*(x - y for x, y in zip(model, own, strict=True)), wanted - given]
    errors = dict(zip(ERRORS, off, strict=True))
    strays, worst = np.abs(seen.q - waves(run.t).q).max(), {k: float(np.abs(x).max()) for k, x in errors.items()}
    rows = [(k, *ERRORS[k], x) for k, x in worst.items()]
    return Case(
        "abedloo2014",
        "loop",
        "The Agile Wrist in a loop: a simulated robot, and the model beside it",
        "The simulated robot is the mechanism with its loops, moved by its motors alone, each led along (52) by a "
        f"stiff law of its own; it strays from (52) by {strays:.1e} rad at most. The model is given the platform's "
        "motion and tells all joints and torques: what it is off by is rounding.",
        (Table("errors", ("largest error of", "order in the paper", "allowed", "here"), rows),),
        tuple(_figures(run.t, own[0], model.q, given, wanted, errors)),
        tuple(Agreement(f"model against robot, {k}", 0.0, x, ERRORS[k][1]) for k, x in worst.items()),
        {"mode": mode, "t": run.t, "tau": given, "joints": own[0], "names": [*MOTORS, *ELBOWS], "errors": worst},
    )


# -- agreement --------------------------------------------------------------------------------------------------


def _agreements(robot: Wrist, t: Array, tau: Array) -> Iterator[Agreement]:
    sign, home = (1.0 if robot.mode == "+" else -1.0), np.degrees(robot.hinges(waves(0.0)).q)
    for name, wanted, k in (("theta", HOME[0], 0), ("psi", HOME[1], 3)):
        here = max(home[k : k + 3], key=lambda x, w=sign * wanted: abs(x - w))
        yield Agreement(f"{name} at home [deg]", sign * wanted, float(here), CLOSE)
    M = robot.platform.matrices(np.zeros(3), np.zeros(3))[0]
    for k, wanted in enumerate(INERTIA):
        yield Agreement(f"M(0), entry {k + 1} of the diagonal [kg m^2]", wanted, float(M[k, k]), CLOSE * wanted)
    for at, row in TORQUES.items() if robot.mode == "-" else ():
        found = robot.platform.inverse_dynamics(*waves(at))
        for k, wanted in enumerate(row):
            yield Agreement(f"tau_{k + 1}({at:g} s) [N m]", wanted, float(found[k]), CLOSE * max(row))
    whole = robot.whole(waves(t))
    others = {
        "by DeNOC of the legs": robot.legs.inverse_dynamics(*whole)[0],
        "in the motors' angles": robot.robot.inverse_dynamics(*whole, actuators=MOTORS),
    }
    for way, other in others.items():
        off = float(np.abs(tau - other).max() / np.abs(tau).max())
        yield Agreement(f"torques {way}, largest difference", 0.0, off, EQUAL)
    yield Agreement("what of dM/dt - 2C is not skew, relative", 0.0, max(_skewness(robot, x) for x in t[::40]), 1e-13)


def _skewness(robot: Wrist, at: float) -> float:
    """How far dM/dt - 2C is from skew on (52), against the largest entry of C; the rate of M is exact."""
    x, dx, _ = (value.tolist() for value in waves(at))
    walk, moving = Walk(robot.robot.tree), Coordinates([Jet(a, b) for a, b in zip(x, dx, strict=True)])
    M = dynamic_matrices(walk, moving, Coordinates(dx), robot.platform.structure)[0]
    C = robot.platform.matrices(np.array(x), np.array(dx))[1]
    dM = np.array([[M[i, j].first for j in range(3)] for i in range(3)])
    return float(np.abs(dM - C - C.T).max() / np.abs(C).max())


# -- tables and figures -----------------------------------------------------------------------------------------


def _joints(q: Array) -> dict[str, Array]:
    return {name: np.degrees(q[..., k]) for k, name in enumerate((*MOTORS, *ELBOWS))}


def _motors(tau: Array) -> dict[str, Array]:
    return {name: tau[..., k] for k, name in enumerate(MOTORS)}


def _angles(q: Array) -> Iterator[Panel]:
    curves = _joints(q)
    for word, names in (("motors [deg]", MOTORS), ("elbows [deg]", ELBOWS)):
        yield Panel(word, {name: curves[name] for name in names})


def _over_time(name: str, t: Array, curves: dict[str, Array]) -> Table:
    unit = "[deg]" if name == "joints" else "[N m]"
    rows = [(float(x), *map(float, row)) for x, row in zip(t, np.stack([*curves.values()], 1), strict=True)]
    return Table(name, ("t [s]", *(f"{key} {unit}" for key in curves)), rows, every=20)


def _matrices(robot: Wrist) -> Table:
    """M, C and G at some instants of (52), row by row."""
    head = ("t [s]", "row", "M 1", "M 2", "M 3", "C 1", "C 2", "C 3", "G")
    rows: list[tuple[Any, ...]] = []
    for at in (0.0, 0.5, 1.0, 2.0, 3.0):
        M, C, G, _ = robot.platform.matrices(*waves(at)[:2])
        rows += [(at, f"q{k + 1}", *map(float, (*M[k], *C[k], G[k]))) for k in range(3)]
    return Table("matrices", head, rows)


def _figures(
    t: Array, own: Array, model: Array, given: Array, wanted: Array, errors: dict[str, Array]
) -> Iterator[Chart]:
    """Figures 5 to 7, of the paper's quantities in the paper's order."""
    both = []
    for robot, mine in zip(_angles(own), _angles(model), strict=True):
        both.append(Panel(robot.y, _beside(robot.curves, mine.curves)))
    yield Chart("figure-5", "Figure 5: joints of the simulated robot and of the model", "time [s]", t, tuple(both))
    torques = (
        Panel("torque [N m]", _beside(_motors(given), _motors(wanted))),
        Panel("error [N m]", _motors(errors["torque [N m]"])),
    )
    yield Chart("figure-6", "Figure 6: torques of the simulated robot and of the model", "time [s]", t, torques)
    panels = tuple(Panel(f"error of {k}", dict(zip((*MOTORS, *ELBOWS), x.T, strict=True))) for k, x in errors.items()
                   if not k.startswith("torque"))  # fmt: skip
    yield Chart("figure-7", "Figure 7: errors of the model's kinematics", "time [s]", t, panels)


def _beside(robot: Mapping[str, Array], model: Mapping[str, Array]) -> dict[str, Array]:
    """Curves of both, as one where nobody could tell them apart."""
    curves = {f"{name} of the robot": x for name, x in robot.items()}
    return merged(curves | {f"{name} of the model": x for name, x in model.items()})
