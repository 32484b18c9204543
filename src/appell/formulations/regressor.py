"""What forces are linear in: the moments of the bodies, and what resists in the joints."""

from ..spatial import Pose, Twist
from ..vec import Mat3, Vec3, cross, outer, skew
from .resistance import stretch, way_of

MOMENTS = 10  # of a body: mass, first, second
MET = ("rotor", "damping", "coulomb", "preload", "stiffness")  # of a freedom


def regressor(robot, q, v, a, bodies, columns):
    """K(q, v, a), such that tau = K phi: `columns` of ten for each of the bodies and then five for each freedom."""
    return reference_regressor(robot, q, v, v, a, bodies, columns)


def reference_regressor(robot, q, v, v_r, a_r, bodies, columns):
    """Y, such that M(q) a_r + C(q, v) v_r + g = Y phi, with a C for which dM/dt - 2 C is skew.

    Where points x of a body, from its origin in its axes, are to have the velocity u_r + w_r x x while they move with
    w, they have the acceleration r" + O x of a reference, and meet a freedom's twist (e, l) with the force

        O = [dw_r x] + [w_r x] [w x]                                    (1)
        l . f + e . n = m (l . r") + s . (O' l + r" x e) + W : J        (2)
        W = - [e x] O, of which J, symmetric, sees W_ij + W_ji          (3)

    with m, s = sum m x and J = sum m x x' about the body's origin, in its axes. For v_r = v it is the motion itself. A
    joint has the columns

        rotor: a_r,   damping: v_r,   coulomb: sign(v_r),   preload: 1,   stiffness: q - rest         (4)

    Source: atkeson1986, there about link frames and with inertia tensors; here with the Gibbs function of mata2002. Two
    velocities: slotine1987; that this C is the one of the convective inertia is ours.
    """
    twist, every, K = robot.per_pair(Twist), robot.per_pair(), robot.table("nv", len(columns))
    for b, X, r2, O in moving(robot, q, v, v_r, a_r):
        on = [(MOMENTS * k, place) for k, place in enumerate(bodies) if place.link == b.index]
        for c in robot.support(b):
            for z in c.freedoms:
                twist[b, z] = z.twist if c is b else X.from_parent(twist[b.parent, z])
                for start, place in on:
                    for j, x in enumerate(moments(seen(place, twist[b, z]), *carried(place, r2, O))):
                        every[z, start + j] = x

    for z in robot.freedoms():
        start = MOMENTS * len(bodies) + len(MET) * z.index
        for j, x in enumerate((a_r[z], v_r[z], way_of(z.resistance, v_r[z]), 1, stretch(z, q))):  # (4)
            every[z, start + j] = x
        for k, column in enumerate(columns):
            K[z, k] = every[z, column]
    return K


def moving(robot, q, v, v_r, a_r):
    """Every link with its pose, and the acceleration of its origin and O of the reference."""
    X, w, w_r, dw_r, r2 = robot.slots(Pose), *(robot.slots(Vec3) for _ in range(4))
    r2[0] = -robot.gravity
    for b in robot.outward():
        p, joint, wanted, dwanted = b.parent, b.rate(v), b.rate(v_r), b.rate(a_r)
        X[b] = b.pose(q)
        R, r = X[b].R, X[b].r
        turning, along = R.T @ w_r[p], R.T @ cross(w[p], r) + joint.linear
        w[b], w_r[b] = R.T @ w[p] + joint.angular, turning + wanted.angular
        dw_r[b] = R.T @ dw_r[p] + cross(w[b], wanted.angular) + dwanted.angular
        swept = cross(turning, along) + cross(w[b], wanted.linear)
        r2[b] = R.T @ (r2[p] + cross(dw_r[p], r)) + swept + dwanted.linear
        yield b, X[b], r2[b], skew(dw_r[b]) + twice_crossed(w_r[b], w[b])  # (1)


def twice_crossed(u, w):
    """[u x] [w x] = w u' - (u . w) 1."""
    d = u @ w
    return outer(w, u) - Mat3(Vec3(d, 0, 0), Vec3(0, d, 0), Vec3(0, 0, d))


def moments(t, r2, O):
    """What a unit of each moment does to a freedom, at the body's origin in its axes."""
    e, l = t.angular, t.linear
    x, y, z = (cross(column, e) for column in O.T)  # (3)
    return (l @ r2, *(O.T @ l + cross(r2, e)), x.x, y.y, z.z, x.y + y.x, x.z + z.x, y.z + z.y)  # (2)


def carried(place, r2, O):
    """The acceleration of a frame's origin, and O, in the axes of the frame."""
    turned = Mat3(*(place.R.T @ column for column in O.T)).T  # R' O
    return place.R.T @ (r2 + O @ place.r), turned @ place.R


def seen(place, t):
    """A link's twist at a frame's origin, in the axes of the frame."""
    return Twist(place.R.T @ t.angular, place.R.T @ (t.linear + cross(t.angular, place.r)))
