"""The table is whole, every text adds like to like, and the counts of operations are what they were."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from appell.formulations.gibbs_appell import gibbs_appell
from appell.formulations.table import FORMULATIONS, QUESTIONS, Formulation
from appell.model.tree import FREEDOMS, KINDS, POSITIONS, Link, Place, Resistance, Tree
from appell.model.walk import Coordinates, Walk
from appell.scalar import Count, Dim
from appell.vec import Mat3, Sym3, Vec3


def name_of(row: Formulation) -> str:
    return f"{row.name}-{row.computes}"


each_row = pytest.mark.parametrize("row", FORMULATIONS, ids=name_of)
ONE, METRE, SECOND, MASS = Dim(), Dim(m=1), Dim(s=1), Dim(kg=1)
ENERGY = Dim(1, 2, -2)


def test_every_question_is_answered_once_by_each_name() -> None:
    pairs = Counter((f.name, f.computes) for f in FORMULATIONS)
    assert max(pairs.values()) == 1
    assert {f.computes for f in FORMULATIONS} == set(QUESTIONS)


# --- dimensions ------------------------------------------------------------------------------------------


def full(of: Dim) -> Vec3:
    return Vec3(of, of, of)


def link(index: int, kind: Any, q: int, v: int) -> Link:
    """A link of any kind whose numbers are their dimensions, none of them zero."""
    reach = lengths(kind)
    met = [(x * x, ENERGY / x / x * SECOND, ENERGY / x, x / SECOND, ENERGY / x / x, x, ENERGY / x) for x in reach]
    scalar = POSITIONS[kind] == FREEDOMS[kind]
    resists = [Resistance(MASS * METRE * METRE / m[0], *m[1:4], *(m[4:] if scalar else ())) for m in met]
    pitch = METRE if kind == "helical" else 0
    moments = MASS, full(MASS * METRE), Sym3(*[MASS * METRE * METRE] * 6)
    frame = Mat3(full(ONE), full(ONE), full(ONE)), full(METRE)
    return Link(index, index - 1, kind, *frame, ONE, pitch, *moments, q, v, tuple(resists))


def lengths(kind: str) -> list[Dim]:
    """For each freedom: metre for a displacement, one for a turn."""
    return {"prismatic": [METRE], "free": [METRE] * 3 + [ONE] * 3}.get(kind, [ONE] * FREEDOMS[kind])


def tree_of_dimensions() -> Tree:
    links, nq, nv = [], 0, 0
    for k, kind in enumerate((*(kind for kind in reversed(KINDS) if FREEDOMS[kind]), "revolute")):
        links.append(link(k + 1, kind, nq, nv))
        nq, nv = nq + POSITIONS[kind], nv + FREEDOMS[kind]
    return Tree(tuple(links), full(METRE / SECOND / SECOND), nq, nv)


TREE = tree_of_dimensions()
X = [x for b in TREE.links for x in lengths(b.kind)]  # of the freedoms


def positions() -> list[Dim]:
    """Of q: a quaternion's four numbers are pure."""
    found: list[Dim] = []
    for b in TREE.links:
        quaternion = [ONE] * 4
        found += {"ball": quaternion, "free": [METRE] * 3 + quaternion}.get(b.kind, lengths(b.kind))
    return found


GIVEN = {
    "q": positions(),
    "v": [x / SECOND for x in X],
    "a": [x / SECOND / SECOND for x in X],
    "tau": [ENERGY / x for x in X],
}
ROWS6 = [METRE] * 3 + [ONE] * 3  # linear, angular
INERTIA = ENERGY * SECOND * SECOND


def wanted(question: str, output: str) -> Any:
    """The dimension of an answer's entry, from its place."""

    def force(i: int) -> Dim:
        return ENERGY / X[i]

    by_name = {
        "tau": force,
        "forces": force,
        "h": force,
        "g": force,
        "a": lambda i: X[i] / SECOND / SECOND,
        "moves": lambda i: X[i] / SECOND / SECOND,
        "M": lambda i, j: INERTIA / X[i] / X[j],
        "Minv": lambda i, j: X[i] * X[j] / INERTIA,
        "C": lambda i, j: INERTIA / X[i] / X[j] / SECOND,
        "dtau_dq": lambda i, j: force(i) / X[j],
        "dtau_dv": lambda i, j: force(i) / X[j] * SECOND,
        "da_dq": lambda i, j: X[i] / SECOND / SECOND / X[j],
        "da_dv": lambda i, j: X[i] / SECOND / X[j],
        "E": lambda i: ENERGY,
        "P": lambda i: INERTIA / SECOND / ROWS6[i],
        "c": lambda i: METRE,
        "T": lambda i, j: METRE if j == 3 and i < 3 else ONE,
        "J": lambda i, j: ROWS6[i] / X[j],
        "dJ": lambda i, j: ROWS6[i] / X[j] / SECOND,
        "V": lambda i: ROWS6[i] / SECOND,
        "A": lambda i: ROWS6[i] / SECOND / SECOND,
    }
    if question == "centroidal_momentum_matrix":
        return lambda i, j: INERTIA / ROWS6[i] / X[j]
    return by_name[output]


@each_row
def test_adds_like_to_like(row: Formulation) -> None:
    """Read over dimensions, a text ends without a TypeError and gives what it says."""
    question = QUESTIONS[row.computes]
    place = Place(TREE.n, Mat3(full(ONE), full(ONE), full(ONE)), full(METRE))
    text = partial(row.text, place=place) if question.of_frame else row.text
    prescribed = frozenset(range(0, TREE.nv, 2))
    answer = text(Walk(TREE, prescribed=prescribed), *(Coordinates(GIVEN[name]) for name in question.inputs))
    answers = answer if isinstance(answer, tuple) else (answer,)
    for values, (name, shape) in zip(answers, question.outputs):
        expected, seen = wanted(row.computes, name), 0
        for at in np.ndindex(*(TREE.nv if s == "nv" else s for s in shape)):
            value = values[at[0] if len(at) == 1 else at]
            if isinstance(value, Dim):
                assert value == expected(*at), f"{name}{list(at)} of {row.name}"
                seen += 1
        assert seen > 0


# --- counts ----------------------------------------------------------------------------------------------


def chain(n: int) -> Tree:
    """A general chain of revolute joints, modified Denavit-Hartenberg: only the rows' own zeros are zero."""
    rng = np.random.default_rng(n)
    links = []
    for i in range(n):
        c, s, a, d = (float(x) for x in rng.uniform(0.2, 0.9, 4))
        fixed = Mat3(Vec3(1.0, 0.0, 0.0), Vec3(0.0, c, -s), Vec3(0.0, s, c))
        moments = 2.1, Vec3(*rng.random(3).tolist()), Sym3(*rng.random(6).tolist())
        links.append(Link(i + 1, i, "revolute", fixed, Vec3(a, -s * d, c * d), 0, 0, *moments, i, i))
    return Tree(tuple(links), Vec3(0.0, 0.0, -9.81), n, n)


def counted(row: Formulation, tree: Tree) -> tuple[int, int]:
    """Products (with divisions) and sums of a text, read with scalars that only count."""
    tally: Counter[str] = Counter()
    inputs = [Coordinates([Count(tally) for _ in range(tree.nq)]) for _ in QUESTIONS[row.computes].inputs]
    row.text(Walk(tree), *inputs)
    return tally["mul"] + tally["div"], tally["add"]


# Of the texts as written, base included; what runs is less, as the Program drops what nobody asks for.
LIMITS: dict[tuple[str, str], tuple[int, int]] = {
    ("gibbs_appell", "inverse_dynamics"): (507, 436),
    ("gibbs_appell", "bias"): (493, 417),
    ("gibbs_appell", "gravity_forces"): (223, 152),
    ("gibbs_appell_vector", "inverse_dynamics"): (655, 484),
    ("gibbs_appell_vector", "bias"): (635, 461),
    ("gibbs_appell_vector", "gravity_forces"): (223, 152),
    ("gibbs_appell_inertia", "mass_matrix"): (479, 509),
    ("gibbs_appell_forward", "forward_dynamics"): (1063, 997),
    ("gibbs_appell_tree", "inverse_dynamics"): (1271, 969),
    ("gibbs_appell_tree", "bias"): (1223, 918),
    ("gibbs_appell_tree", "gravity_forces"): (248, 177),
    ("gibbs_appell_tree", "mass_matrix"): (1541, 1167),
    ("gibbs_appell_tree", "forward_dynamics"): (2855, 2156),
    ("newton_euler", "inverse_dynamics"): (607, 457),
    ("newton_euler", "bias"): (587, 434),
    ("newton_euler", "gravity_forces"): (223, 152),
    ("newton_euler_tensor", "inverse_dynamics"): (490, 418),
    ("newton_euler_tensor", "bias"): (476, 399),
    ("newton_euler_tensor", "gravity_forces"): (122, 77),
    ("kane", "inverse_dynamics"): (553, 448),
    ("kane", "bias"): (537, 427),
    ("kane", "gravity_forces"): (223, 152),
    ("lagrange", "inverse_dynamics"): (994, 759),
    ("lagrange", "bias"): (958, 723),
    ("lagrange", "gravity_forces"): (176, 121),
    ("lagrange", "mass_matrix"): (1289, 972),
    ("natural_orthogonal_complement", "mass_matrix"): (834, 690),
    ("natural_orthogonal_complement", "forward_dynamics"): (1420, 1164),
    ("denoc", "inverse_dynamics"): (607, 457),
    ("denoc", "bias"): (587, 434),
    ("denoc", "gravity_forces"): (223, 152),
    ("denoc", "mass_matrix"): (656, 593),
    ("denoc", "forward_dynamics"): (1259, 1209),
    ("denoc", "coriolis"): (2311, 1623),
    ("denoc", "hybrid_dynamics"): (1265, 1224),
    ("denoc", "inverse_mass_matrix"): (1221, 1091),
    ("composite_body", "mass_matrix"): (656, 593),
    ("composite_fixed", "mass_matrix"): (1171, 986),
    ("articulated_body", "forward_dynamics"): (1333, 1269),
    ("composite_body", "forward_dynamics"): (1240, 1081),
    ("articulated_body", "hybrid_dynamics"): (1355, 1269),
    ("composite_body", "coriolis"): (1970, 1616),
    ("composite_body", "inverse_mass_matrix"): (781, 683),
    ("articulated_body", "inverse_mass_matrix"): (1895, 1593),
    ("composite_body", "inverse_dynamics_derivatives"): (3264, 2767),
    ("composite_fixed", "inverse_dynamics_derivatives"): (3052, 2996),
    ("composite_body", "forward_dynamics_derivatives"): (5061, 4298),
    ("articulated_body", "forward_dynamics_derivatives"): (6924, 5989),
    ("links", "energy"): (309, 240),
    ("links", "momentum"): (357, 266),
    ("links", "mass_centre"): (49, 57),
    ("composite_body", "centroidal_momentum_matrix"): (496, 520),
}


@pytest.mark.parametrize("row", [f for f in FORMULATIONS if not QUESTIONS[f.computes].of_frame], ids=name_of)
def test_counts_of_a_general_6r_chain(row: Formulation) -> None:
    mul, add = counted(row, chain(6))
    assert (row.name, row.computes) in LIMITS, f"add to LIMITS what {name_of(row)} costs: {(mul, add)}"
    most = LIMITS[row.name, row.computes]
    assert mul <= most[0]
    assert add <= most[1]


def test_linear_texts_cost_the_same_for_every_further_body() -> None:
    linear = ("inverse_dynamics", "bias", "energy", "momentum", "mass_centre")
    forward = [f for f in FORMULATIONS if f.computes == "forward_dynamics"]
    without_m = [f for f in forward if f.name in ("denoc", "articulated_body")]
    for row in [*without_m, *(f for f in FORMULATIONS if f.computes in linear and f.rolls)]:
        steps = np.diff([counted(row, chain(n))[0] for n in (6, 7, 8, 9)])
        assert len(set(steps.tolist())) == 1


def test_an_ideal_robot_pays_nothing_for_what_it_lacks() -> None:
    tree = chain(4)
    damped = (Resistance(damping=1.5),)
    resists = tree.with_links(tuple(replace(b, resistances=damped) for b in tree.links))
    row = next(f for f in FORMULATIONS if f.computes == "inverse_dynamics")
    bare = Formulation("page", "inverse_dynamics", gibbs_appell, "mata2002")
    assert counted(row, tree) == counted(bare, tree)
    assert counted(row, resists)[0] == counted(bare, tree)[0] + 4
