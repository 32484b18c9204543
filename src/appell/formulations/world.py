"""Where the links stand and how they move, in the base's axes."""

from ..spatial import Twist
from ..vec import IDENTITY, Mat3, Vec3, cross, omega


class World:
    """The links in the base's axes: rotations R and origins o, velocities (w, u) and accelerations (dw, du).

    Origins are measured from the base's origin, so far along a chain they carry an error of the machine's
    precision times their distance from the base. Texts that must not lose that stay in the links' own axes.
    """

    def __init__(self, robot):
        self.robot, self.R, self.o = robot, robot.slots(Mat3), robot.slots(Vec3)
        self.w, self.u, self.dw, self.du = (robot.slots(Vec3) for _ in range(4))
        self.R[0] = IDENTITY

    def outward(self, q, v=None, a=None):
        """Every link, once it is known where it stands and, given v and a, how it moves."""
        for b in self.robot.outward():
            X, p = b.pose(q), b.parent
            d = self.R[p] @ X.r
            self.R[b], self.o[b] = Mat3(*(X.R.T @ row for row in self.R[p])), self.o[p] + d
            if v is not None:
                self._move(b, p, d, v, a)
            yield b

    def _move(self, b, p, d, v, a):
        w, dw, joint = self.w[p], self.dw[p], self.turned(b, b.rate(v))
        self.w[b] = w + joint.angular
        self.u[b] = self.u[p] + cross(w, d) + joint.linear
        if a is not None:
            djoint = self.turned(b, b.rate(a))
            self.dw[b] = dw + cross(w, joint.angular) + djoint.angular
            self.du[b] = self.du[p] + omega(w, dw) @ d + cross(w + self.w[b], joint.linear) + djoint.linear

    def turned(self, b, t):
        """A twist of link b in the base's axes."""
        return Twist(self.R[b] @ t.angular, self.R[b] @ t.linear)

    def arm(self, place):
        """From the origin of its link to a frame."""
        return self.R[place.link] @ place.r

    def support(self, place):
        """A slot that is 1 in the link of a frame and in all that carry it, else 0."""
        on = self.robot.slots()
        on[place.link] = 1
        for b in self.robot.inward():
            on[b.parent] += on[b]
        return on


def fill(result, *vectors, column=None):
    """The entries of some vectors, one after another, into a result or into a column of it."""
    for k, x in enumerate(x for vector in vectors for x in vector):
        result[k if column is None else (k, column)] = x
    return result
