"""What a moving robot carries: energy and momentum."""

from ..linalg import is_zero
from ..spatial import Pose, Twist, Wrench
from ..vec import Vec3, cross
from .composites import Matter
from .resistance import stretch
from .world import World, fill


def energy(robot, q, v):
    """(kinetic, potential): rotors move with their joints, gravity's potential is zero at the base's origin.

    The potential is - gravity . sum of m x, and 1/2 stiffness (q - rest)^2 + preload q of each spring.
    """
    w, u, m, s = robot.slots(Vec3), robot.slots(Vec3), robot.slots(), robot.slots(Vec3)
    X, E = robot.slots(Pose), robot.table(2)
    for b in robot.outward():
        p, joint = b.parent, b.rate(v)
        X[b], m[b], s[b] = b.pose(q), b.mass, b.first
        R = X[b].R
        w[b] = R.T @ w[p] + joint.angular
        u[b] = R.T @ (u[p] + cross(w[p], X[b].r)) + joint.linear
        t = Twist(w[b], u[b])
        E[0] += (Matter(b.mass, b.first, b.second) @ t @ t) * 0.5
        for z in b.freedoms:
            E[0] += rotor_energy(z, v)
            E[1] += spring_energy(z, q)
    for b in robot.inward():
        s[b.parent] += X[b].R @ s[b] + X[b].r * m[b]
        m[b.parent] += m[b]
    E[1] += -(robot.gravity @ s[0])
    return E


def rotor_energy(z, v):
    """1/2 rotor v^2."""
    return 0 if is_zero(z.rotor) else z.rotor * v[z] * v[z] * 0.5


def spring_energy(z, q):
    """1/2 stiffness (q - rest)^2 + preload q."""
    met, x = z.resistance, stretch(z, q)
    constant = 0 if is_zero(met.preload) or z.position is None else met.preload * q[z.position]
    return constant + (0 if is_zero(met.stiffness) else met.stiffness * x * x * 0.5)


def momentum(robot, q, v):
    """Linear momentum, and angular momentum about the base's origin, of the links in the base's axes."""
    X, w, u, P = robot.slots(Pose), robot.slots(Vec3), robot.slots(Vec3), robot.slots(Wrench)
    for b in robot.outward():
        p, joint = b.parent, b.rate(v)
        X[b] = b.pose(q)
        R = X[b].R
        w[b] = R.T @ w[p] + joint.angular
        u[b] = R.T @ (u[p] + cross(w[p], X[b].r)) + joint.linear
        P[b] = Matter(b.mass, b.first, b.second) @ Twist(w[b], u[b])
    for b in robot.inward():
        P[b.parent] += X[b].to_parent(P[b])
    return fill(robot.table(6), P[0].force, P[0].moment)


def centroidal_momentum_matrix(robot, q):
    """A(q), such that A v is the linear momentum, and the angular momentum about the mass centre c.

    A unit speed of freedom z gives what hangs on it, of matter I, the momentum of a twist, in the base's axes

        (n, f) = I z, and so about the mass centre   n + (o_b - c) x f                  (1)

    Source: walker1982, whose composite bodies these are.
    """
    world, X, I, A = World(robot), robot.slots(Pose), robot.slots(Matter), robot.table(6, "nv")
    y = robot.per_freedom(Wrench)
    for b in world.outward(q):
        X[b], I[b] = b.pose(q), Matter(b.mass, b.first, b.second)
    for b in robot.inward():
        for z in b.freedoms:
            y[z] = I[b] @ z.twist
        I[b.parent] += I[b].to_parent(X[b])
    c = I[0].first * (1 / I[0].mass)
    for b in robot.outward():
        for z in b.freedoms:
            f = world.R[b] @ y[z].force
            fill(A, f, world.R[b] @ y[z].moment + cross(world.o[b] - c, f), column=z)  # (1)
    return A
