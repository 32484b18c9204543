"""Every question and every formulation that answers it: the list that all others iterate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from . import closed, closed_answers, composed, cut_resistance, energetics, gibbs_appell_tree, kinematics, resistance
from .articulated_body import articulated_body
from .articulated_inverse import forward_dynamics_derivatives, inverse_mass_matrix
from .composite_body import composite_body
from .composite_fixed import composite_fixed
from .coriolis import coriolis
from .denoc import denoc
from .denoc_forward import denoc_forward
from .denoc_inverse import denoc_inverse
from .denoc_matrices import convective_inertia, generalised_inertia
from .denoc_moving import denoc_moving
from .derivatives import inverse_dynamics_derivatives
from .derivatives_fixed import derivatives_fixed
from .gibbs_appell import gibbs_appell
from .gibbs_appell_forward import gibbs_appell_forward
from .gibbs_appell_inertia import gibbs_appell_inertia
from .gibbs_appell_vector import gibbs_appell_vector
from .hybrid_dynamics import hybrid_dynamics
from .kane import kane
from .lagrange import lagrange, lagrange_inertia
from .natural_orthogonal_complement import forward_dynamics as by_complement
from .natural_orthogonal_complement import natural_orthogonal_complement
from .newton_euler import newton_euler
from .newton_euler_tensor import newton_euler_tensor

Shape = tuple[str | int, ...]


STRAIGHT = 40  # freedoms: beyond, straight-line code leaves the instruction cache


@dataclass(frozen=True)
class Question:
    """What can be asked: the inputs, in order, and the shapes of the answers for one state."""

    inputs: tuple[str, ...]
    outputs: tuple[tuple[str, Shape], ...]
    about: str
    of_frame: bool = False  # whether it asks about one frame
    sizes: tuple[tuple[str, int], ...] = ()  # of inputs that are neither q, t nor one number per freedom
    near: tuple[tuple[str, tuple[float, ...]], ...] = ()  # values of inputs around which there are answers


@dataclass(frozen=True)
class Formulation:
    """One row: a text, what it computes, where it comes from, whether it rolls into loops."""

    name: str
    computes: str
    text: Callable[..., Any]
    source: str
    rolls: bool = True
    best_up_to: int | None = None  # degrees of freedom up to which it costs least, unrolled; the first that fits serves
    unrolled_up_to: int = STRAIGHT
    robots: str = "all trees"
    asks: Question | None = None  # a question of its own, which is none of the list
    asked: str = ""  # how, where it is not by `method=`
    made_of: tuple[Callable[..., Any], ...] = ()  # texts that it needs and nobody sees in its own

    @property
    def question(self) -> Question:
        """What it answers."""
        return self.asks or QUESTIONS[self.computes]

    @property
    def keys(self) -> tuple[str, ...]:
        """The papers it comes from, as references.bib has them."""
        return tuple(self.source.replace(",", " ").split())


CLOSED_ONES = "closed mechanisms"
V: Shape = ("nv",)
VV: Shape = ("nv", "nv")
COLUMNS: Shape = (6, "nv")

QUESTIONS: dict[str, Question] = {
    "inverse_dynamics": Question(("q", "v", "a"), (("tau", V),), "forces for a motion"),
    "mass_matrix": Question(("q",), (("M", VV),), "the mass matrix"),
    "forward_dynamics": Question(("q", "v", "tau"), (("a", V),), "accelerations for forces"),
    "hybrid_dynamics": Question(
        ("q", "v", "a", "tau"), (("moves", V), ("forces", V)), "forces where accelerations are prescribed"
    ),
    "bias": Question(("q", "v"), (("h", V),), "forces of a motion without acceleration"),
    "gravity_forces": Question(("q",), (("g", V),), "forces that hold the links at rest"),
    "coriolis": Question(("q", "v"), (("C", VV),), "a matrix C with dM/dt - 2 C skew"),
    "inverse_mass_matrix": Question(("q",), (("Minv", VV),), "the inverse of the mass matrix"),
    "inverse_dynamics_derivatives": Question(
        ("q", "v", "a"), (("dtau_dq", VV), ("dtau_dv", VV), ("M", VV)), "derivatives of forces"
    ),
    "forward_dynamics_derivatives": Question(
        ("q", "v", "tau"), (("da_dq", VV), ("da_dv", VV), ("Minv", VV)), "derivatives of accelerations"
    ),
    "energy": Question(("q", "v"), (("E", (2,)),), "kinetic and potential energy"),
    "momentum": Question(("q", "v"), (("P", (6,)),), "linear and angular momentum about the base's origin"),
    "mass_centre": Question(("q",), (("c", (3,)),), "the mass centre"),
    "centroidal_momentum_matrix": Question(("q",), (("A", COLUMNS),), "momentum about the mass centre by v"),
    "pose": Question(("q",), (("T", (4, 4)),), "where a frame stands", of_frame=True),
    "jacobian": Question(("q",), (("J", COLUMNS),), "velocity of a frame by v", of_frame=True),
    "jacobian_rate": Question(("q", "v"), (("dJ", COLUMNS),), "the Jacobian's derivative", of_frame=True),
    "velocity": Question(("q", "v"), (("V", (6,)),), "velocity of a frame", of_frame=True),
    "acceleration": Question(("q", "v", "a"), (("A", (6,)),), "acceleration of a frame", of_frame=True),
}

ID_DERIVATIVES = resistance.derivatives(inverse_dynamics_derivatives)
ID_DERIVATIVES_FIXED = resistance.derivatives(derivatives_fixed)
FD_DERIVATIVES = composed.forward_dynamics_derivatives
BY_COMPOSITES = composed.inverse_mass_matrix
GIBBS, NEWTON = "gibbs_appell", "newton_euler"
GIBBS_VECTOR, GIBBS_INERTIA = "gibbs_appell_vector", "gibbs_appell_inertia"
GIBBS_FORWARD, GIBBS_TREE = "gibbs_appell_forward", "gibbs_appell_tree"
LAGRANGE, COMPLEMENT = "lagrange", "natural_orthogonal_complement"
COMPOSITE, ARTICULATED, LINKS = "composite_body", "articulated_body", "links"
COMPOSITE_FIXED = "composite_fixed"
DENOC = "denoc"


def _inverse(name: str, page: Callable[..., Any], source: str, rolls: bool = True) -> tuple[Formulation, ...]:
    """What a page of inverse dynamics answers."""
    return (
        Formulation(name, "inverse_dynamics", resistance.inverse(page), source, rolls),
        Formulation(name, "bias", resistance.bias(page), source, rolls),
        Formulation(name, "gravity_forces", resistance.gravity_forces(page), source, rolls),
    )


FORMULATIONS: tuple[Formulation, ...] = (
    *_inverse(GIBBS, gibbs_appell, "mata2002"),
    *_inverse(GIBBS_VECTOR, gibbs_appell_vector, "valera2003"),
    *_inverse(GIBBS_TREE, gibbs_appell_tree.inverse_dynamics, "shafei2018", rolls=False),
    *_inverse(NEWTON, newton_euler, "luh1980"),
    *_inverse("newton_euler_tensor", newton_euler_tensor, "balafoutis1991"),
    *_inverse("kane", kane, "angeles1989"),
    *_inverse(LAGRANGE, lagrange, "hollerbach1980"),
    *_inverse(DENOC, denoc, "saha2010"),
    Formulation(COMPOSITE, "mass_matrix", composite_body, "walker1982", best_up_to=STRAIGHT),
    Formulation(COMPOSITE_FIXED, "mass_matrix", composite_fixed, "walker1982"),
    Formulation(GIBBS_INERTIA, "mass_matrix", gibbs_appell_inertia, "mata2002"),
    Formulation(GIBBS_TREE, "mass_matrix", gibbs_appell_tree.mass_matrix, "shafei2018", rolls=False),
    Formulation(LAGRANGE, "mass_matrix", lagrange_inertia, "hollerbach1980", unrolled_up_to=20),
    Formulation(COMPLEMENT, "mass_matrix", natural_orthogonal_complement, "angeles1988a", unrolled_up_to=12),
    Formulation(
        COMPOSITE, "forward_dynamics", composed.forward_dynamics, "walker1982", best_up_to=9, unrolled_up_to=30
    ),
    Formulation(DENOC, "forward_dynamics", resistance.forward(denoc_forward), "saha2010"),
    Formulation(ARTICULATED, "forward_dynamics", resistance.forward(articulated_body), "featherstone1983"),
    Formulation(GIBBS_FORWARD, "forward_dynamics", gibbs_appell_forward, "mata2002", unrolled_up_to=30),
    Formulation(GIBBS_TREE, "forward_dynamics", gibbs_appell_tree.forward_dynamics, "shafei2018", rolls=False),
    Formulation(COMPLEMENT, "forward_dynamics", resistance.forward(by_complement), "angeles1988a", unrolled_up_to=20),
    Formulation(DENOC, "mass_matrix", generalised_inertia, "saha2010"),
    Formulation(ARTICULATED, "hybrid_dynamics", hybrid_dynamics, "featherstone1983", rolls=False),
    Formulation(DENOC, "hybrid_dynamics", denoc_moving, "saha2010", rolls=False),
    Formulation(COMPOSITE, "coriolis", coriolis, "echeandia2021"),
    Formulation(DENOC, "coriolis", convective_inertia, "saha2010", unrolled_up_to=12),
    Formulation(COMPOSITE, "inverse_mass_matrix", BY_COMPOSITES, "walker1982", rolls=False, best_up_to=20),
    Formulation(ARTICULATED, "inverse_mass_matrix", inverse_mass_matrix, "featherstone1983", unrolled_up_to=20),
    Formulation(DENOC, "inverse_mass_matrix", denoc_inverse, "saha2010", rolls=False),
    Formulation(COMPOSITE, "inverse_dynamics_derivatives", ID_DERIVATIVES, "singh2022", best_up_to=STRAIGHT),
    Formulation(COMPOSITE_FIXED, "inverse_dynamics_derivatives", ID_DERIVATIVES_FIXED, "singh2022"),
    Formulation(
        COMPOSITE, "forward_dynamics_derivatives", FD_DERIVATIVES, "carpentier2018", rolls=False, best_up_to=20
    ),
    Formulation(
        ARTICULATED, "forward_dynamics_derivatives", forward_dynamics_derivatives, "carpentier2018", unrolled_up_to=20
    ),
    Formulation(LINKS, "energy", energetics.energy, ""),
    Formulation(LINKS, "momentum", energetics.momentum, ""),
    Formulation(LINKS, "mass_centre", kinematics.mass_centre, ""),
    Formulation(COMPOSITE, "centroidal_momentum_matrix", energetics.centroidal_momentum_matrix, "walker1982"),
    Formulation(LINKS, "pose", kinematics.pose, ""),
    Formulation(LINKS, "jacobian", kinematics.jacobian, "angeles1988"),
    Formulation(LINKS, "jacobian_rate", kinematics.jacobian_rate, "angeles1988"),
    Formulation(LINKS, "velocity", kinematics.velocity, ""),
    Formulation(LINKS, "acceleration", kinematics.acceleration, ""),
)

# What loops and constraints change: these answer instead, for mechanisms that have any.
CLOSED: tuple[Formulation, ...] = (
    *(
        Formulation("augmented", what, text, source, rolls=False, robots=CLOSED_ONES)
        for what, text, source in (
            ("forward_dynamics", closed.accelerations, "bayo1988"),
            ("hybrid_dynamics", closed_answers.hybrid_dynamics, "bayo1988"),
            ("inverse_mass_matrix", closed_answers.inverse_mass_matrix, "bayo1988"),
            ("forward_dynamics_derivatives", closed_answers.forward_dynamics_derivatives, "carpentier2018"),
        )
    ),
)

# What joints that close loops add where they resist: to every page that knows the tree.
OF_CUT_JOINTS = {
    "inverse_dynamics": cut_resistance.inverse,
    "bias": cut_resistance.bias,
    "mass_matrix": cut_resistance.mass_matrix,
    "coriolis": cut_resistance.coriolis,
    "energy": cut_resistance.energy,
}
RESISTING: tuple[Formulation, ...] = tuple(
    replace(f, text=OF_CUT_JOINTS[f.computes](f.text), rolls=False, robots=CLOSED_ONES)
    for f in FORMULATIONS
    if f.computes in OF_CUT_JOINTS
) + tuple(
    replace(f, text=closed_answers.inverse_dynamics_derivatives, rolls=False, robots=CLOSED_ONES)
    for f in FORMULATIONS
    if f.computes == "inverse_dynamics_derivatives"
)
