"""Spherical parallel robots: M, C and G in closed form, in any coordinates of the platform."""

from __future__ import annotations

from ..linalg import SQUARE, solve, udu
from ..vec import Sym3, Vec3, cross, mixed, square
from .spherical import Spherical
from .spherical_legs import attitude, hinges

NONE = Vec3()


def dynamic_matrices(robot, x, dx, spherical: Spherical):
    """(M, C, G, A), such that M ddx + C dx + G = A' tau, with dM/dt - 2 C skew, and A dx the rates of the drives.

    Every body turns with w = J dx in its own axes; I and s are its moments about the centre, and g is gravity in its
    axes. dJ is the change of R J in the base's axes, brought to the body's: with the change of J itself C dx is the
    same and dM/dt - 2 C is not skew. Summed over all bodies,

        M = J' I J                                      (1)
        C = J' (I dJ + w x I J)                         (2)
        G = (s x J)' g                                  (3)
        A_i = K of the i-th drive's hinge               (4)

    Source: abedloo2014, (17)-(21) and (50), with dJ as corrected.
    """
    every, drives = range(spherical.size), range(len(spherical.driven))
    M, C = robot.matrix(), robot.table(len(every), len(every))
    G, A = robot.table(len(every)), robot.table(len(drives), len(every))
    platform = attitude(x, dx, spherical)
    legs = [hinges(robot, leg, x, dx, platform) for leg in spherical.legs]
    for R, J, dJ, I, s in _bodies(robot, spherical, platform, legs):
        g, w = R.T @ robot.gravity, NONE
        for k in J:
            w += J[k] * dx[k]
        for k in J:
            flow = I @ J[k]
            turned = I @ dJ[k] + cross(w, flow)
            G[k] += cross(s, J[k]) @ g  # (3)
            for j in J:
                C[j, k] += J[j] @ turned  # (2)
                if j <= k:
                    M[j, k] += J[j] @ flow  # (1)
    for i, (leg, hinge) in enumerate(spherical.driven):
        for k, rate in legs[leg][hinge].K.items():
            A[i, k] = rate  # (4)
    return M, C, G, A


def inverse_dynamics(robot, x, dx, ddx, spherical: Spherical):
    """The forces of the drives for a motion of the platform, of many the least; no numbers where they do not hold it.

        Q = M ddx + C dx + G                            (5)
        A' tau = Q                                      (6)

    Source: abedloo2014, (19), (49)-(51).
    """
    M, C, G, A = dynamic_matrices(robot, x, dx, spherical)
    every, drives = range(spherical.size), range(len(spherical.driven))
    Q = {j: sum(M[j, k] * ddx[k] + C[j, k] * dx[k] for k in every) + G[j] for j in every}  # (5)
    AA = {(j, k): sum(A[i, j] * A[i, k] for i in drives) for j in every for k in every}
    y, tau = udu(AA, every, SQUARE).solve(Q), robot.table(len(drives))
    for i in drives:
        tau[i] = sum(A[i, k] * y[k] for k in every)  # (6)
    return tau


def forward_dynamics(robot, x, dx, tau, spherical: Spherical):
    """The accelerations of the platform's coordinates for forces of the drives.

    Source: abedloo2014, (19), (51).
    """
    M, C, G, A = dynamic_matrices(robot, x, dx, spherical)
    every, ddx = range(spherical.size), robot.table(spherical.size)
    pushes = {k: sum(A[i, k] * tau[i] for i in range(len(spherical.driven))) for k in every}
    left = {j: pushes[j] - G[j] - sum(C[j, k] * dx[k] for k in every) for j in every}
    for k, value in solve(M, left, every).items():
        ddx[k] = value
    return ddx


def joints(robot, x, dx, ddx, spherical: Spherical):
    """Of every hinge, leg by leg: the cosine and the sine of its turn, its rate and its acceleration.

    Source: abedloo2014, (40), (41).
    """
    platform = attitude(x, dx, spherical)
    found = [hinge for leg in spherical.legs for hinge in hinges(robot, leg, x, dx, platform)]
    table = robot.table(len(found), 4)
    for n, hinge in enumerate(found):
        table[n, 0], table[n, 1] = hinge.turn.c, hinge.turn.s
        table[n, 2] = sum(rate * dx[k] for k, rate in hinge.K.items())
        table[n, 3] = sum(rate * ddx[k] for k, rate in hinge.K.items())
        table[n, 3] += sum(bend * dx[k] for k, bend in hinge.dK.items())
    return table


def _bodies(robot, spherical, platform, legs):
    """The axes of every body, its J and dJ in them, and its inertia and first moment about the centre."""
    matter, place = {b.index: _about_centre(b, spherical.arms) for b in robot.outward()}, spherical.platform
    R = platform.R @ place.R.T
    yield R, _each(R, platform.E), _each(R, platform.dE), *matter[place.link]
    for leg in legs:
        J, dJ = dict.fromkeys(range(spherical.size), NONE), dict.fromkeys(range(spherical.size), NONE)
        for hinge in leg:
            for k, rate in hinge.K.items():
                J[k], dJ[k] = J[k] + hinge.axis * rate, dJ[k] + hinge.swing * rate
            for k, bend in hinge.dK.items():
                dJ[k] += hinge.axis * bend
            yield hinge.R, _each(hinge.R, J), _each(hinge.R, dJ), *matter[hinge.link]


def _each(R, columns):
    return {k: R.T @ column for k, column in columns.items()}


def _about_centre(b, arms) -> tuple[Sym3, Vec3]:
    """Inertia and first moment."""
    r = arms.get(b.index, NONE)
    return (b.second + mixed(b.first, r) + square(r) * b.mass).inertia, b.first + r * b.mass
