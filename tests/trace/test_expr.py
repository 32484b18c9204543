"""Symbolic scalars: what folds, what is shared, what is refused."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from appell.errors import TraceError
from appell.scalar import cos, sign, sin, sqrt, tanh
from appell.trace.expr import Expr, Graph
from appell.trace.operations import OPERATIONS
from appell.trace.program import Array, Index
from appell.write.interpret import FUNCTIONS

X = Array("x", "lane", (4,))


def variables() -> list[Any]:
    graph = Graph()
    return [graph.load(X, (k,)) for k in range(4)]


def written(e: Any) -> str:
    """An expression with all its parentheses."""
    if not isinstance(e, Expr):
        return repr(e)
    if e.op == "load":
        return "xyzu"[e.args[1][0]]
    return f"{e.op}({', '.join(map(written, e.args))})"


FOLDED: list[tuple[Callable[..., Any], str]] = [
    (lambda x, y: x + 0, "x"),
    (lambda x, y: 0.0 + x, "x"),
    (lambda x, y: x - 0, "x"),
    (lambda x, y: 0 - x, "neg(x)"),
    (lambda x, y: 0 * x, "0"),
    (lambda x, y: x * 0.0, "0"),
    (lambda x, y: 1 * x, "x"),
    (lambda x, y: -1.0 * x, "neg(x)"),
    (lambda x, y: 2 * x, "add(x, x)"),
    (lambda x, y: 3.0 * (0.5 * x), "mul(1.5, x)"),
    (lambda x, y: x / 4, "mul(0.25, x)"),
    (lambda x, y: 0 / x, "0"),
    (lambda x, y: x - x, "0"),
    (lambda x, y: 0 - (0 - x), "x"),
    (lambda x, y: -(x - y), "neg(sub(x, y))"),
    (lambda x, y: (x - y) * (y - x), "neg(mul(sub(x, y), sub(x, y)))"),
    (lambda x, y: (x - y) + -(x - y) * x, "sub(sub(x, y), mul(x, sub(x, y)))"),
    (lambda x, y: (0.5 * x + y) * (-0.5 * x), "neg(mul(mul(0.5, x), add(y, mul(0.5, x))))"),
    (lambda x, y: x + -y, "sub(x, y)"),
    (lambda x, y: -x + y, "sub(y, x)"),
    (lambda x, y: x - -y, "add(x, y)"),
    (lambda x, y: 1.0 - -y, "add(y, 1.0)"),
    (lambda x, y: -x * -y, "mul(x, y)"),
    (lambda x, y: -x * y, "neg(mul(x, y))"),
    (lambda x, y: -(0.5 * x), "neg(mul(0.5, x))"),
    (lambda x, y: y + x, "add(x, y)"),
    (lambda x, y: y * x, "mul(x, y)"),
    (lambda x, y: x - 1.5, "add(x, -1.5)"),
    (lambda x, y: x + (y - x), "y"),
    (lambda x, y: (x + 1.5) + 0.25, "add(x, 1.75)"),
    (lambda x, y: (x - 0.5) + 0.5, "x"),
    (lambda x, y: (1.5 - x) + 0.25, "sub(1.75, x)"),
    (lambda x, y: 0.5 - x - 0.5, "neg(x)"),
    (lambda x, y: (x - y) + y, "x"),
]


@pytest.mark.parametrize("made, wanted", FOLDED)
def test_what_is_known_is_not_written(made: Callable[..., Any], wanted: str) -> None:
    x, y, *_ = variables()
    assert written(made(x, y)) == wanted


def test_equal_expressions_are_one() -> None:
    x, y, *_ = variables()
    assert (x + y) * sin(x) is sin(x) * (y + x)
    assert x.graph.load(X, (0,)) is x
    assert x + y is not x - y


def test_what_is_inside_is_shared_with_what_is_outside_but_not_the_reverse() -> None:
    x, y, *_ = variables()
    outside, graph = x * y, x.graph
    graph.open()
    assert x * y is outside
    inside = x + y
    graph.close()
    assert x + y is not inside


@pytest.mark.parametrize("seed", range(40))
def test_folding_keeps_values(seed: int) -> None:
    """Any tangle of operations gives what floats give."""
    rng = random.Random(seed)
    numbers = [rng.uniform(-2, 2) for _ in range(4)]
    pairs: list[tuple[Any, float]] = list(zip(variables(), numbers))
    pairs += [(k, float(k)) for k in (0, 1, -1, 2, 0.5)]
    for _ in range(60):
        (a, x), (b, y) = rng.choice(pairs), rng.choice(pairs)
        op = rng.choice(TANGLE)
        made, value = op(a, b), op(x, y)
        if abs(value) < 1e6:
            pairs.append((made, value))
    for made, value in pairs:
        assert evaluated(made, numbers) == pytest.approx(value, rel=1e-9, abs=1e-9)


TANGLE: list[Callable[..., Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: -a,
    lambda a, b: a / (b * b + 1.0),
    lambda a, b: sin(a),
    lambda a, b: cos(a),
    lambda a, b: tanh(a),
    lambda a, b: sqrt(a * a + 0.25),
]


def evaluated(e: Any, numbers: list[float]) -> float:
    if not isinstance(e, Expr):
        return float(e)
    if e.op == "load":
        return numbers[e.args[1][0]]
    return float(FUNCTIONS[e.op](*(evaluated(a, numbers) for a in e.args)))


REFUSED: list[Callable[[Any], Any]] = [bool, float, int, math.sin, range]
REFUSED += [lambda x: x < 1, lambda x: x >= x * 2, lambda x: x == 1.0, lambda x: x != 1.0, lambda x: max(x, 0.0)]


@pytest.mark.parametrize("use", REFUSED)
def test_an_expression_has_no_value(use: Callable[[Any], Any]) -> None:
    with pytest.raises(TraceError, match="no value"):
        use(variables()[0])


def test_a_value_does_not_leave_its_sweep() -> None:
    x, *_ = variables()
    graph = x.graph
    graph.open()
    inside = x * x
    graph.close()
    with pytest.raises(TraceError, match="keep it in a slot"):
        inside + 1.0
    with pytest.raises(TraceError, match="keep it in a slot"):
        graph.store(Array("y", "memory", (1,)), (0,), 0, inside)


@pytest.mark.parametrize("use", ["load", "store"])
def test_a_place_does_not_leave_its_sweep(use: str) -> None:
    graph = Graph()
    body = Index(("i", 0), graph.open())
    graph.close()
    with pytest.raises(TraceError, match="after its sweep"):
        graph.load(X, (body,)) if use == "load" else graph.store(X, (body,), 0, 1.0)


@pytest.mark.parametrize("op", OPERATIONS)
def test_every_row_is_right(op: str) -> None:
    """Built anew, an operation gives what it says; its derivatives are those of differences."""
    row, names, at = OPERATIONS[op], variables(), [0.7, -1.3, 0.4]
    at = [abs(x) if op == "sqrt" else x for x in at]
    value = row.build(*names[: row.arity])
    assert evaluated(value, at) == pytest.approx(float(FUNCTIONS[op](*at[: row.arity])), rel=1e-15)
    for k, slope in enumerate(row.partials(value, *names[: row.arity])):
        h = 1e-6
        ends = [FUNCTIONS[op](*(x + s * (i == k) for i, x in enumerate(at[: row.arity]))) for s in (h, -h)]
        assert evaluated(slope, at) == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-8, abs=1e-8)


def test_sign_of_an_expression_is_an_operation() -> None:
    assert written(sign(variables()[0])) == "sign(x)"
