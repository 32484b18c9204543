"""The matrices of the equations of motion as the DeNOC papers write them, as NumPy arrays: for teaching.

Twists are (angular, linear), wrenches (moment, force), as in the papers: of each link in its own axes, about its own
origin. So a block A takes a twist to another link's origin and to its axes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from .explanation import link_names, state_of
from .linalg import udu
from .model.tree import Link
from .model.walk import Coordinates

if TYPE_CHECKING:
    from .robot import Robot

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class DenocMatrices:
    """M(q) a + C v + g = tau from the uncoupled equations M t. + W M E t = w of n links, in one state.

    Links are numbered from the base to the tips, and a joint of several axes has a link for each. Source: saha2010,
    whose equations the comments number; blocks are 6 x 6, k is the number of freedoms.
    """

    links: tuple[str, ...]
    N_l: Array  # (13b) 6n x 6n: block (i, j) is A_ij where link j is i or carries i, else 0
    N_d: Array  # (13b) 6n x k: the joints' freedoms, block-diagonal
    dN_l: Array  # (16b) 6n x 6n: what becomes of A_ij while the links move, in axes that do not turn
    M: Array  # (9) 6n x 6n: the extended masses, block-diagonal
    W: Array  # (9) 6n x 6n: the extended angular velocities, [w x, 0; 0, w x]
    E: Array  # (9) 6n x 6n: keeps the angular part of a twist
    rotors: Array  # k: what rotors add on the diagonal; the papers have none

    @property
    def N(self) -> Array:
        """(13a), 6n x k: the natural orthogonal complement Nl Nd, so that t = N v."""
        return self.N_l @ self.N_d

    @property
    def dN(self) -> Array:
        """6n x k: (dNl + Nl W) Nd, so that t. = N a + dN v."""
        return (self.dN_l + self.N_l @ self.W) @ self.N_d

    @property
    def M_tilde(self) -> Array:
        """(16b), 6n x 6n: Nl' M Nl, whose diagonal blocks are the composite masses."""
        return self.N_l.T @ self.M @ self.N_l

    @property
    def I(self) -> Array:  # noqa: E743
        """(16a), k x k: the generalised inertia matrix N' M N = Nd' M~ Nd, with the rotors."""
        return self.N.T @ self.M @ self.N + np.diag(self.rotors)

    @property
    def C(self) -> Array:
        """(16a), k x k: the convective inertia N' (M dN + W M E N).

        C v is right; of dI/dt - 2 C only the quadratic form in v vanishes. `robot.coriolis(q, v, method="denoc")` has
        the same product with v and makes it skew.
        """
        return self.N.T @ (self.M @ self.dN + self.W @ self.M @ self.E @ self.N)

    @property
    def U(self) -> Array:
        """(18), k x k: upper triangular with ones on the diagonal, I = U D U'; zero where links are on two branches."""
        return self._factors[0]

    @property
    def D(self) -> Array:
        """(18), k x k: diagonal, the articulated inertias about the joints' own axes."""
        return self._factors[1]

    @property
    def _factors(self) -> tuple[Array, Array]:
        I, k = self.I, len(self.rotors)
        found = udu({at: float(I[at]) or 0 for at in np.ndindex(k, k)}, range(k))
        U, D = np.eye(k), np.diag([1.0 / found.inverse_pivots[j] for j in range(k)])
        for j, column in found.columns.items():
            for i, u in column.items():
                U[i, j] = u
        return U, D

    def to_dict(self) -> dict[str, Any]:
        """All matrices as plain lists."""
        given = [f.name for f in fields(self) if f.name != "links"]
        derived = ["N", "dN", "M_tilde", "I", "C", "U", "D"]
        return {"links": [*self.links], **{name: getattr(self, name).tolist() for name in (*given, *derived)}}


def denoc_matrices(robot: Robot, q: Any, v: Any = None) -> DenocMatrices:
    """The matrices of one state; of one at rest where v is None."""
    state = state_of(robot, q=q, v=np.zeros(robot.nv) if v is None else v)
    q, v = Coordinates(state["q"].tolist()), Coordinates(state["v"].tolist())
    n, links = robot.tree.n, robot.tree.links
    N_l, dN_l, M, W = (np.zeros((6 * n, 6 * n)) for _ in range(4))
    N_d, rotors = np.zeros((6 * n, robot.nv)), np.zeros(robot.nv)
    for b in links:
        i, p = _block(b.index), _block(b.parent)
        N_l[i, i], M[i, i] = np.eye(6), _mass(b)
        for z in b.freedoms:
            N_d[i, z.index] = _six(z.twist)
            rotors[z.index] = z.rotor
        pose, own = b.pose(q), N_d[i] @ [v[k] for k in range(robot.nv)]
        R, r = np.array([[*row] for row in pose.R.matrix], float), np.array([*pose.r], float)
        turn = np.kron(np.eye(2), R.T)
        w = W[p, p][:3, :3] if b.parent else np.zeros((3, 3))
        W[i, i] = np.kron(np.eye(2), _cross(own[:3]) + R.T @ w @ R)
        if b.parent:
            A, dA = np.eye(6), np.zeros((6, 6))
            A[3:, :3], dA[3:, :3] = -_cross(r), -_cross(w @ r + R @ own[3:])
            N_l[i] += turn @ A @ N_l[p]
            dN_l[i] = turn @ (A @ dN_l[p] + dA @ N_l[p])
    E = np.kron(np.eye(n), np.diag([1.0, 1, 1, 0, 0, 0]))
    return DenocMatrices(link_names(robot)[1:], N_l, N_d, dN_l, M, W, E, rotors)


def _block(link: int) -> slice:
    """The rows of a link."""
    return slice(6 * (link - 1), 6 * link)


def _six(pair: Any) -> Array:
    return np.array([*pair.angular, *pair.linear], float)


def _cross(u: Any) -> Array:
    """The matrix of u x."""
    x, y, z = u
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], float)


def _mass(b: Link) -> Array:
    """(6): the extended mass of a link about its origin."""
    inertia, s = np.array([[*row] for row in b.second.inertia.matrix], float), _cross(b.first)
    return np.block([[inertia, s], [-s, b.mass * np.eye(3)]])
