"""Which points may meet which walls, and their gaps as compiled functions of the state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias
from warnings import warn

import numpy as np

from ..asking import Identity
from ..errors import AppellError, ModelError, TraceError, unknown
from ..formulations.contact import gaps, sliding, touching
from ..formulations.table import Formulation, Question, Shape
from ..formulations.touch import Stop, Touch
from ..formulations.world import World
from ..linalg import is_zero
from ..model.manifold import limits
from ..model.tree import Place
from ..model.walk import Coordinates, Walk
from ..scalar import structural
from ..vec import Vec3
from .walls import Sphere, Wall, parallel

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
Stops: TypeAlias = "bool | Mapping[str, tuple[float, float]]"
BASE = "base"
SAME = 1e-9  # metres: points that are no farther apart are one


@dataclass(frozen=True)
class Ball:
    """A ball about a frame or body's origin, as a contact point that has a size."""

    frame: str
    radius: float = 0.0

    def __post_init__(self) -> None:
        if not (isinstance(self.radius, (int, float)) and 0.0 <= self.radius < np.inf):
            raise ModelError(f"ball about {self.frame!r}: radius is {self.radius!r}, wanted a length")


@dataclass(frozen=True)
class Edge:
    """A whole link as a contact: a curve in the axes of a frame or body, from s = 0 to 1, and its two ends.

    The curve is straight from `start` to `end`, or a function of s that gives three coordinates, made like a wall's.
    `pieces` of it may touch at the same time; `radius` makes it a rod.
    """

    frame: str
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)
    end: tuple[float, float, float] = (1.0, 0.0, 0.0)
    curve: Callable[[Any], Any] | None = None
    pieces: int = 1
    radius: float = 0.0

    def __call__(self, s: Any) -> Any:
        if self.curve is not None:
            return self.curve(s)
        return tuple(a + (b - a) * s for a, b in zip(self.start, self.end, strict=True))


@dataclass(frozen=True)
class Contacts:
    """Everything that may touch, in a fixed order, with names for the record."""

    robot: Robot
    rows: tuple[Touch | Stop, ...]
    names: tuple[tuple[str, str], ...]  # of each, the point and the wall

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def points(self) -> list[str]:
        """The frames and bodies that may touch something, each once."""
        known = (name for row, (name, _) in zip(self.rows, self.names, strict=True) if isinstance(row, Touch))
        return [name for name in dict.fromkeys(known) if name in self.robot.tree.frames]

    def label(self, k: int) -> str:
        """A contact for a sentence."""
        point, wall = self.names[k]
        return f"{point} at {wall}"

    @cached_property
    def gaps(self) -> Callable[..., Any]:
        """(g, g.) of all contacts at (q, v, t), in the walls' own measures; one state or many."""
        m = len(self)
        return self._kernel("gaps", gaps, ("q", "v", "t"), (("g", (m,)), ("rate", (m,))))

    @cached_property
    def touching(self) -> Callable[..., Any]:
        """(g, g., c, J, n, u, d) of all contacts at (q, v, t), in metres: g.. = J a + c."""
        m = len(self)
        shapes: tuple[tuple[str, Shape], ...] = (
            ("g", (m,)), ("rate", (m,)), ("c", (m,)), ("J", (m, "nv")), ("n", (m, 3)), ("u", (m, 3)),
            ("d", (m, 3)),
        )  # fmt: skip
        return self._kernel("touching", touching, ("q", "v", "t"), shapes)

    @cached_property
    def sliding(self) -> Callable[..., Any]:
        """The Jacobians (m, 3, nv) of the velocities of points against their walls."""
        return self._kernel("sliding", sliding, ("q", "t"), (("S", (len(self), 3, "nv")),))

    def _kernel(self, what: str, text: Any, inputs: tuple[str, ...], outputs: Any) -> Callable[..., Any]:
        from ..kernel.make import make

        kernels, key = self.robot._kernels, ("contacts", what, self.rows)
        if key in kernels:
            return kernels[key].callable
        row = Formulation("contacts", what, text, "", rolls=False, asks=Question(inputs, outputs, "contacts"))
        owner = Identity(self.robot.mechanism, self.robot.identity)
        kernels[key] = make(row, self.robot.tree, owner=owner, contacts=self.rows)
        return kernels[key].callable


def contacts_of(
    robot: Robot,
    walls: Wall | Iterable[Wall] = (),
    points: Iterable[str | Ball | Edge] | None = None,
    pairs: Iterable[tuple[str, str]] | str = (),
    stops: Stops = False,
) -> Contacts:
    """All contacts of a robot: every point against every wall, pairs of balls, joints at their stops."""
    walls = (walls,) if isinstance(walls, Wall) else tuple(walls)
    given = _points(robot, points, walls) if walls or pairs or points is not None else []
    balls = [p for p in given if isinstance(p, Ball)]
    rows: list[tuple[Touch | Stop, tuple[str, str]]] = [
        *_touches(robot, walls, given), *_pairs(robot, balls, pairs), *_stops(robot, stops)
    ]  # fmt: skip
    found = Contacts(robot, tuple(row for row, _ in rows), tuple(names for _, names in rows))
    for wall in walls:
        _check_traces(wall, robot)
    return found


def _points(
    robot: Robot, points: Iterable[str | Ball | Edge] | None, walls: Sequence[Wall]
) -> list[Ball | Edge]:  # fmt: skip
    for wall in walls:
        if not isinstance(wall, Wall):
            raise ModelError(f"walls hold {wall!r}, wanted walls, as appell.Circle(radius=2.5)")
    one = isinstance(points, (str, Ball, Edge))
    given: Any = default_points(robot) if points is None else (points,) if one else points
    found = [Ball(p) if isinstance(p, str) else p for p in given]
    for point in found:
        if not isinstance(point, (Ball, Edge)):
            wanted = "names of frames, edges, or balls as appell.Ball('tip', 0.05)"
            raise ModelError(f"points hold {point!r}, wanted {wanted}")
        if point.frame not in robot.tree.frames:
            raise unknown("frame", point.frame, robot.tree.frames)
        if isinstance(point, Edge) and not (type(point.pieces) is int and point.pieces > 0):
            raise ModelError(f"edge of {point.frame!r}: pieces is {point.pieces!r}, wanted a whole number above 0")
    return found


def default_points(robot: Robot) -> list[str]:
    """All frames that can move, and the origins of bodies, which are joints, where no frame stands already."""
    tree = robot.tree
    names = [f.name for f in robot.frames] + [b.name for b in robot.bodies]
    seen = [_standing(robot, [tree.frames[name] for name in names], seed) for seed in (1, 2)]
    moves = np.abs(seen[1] - seen[0]).max(1) > SAME
    cells: tuple[set[Any], set[Any]] = set(), set()  # of two grids: what is the same is in one cell of either
    chosen: list[int] = []
    for k in np.flatnonzero(moves):
        own = [tuple(np.floor(seen[0][k] / SAME + shift)) for shift in (0.0, 0.5)]
        if not any(x in taken for x, taken in zip(own, cells, strict=True)):
            chosen.append(int(k))
        for x, taken in zip(own, cells, strict=True):
            taken.add(x)
    return [names[k] for k in chosen]


def _standing(robot: Robot, places: Sequence[Any], seed: int) -> Array:
    """Where places stand in the world at some state, by the plain reading."""
    walk = Walk(robot.tree)
    world, (q, _) = World(walk), robot.random_state(seed)
    for _ in world.outward(Coordinates(q.tolist())):
        pass
    return np.array([[float(x) for x in world.o[p.link] + world.arm(p)] for p in places])


def _touches(
    robot: Robot, walls: Sequence[Wall], points: Sequence[Ball | Edge]
) -> Iterator[tuple[Touch, tuple[str, str]]]:  # fmt: skip
    frames = robot.tree.frames
    for wall, name in zip(walls, wall_names(walls), strict=True):
        if wall.carrier not in frames:
            raise unknown(f"carrier of wall {name!r}", wall.carrier, frames)
        carrier = frames[wall.carrier]
        for point in points:
            if frames[point.frame].link == carrier.link:
                continue
            own, radius = parallel(wall, point.radius), structural(point.radius)
            for place, label, *edge in _places(frames[point.frame], point):
                yield Touch(place, carrier, own, radius, *edge), (label, name)


def _places(place: Place, point: Ball | Edge) -> Iterator[tuple[Any, ...]]:
    """Where a point is; or the ends of an edge, and its pieces."""
    if isinstance(point, Ball):
        yield place, point.frame
        return
    for s, word in ((0.0, "start"), (1.0, "end")):
        r = place.r + place.R @ Vec3(*(float(x) for x in point(s)))
        yield replace(place, r=r), f"{point.frame} {word}"
    for k in range(point.pieces):
        ends = (k / point.pieces, (k + 1) / point.pieces)
        yield place, f"{point.frame} edge" + (f" {k + 1}" if point.pieces > 1 else ""), point, ends


def wall_names(walls: Sequence[Wall]) -> list[str]:
    """The walls' own names, or their kinds, numbered where there are several."""
    kinds = [wall.name or type(wall).__name__.lower() for wall in walls]
    seen: dict[str, int] = {}
    names = []
    for kind in kinds:
        seen[kind] = seen.get(kind, 0) + 1
        names.append(f"{kind} {seen[kind]}" if kinds.count(kind) > 1 else kind)
    return names


def _pairs(
    robot: Robot, balls: Sequence[Ball], pairs: Iterable[tuple[str, str]] | str
) -> Iterator[tuple[Touch, tuple[str, str]]]:  # fmt: skip
    """One ball is the point, the other carries a sphere as large as both."""
    radii, frames = {b.frame: b.radius for b in balls}, robot.tree.frames
    names = list(radii)
    chosen = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]] if pairs == "all" else list(pairs)
    for pair in chosen:
        if len(pair) != 2 or isinstance(pair, str):
            raise ModelError(f"pairs hold {pair!r}, wanted two names of balls, or pairs='all'")
        for name in pair:
            if name not in radii:
                raise unknown("ball of a pair", name, radii)
        a, b = pair
        if radii[a] + radii[b] == 0.0:
            raise ModelError(f"pair {a!r}, {b!r}: two points without size never meet; wanted a ball with a radius")
        if frames[a].link != frames[b].link:
            around = Sphere(radii[a] + radii[b], inside=False)
            yield Touch(frames[a], frames[b], around, structural(radii[a])), (a, b)


def _stops(robot: Robot, stops: Stops) -> Iterator[tuple[Stop, tuple[str, str]]]:
    low, high = limits(robot.mechanism)
    given = stops if isinstance(stops, Mapping) else {}
    if stops is True and (cut := [x.joint.name for x in robot.loops if x.joint.limits]):
        text = f"the limits of {cut[0]!r}, which closes a loop, are no stops; an event can watch them"
        warn(f"simulate: {text}", stacklevel=5)
    known = {name for b in robot.bodies for name in (b.name, b.joint.name)}
    for name in given:
        if name not in known:
            raise unknown("joint", name, known)
    for body, q, v in zip(robot.bodies, robot.mechanism.q_starts, robot.mechanism.v_starts, strict=False):
        own = given.get(body.joint.name, given.get(body.name))
        for k in range(_width(robot, body)):
            pair = own if own is not None else (low[q + k], high[q + k]) if stops is True else (-np.inf, np.inf)
            yield from _both(body.joint.name, q + k, v + k, pair)


def _width(robot: Robot, body: Any) -> int:
    """How many coordinates of a body's joint can have stops."""
    from ..model.joints import joint_type

    kind = joint_type(body.joint)
    return kind.freedoms if kind.is_scalar else 0


def _both(name: str, q: int, v: int, pair: tuple[float, float]) -> Iterator[tuple[Stop, tuple[str, str]]]:
    low, high = pair
    if not low < high:
        raise ModelError(f"stops of joint {name!r}: got {pair!r}, wanted a lowest and a higher number")
    for limit, way, word in ((low, 1, "lowest stop"), (high, -1, "highest stop")):
        if np.isfinite(limit):
            yield Stop(q, v, float(limit), way), (name, word)


def _check_traces(wall: Wall, robot: Robot) -> None:
    """Refuses a function that cannot be read with anything but floats."""
    from ..formulations.jet import Jet, jet, jets
    from ..trace.expr import Graph
    from ..trace.program import Array as Input

    graph = Graph()
    x, y, z, t = (graph.load(Input("x", "lane", (4,)), (k,)) for k in range(4))
    try:
        ways = (Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1))
        slopes = [jet(wall(jets(Vec3(x, y, z), way), Jet(t, 1))).first for way in ways]
    except AppellError as error:
        if not isinstance(error, TraceError):
            raise
        raise _untraceable(wall, error) from None
    except (TypeError, AttributeError, ValueError) as error:
        raise _untraceable(wall, error) from None
    if all(is_zero(slope) for slope in slopes):
        raise ModelError(f"wall {_called(wall)!r} is the same everywhere, wanted a function of the point")


def _untraceable(wall: Wall, error: Exception) -> ModelError:
    wanted = "wanted one made of + - * / **, and sin, cos, sqrt, tanh of NumPy or appell.scalar"
    return ModelError(f"wall {_called(wall)!r} has a function that cannot be read symbolically ({error}), {wanted}")


def _called(wall: Wall) -> str:
    return wall.name or type(wall).__name__.lower()
