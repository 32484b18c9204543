"""Robot files read here and by another library, and how far the two are apart: the table of docs/robot-files.md."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..bridges import matching, mujoco
from ..bridges.pinocchio import pinocchio
from ..errors import AppellError
from ..files.load import read
from ..files.source import Choices
from ..model.mechanism import Mechanism
from ..robot import Robot

Array = np.ndarray
RESISTS = ("damping", "coulomb", "smoothing", "rotor_inertia", "gear", "stiffness", "rest", "preload")

SINGULAR = 1e15  # the condition of a mass matrix from which on accelerations mean nothing


class There(Protocol):
    """Another library's answers for one state, in Appell's order."""

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Array: ...
    def mass_matrix(self, q: Any) -> Array: ...
    def forward_dynamics(self, q: Any, v: Any, tau: Any) -> Array: ...


@dataclass(frozen=True)
class Agreement:
    """The largest differences over some random states, relative to the largest entry of each answer."""

    inverse_dynamics: float
    mass_matrix: float
    forward_dynamics: float  # nan where M is singular, so that there is no answer
    condition: float  # of the worst mass matrix


@dataclass(frozen=True)
class Row:
    """One file: how many bodies and freedoms, and how it agrees, or the sentence that it gets."""

    file: str
    bodies: int = 0
    freedoms: int = 0
    agreement: Agreement | None = None
    sentence: str = ""


def agreement(mechanism: Mechanism, there: There, states: int = 20, unroll: bool | None = None) -> Agreement:
    """Appell's answers beside another library's."""
    robot, rng = Robot(mechanism), np.random.default_rng(1)
    q, v = map(np.array, zip(*(robot.random_state(k) for k in range(states)), strict=True))
    a = rng.normal(size=v.shape)
    tau = _apart(
        robot.kernel("inverse_dynamics", unroll=unroll)(q, v, a),
        [there.inverse_dynamics(*x) for x in zip(q, v, a, strict=True)],
    )
    matrices = [there.mass_matrix(x) for x in q]
    M = _apart(robot.kernel("mass_matrix", unroll=unroll)(q), matrices)
    condition, forward = max(float(np.linalg.cond(x)) for x in matrices), float("nan")
    if condition < SINGULAR:
        found = robot.kernel("forward_dynamics", unroll=unroll)(q, v, a)
        forward = _apart(found, [there.forward_dynamics(*x) for x in zip(q, v, a, strict=True)])
    return Agreement(tau, M, forward, condition)


def _apart(ours: Any, theirs: Any) -> float:
    """The largest difference of any state, relative to the largest entry there."""
    return max(float(np.abs(x - y).max() / np.abs(y).max()) for x, y in zip(ours, theirs, strict=True))


def smooth(mechanism: Mechanism) -> Mechanism:
    """The tree without dry friction, and without what binds it."""
    bodies = tuple(replace(b, joint=replace(b.joint, coulomb=None, smoothing=None)) for b in mechanism.bodies)
    return replace(mechanism, bodies=bodies, loops=(), constraints=(), actuators=())


def ideal(mechanism: Mechanism) -> Mechanism:
    """The bare tree: without rotors and what resists in its joints, and without what binds it."""
    nothing: dict[str, Any] = dict.fromkeys(RESISTS)
    bodies = tuple(replace(b, joint=replace(b.joint, **nothing)) for b in mechanism.bodies)
    return replace(mechanism, bodies=bodies, loops=(), constraints=(), actuators=())


def beside_pinocchio(path: Path, floating: bool = False, states: int = 20, unroll: bool | None = None) -> Row:
    """A URDF file read here and by Pinocchio; without rotors and friction, which Pinocchio does not read or use."""
    pin = pinocchio()

    def there(mechanism: Mechanism) -> There:
        model = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if floating else []))
        return matching.matched(mechanism, model)

    return _beside(path, Choices(floating=floating), ideal, there, states, unroll, whole=False)


def beside_mujoco(path: Path, states: int = 20, unroll: bool | None = None, roots: tuple[Path, ...] = ()) -> Row:
    """An MJCF file read here and by MuJoCo; without dry friction and equalities, which MuJoCo holds softly."""

    def there(mechanism: Mechanism) -> There:
        return mujoco.matched(mechanism, mujoco.mujoco().MjModel.from_xml_path(str(path)))

    return _beside(path, Choices(roots), smooth, there, states, unroll)


def _beside(
    path: Path, choices: Choices, made: Callable[[Mechanism], Mechanism], there: Callable[[Mechanism], There],
    states: int, unroll: bool | None, whole: bool = True,
) -> Row:  # fmt: skip
    """`whole` where all that moves a robot is compared, so that nothing of it may stay unread."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = read(str(path), choices)
            mechanism = made(found.mechanism)
            moves = [x for x in found.source.ignored if x.moves]
            if not mechanism.nv:
                return Row(path.name, len(mechanism.bodies), sentence="nothing moves")
            if moves and whole:
                return Row(path.name, len(mechanism.bodies), mechanism.nv, sentence=f"not read: {moves[0]}")
            agreed = agreement(mechanism, there(mechanism), states, unroll)
        except AppellError as error:
            return Row(path.name, sentence=str(error).replace(f"file {str(path)!r}, ", ""))
        except ValueError as error:  # what MuJoCo says of a file
            return Row(path.name, sentence=f"refused there: {str(error).splitlines()[0]}")
        return Row(path.name, len(mechanism.bodies), mechanism.nv, agreed)
