"""What a simulation integrates beside the velocities: coordinates, and the work done on the way."""

from ..spatial import Pose, Twist
from ..vec import Quat, Vec3, cross
from .resistance import friction


def rates(robot, q, v, tau):
    """(dq, P): the derivatives of the coordinates, and three powers.

    A quaternion p turns with dp = 1/2 p (0, w), a free body's position moves with R u, and any other coordinate with
    its own speed. The powers are those of the joints' actuators, of the wrenches from outside, and what friction takes.
    """
    dq, power = robot.table("nq"), robot.table(3)
    w, u, X = robot.slots(Vec3), robot.slots(Vec3), robot.slots(Pose)
    for b in robot.outward():
        p, joint = b.parent, b.rate(v)
        X[b] = b.pose(q)
        R = X[b].R
        w[b] = R.T @ w[p] + joint.angular
        u[b] = R.T @ (u[p] + cross(w[p], X[b].r)) + joint.linear
        for k, rate in enumerate(of_joint(b, q, v)):
            dq[b.q_index + k] = rate
        power[1] += robot.wrench(b) @ Twist(w[b], u[b])
        for z in b.freedoms:
            power[0] += tau[z] * v[z]
            power[2] += friction(z, v) * v[z]
    return dq, power


def of_joint(b, q, v):
    """The rates of a link's own coordinates."""
    if b.kind not in ("ball", "free"):
        return [v[z] for z in b.freedoms]
    at, joint = b.q_index + (3 if b.kind == "free" else 0), b.rate(v)
    turn = Quat(*(q[at + k] for k in range(4)))
    return [*(turn.matrix @ joint.linear if b.kind == "free" else ()), *half_turned(turn, joint.angular)]


def half_turned(p, w):
    """1/2 p (0, w)."""
    u = Vec3(p.x, p.y, p.z)
    return [(u @ w) * -0.5, *((w * p.w + cross(u, w)) * 0.5)]
