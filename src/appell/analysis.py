"""What a control engineer asks of a robot as a whole: linear models, equilibria."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import AppellError, ShapeError

if TYPE_CHECKING:
    from .robot import Robot

Array = np.ndarray[Any, Any]
LONGEST = 0.5  # radians or metres in one step towards an equilibrium


def linearise(robot: Robot, q: Any, v: Any, tau: Any) -> tuple[Array, Array]:
    """(A, B) of d/dt (dq, dv) = A (dq, dv) + B dtau, with dq a tangent of q in body axes.

    Where a joint carries a quaternion, two motions that start a tangent dq apart drift apart by dv - v x dq.
    """
    da_dq, da_dv, inverse = robot.forward_dynamics_derivatives(q, v, tau)  # which checks the arguments
    n = robot.nv
    A = np.zeros((*da_dq.shape[:-2], 2 * n, 2 * n))
    A[..., :n, :n] = -drift(robot, np.asarray(v, float))
    A[..., :n, n:] = np.eye(n)
    A[..., n:, :n], A[..., n:, n:] = da_dq, da_dv
    B = np.concatenate([np.zeros_like(inverse), inverse], -2)
    return A, B


def drift(robot: Robot, v: Array) -> Array:
    """The matrix of v x, the Lie bracket of tangents: zero but for ball and free joints."""
    out = np.zeros((*v.shape[:-1], robot.nv, robot.nv))
    for b in robot.tree.links:
        i = b.v_index
        if b.kind == "ball":
            out[..., i : i + 3, i : i + 3] = cross_matrix(v[..., i : i + 3])
        elif b.kind == "free":
            turn = cross_matrix(v[..., i + 3 : i + 6])
            out[..., i : i + 3, i : i + 3] = out[..., i + 3 : i + 6, i + 3 : i + 6] = turn
            out[..., i : i + 3, i + 3 : i + 6] = cross_matrix(v[..., i : i + 3])
    return out


def cross_matrix(u: Array) -> Array:
    """The matrix of u x."""
    x, y, z = u[..., 0], u[..., 1], u[..., 2]
    o = np.zeros_like(x)
    return np.stack([np.stack(row, -1) for row in ((o, -z, y), (z, o, -x), (-y, x, o))], -2)


def equilibrium(robot: Robot, q: Any, tau: Any = 0.0, tolerance: float = 1e-12) -> Array:
    """The configuration near q where tau, springs and gravity are in balance.

    Newton's method with the exact derivative and least squares, so that directions that nothing holds stay as
    they are; steps are short, lest they leap over what is near, and halved while they do not help.
    """
    q, wanted = one("q", q, robot.nq), one("tau", tau, robot.nv)
    still = np.zeros(robot.nv)

    def rest(at: Array) -> Array:
        return robot.bias(at, still) - wanted

    left = rest(q)
    scale = max(float(np.abs(left).max(initial=0.0)), float(np.abs(wanted).max(initial=0.0)), 1.0)
    for _ in range(100):
        if np.abs(left).max(initial=0.0) <= tolerance * scale:
            return q
        slope = robot.inverse_dynamics_derivatives(q, still, still)[0]
        step = -np.linalg.lstsq(slope, left, rcond=1e-10)[0]
        step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), LONGEST))
        q, left, moved = _stepped(robot, rest, q, left, step)
        if not moved:
            break
    if np.abs(left).max(initial=0.0) <= 1e3 * tolerance * scale:
        return q
    raise AppellError(
        f"no equilibrium of {robot.name!r} found near q: a force of {np.abs(left).max():.3g} is left over, wanted 0"
    )


def one(name: str, given: Any, n: int) -> Array:
    """A vector of n finite numbers; one number alone stands for all."""
    from .kernel.arrays import numbers

    x = numbers("equilibrium", name, given).astype(float)
    x = np.full(n, x) if x.shape == () and name == "tau" else x
    if x.shape != (n,):
        raise ShapeError(f"equilibrium: {name} has shape {x.shape}, wanted ({n},)")
    if not np.isfinite(x).all():
        raise ShapeError(f"equilibrium: {name} is {x}, wanted finite numbers")
    return x


def _stepped(robot: Robot, rest: Any, q: Array, left: Array, step: Array) -> tuple[Array, Array, bool]:
    """A step, halved until the forces left over shrink."""
    for _ in range(40):
        there = robot.integrate(q, step, 1.0)
        after = rest(there)
        if np.linalg.norm(after) < np.linalg.norm(left):
            return there, after, True
        step = step / 2
    return q, left, False


def regressor_columns(robot: Robot) -> dict[str, int]:
    """Where each parameter in which forces are linear stands among the columns of the regressor's text."""
    from .formulations.regressor import MET
    from .model.joints import joint_type
    from .model.lift import MOMENTS

    moments = [f"{b.name}.{x}" for b in robot.bodies for x in MOMENTS]
    found = {name: k for k, name in enumerate(moments)}
    for body, start in zip(robot.bodies, robot.mechanism.v_starts, strict=False):
        if joint_type(body.joint).freedoms == 1:
            first = len(moments) + len(MET) * start
            found |= {f"{body.name}.{x}": first + j for j, x in enumerate(MET)}
    return found
