"""Coordinates on their way."""

from .jet import Jet
from .rates import of_joint
from .still import ByPlace


def flowing(robot, q, v):
    """q as jets along a motion: what a text of positions makes of them knows how fast it changes."""
    moving = {}
    for b in robot.outward():
        for k, rate in enumerate(of_joint(b, q, v)):
            moving[b.q_index + k] = Jet(q[b.q_index + k], rate)
    return ByPlace(moving)
