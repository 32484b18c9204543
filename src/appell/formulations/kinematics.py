"""Where a frame stands and how it moves: linear then angular, in the base's axes, at the frame's origin."""

from ..vec import Vec3, cross, omega
from .world import World, fill


def pose(robot, q, place):
    """The 4x4 matrix that takes coordinates in a frame to coordinates in the base."""
    world, T = World(robot), robot.table(4, 4)
    for _ in world.outward(q):
        pass
    R, k = world.R[place.link] @ place.R, place.link
    for column, axis in enumerate((*R.T, world.o[k] + world.arm(place))):
        fill(T, axis, column=column)
    T[3, 3] = 1
    return T


def jacobian(robot, q, place):
    """J(q), such that J v is the velocity of a frame's origin and the angular velocity of the frame.

    A freedom z = (e, l) of a link b that carries the frame moves the frame's origin x by

        l + e x (x - o_b), and turns the frame by e                     (1)

    Source: angeles1988, of which J is a row of the twist-shaping matrix.
    """
    world, J = World(robot), robot.table(6, "nv")
    for _ in world.outward(q):
        pass
    x, on = world.o[place.link] + world.arm(place), world.support(place)
    for b in robot.outward():
        for z in b.freedoms:
            t = world.turned(b, z.twist) * on[b]
            fill(J, t.linear + cross(t.angular, x - world.o[b]), t.angular, column=z)  # (1)
    return J


def jacobian_rate(robot, q, v, place):
    """The derivative of the Jacobian by time, as the robot moves with v.

    As e and l are fixed in b, the time derivatives of e, l and e x (x - o_b) are

        e. = w x e,   l. = w x l,   e. x (x - o_b) + e x (x. - o_b.)                    (1)

    Source: angeles1988.
    """
    world, J = World(robot), robot.table(6, "nv")
    for _ in world.outward(q, v):
        pass
    k, d, on = place.link, world.arm(place), world.support(place)
    x, u = world.o[k] + d, world.u[k] + cross(world.w[k], d)
    for b in robot.outward():
        for z in b.freedoms:
            t, w = world.turned(b, z.twist) * on[b], world.w[b]
            e = cross(w, t.angular)  # (1)
            swing = cross(e, x - world.o[b]) + cross(t.angular, u - world.u[b])
            fill(J, cross(w, t.linear) + swing, e, column=z)
    return J


def velocity(robot, q, v, place):
    """The velocity of a frame's origin and the angular velocity of the frame."""
    world, k = World(robot), place.link
    for _ in world.outward(q, v):
        pass
    return fill(robot.table(6), world.u[k] + cross(world.w[k], world.arm(place)), world.w[k])


def acceleration(robot, q, v, a, place):
    """The acceleration of a frame's origin, without gravity, and the angular acceleration of the frame."""
    world, k = World(robot), place.link
    for _ in world.outward(q, v, a):
        pass
    swing = omega(world.w[k], world.dw[k]) @ world.arm(place)
    return fill(robot.table(6), world.du[k] + swing, world.dw[k])


def mass_centre(robot, q):
    """The mass centre of all links, from the base's origin."""
    m, s = robot.slots(), robot.slots(Vec3)
    for b in robot.outward():
        m[b], s[b] = b.mass, b.first
    for b in robot.inward():
        X = b.pose(q)
        s[b.parent] += X.R @ s[b] + X.r * m[b]
        m[b.parent] += m[b]
    return fill(robot.table(3), s[0] * (1 / m[0]))
