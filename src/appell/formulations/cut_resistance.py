"""What joints that close loops add to a tree's forces and masses: friction, springs and rotors of their own.

Around any page that knows the tree; nothing is added where none of them resists.
"""

from __future__ import annotations

from ..linalg import is_zero
from .energetics import rotor_energy, spring_energy
from .flowing import flowing
from .jet import jet
from .resistance import friction, resistance
from .resisting import met
from .still import Still


def inverse(text):
    """Inverse dynamics, by a page that knows the tree."""

    def inverse_dynamics(robot, q, v, a, closures):
        tau = text(robot, q, v, a)
        for x in met(robot, q, v, closures):
            force = resistance(x.z, x.value, x.rate)
            if not is_zero(x.z.rotor):
                force = force + x.z.rotor * (x.bias + sum(y * a[t] for t, y in x.by.items() if not is_zero(a[t])))
            for t, y in x.by.items():
                tau[t] += y * force
        return tau

    return inverse_dynamics


def bias(text):
    """All forces of a motion without acceleration, by a page that knows the tree."""

    def bias_of_motion(robot, q, v, closures):
        return inverse(lambda robot, q, v, _: text(robot, q, v))(robot, q, v, Still(), closures)

    return bias_of_motion


def mass_matrix(text):
    """The mass matrix, with rotors in cut joints: J' rotor J, where J v is the joint's rate."""

    def with_rotors(robot, q, closures):
        M = text(robot, q)
        for x in met(robot, q, Still(), closures):
            for t, y in x.by.items() if not is_zero(x.z.rotor) else ():
                for s, other in x.by.items():
                    if t <= s:
                        M[t, s] += y * other * x.z.rotor
        return M

    return with_rotors


def coriolis(text):
    """The Coriolis matrix, with rotors in cut joints: J' rotor J., which leaves J.' rotor J - J' rotor J. of dM/dt."""

    def with_rotors(robot, q, v, closures):
        C = text(robot, q, v)
        for x in met(robot, flowing(robot, q, v), Still(), closures):
            for t, y in x.by.items() if not is_zero(x.z.rotor) else ():
                for s, other in x.by.items():
                    C[t, s] += jet(y).value * jet(other).first * x.z.rotor
        return C

    return with_rotors


def energy(text):
    """(kinetic, potential), with rotors and springs in cut joints."""

    def with_cut_joints(robot, q, v, closures):
        E = text(robot, q, v)
        for x in met(robot, q, v, closures):
            E[0] += rotor_energy(x.z, x.rate)
            E[1] += spring_energy(x.z, x.value)
        return E

    return with_cut_joints


def rates(text):
    """What a simulation integrates, with what friction in cut joints takes."""

    def with_cut_joints(robot, q, v, tau, closures):
        dq, power = text(robot, q, v, tau)
        for x in met(robot, q, v, closures):
            power[2] += friction(x.z, x.rate) * x.rate[0]
        return dq, power

    return with_cut_joints
