"""Every question and every formulation that answers it: the list that all others iterate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .articulated_body import articulated_body
from .composite_body import composite_body
from .gibbs_appell import gibbs_appell
from .newton_euler import newton_euler


@dataclass(frozen=True)
class Question:
    """What can be asked: the inputs, in order, and the shapes of the answers for one state."""

    inputs: tuple[str, ...]
    outputs: tuple[tuple[str, tuple[str | int, ...]], ...]
    about: str
    of_frame: bool = False  # whether it asks about one frame


@dataclass(frozen=True)
class Formulation:
    """One row: a text, what it computes, where it comes from, whether it rolls into loops."""

    name: str
    computes: str
    text: Callable[..., Any]
    source: str
    rolls: bool = True
    robots: str = "all trees"


QUESTIONS: dict[str, Question] = {
    "inverse_dynamics": Question(("q", "v", "a"), (("tau", ("nv",)),), "forces for a motion"),
    "mass_matrix": Question(("q",), (("M", ("nv", "nv")),), "the mass matrix"),
    "forward_dynamics": Question(("q", "v", "tau"), (("a", ("nv",)),), "accelerations for forces"),
}

FORMULATIONS: tuple[Formulation, ...] = (
    Formulation("gibbs_appell", "inverse_dynamics", gibbs_appell, "mata2002"),
    Formulation("newton_euler", "inverse_dynamics", newton_euler, "luh1980"),
    Formulation("composite_body", "mass_matrix", composite_body, "walker1982"),
    Formulation("articulated_body", "forward_dynamics", articulated_body, "featherstone1983"),
)
