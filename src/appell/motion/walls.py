"""Walls: curves and surfaces that bound motion, as functions of a point that are positive where it may be.

A function is written once, over generic scalars: it is read with floats, arrays, symbols and jets, and all of its
derivatives come out of that. Anything that moves is given as a function of time, written with + - * / ** and
`sin`, `cos`, `sqrt`, `tanh` of NumPy or of `appell.scalar`. Closed walls hold the robot inside unless told
otherwise; `carrier` names a body or frame that carries the wall, the world by default.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from ..errors import ModelError
from ..formulations.jet import Jet
from ..model.joints import basis
from ..scalar import Scalar, cos, sin
from ..vec import Vec3

Changing: TypeAlias = "float | Callable[[Any], Any]"  # a number, or a function of time
Point: TypeAlias = "tuple[Any, ...] | list[Any] | Callable[[Any], Any]"  # two or three coordinates, or of time
Direction: TypeAlias = "tuple[float, float, float]"
UP: Direction = (0.0, 0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Wall(ABC):
    """What all walls have: a name, for the record of impacts, and what carries them."""

    name: str | None = None
    carrier: str = "base"

    @abstractmethod
    def __call__(self, x: Vec3, t: Scalar) -> Scalar:
        """The gap: positive where the point x of the carrier's axes may be at time t."""


@dataclass(frozen=True)
class Circle(Wall):
    """A circle in the plane with a normal, x-y by default; along the normal it goes on, as a cylinder."""

    radius: Changing
    center: Point = (0.0, 0.0)
    normal: Direction = UP
    inside: bool = True

    def __post_init__(self) -> None:
        _check_size(self, "radius", self.radius)
        _check_direction(self, "normal", self.normal)

    def __call__(self, x: Vec3, t: Scalar) -> Scalar:
        a, b, _ = _along(x - _point(self.center, t), self.normal)
        return _bowl(a * a + b * b, at(self.radius, t), self.inside)


@dataclass(frozen=True)
class Cylinder(Wall):
    """A cylinder about an axis through a point, without ends."""

    radius: Changing
    center: Point = (0.0, 0.0, 0.0)
    axis: Direction = UP
    inside: bool = True

    def __post_init__(self) -> None:
        _check_size(self, "radius", self.radius)
        _check_direction(self, "axis", self.axis)

    def __call__(self, x: Vec3, t: Scalar) -> Scalar:
        a, b, _ = _along(x - _point(self.center, t), self.axis)
        return _bowl(a * a + b * b, at(self.radius, t), self.inside)


@dataclass(frozen=True)
class Sphere(Wall):
    """A sphere."""

    radius: Changing
    center: Point = (0.0, 0.0, 0.0)
    inside: bool = True

    def __post_init__(self) -> None:
        _check_size(self, "radius", self.radius)

    def __call__(self, x: Vec3, t: Scalar) -> Scalar:
        d = x - _point(self.center, t)
        return _bowl(d @ d, at(self.radius, t), self.inside)


@dataclass(frozen=True)
class Plane(Wall):
    """A plane through a point; its normal points to where the robot is."""

    normal: Direction = UP
    point: Point = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        _check_direction(self, "normal", self.normal)

    def __call__(self, x: Vec3, t: Scalar) -> Scalar:
        return _unit(self.normal) @ (x - _point(self.point, t))


@dataclass(frozen=True)
class Line(Wall):
    """A straight line in the x-y plane through a point; its normal points to where the robot is."""

    normal: tuple[float, float] = (0.0, 1.0)
    point: Point = (0.0, 0.0)

    def __post_init__(self) -> None:
        _check_direction(self, "normal", (*self.normal, 0.0))

    def __call__(self, x: Vec3, t: Scalar) -> Scalar:
        return _unit((*self.normal, 0.0)) @ (x - _point(self.point, t))


@dataclass(frozen=True)
class Ellipse(Wall):
    """An ellipse in the plane with a normal, x-y by default, turned about it by an angle."""

    radii: tuple[Changing, Changing]
    center: Point = (0.0, 0.0)
    angle: Changing = 0.0
    normal: Direction = UP
    inside: bool = True

    def __post_init__(self) -> None:
        for radius in self.radii:
            _check_size(self, "radius", radius)
        _check_direction(self, "normal", self.normal)

    def __call__(self, x: Vec3, t: Scalar) -> Scalar:
        a, b, _ = _along(x - _point(self.center, t), self.normal)
        c, s = cos(at(self.angle, t)), sin(at(self.angle, t))
        long, wide = (at(r, t) for r in self.radii)
        u, w = (a * c + b * s) / long, (b * c - a * s) / wide
        return _signed((u * u + w * w - 1) * (long * wide / (long + wide)), self.inside)


@dataclass(frozen=True)
class Polynomial(Wall):
    """Where a polynomial of x, y (and z) vanishes: {(2, 0): 1.0, (0, 2): 1.0, (0, 0): -4.0} is a circle.

    Inside is where it is negative.
    """

    terms: Any  # a mapping from powers to factors, which may be functions of time
    inside: bool = True

    def __post_init__(self) -> None:
        rows = tuple(self.terms.items() if isinstance(self.terms, Mapping) else self.terms)
        for powers, _ in rows:
            if len(powers) not in (2, 3) or not all(type(k) is int and k >= 0 for k in powers):
                raise ModelError(f"polynomial: got the powers {powers!r}, wanted two or three whole numbers")
        object.__setattr__(self, "terms", rows)

    def __call__(self, x: Vec3, t: Scalar) -> Scalar:
        total: Any = Jet(0)
        for powers, factor in self.terms:
            term = at(factor, t)
            for base, k in zip(x, powers, strict=False):
                term = (base**k) * term if k else term
            total = total + term
        return _signed(total, self.inside)


@dataclass(frozen=True)
class Implicit(Wall):
    """Where a function of x, y, z (and t, if it takes four) vanishes; inside is where it is negative."""

    function: Callable[..., Any]
    inside: bool = True
    timed: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        from inspect import signature

        count = len(signature(self.function).parameters)
        if count not in (3, 4):
            raise ModelError(f"implicit wall: got a function of {count} arguments, wanted x, y, z or x, y, z, t")
        object.__setattr__(self, "timed", count == 4)

    def __call__(self, x: Vec3, t: Scalar) -> Scalar:
        return _signed(self.function(*x, t) if self.timed else self.function(*x), self.inside)


@dataclass(frozen=True)
class Parallel(Wall):
    """A wall as a ball's centre meets it: everything at the ball's radius from it."""

    wall: Plane | Line
    radius: float

    def __call__(self, x: Vec3, t: Scalar) -> Scalar:
        return self.wall(x, t) - self.radius


def parallel(wall: Wall, radius: float) -> Wall:
    """What a wall is for the centre of a ball."""
    if radius == 0.0:
        return wall
    if isinstance(wall, (Plane, Line)):
        return Parallel(wall, radius)
    if isinstance(wall, (Circle, Cylinder, Sphere)):
        own, more = wall.radius, -radius if wall.inside else radius
        return replace(wall, radius=(lambda t: own(t) + more) if callable(own) else own + more)
    kind = type(wall).__name__
    raise ModelError(
        f"a ball of radius {radius} against an {kind}: wanted a point there, or a wall that is round or flat"
    )


# -- what they are made of --------------------------------------------------------------------------------------


def at(x: Any, t: Scalar) -> Any:
    """A number, or what a function of time gives now."""
    return x(t) if callable(x) else x


def _point(given: Any, t: Scalar) -> Vec3:
    return Vec3(*at(given, t))


def _bowl(square: Scalar, radius: Scalar, inside: bool) -> Scalar:
    """Of slope 1 at the wall, and smooth in the middle."""
    return _signed((square - radius * radius) / (2 * radius), inside)


def _signed(value: Scalar, inside: bool) -> Scalar:
    return -value if inside else value


def _unit(direction: Any) -> Vec3:
    return Vec3(*(row[2] for row in basis(direction)))


def _along(x: Vec3, normal: Direction) -> tuple[Scalar, Scalar, Scalar]:
    """A point's coordinates along e1 and e2 of the plane, and along its normal."""
    if normal == UP:
        return x.x, x.y, x.z
    e1, e2, n = (Vec3(*e) for e in zip(*basis(normal), strict=True))
    return e1 @ x, e2 @ x, n @ x


def _check_size(wall: Wall, what: str, size: Any) -> None:
    if not callable(size) and not (isinstance(size, (int, float)) and size > 0):
        raise ModelError(f"{type(wall).__name__.lower()}: {what} is {size!r}, wanted a positive number")


def _check_direction(wall: Wall, what: str, direction: Any) -> None:
    if len(direction) != 3 or not any(direction):
        raise ModelError(f"{type(wall).__name__.lower()}: {what} is {direction!r}, wanted a direction")
