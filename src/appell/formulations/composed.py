"""Answers put together from other pages; those from the factors of M need every freedom by name: no loops."""

from ..linalg import udu
from .composite_body import composite_body
from .derivatives import inverse_dynamics_derivatives
from .elimination import eliminated
from .gibbs_appell import gibbs_appell
from .resistance import bias, derivatives


def factors(robot, M):
    """U D U' of a matrix over all freedoms, the tips eliminated first: as sparse as the tree."""
    return udu(M, [z.index for z in robot.freedoms()])


def accelerations(robot, M, h, tau):
    """a such that M a = U D U' a = tau - h."""
    return eliminated(robot, M, Less(tau, h))


class Less:
    """tau - h, freedom by freedom."""

    def __init__(self, tau, h):
        self.tau, self.h = tau, h

    def __getitem__(self, z):
        return self.tau[z] - self.h[z]


def forward_dynamics(robot, q, v, tau):
    """a such that M(q) a + h(q, v) = tau, by M of composite bodies and h of Gibbs-Appell.

        U D U' a = tau - h           (1)

    Source: walker1982, method 3.
    """
    h = bias(gibbs_appell)(robot, q, v)
    return accelerations(robot, composite_body(robot, q), h, tau)  # (1)


def inverse_mass_matrix(robot, q):
    """The inverse of M(q), from its factors."""
    W, entries = robot.matrix(), factors(robot, composite_body(robot, q)).inverse()
    for at, x in entries.items():
        W[at] = x
    return W


def forward_dynamics_derivatives(robot, q, v, tau):
    """The derivatives of a by q (along the tangent, in body axes), by v, and by tau: the inverse of M.

    Along any motion of the state M a + h = tau holds, so

        M da = dtau - (dtau/dq) dq - (dtau/dv) dv           (1)

    with the derivatives of inverse dynamics at the acceleration a that the forces bring about.

    Source: carpentier2018.
    """
    a = forward_dynamics(robot, q, v, tau)
    dtau_dq, dtau_dv, M = derivatives(inverse_dynamics_derivatives)(robot, q, v, a)
    by_q, by_v, W, UDU = robot.table("nv", "nv"), robot.table("nv", "nv"), robot.matrix(), factors(robot, M)
    for at, x in UDU.inverse().items():
        W[at] = x
    for z in robot.freedoms():
        for given, result in ((dtau_dq, by_q), (dtau_dv, by_v)):
            column = UDU.solve({t.index: -given[t, z] for t in robot.freedoms()})  # (1)
            for t in robot.freedoms():
                result[t, z] = column[t.index]
    return by_q, by_v, W
