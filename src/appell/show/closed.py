"""What closed mechanisms cost, by every way that answers for them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from .markdown import grid

if TYPE_CHECKING:
    from ..formulations.table import Formulation
    from ..robot import Robot

# Robots of the zoo, what a reader calls them, and what drives them
ROBOTS = {
    "five_bar": ("five-bar", ("shoulder1", "shoulder2")),
    "scraper": ("carpet scraper", ("motor",)),
    "agile_wrist": ("Agile Wrist", ("theta1", "theta2", "theta3")),
}
WAYS = ("denoc_parallel", "closed_subsystems", "spherical_parallel")
DIRECT = {"inverse_dynamics": "in the drives' coordinates", "forward_dynamics": "augmented"}


def costs() -> list[str]:
    """Multiplications and divisions + additions of one state, as run, by question and robot."""
    words = (
        "Multiplications and divisions + additions of the Program as run, of one state: forces of the drives for a "
        "motion, and accelerations for forces. `spherical_parallel` starts from the platform's angles, without q."
    )
    lines = [(question.replace("_", " "), way, *found) for question, way, found in counted()]
    return ["## What it costs", words, grid(("question", "way", *(words for words, _ in ROBOTS.values())), lines)]


@cache
def counted() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Every question and way, and its operations for every robot that it answers."""
    found = []
    for question, direct in DIRECT.items():
        found += [(question, way, tuple(_cost(robot, question, way) for robot in ROBOTS)) for way in WAYS]
        found.append((question, direct, tuple(_straight(robot, question) for robot in ROBOTS)))
    return tuple(found)


def _cost(name: str, question: str, way: str) -> str:
    from ..trace.counting import operations

    for row, tree in _rows(name, question, way):
        counts = operations(row, tree, True)
        return f"{counts.mul + counts.div} + {counts.add}"
    return ""


def _rows(name: str, question: str, way: str) -> Iterator[tuple[Formulation, Any]]:
    """The row and the tree that answer, if the robot is one for the way."""
    given = robot(name)
    if way == "spherical_parallel":
        if name == "agile_wrist":
            yield given.spherical(drives=ROBOTS[name][1]).row(question), given.tree
    elif way == "closed_subsystems" or name != "scraper":
        yield given.driven_by(ROBOTS[name][1], way).row(question), given.light_tree


def _straight(name: str, question: str) -> str:
    drives = {"actuators": ROBOTS[name][1]} if question == "inverse_dynamics" else {}
    counts = robot(name).count(question, **drives).program
    return f"{counts.mul + counts.div} + {counts.add}"


@cache
def robot(name: str) -> Robot:
    """A closed robot of the zoo."""
    from ..zoo import load

    return load(name)
