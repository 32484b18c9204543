"""What joints add beside the links: friction, springs and rotors, around any page that knows the links.

Nothing is added, and nothing swept, where `robot.resists` is False.
"""

from ..linalg import is_zero
from ..scalar import sign, tanh
from .still import Still


class Driven:
    """The forces that are left to move the links: tau less what the joints take up."""

    def __init__(self, q, v, tau):
        self.q, self.v, self.tau = q, v, tau

    def __getitem__(self, z):
        return self.tau[z] - resistance(z, self.q, self.v)


def resistance(z, q, v):
    """What friction and spring of freedom z take up: damping v + coulomb sign(v) + stiffness (q - rest) + preload."""
    return friction(z, v) + z.resistance.stiffness * stretch(z, q) + z.resistance.preload


def friction(z, v):
    """damping v + coulomb sign(v).

    Where there is a speed s of smoothing, tanh(v / s) takes the place of the sign. That is structure, not
    value: in a table of bodies of which only some have s = 0, a tiny speed must stand for the zero.
    """
    met = z.resistance
    dry = 0 if is_zero(met.coulomb) else met.coulomb * way_of(met, v[z])
    return met.damping * v[z] + dry


def stretch(z, q):
    """How far the spring of a freedom is from rest; a freedom without a coordinate of its own has none."""
    return 0 if z.position is None else q[z.position] - z.resistance.rest


def slope(z, v):
    """The derivative of the resistance by the speed; that of the exact sign is 0."""
    met = z.resistance
    if is_zero(met.coulomb) or is_zero(met.smoothing):
        return met.damping
    way = way_of(met, v[z])
    return met.damping + met.coulomb * (1 - way * way) / met.smoothing


def way_of(met, speed):
    """The sign of a speed, or what takes its place."""
    return sign(speed) if is_zero(met.smoothing) else tanh(speed / met.smoothing)


def inverse(text):
    """Inverse dynamics of the whole robot, by a page of inverse dynamics."""

    def inverse_dynamics(robot, q, v, a):
        tau = text(robot, q, v, a)
        for b in robot.outward() if robot.resists else ():
            for z in b.freedoms:
                tau[z] += resistance(z, q, v) + z.rotor * a[z]
        return tau

    return inverse_dynamics


def bias(text):
    """h(q, v), all forces of a motion without acceleration, by a page of inverse dynamics."""

    def bias_of_motion(robot, q, v):
        return inverse(text)(robot, q, v, Still())

    return bias_of_motion


def gravity_forces(text):
    """The forces that hold the links against gravity, without springs, by a page of inverse dynamics."""

    def forces_at_rest(robot, q):
        return text(robot, q, Still(), Still())

    return forces_at_rest


def forward(text):
    """Forward dynamics of the whole robot, by a page that knows the links and the rotors."""

    def forward_dynamics(robot, q, v, tau):
        return text(robot, q, v, Driven(q, v, tau) if robot.resists else tau)

    return forward_dynamics


def derivatives(text):
    """Derivatives of inverse dynamics by q, v and a: springs add to the first, friction to the second."""

    def inverse_dynamics_derivatives(robot, q, v, a):
        dq, dv, M = text(robot, q, v, a)
        for b in robot.outward() if robot.resists else ():
            for z in b.freedoms:
                dq[z, z] += z.resistance.stiffness
                dv[z, z] += slope(z, v)
        return dq, dv, M

    return inverse_dynamics_derivatives
