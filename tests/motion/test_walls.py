"""Walls: where they are, which side is open, and that gaps and slopes are those of the geometry."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import appell
from appell.errors import ModelError
from appell.formulations.jet import Jet, gradient, jet, jets
from appell.motion.walls import Wall, parallel
from appell.vec import Vec3

X = (1.0, 0.0, 0.0)
CASES: list[tuple[Wall, tuple[float, float, float], tuple[float, float, float]]] = [  # a point on it, the normal there
    (appell.Circle(2.5), (1.5, 2.0, 7.0), (-0.6, -0.8, 0.0)),
    (appell.Circle(2.5, inside=False), (1.5, 2.0, -1.0), (0.6, 0.8, 0.0)),
    (appell.Circle(1.0, center=(0.0, 1.0, 2.0), normal=X), (3.0, 1.6, 2.8), (0.0, -0.6, -0.8)),
    (appell.Cylinder(0.5, axis=(0.0, 1.0, 0.0)), (0.3, 9.0, 0.4), (-0.6, 0.0, -0.8)),
    (appell.Sphere(3.0, center=(1.0, 1.0, 1.0), inside=False), (2.0, 3.0, 3.0), (1 / 3, 2 / 3, 2 / 3)),
    (appell.Plane(normal=(0.0, 3.0, 4.0), point=(1.0, 0.0, 0.0)), (5.0, 4.0, -3.0), (0.0, 0.6, 0.8)),
    (appell.Line(normal=(0.0, 2.0), point=(5.0, -1.0)), (3.0, -1.0, 0.0), (0.0, 1.0, 0.0)),
    (appell.Ellipse((2.0, 1.0)), (2.0, 0.0, 0.0), (-1.0, 0.0, 0.0)),
    (appell.Ellipse((2.0, 1.0), angle=math.pi / 2, inside=False), (0.0, 2.0, 0.0), (0.0, 1.0, 0.0)),
    (appell.Polynomial({(2, 0): 1.0, (0, 2): 1.0, (0, 0): -4.0}), (0.0, -2.0, 1.0), (0.0, 1.0, 0.0)),
    (appell.Polynomial({(0, 0, 1): 1.0, (2, 0, 0): -0.5}, inside=False), (1.0, 5.0, 0.5), (-(0.5**0.5), 0.0, 0.5**0.5)),
    (appell.Implicit(lambda x, y, z: y - np.sin(x), inside=False), (0.0, 0.0, 0.0), (-(0.5**0.5), 0.5**0.5, 0.0)),
]


@pytest.mark.parametrize(("wall", "at", "normal"), CASES)
def test_on_the_wall_the_gap_is_zero_and_the_normal_points_inwards(wall: Wall, at: Any, normal: Any) -> None:
    x = Vec3(*at)
    assert float(jet(wall(jets(x), Jet(0.0))).value) == pytest.approx(0.0, abs=1e-14)
    slope = np.array([float(s) for s in gradient(lambda y: wall(y, Jet(0.0)), x)])
    assert slope / np.linalg.norm(slope) == pytest.approx(normal)


@pytest.mark.parametrize(("wall", "at", "normal"), CASES)
def test_jets_are_derivatives_along_a_motion(wall: Wall, at: Any, normal: Any) -> None:
    """Against central differences of the function itself, with steps that suit four and eight digits."""
    x, u, a = (np.array(k) for k in (at, (0.3, -0.7, 0.2), (0.5, 0.4, -0.9)))

    def gap(t: float) -> float:
        return float(jet(wall(jets(Vec3(*(x + 0.1 + u * t + a * t * t / 2))), Jet(t))).value)

    found = jet(wall(jets(Vec3(*(x + 0.1)), Vec3(*u), Vec3(*a)), Jet(0.0, 1)))
    assert found.first == pytest.approx((gap(1e-6) - gap(-1e-6)) / 2e-6, rel=1e-7, abs=1e-8)
    assert found.second == pytest.approx((gap(1e-4) - 2 * gap(0.0) + gap(-1e-4)) / 1e-8, rel=1e-4, abs=1e-5)


def test_a_moving_wall_has_a_rate_of_its_own() -> None:
    lift = appell.Plane(point=lambda t: (0.0, 0.0, 0.1 * np.sin(3.0 * t)))
    shrinks = appell.Circle(radius=lambda t: 2.0 - 0.5 * t)
    t = Jet(0.2, 1)
    g = jet(lift(jets(Vec3(0.0, 0.0, 1.0)), t))
    assert (g.value, g.first) == pytest.approx((1 - 0.1 * math.sin(0.6), -0.3 * math.cos(0.6)))
    assert g.second == pytest.approx(0.9 * math.sin(0.6))
    on = jet(shrinks(jets(Vec3(1.9, 0.0, 0.0)), t))
    assert (on.value, on.first) == pytest.approx((0.0, -0.5), abs=1e-14)


def test_a_balls_centre_meets_a_parallel_wall() -> None:
    def gap(wall: Wall, x: tuple[float, float, float]) -> float:
        return float(jet(wall(jets(Vec3(*x)), Jet(0.0))).value)

    assert gap(parallel(appell.Circle(2.5), 0.5), (2.0, 0.0, 0.0)) == pytest.approx(0.0, abs=1e-15)
    assert gap(parallel(appell.Sphere(1.0, inside=False), 0.5), (0.0, 1.5, 0.0)) == pytest.approx(0.0, abs=1e-15)
    assert gap(parallel(appell.Plane(), 0.25), (0.0, 0.0, 1.0)) == pytest.approx(0.75)
    with pytest.raises(ModelError, match="a ball of radius 0.1 against an Ellipse: wanted a point"):
        parallel(appell.Ellipse((2.0, 1.0)), 0.1)


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: appell.Circle(radius=-1.0), "circle: radius is -1.0, wanted a positive number"),
        (lambda: appell.Plane(normal=(0.0, 0.0, 0.0)), "plane: normal is .*, wanted a direction"),
        (lambda: appell.Polynomial({(0.5, 1): 1.0}), "polynomial: got the powers .*, wanted two or three whole"),
        (lambda: appell.Implicit(lambda x: x), "got a function of 1 arguments, wanted x, y, z"),
    ],
)
def test_walls_that_cannot_be(made: Any, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        made()
