"""What forces are linear in: the moments of the bodies, and what resists in the joints."""

from ..spatial import Pose, Twist
from ..vec import Mat3, Vec3, cross, omega
from .resistance import stretch, way_of

MOMENTS = 10  # of a body: mass, first, second
MET = ("rotor", "damping", "coulomb", "preload", "stiffness")  # of a freedom


def regressor(robot, q, v, a, bodies, columns):
    """K(q, v, a), such that tau = K phi: `columns` of ten for each of the bodies and then five for each freedom.

    A body whose points x have acceleration r" + O x meets a freedom's twist (e, l) at its origin with the force

        l . f + e . n = m (l . r") + s . (O' l + r" x e) + W : J        (1)
        W = - [e x] O, of which J, symmetric, sees W_ij + W_ji          (2)

    with m, s = sum m x and J = sum m x x' about the body's origin, in its axes. A joint has the columns

        rotor: a,   damping: v,   coulomb: sign(v),   preload: 1,   stiffness: q - rest         (3)

    Source: atkeson1986, there about link frames and with inertia tensors; here with the Gibbs function of mata2002.
    """
    X, w, dw, r2, O = robot.slots(Pose), *(robot.slots(Vec3) for _ in range(3)), robot.slots(Mat3)
    twist, every, K = robot.per_pair(Twist), robot.per_pair(), robot.table("nv", len(columns))
    r2[0] = -robot.gravity

    for b in robot.outward():
        p, joint, djoint = b.parent, b.rate(v), b.rate(a)
        X[b] = b.pose(q)
        R = X[b].R
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        dw[b] = R.T @ dw[p] + cross(wp, joint.angular) + djoint.angular
        r2[b] = R.T @ (r2[p] + O[p] @ X[b].r) + cross(wp + w[b], joint.linear) + djoint.linear
        O[b] = omega(w[b], dw[b])
        on = [(MOMENTS * k, place) for k, place in enumerate(bodies) if place.link == b.index]
        for c in robot.support(b):
            for z in c.freedoms:
                twist[b, z] = z.twist if c is b else X[b].from_parent(twist[p, z])
                for start, place in on:
                    for j, x in enumerate(moments(seen(place, twist[b, z]), *moving(place, r2[b], O[b]))):
                        every[z, start + j] = x

    for z in robot.freedoms():
        start = MOMENTS * len(bodies) + len(MET) * z.index
        for j, x in enumerate((a[z], v[z], way_of(z.resistance, v[z]), 1, stretch(z, q))):  # (3)
            every[z, start + j] = x
        for k, column in enumerate(columns):
            K[z, k] = every[z, column]
    return K


def moments(t, r2, O):
    """What a unit of each moment does to a freedom, at the body's origin in its axes."""
    e, l = t.angular, t.linear
    x, y, z = (cross(column, e) for column in O.T)  # (2)
    return (l @ r2, *(O.T @ l + cross(r2, e)), x.x, y.y, z.z, x.y + y.x, x.z + z.x, y.z + z.y)  # (1)


def moving(place, r2, O):
    """The acceleration of a frame's origin, and O, in the axes of the frame."""
    turned = Mat3(*(place.R.T @ column for column in O.T)).T  # R' O
    return place.R.T @ (r2 + O @ place.r), turned @ place.R


def seen(place, t):
    """A link's twist at a frame's origin, in the axes of the frame."""
    return Twist(place.R.T @ t.angular, place.R.T @ (t.linear + cross(t.angular, place.r)))
