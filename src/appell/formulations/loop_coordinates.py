"""Where joints that close loops stand, and how fast they move, in coordinates of their own."""

from __future__ import annotations

from ..scalar import sign, sqrt
from ..vec import Mat3
from .closure import Closure
from .cut_freedom import cut_freedoms
from .reduction import written
from .still import Still
from .world import World


def loop_coordinates(robot, q, closures):
    """The coordinates of every loop's joint, in their order; of a ball a quaternion, its first number not negative."""
    world, found = World(robot), []
    for _ in world.outward(q):
        pass
    for closure in joints(closures):
        if closure.kind == "ball":
            A, B = (world.R[place.link] @ place.R for place in (closure.a, closure.b))
            found += quaternion(A.T @ B)
        else:
            found += [row.value for row in cut_freedoms(world, closure)]
    return written(robot, found)


def loop_rates(robot, q, v, closures):
    """The rates of every loop's joint, in their order; of a ball the angular velocity in its own axes."""
    world = World(robot)
    for _ in world.outward(q, v, Still()):
        pass
    return written(robot, [row.rate for c in joints(closures) for row in cut_freedoms(world, c)])


def joints(closures) -> list[Closure]:
    """Loops, without other constraints."""
    return [c for c in closures if isinstance(c, Closure)]


def quaternion(R: Mat3):
    """The quaternion p of a rotation, w x y z.

    Each row of 4 p p' is p times one of its numbers. The one of the largest is taken, and made a unit,

        4 p p' = [1 + tr R, r'; r, R + R' + (1 - tr R) 1],   r = the axial vector of R          (1)

    Source: shepperd1978.
    """
    (a, b, c), (d, e, f), (g, h, i) = R
    x, y, z = h - f, c - g, d - b
    rows = [[1 + a + e + i, x, y, z], [x, 1 + a - e - i, b + d, c + g],
            [y, b + d, 1 - a + e - i, f + h], [z, c + g, f + h, 1 - a - e + i]]  # fmt: skip  # (1)
    best, most = rows[0], rows[0][0]
    for k in (1, 2, 3):
        more = (1 + _way(rows[k][k] - most)) * 0.5
        best = [s + (t - s) * more for s, t in zip(best, rows[k], strict=True)]
        most = most + (rows[k][k] - most) * more
    scale = _way(best[0]) / sqrt(sum(s * s for s in best))
    return [s * scale for s in best]


def _way(x):
    """1 or -1, never 0."""
    return sign(x + 1e-300)

