"""Many lanes at once: a robot's kernels over rows of states, each row with parameters and forces of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...asking import Identity
from ...errors import ShapeError
from ...formulations import contact, response
from ...formulations.table import Formulation, Question, Shape
from ...model.manifold import quaternions
from ..contact import Contacts, contacts_of
from ..rate import RATES, WORKS

if TYPE_CHECKING:
    from ...robot import Robot

Array = np.ndarray[Any, Any]
Kernel = Callable[..., Any]
V: Shape = ("nv",)
MOST = 40  # contacts that one kernel of straight-line code can hold


@dataclass(frozen=True)
class Own:
    """What lanes have of their own beside their states: rows of each."""

    lanes: Array
    forces: Array | None  # constant ones, where there are any
    parameters: tuple[Array, ...]  # none, or one array of those lifted

    def of(self, rows: Any) -> Own:
        """The same of fewer lanes."""
        forces = None if self.forces is None else self.forces[rows]
        return Own(self.lanes[rows], forces, tuple(p[rows] for p in self.parameters))


class Fleet:
    """The right-hand side y = (q, v, work), dy = (dq, a, power) of many lanes, and what their contacts answer."""

    @staticmethod
    def of(
        robot: Robot, walls: Any, points: Any, pairs: Any, stops: Any, names: Sequence[str],
        torque: Callable[..., Any] | None, method: str | None,
    ) -> Fleet:  # fmt: skip
        """A robot among walls."""
        return Fleet(robot, contacts_of(robot, walls, points, pairs, stops), names, torque, method)

    def __init__(
        self, robot: Robot, contacts: Contacts, names: Sequence[str], torque: Callable[..., Any] | None,
        method: str | None,
    ) -> None:  # fmt: skip
        if len(contacts) > MOST:
            raise ShapeError(f"simulate_batch: got {len(contacts)} contacts, wanted {MOST} at most; `points` chooses")
        self.robot, self.contacts, self.torque, self.names = robot, contacts, torque, tuple(names)
        self.nq, self.nv, self.m = robot.nq, robot.nv, len(contacts)
        self.size, self.counted = self.nq + self.nv + WORKS, self.nq + self.nv
        self.quaternions = quaternions(robot.mechanism)
        self.method = robot.formulation("forward_dynamics", method).name
        self.accelerations = robot.kernel("forward_dynamics", method=method, inputs=names)
        self.energies = robot.kernel("energy", inputs=names)
        self.mass_matrix = robot.kernel("mass_matrix", inputs=names)
        self.rates = self._made(RATES)
        if self.m:
            self._make_contacts(self.m)

    def _make_contacts(self, m: int) -> None:
        each: Shape = (m,)
        sizes = (("held", m), ("b", m))
        three = tuple((name, (m, 3)) for name in ("n", "u", "d"))
        rows = (("g", each), ("rate", each), ("c", each), ("J", (m, "nv")), *three)
        self.gaps = self._touched("gaps", contact.gaps, "qvt", (("g", each), ("rate", each)))
        self.touching = self._touched("touching", contact.touching, "qvt", rows)
        self.closing = self._touched("closing", response.closing, "qvat", (("bend", each), ("steep", each)))
        outputs = (("f", each), ("dv", V), ("w", each))
        self.response = self._touched("response", response.response, ("q", "t", "held", "b"), outputs, sizes)

    def _touched(self, what: str, text: Any, inputs: Sequence[str], outputs: Any, sizes: Any = ()) -> Kernel:
        asks = Question(tuple(inputs), outputs, "contacts", sizes=sizes)
        return self._made(Formulation("contacts", what, text, "", rolls=False, asks=asks), contacts=self.contacts.rows)

    def _made(self, row: Formulation, **given: Any) -> Kernel:
        from ...kernel.make import make

        robot = self.robot
        if self.names:
            from ...model.lift import Lift

            given["lift"] = Lift(robot.mechanism, robot.tree, self.names)
        lean = robot.nv <= row.unrolled_up_to or not row.rolls or self.names
        key = ("batch", row.computes, self.contacts.rows if "contacts" in given else (), self.names)
        if key not in robot._kernels:
            owner = Identity(robot.mechanism, robot.identity)
            robot._kernels[key] = make(row, robot.tree, unroll=bool(lean), owner=owner, **given)
        return robot._kernels[key].callable

    # -- motion -------------------------------------------------------------------------------------------------

    def split(self, y: Array) -> tuple[Array, Array, Array]:
        """q, v and work."""
        a, b = self.nq, self.nq + self.nv
        return y[..., :a], y[..., a:b], y[..., b:]

    def derive(self, t: Array, y: Array, dy: Array, own: Own) -> None:
        """Fills the derivative without contacts."""
        q, v, _ = self.split(y)
        dq, a, power = self.split(dy)
        tau = self.forces(t, q, v, own)
        self.accelerations(q, v, tau, *own.parameters, out=a)
        dq[:], power[:] = self.rates(q, v, tau, *own.parameters)  # two strided ones would not be filled in one go

    def derive_held(self, t: Array, y: Array, dy: Array, own: Own, held: Array, f: Array) -> None:
        """The same with contacts that stay closed, and the forces in them, in the walls' own measures."""
        self.derive(t, y, dy, own)
        (q, v, _), (_, a, power) = self.split(y), self.split(dy)
        at = t.reshape(-1, 1)
        bend, _ = self.closing(q, v, a, at, *own.parameters)
        f[:], pushed, _ = self.response(q, at, held, bend, *own.parameters)
        a += pushed
        alone = self.gaps(q, np.zeros_like(v), at, *own.parameters)[1]
        power[:, 1] -= np.einsum("km,km->k", f, alone)  # a wall that comes closer does work

    def forces(self, t: Array, q: Array, v: Array, own: Own) -> Array:
        """The joints' forces, (k, nv)."""
        if self.torque is None:
            return own.forces  # type: ignore[return-value]
        found = np.asarray(self.torque(t.copy(), q.copy(), v.copy(), own.lanes), float)
        if found.shape != (len(t), self.nv):
            wanted = f"({len(t)}, {self.nv}), one row per lane"
            raise ShapeError(f"simulate_batch: torque at t = {t[0]:.15g} has shape {found.shape}, wanted {wanted}")
        return np.ascontiguousarray(found)

    def settle(self, y: Array, dy: Array) -> None:
        """Quaternions of unit length."""
        for k in self.quaternions:
            norm = np.linalg.norm(y[:, k : k + 4], axis=1, keepdims=True)
            y[:, k : k + 4] /= norm
            dy[:, k : k + 4] /= norm

    def energy(self, q: Array, v: Array, own: Own) -> Array:
        """Kinetic and potential energy together, (k,)."""
        return self.energies(q, v, *own.parameters).sum(1)
