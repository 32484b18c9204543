"""A link's edge against a wall: where the curve comes nearest, and how its gap changes while that place moves along."""

from __future__ import annotations

from ..scalar import between, sign
from ..vec import Vec3
from .jet import Jet, jet, still
from .touch import seen

SAMPLES, STEPS = 8, 6  # of a curve to begin with, of Newton's method from the lowest of them
TINY, INSIDE = 1e-30, 1e-9


def reaching(world, touch, t):
    """From the link's origin to the edge's nearest place, as jets along the edge; and where on it that is."""

    def arm(s):
        place = touch.point
        r = still(place.r) + still(place.R) @ Vec3(*map(jet, touch.curve(s)))
        return still(world.R[place.link]) @ r

    def gap(s):
        return jet(touch.wall(Vec3(*(jet(x.value) for x in seen(world, touch, arm(s)))), Jet(t)))

    s = nearest(gap, *touch.ends)
    return arm(Jet(s, 1)), s


def nearest(gap, start, end):
    """The s from start to end at which gap(s) is least: of a few samples the lowest, then Newton's method.

    No branch: every choice is arithmetic with signs, so that it compiles.
    """
    width = (end - start) / SAMPLES
    s, least = start, gap(Jet(start)).value
    for k in range(1, SAMPLES + 1):
        here, value = start + k * width, gap(Jet(start + k * width)).value
        lower = (1 + sign(least - value)) * 0.5
        s, least = s + lower * (here - s), least + lower * (value - least)
    for _ in range(STEPS):
        g = gap(Jet(s, 1))
        s = between(s - between(g.first / (g.second * sign(g.second) + TINY), -width, width), start, end)
    return s


def carried(gap, s, start, end):
    """A gap as jet, from jets along the motion whose parts are jets along the curve, at its nearest place.

    There g_s = 0 or the curve ends, so the place's own motion s. does not change g.; but in between

        s. = - g._s / g_ss,   g.. = (g.. at fixed s) - g._s^2 / g_ss          (1)

    Gives the gap and s..

    Source: pfeiffer1996, the kinematics of contacts.
    """
    value, first, second = (jet(x) for x in (gap.value, gap.first, gap.second))
    bend = value.second
    inside = (1 + sign((s - start) * (end - s) - INSIDE)) * 0.5 * (1 + sign(bend - INSIDE)) * 0.5
    along = -first.first * inside / (bend * sign(bend) + TINY)  # (1)
    return Jet(value.value, first.value, second.value + first.first * along), along


def at_start(x):
    """The parts of jets along a curve that do not know of it."""
    return Vec3(*(jet(c).value for c in x))
