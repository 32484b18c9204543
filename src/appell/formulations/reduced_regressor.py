"""What the forces on a closed mechanism's coordinates are linear in: the tree's regressor, taken through the loops."""

from __future__ import annotations

from ..linalg import is_zero
from .reduction import Reduction
from .regressor import regressor
from .resistance import stretch, way_of
from .resisting import met


def reduced_regressor(robot, q, v, a, bodies, columns, closures, chosen):
    """K_r(q, v, a), such that the forces on independent coordinates are K_r phi, in a motion that keeps loops closed.

        tau_r = K' t,   v = K u                                       (1)
        t = K_t phi_t + sum over cut joints of (dx'/dv) k phi_c       (2)
        k: rotor: x",   damping: x',   coulomb: sign(x'),   preload: 1,   stiffness: x - rest       (3)

    with t the forces in the joints of the opened tree, K_t its regressor, and x the coordinate of a joint that was cut.
    `columns` are numbers of the tree's columns, or pairs: the number of a cut freedom, and that of its resistance.

    Source: nakamura1989, the forces of an opened tree taken to its motors; here those of every parameter.
    """
    of_tree = [x for x in columns if isinstance(x, int)]
    tree = regressor(robot, q, v, a, bodies, of_tree)
    crossed = [(x.by, resisted(x, a)) for x in met(robot, q, v, closures)]
    basis = Reduction.of(robot, q, closures, chosen).basis()
    K = robot.table(len(basis), len(columns))
    for j, motion in enumerate(basis):
        for k, column in enumerate(columns):
            if isinstance(column, int):
                at = of_tree.index(column)
                K[j, k] = total(y * tree[z, at] for z, y in motion.items() if not is_zero(tree[z, at]))  # (1)
                continue
            by, forces = crossed[column[0]]
            K[j, k] = total(motion[z] * y for z, y in by.items() if z in motion) * forces[column[1]]  # (2)
    return K


def resisted(x, a):
    """What a unit of each resistance makes in a freedom of a cut joint."""
    speed = x.rate[0]
    gained = x.bias + total(y * a[z] for z, y in x.by.items())
    return gained, speed, way_of(x.z.resistance, speed), 1, stretch(x.z, x.value)  # (3)


def total(products):
    """Their sum, structurally zero if there are none."""
    return sum((x for x in products if not is_zero(x)), 0)
