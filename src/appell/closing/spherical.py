"""Spherical parallel robots in coordinates of their platform: found in a mechanism, and compiled.

Source: abedloo2014.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..asking import Identity
from ..errors import ModelError, ShapeError, unknown
from ..formulations import spherical_parallel
from ..formulations.by_drives import BY_DRIVES
from ..formulations.spherical import Spherical
from ..formulations.spherical_parallel import dynamic_matrices
from ..formulations.table import Formulation, Question, Shape
from ..model.tree import Place
from ..model.walk import Coordinates, Walk
from ..regular import rank_of
from .centre import Stand, arms, centre
from .hinges import exact, frames_of, legs_of
from .legs import end_effector

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class SphericalRobot:
    """A spherical parallel robot in coordinates x of its platform; x = 0 where it was when it was made.

    Kernels take one state or many. Forces are those of the drives, in their order; where these do not hold the
    platform, no numbers.
    """

    robot: Robot
    structure: Spherical
    home: tuple[float, ...]  # x where it was made
    drives: tuple[str, ...]
    hinges: tuple[str, ...]  # the joints of all legs, in the order of `joints`

    @cached_property
    def matrices(self) -> Callable[..., Any]:
        """(M, C, G, A) at (x, dx): M ddx + C dx + G = A' tau, and A dx the rates of the drives."""
        return self._made(self.row("matrices"))

    @cached_property
    def inverse_dynamics(self) -> Callable[..., Any]:
        """tau at (x, dx, ddx)."""
        if self.held < self.structure.size:
            names = ", ".join(map(repr, self.drives))
            got = f"drives {names} of {self.robot.name!r} hold {self.held} of the {self.structure.size} freedoms"
            raise ModelError(f"{got} of its platform, wanted all")
        return self._made(self.row("inverse_dynamics"))

    @cached_property
    def held(self) -> int:
        """How many freedoms the drives hold where the robot was made."""
        still = Coordinates([0.0] * self.structure.size)
        A = dynamic_matrices(Walk(self.robot.tree), Coordinates([*self.home]), still, self.structure)[3]
        rows = [[float(A[i, k]) for k in range(self.structure.size)] for i in range(len(self.drives))]
        return rank_of(np.linalg.svd(np.array(rows), compute_uv=False))

    @cached_property
    def forward_dynamics(self) -> Callable[..., Any]:
        """ddx at (x, dx, tau)."""
        return self._made(self.row("forward_dynamics"))

    @cached_property
    def turns(self) -> Callable[..., Any]:
        """Of every hinge at (x, dx, ddx): cosine and sine of its turn, rate and acceleration."""
        asks = self._asks(("x", "dx", "ddx"), (("hinges", (len(self.hinges), 4)),))
        text = partial(spherical_parallel.joints, spherical=self.structure)
        return self._made(Formulation("spherical_parallel", "hinges", text, "abedloo2014", False, asks=asks))

    def joints(self, x: Any, dx: Any, ddx: Any) -> tuple[Array, Array, Array]:
        """(angles, rates, accelerations) of the hinges, by the robot's own coordinates."""
        found, links = self.turns(x, dx, ddx), [k for leg in self.structure.legs for k in leg.links]
        offsets = np.array([float(self.robot.tree.links[k - 1].angle) for k in links])
        angles = np.arctan2(found[..., 1], found[..., 0]) - offsets
        return np.remainder(angles + np.pi, 2 * np.pi) - np.pi, found[..., 2], found[..., 3]

    def row(self, what: str) -> Formulation:
        """The row of the formulations' table for a question, bound to this robot and its drives."""
        n, drives = self.structure.size, len(self.drives)
        inputs, outputs = {
            "matrices": (("x", "dx"), (("M", (n, n)), ("C", (n, n)), ("G", (n,)), ("A", (drives, n)))),
            "inverse_dynamics": (("x", "dx", "ddx"), (("tau", (drives,)),)),
            "forward_dynamics": (("x", "dx", "tau"), (("ddx", (n,)),)),
        }[what]
        row = next(row for row in BY_DRIVES if (row.name, row.computes) == ("spherical_parallel", what))
        return replace(row, text=partial(row.text, spherical=self.structure), asks=self._asks(inputs, outputs))

    def _asks(self, inputs: tuple[str, ...], outputs: tuple[tuple[str, Shape], ...]) -> Question:
        """A question whose inputs are the platform's, tried near where the robot was made."""
        n, drives = self.structure.size, len(self.drives)
        sizes = {"x": len(self.home), "dx": n, "ddx": n, "tau": drives}
        given = tuple((name, sizes[name]) for name in inputs)
        return Question(inputs, outputs, "a spherical parallel robot", sizes=given, near=(("x", self.home),))

    def _made(self, row: Formulation) -> Callable[..., Any]:
        from ..kernel.make import make

        return make(row, self.robot.tree, owner=Identity(self.robot.mechanism, self.robot.identity)).callable


def spherical(robot: Robot, q: Any, coordinates: Any = "zyx", drives: Iterable[str] = ()) -> SphericalRobot:
    """A robot whose hinges all pass through one point, in the posture of q, where its platform has x = 0.

    `coordinates` are the axes about which the platform turns, one after the other, each carried by those before: as
    letters, or as directions in the base; or "quaternion". Drives are joints, by default the first of every leg.
    """
    frames, at = frames_of(coordinates), np.asarray(q, float)
    if at.shape != (robot.nq,):
        raise ShapeError(f"spherical: q has shape {at.shape}, wanted ({robot.nq},)")
    legs, stand = legs_of(robot, at, len(frames) - 1), Stand.of(robot.tree, at)
    if not frames and any(leg.led for leg in legs):
        raise ModelError(f"robot {robot.name!r} has hinges among its coordinates, wanted angles and no quaternion")
    body, links = robot.tree.frames[end_effector(robot.mechanism)].link, [k for leg in legs for k in leg.links]
    _check_others(robot, {*links, body})
    names = {place.link: b.joint.name for place, b in zip(robot.tree.bodies, robot.bodies, strict=True)}
    hinges = {names[k]: (n, i) for n, leg in enumerate(legs) for i, k in enumerate(leg.links)}
    chosen = tuple(drives) or tuple(name for name, (_, i) in hinges.items() if i == 0)
    if strange := [name for name in chosen if name not in hinges]:
        raise unknown("hinge of a leg", strange[0], hinges)
    held = arms(stand, centre(robot.name, robot.tree, stand, links), [*links, body])
    led = [robot.tree.links[k - 1].q_index for leg in legs for k in leg.links[: len(leg.led)]]
    home = (*(0.0,) * (len(frames) - 1), *(float(at[k]) for k in led)) if frames else (1.0, 0.0, 0.0, 0.0)
    driven, size = tuple(hinges[name] for name in chosen), len(home) if frames else 3
    structure = Spherical(legs, Place(body, exact(stand.R[body].T)), frames, driven, size, held)
    return SphericalRobot(robot, structure, home, chosen, tuple(hinges))


def _check_others(robot: Robot, known: set[int]) -> None:
    """Refuse matter that is neither of a leg nor of the platform."""
    for place, body in zip(robot.tree.bodies, robot.bodies, strict=True):
        if place.link not in known and body.mass:
            raise ModelError(f"body {body.name!r} of {robot.name!r} is on no leg, wanted legs and a platform alone")
