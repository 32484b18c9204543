"""Derivatives of Programs against dual numbers and differences, in forward and reverse order, rolled or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from oracles.few import few
from oracles.random_robots import random_robot, random_state
from oracles.traced import CASES, PAGES, Case, case, error, exact_rate, inputs, plain_array, rolled, unrolled

from appell.errors import TraceError, UnknownName
from appell.formulations.table import FORMULATIONS, Formulation
from appell.model.lift import MOMENTS, Lift
from appell.model.lower import lower
from appell.model.manifold import integrate
from appell.model.mechanism import Mechanism
from appell.model.tree import Tree
from appell.scalar import atan2, cos, sign, sin, sqrt, tanh
from appell.trace.chain import in_registers
from appell.trace.derivative import gradient, jacobian
from appell.trace.expr import Graph
from appell.trace.program import Array, Program, Store
from appell.trace.reading import read
from appell.trace.tangent import tangent
from appell.write.interpret import interpret

each_page = pytest.mark.parametrize("page", few(PAGES, *PAGES[:3]), ids=lambda f: f.name)
each_case = pytest.mark.parametrize(
    "given", [pytest.param(c, id=k, marks=() if k == "tree" else pytest.mark.slow) for k, c in CASES.items()]
)
X, U = Array("x", "lane", (3,)), Array("u", "lane", (2,))


def small(*texts: Any) -> Program:
    """The Program of y = texts(x, u)."""
    graph, y = Graph(), Array("y", "memory", (len(texts),))
    x, u = ([graph.load(a, (k,)) for k in range(a.shape[0])] for a in (X, U))  # type: ignore[arg-type]
    for k, text in enumerate(texts):
        graph.store(y, (k,), 0, text(x, u))
    return Program("small", (X, U), (y,), graph.block)


def rates(given: tuple[np.ndarray, ...], seed: int = 7) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=x.shape) for x in given)


@pytest.mark.parametrize("order", ["forward", "reverse", pytest.param(None, marks=pytest.mark.slow)])
@each_page
@each_case
def test_jacobian_agrees_with_dual_numbers(given: Case, page: Formulation, order: Any) -> None:
    x = inputs(page, given.state)
    dx = rates(x)
    blocks = interpret(jacobian(unrolled(page, given.tree), order=order), *x)
    total = sum(J @ d for J, d in zip(blocks, dx))
    assert error(np.ravel(total), exact_rate(page, given.tree, x, dx)) < 1e-12


@each_page
@each_case
def test_jacobian_agrees_with_differences(given: Case, page: Formulation) -> None:
    x, h = inputs(page, given.state), 1e-6
    (J,) = interpret(jacobian(unrolled(page, given.tree), wrt=["q"]), *x)
    for k in range(given.tree.nq):
        step = h * np.eye(given.tree.nq)[k]
        ends = [plain_array(page, given.tree, (x[0] + s * step, *x[1:])) for s in (1, -1)]
        wanted = (ends[0] - ends[1]) / (2 * h)
        assert np.abs(J[..., k].ravel() - wanted).max() < 1e-6 * max(1.0, np.abs(J).max())


@pytest.mark.parametrize("unroll", [True, False])
@each_page
@each_case
def test_tangent_agrees_with_dual_numbers(given: Case, page: Formulation, unroll: bool) -> None:
    x, made = inputs(page, given.state), (unrolled if unroll else rolled)(page, given.tree)
    dx = rates(x)
    y, dy = interpret(tangent(made), *x, *dx, tree=given.tree)
    assert error(y, interpret(made, *x, tree=given.tree)[0]) == 0.0
    assert error(dy.ravel(), exact_rate(page, given.tree, x, dx)) < 1e-12


@each_page
def test_tangent_of_a_chain_in_registers(page: Formulation) -> None:
    tree, state = case(5, 6)
    x, made = inputs(page, state), rolled(page, tree)
    dx = rates(x)
    wanted = exact_rate(page, tree, x, dx)
    for lean in (tangent(in_registers(made)), in_registers(tangent(made))):
        assert error(interpret(lean, *x, *dx, tree=tree)[1].ravel(), wanted) < 1e-12


@each_page
def test_tangent_by_some_inputs_keeps_no_twin_of_the_rest(page: Formulation) -> None:
    tree, state = CASES["tree"]
    x, made = inputs(page, state), rolled(page, tree)
    last = made.inputs[-1].name
    lean = tangent(made, wrt=[last])
    assert [a.name for a in lean.inputs] == [*(a.name for a in made.inputs), f"d{last}"]
    assert page.computes == "mass_matrix" or len(lean.slots) < len(tangent(made).slots)
    dx = (*(np.zeros_like(v) for v in x[:-1]), rates(x)[-1])
    assert error(interpret(lean, *x, dx[-1], tree=tree)[1].ravel(), exact_rate(page, tree, x, dx)) < 1e-12


def test_an_output_that_does_not_move_has_rate_zero() -> None:
    tree, state = CASES["arm"]
    page = next(f for f in FORMULATIONS if f.computes == "gravity_forces")
    for made in (tangent(unrolled(page, tree), wrt=[]), tangent(rolled(page, tree), wrt=[])):
        g, dg = interpret(made, state[0], tree=tree)
        assert np.abs(g).max() > 0 and (dg == 0).all()


OPERATIONS = [
    lambda x, u: sin(x[0]) * cos(x[1]),
    lambda x, u: x[0] / (x[1] * x[1] + u[0]),
    lambda x, u: 1 / x[2] - sqrt(x[1]),
    lambda x, u: tanh(x[0] * u[1]) - x[2],
    lambda x, u: sign(x[0]) * x[1],
    lambda x, u: -x[0] * 3.0,
    lambda x, u: 0 * x[0] + 2.5,
    lambda x, u: atan2(x[1], x[0] * u[0]),
    lambda x, u: atan2(-0.3 * x[0], x[2]),
]


@pytest.mark.parametrize("order", ["forward", "reverse"])
def test_every_operation(order: Any) -> None:
    made, at = small(*OPERATIONS), ([0.7, 1.3, -0.4], [0.9, -0.6])
    Jx, Ju = interpret(jacobian(made, order=order), *at)
    d = tangent(made)
    for k in range(5):
        e = np.eye(5)[k]
        (_, dy) = interpret(d, *at, e[:3], e[3:])
        assert np.c_[Jx, Ju][:, k] == pytest.approx(dy, rel=1e-14)
    h = 1e-20  # complex step, where no sign and no angle is taken
    for k, text in enumerate(OPERATIONS):
        if k > 6:
            wide = [text([at[0][0] + step, *at[0][1:]], at[1]) for step in (1e-5, -1e-5)]
            assert Jx[k, 0] == pytest.approx((wide[0] - wide[1]) / 2e-5, rel=1e-9)
        elif k != 4:
            x = [np.complex128(v) for v in at[0]]
            x[0] += 1j * h
            assert Jx[k, 0] == pytest.approx(np.imag(text(x, at[1])) / h, rel=1e-13)
    assert Jx[4].tolist() == [0.0, 1.0, 0.0]


def test_what_cannot_depend_is_a_constant() -> None:
    made = jacobian(small(lambda x, u: x[0] * x[0], lambda x, u: u[0] + x[2]))
    stored = {(s.array.name, s.place): s.value for s in made.body.items if isinstance(s, Store)}
    assert sum(type(v) is int or type(v) is float for v in stored.values()) == 9
    assert stored["dy_dx", (1, 2)] == 1 and stored["dy_du", (1, 0)] == 1 and stored["dy_dx", (1, 0)] == 0
    assert made.count() == {"load": 1, "add": 1}


def test_a_chain_pays_for_what_it_moves_only() -> None:
    """M's first row does not depend on the first angle, the last entry on none."""
    tree, state = CASES["arm"]
    (J,) = interpret(jacobian(unrolled(PAGES[2], tree)), state[0])
    assert (J[..., 0] == 0).all() and (J[-1, -1] == 0).all() and np.abs(J).max() > 0


@pytest.mark.parametrize("name", ["tree", pytest.param("floating", marks=pytest.mark.slow)])
@pytest.mark.parametrize("page", few(PAGES, *PAGES[:3]), ids=lambda f: f.name)
def test_the_cheaper_order_is_taken(page: Formulation, name: str) -> None:
    made = unrolled(page, CASES[name].tree)
    sizes = {order: sum(jacobian(made, order=order).count().values()) for order in ("forward", "reverse", None)}
    assert sizes[None] == min(sizes["forward"], sizes["reverse"])


def ball_tangent(tree: Tree) -> Any:
    """The columns dq = q*(0, e)/2 of every quaternion, of free joints also R e, written with expressions."""

    def columns(given: Any) -> Sequence[dict[int, Any]]:
        q, found = given["q"], []
        for b in tree.links:
            i = b.q_index
            if b.kind not in ("ball", "free"):
                found.append({i: 1})
                continue
            if b.kind == "free":
                R = [list(row) for row in b.pose(q).R.turn]
                found += [{i + j: R[j][k] for j in range(3)} for k in range(3)]
                i += 3
            w, x, y, z = (q[i + k] / 2 for k in range(4))
            found += [
                {i: -x, i + 1: w, i + 2: z, i + 3: -y},
                {i: -y, i + 1: -z, i + 2: w, i + 3: x},
                {i: -z, i + 1: y, i + 2: -x, i + 3: w},
            ]
        return found

    return columns


@pytest.mark.parametrize("order", ["forward", pytest.param("reverse", marks=pytest.mark.slow)])
@each_page
def test_seeds_give_the_tangent_of_quaternions(page: Formulation, order: Any) -> None:
    """Columns that are expressions of the inputs; the answer follows when q moves along them by integration."""
    d = random_robot(6, 4, joints="ball", floating=True)
    mechanism = Mechanism.from_dict(d)
    tree, x = lower(mechanism), inputs(page, random_state(d, 6))
    made = jacobian(unrolled(page, tree), wrt=["q"], seeds={"q": ball_tangent(tree)}, order=order)
    (J,) = interpret(made, *x)
    assert J.shape[-1] == tree.nv
    h = 1e-6
    for k in range(tree.nv):
        step = h * np.eye(tree.nv)[k]
        ends = [plain_array(page, tree, (integrate(mechanism, x[0], s * step), *x[1:])) for s in (1, -1)]
        assert np.abs(J[..., k].ravel() - (ends[0] - ends[1]) / (2 * h)).max() < 2e-6 * max(1.0, np.abs(J).max())


def test_constant_seeds_combine_columns() -> None:
    made = small(lambda x, u: x[0] * x[1] * u[0])
    plain = interpret(jacobian(made, wrt=["x"]), [2.0, 3.0, 5.0], [7.0, 1.0])[0]
    seeded = interpret(jacobian(made, wrt=["x"], seeds={"x": [{0: 2.0, 1: -1}, {2: 4}]}), [2.0, 3.0, 5.0], [7.0, 1.0])
    assert seeded[0].tolist() == [[2 * plain[0, 0] - plain[0, 1], 0.0]]


@pytest.mark.parametrize("order", ["forward", "reverse"])
def test_the_regressor_is_the_derivative_by_the_parameters(order: Any) -> None:
    """Torques are linear in masses and moments: tau = Y p, with Y free of p."""
    mechanism = Mechanism.from_dict(random_robot(8, 4))
    tree, state = lower(mechanism), random_state(random_robot(8, 4), 8)
    lift = Lift(mechanism, tree, tuple(f"{b.name}.{part}" for b in mechanism.bodies for part in MOMENTS))
    made = jacobian(read(PAGES[0], tree, lift=lift), wrt=["parameters"], order=order)
    p = np.array(lift.values())
    (Y,), (same,) = (interpret(made, *state, k * p) for k in (1.0, 2.0))
    assert Y.shape == (4, 40) and error(Y, same) < 1e-15
    assert error(Y @ p, plain_array(PAGES[0], tree, state)) < 1e-13


def test_wrenches_are_inputs_too() -> None:
    """Six numbers per body; forces are linear in them."""
    tree, state = CASES["arm"]
    made = read(PAGES[1], tree, wrench=True)
    wrench = np.random.default_rng(1).normal(size=(len(tree.bodies), 6))
    (J,) = interpret(jacobian(made, wrt=["wrench"]), *state, wrench)
    assert J.shape == (tree.nv, wrench.size)
    with_it, without = (interpret(made, *state, k * wrench)[0] for k in (1, 0))
    assert error(with_it - without, J @ wrench.ravel()) < 1e-12
    rolled_too = tangent(read(PAGES[1], tree, wrench=True, unroll=False), wrt=["wrench"])
    assert rolled_too.inputs[-1].width == 6


def test_gradient_of_a_scalar() -> None:
    made = small(lambda x, u: x[0] * sin(x[1]) + u[0] * u[0] * x[2])
    dx, du = interpret(gradient(made), [2.0, 0.3, 5.0], [7.0, 1.0])
    assert dx == pytest.approx([np.sin(0.3), 2 * np.cos(0.3), 49.0])
    assert du.tolist() == [70.0, 0.0]


def test_second_derivatives() -> None:
    """The derivative of a derivative is one of its own: the Hessian of a cubic."""
    made = gradient(small(lambda x, u: x[0] * x[0] * x[1] + x[2]), wrt=["x"])
    (H,) = interpret(jacobian(made, wrt=["x"]), [2.0, 3.0, 5.0], [0.0, 0.0])
    assert H.tolist() == [[6.0, 4.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


def test_refusals() -> None:
    tree = CASES["arm"].tree
    with pytest.raises(TraceError, match="unroll it"):
        jacobian(rolled(PAGES[0], tree))
    with pytest.raises(TraceError, match=r"shape \(5,\) and wants a scalar"):
        gradient(unrolled(PAGES[0], tree))
    with pytest.raises(UnknownName, match="unknown input 'p'"):
        jacobian(unrolled(PAGES[0], tree), wrt=["p"])
    with pytest.raises(UnknownName, match="unknown output 'taw'; did you mean 'tau'"):
        jacobian(unrolled(PAGES[0], tree), outputs=["taw"])
    with pytest.raises(UnknownName, match="unknown input 'qq'"):
        tangent(rolled(PAGES[0], tree), wrt=["qq"])
