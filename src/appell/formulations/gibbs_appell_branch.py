"""One branch of a tree: its inertia matrix and its forces, by 4x4 transformations and 3x3 rotations.

A branch is a chain from the base to a tip, some of whose links may be massless. Its points are homogeneous, (x, 1):
T takes those of a link to the base, X to its parent, and S = [e x, l; 0, 0] to their velocities for a unit rate of
freedom (e, l). So U = T S is the derivative of T by a freedom, and that of T.. by the freedom's acceleration.
"""

from ..spatial import Pose
from ..vec import IDENTITY, Sym3, Vec3, cross
from .composites import Matter
from .homogeneous import Homogeneous


def transformations(branch, q):
    """X and T of every link, U of every freedom.

        T = T X                                         (1)
        U = T S                                         (2)

    Source: shafei2018, steps 1 and 2 of its appendix: (1) is (3), with E A = X; (2) is (33)-(34).
    """
    X, T, U = branch.slots(Pose), branch.slots(Homogeneous), branch.per_freedom(Homogeneous)
    T[0] = Homogeneous(IDENTITY)
    for b in branch.outward():
        X[b] = b.pose(q)
        T[b] = T[b.parent] @ X[b]  # (1)
        for z in b.freedoms:
            U[z] = T[b] @ z.twist  # (2)
    return X, T, U


def moments(b):
    """B1 and B2 of a link: mass and first moment for the trace of 4x4 matrices, the inertia tensor for its rotation.

    A thin rod has its second moments along the axis in B1. Any split does that gives each of them to one of the two;
    all of them in B2, about the link's origin, wants no mass centre, which a link without mass does not have.
    """
    return Matter(b.mass, b.first), b.second.inertia


def inertia_matrix(branch, q):
    """The inertia matrix of a branch: the second derivatives of its Gibbs function by the accelerations.

        F = B1 + X F X',   P = B2 + R P R'              (3)
        M = tr(U F' U') + e . P e                       (4)

    for freedoms of two links with F and P of the farther one, carried to the nearer: F U' by X, P e by R.

    Source: shafei2018, steps 6 and 7: (3) is (36)-(40), (4) is (I) and (II), with the transposes that step 7 lacks.
    Its B1 holds 1/2, which the 2 of its traces cancels.
    """
    X, _, U = transformations(branch, q)
    F, P, M = branch.slots(Matter), branch.slots(Sym3), branch.matrix()
    D, h = branch.slots(Homogeneous), branch.slots(Vec3)
    for b in branch.outward():
        F[b], P[b] = moments(b)
    for b in branch.inward():
        p = b.parent
        for z in b.freedoms:
            D[b], h[b] = U[z] @ F[b], P[b] @ z.angular
            for c in branch.support(b):
                for t in c.freedoms:
                    M[z, t] = U[t].trace(D[c]) + t.angular @ h[c]  # (4)
                D[c.parent], h[c.parent] = D[c].to_parent(X[c]), X[c].R @ h[c]
        F[p] += F[b].to_parent(X[b])  # (3)
        P[p] += X[b].R.congruence(P[b])
    return M


def forces(branch, q, v, a):
    """tau of a branch: the derivatives of its Gibbs function by the accelerations, and of its potential.

        T. = T. X + T S,   T.. = T.. X + (2 T. X + T S) S + T S.,   with S of v, S. of a            (5)
        w = R' w + e,   dw = R' dw + R' w x e + de                                  (6)
        x = B2 dw + w x B2 w + R x                                                  (7)
        p = (s, m) + X p,   Q = B1 T..' + X Q                                       (8)
        tau = tr(U Q) + e . x - g . U p                                             (9)

    Source: shafei2018, steps 3 to 5: (5) is (29)-(30), (6) is (31)-(32), (7) and (8) are step 4, (9) is (23)-(24).
    In (7) stands the gyroscopic term, zero in the plane, that the paper drops. What acts from outside leaves Q and x.
    """
    X, T, U = transformations(branch, q)
    T1, T2, Q = (branch.slots(Homogeneous) for _ in range(3))  # Q is the paper's, transposed
    w, dw, x, s = (branch.slots(Vec3) for _ in range(4))
    m, tau = branch.slots(), branch.vector()
    for b in branch.outward():
        p, R, joint, djoint, (B1, B2) = b.parent, X[b].R, b.rate(v), b.rate(a), moments(b)
        led, wp, outside = T1[p] @ X[b], R.T @ w[p], branch.wrench(b)
        T1[b] = led + T[b] @ joint
        T2[b] = T2[p] @ X[b] + (led + T1[b]) @ joint + T[b] @ djoint  # (5)
        w[b], dw[b] = wp + joint.angular, R.T @ dw[p] + cross(wp, joint.angular) + djoint.angular  # (6)
        x[b] = B2 @ dw[b] + cross(w[b], B2 @ w[b]) - outside.moment  # (7)
        s[b], m[b], Q[b] = b.first, b.mass, T2[b] @ B1 - Homogeneous(a=T[b].A @ outside.force)  # (8)
    for b in branch.inward():
        for z in b.freedoms:
            fall = U[z].A @ s[b] + U[z].a * m[b]
            tau[z] = U[z].trace(Q[b]) + z.angular @ x[b] - branch.gravity @ fall  # (9)
        p, R = b.parent, X[b].R
        x[p] += R @ x[b]
        s[p] += R @ s[b] + X[b].r * m[b]
        m[p] += m[b]
        Q[p] += Q[b].to_parent(X[b])
    return tau
