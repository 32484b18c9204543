"""From independent coordinates to a whole mechanism, and from its motors back."""

from ..linalg import is_zero
from .coordinates import columns_of
from .reduction import Reduction, moving, written


def velocities(robot, q, u, closures, chosen):
    """v = K u, the velocities of all freedoms of the tree."""
    K = Reduction.of(robot, q, closures, chosen)
    return _vector(robot, K.motion([u[k] for k in range(len(K.own))]))


def accelerations(robot, q, u, du, closures, chosen):
    """a = K du + K. u, the accelerations of all freedoms of the tree."""
    K, _, bias = moving(robot, q, u, closures, chosen)
    return _vector(robot, K.motion([du[k] for k in range(len(K.own))], bias))


def rates(robot, q, v, closures, chosen):
    """u, the rates of the coordinates, in a motion v."""
    rows = columns_of(robot, q, closures, chosen.coordinates)
    return written(robot, [sum(x * v[z] for z, x in row.items() if not is_zero(x)) for row in rows])


def basis(robot, q, closures, chosen):
    """K, such that v = K u."""
    columns = Reduction.of(robot, q, closures, chosen).basis()
    K = robot.table("nv", len(columns))
    for k, column in enumerate(columns):
        for z, x in column.items():
            K[z, k] = x
    return K


def actuator_map(robot, q, closures, chosen, motors):
    """B_r = K' B, such that motors with forces u do B_r u to the coordinates."""
    K, B = Reduction.of(robot, q, closures, chosen), robot.table(len(chosen.coordinates), len(motors))
    for k, column in enumerate(columns_of(robot, q, closures, motors)):
        for j, x in enumerate(K.forces({z.index: column.get(z.index, 0) for z in robot.freedoms()})):
            B[j, k] = x
    return B


def _vector(robot, x):
    given = robot.vector()
    for z in robot.freedoms():
        given[z] = x[z.index]
    return given
