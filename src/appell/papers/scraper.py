"""The carpet scraping machine of saha2010 over a turn of its crank: the motor's torque, and what all joints carry.

By subsystems, section 4.2.1; by the equations of all bodies at once; and in one reduced coordinate.

Source: saha2010, section 4.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from .. import zoo
from ..closing.driven import Driven, Loads
from ..closing.subsystems import Part, named
from ..robot import Robot
from ..show.charts import Chart, Panel
from ..show.configurations import Configurations, Stance
from .bodies import reactions_at_once
from .case import Agreement, Case, Table

Array = np.ndarray[Any, Any]
Form: TypeAlias = Literal["left", "right"]
SPEED = 4.712  # of the crank, rad/s
SIDES = {"left": -1, "right": 1}
# Driving torques at angles of the crank in degrees, N m, from two derivations that share nothing with this one
TORQUES = {0: -0.589035690547, 60: -6.468157935006, 180: -17.870458835606}
CLOSE, EQUAL = 1e-10, 1e-12  # to the reference, and of two ways, against the largest
STANCES = (0, 60, 120, 180, 240, 300)  # degrees of the crank, to be drawn


@dataclass(frozen=True, eq=False)
class Scraper:
    """The machine with its pantograph to one side of its pivot."""

    form: str

    @cached_property
    def robot(self) -> Robot:
        """From the zoo."""
        return _robot()

    @cached_property
    def driven(self) -> Driven:
        """Subsystem by subsystem, driven by its motor."""
        return self.robot.driven_by(["motor"], "closed_subsystems")

    def posture(self, turn: Array) -> Array:
        """All joints for angles of the crank."""
        pin, rocker, pivot = 0.038 * _along(turn), np.array([-0.089, 0.0]), np.array([0.038, 0.410])
        middle = _meet(rocker, 0.115, pin, 0.115, 1)
        tracer = 2 * middle - pin
        fork = _meet(pivot, 0.096, tracer, 0.239, SIDES[self.form])
        r, c, u, w = (_angle(d) for d in (middle - rocker, tracer - middle, fork - pivot, tracer - fork))
        return np.stack([turn, r, c - r, u, w - u, u + np.pi - w, w - u], -1)

    def motion(self, t: Array) -> tuple[Array, Array, Array]:
        """All joints at instants of a uniform turn from 0."""
        q = self.posture(SPEED * np.asarray(t, float))
        v, a = np.zeros_like(q), np.zeros_like(q)
        v[..., 0] = SPEED
        return (q, *self.driven.inverse_dynamics(q, v, a)[1:])

    @property
    def parts(self) -> tuple[Part, ...]:
        """The subsystems, in the order in which they are solved."""
        return named(self.robot, self.driven.structure)  # type: ignore[arg-type]


@cache
def _robot() -> Robot:
    return zoo.load("scraper")


@cache
def machine(form: str) -> Scraper:
    """One for all cases, so that its kernels are found at once."""
    return Scraper(form)


def scraper(form: Form = "left", times: tuple[float, ...] = ()) -> Case:
    """The carpet scraper over a turn of its crank: Figure 20, and what every joint carries.

    `form` is the side of its pivot to which the pantograph hangs; `times` are the instants of the data.
    """
    made, turn = machine(form), np.radians(np.linspace(0.0, 360.0, 121))
    motion = made.motion(turn / SPEED)
    loads = made.driven.loads(*motion)
    tau, every = reactions_at_once(made.robot, *motion, drive=0)
    reduced, off = made.robot.inverse_dynamics(*motion, actuators=["motor"]), _off(loads, tau, every)
    asked = np.array(times) if times else turn / SPEED
    there = made.driven.loads(*made.motion(asked))
    largest = float(np.abs(loads.tau).max())
    agreements = [
        *(Agreement(f"torque at {angle} deg [N m]", x, float(_torque(made, np.radians(angle))), CLOSE * abs(x))
          for angle, x in TORQUES.items() if form == "left"),
        Agreement("torque, all bodies at once, largest difference", 0.0, off["torque"], EQUAL),
        Agreement("forces of joints, all bodies at once, largest difference", 0.0, off["forces"], EQUAL),
        Agreement("torque in one coordinate, largest difference", 0.0,
                  float(np.abs(reduced - loads.tau).max()) / largest, EQUAL),
    ]  # fmt: skip
    return Case(
        "saha2010",
        "scraper",
        f"The carpet scraper, its pantograph to the {form}: what drives it and what its joints carry",
        "The figures that show how the machine is put together are lost; how it is understood stands in the errata. "
        "Its subsystems are found from its loops, and solved in the order of the paper, with 4, 2 and 1 unknowns. "
        "Beside them stand the 21 equations of all seven bodies at once, and one equation in the crank's angle.",
        (_parts(made), _carried(loads, turn)),
        (_stances(made), *_curves(loads, np.degrees(turn))),
        tuple(agreements),
        {
            "t": asked, "tau": there.tau, "form": form, "q": made.motion(asked)[0], "joints": there.joints,
            "loops": there.loops,
        },
    )  # fmt: skip


def _torque(made: Scraper, turn: float) -> float:
    return float(made.driven.loads(*made.motion(np.array([turn / SPEED]))).tau[0, 0])


def _off(loads: Loads, tau: Array, every: dict[str, Array]) -> dict[str, float]:
    """How far two ways are apart, against the largest torque and force."""
    own = {name: np.linalg.norm(x[:, :2], axis=-1) for name, x in (loads.joints | loads.loops).items()}
    other = {name: np.linalg.norm(x, axis=-1) for name, x in every.items()}
    largest = max(float(x.max()) for x in other.values())
    forces = max(float(np.abs(own[name] - other[name]).max()) for name in other)
    torque = float(np.abs(loads.tau[:, 0] - tau).max() / np.abs(tau).max())
    return {"torque": torque, "forces": forces / largest}


# -- geometry ---------------------------------------------------------------------------------------------------


def _along(angle: Array) -> Array:
    return np.stack([np.cos(angle), np.sin(angle)], -1)


def _angle(d: Array) -> Array:
    return np.arctan2(d[..., 1], d[..., 0])


def _meet(P: Array, r: float, Q: Array, s: float, side: int) -> Array:
    """Where circles about P and Q meet, on one side of the way from P to Q."""
    d = Q - P
    square = (d * d).sum(-1)
    along = (r * r - s * s + square) / (2 * square)
    across = side * np.sqrt(r * r / square - along * along)
    return P + d * along[..., None] + np.stack([-d[..., 1], d[..., 0]], -1) * across[..., None]


# -- tables and figures -----------------------------------------------------------------------------------------


def _parts(made: Scraper) -> Table:
    head = ("subsystem", "unknowns", "equations", "drives")
    rows = [(", ".join(p.bodies), p.unknowns, ", ".join(p.equations), ", ".join(p.drives)) for p in made.parts]
    return Table("subsystems", head, rows)


def _carried(loads: Loads, turn: Array) -> Table:
    """The torque and the size of every joint's force over a turn."""
    forces = _forces(loads)
    head = ("crank [deg]", "torque [N m]", *(f"{name} [N]" for name in forces))
    rows = [(float(x), float(tau), *map(float, row)) for x, tau, row in
            zip(np.degrees(turn), loads.tau[:, 0], np.stack([*forces.values()], 1), strict=True)]  # fmt: skip
    return Table("forces", head, rows, every=10)


def _forces(loads: Loads) -> dict[str, Array]:
    return {name: np.linalg.norm(x[:, :3], axis=-1) for name, x in (loads.joints | loads.loops).items()}


def _curves(loads: Loads, degrees: Array) -> list[Chart]:
    driving = Panel("torque [N m]", {"motor": loads.tau[:, 0]})
    cut, uncut = ({name: np.linalg.norm(x[:, :3], axis=-1) for name, x in part.items()}
                  for part in (loads.loops, loads.joints))  # fmt: skip
    carried = (Panel("cut joints [N]", cut), Panel("other joints [N]", uncut))
    return [
        Chart("figure-20", "Figure 20: driving torque", "crank [deg]", degrees, (driving,)),
        Chart("forces", "Forces of the joints", "crank [deg]", degrees, carried),
    ]


def _stances(made: Scraper) -> Configurations:
    """The machine at some angles of its crank."""
    q = made.posture(np.radians(STANCES))
    pin, pivot = 0.038 * _along(q[:, 0]), np.array([0.038, 0.410])
    rocker = np.tile([-0.089, 0.0], (len(q), 1))
    middle = rocker + 0.115 * _along(q[:, 1])
    u, w = q[:, 3], q[:, 3] + q[:, 4]
    end, fork = pivot + 0.335 * _along(u), pivot + 0.096 * _along(u)
    points = np.stack([0 * rocker, pin, 2 * middle - pin, rocker, middle, np.tile(pivot, (len(q), 1)), fork, end,
                       end + 0.239 * _along(w), end + 0.8365 * _along(w)], 1)  # fmt: skip
    links = [(0, 1), (1, 2), (3, 4), (5, 7), (6, 2), (7, 9), (8, 2)]
    stances = [Stance(f"{turn} deg", x, links) for turn, x in zip(STANCES, points, strict=True)]
    return Configurations("figure-18", "Figure 18: the machine at angles of its crank [m]", stances)
