"""The operations of a Program, one row each: how it is made anew, and its derivative by every argument.

Each writer has its own table with the same rows; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .expr import Expr, add, div, mul, neg, sub


@dataclass(frozen=True)
class Operation:
    """`build` folds as the texts do; `partials` gets the result, then the arguments."""

    arity: int
    build: Callable[..., Any]
    partials: Callable[..., tuple[Any, ...]]


def _function(name: str, derivative: Callable[..., Any]) -> Operation:
    return Operation(1, lambda x: getattr(x, name)(), lambda y, x: (derivative(y, x),))


OPERATIONS: dict[str, Operation] = {
    "add": Operation(2, add, lambda y, a, b: (1, 1)),
    "sub": Operation(2, sub, lambda y, a, b: (1, -1)),
    "mul": Operation(2, mul, lambda y, a, b: (b, a)),
    "div": Operation(2, div, lambda y, a, b: (div(1.0, b), -(y * div(1.0, b)))),
    "neg": Operation(1, neg, lambda y, a: (-1,)),
    "fma": Operation(3, lambda a, b, c: a * b + c, lambda y, a, b, c: (b, a, 1)),
    "fms": Operation(3, lambda a, b, c: a * b - c, lambda y, a, b, c: (b, a, -1)),
    "fnma": Operation(3, lambda a, b, c: c - a * b, lambda y, a, b, c: (-b, -a, 1)),
    "sqrt": _function("sqrt", lambda y, x: div(0.5, y)),
    "sin": _function("sin", lambda y, x: x.cos()),
    "cos": _function("cos", lambda y, x: -x.sin()),
    "tanh": _function("tanh", lambda y, x: 1.0 - y * y),
    "sign": _function("sign", lambda y, x: 0),
}


def rebuilt(node: Expr, args: tuple[Any, ...]) -> Any:
    """A node's operation on other arguments."""
    return OPERATIONS[node.op].build(*args)


def partials(node: Expr) -> list[tuple[Expr, Any]]:
    """The expressions that a node is made of, each with the derivative by it; those by a constant are left out."""
    slopes = OPERATIONS[node.op].partials(node, *node.args)
    return [(a, slope) for a, slope in zip(node.args, slopes, strict=True) if isinstance(a, Expr) and not _is_zero(slope)]


def _is_zero(x: Any) -> bool:
    return not isinstance(x, Expr) and x == 0
