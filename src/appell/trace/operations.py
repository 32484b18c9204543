"""The operations of a Program, one row each: how it is made anew, and its derivative by every argument.

Each writer has its own table with the same rows; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import scalar
from .expr import Expr, add, div, mul, neg, sub


@dataclass(frozen=True)
class Operation:
    """`build` folds as the texts do; `partials` gets the result, then the arguments."""

    arity: int
    build: Callable[..., Any]
    partials: Callable[..., tuple[Any, ...]]


OPERATIONS: dict[str, Operation] = {
    "add": Operation(2, add, lambda y, a, b: (1, 1)),
    "sub": Operation(2, sub, lambda y, a, b: (1, -1)),
    "mul": Operation(2, mul, lambda y, a, b: (b, a)),
    "div": Operation(2, div, lambda y, a, b: (div(1.0, b), -(y * div(1.0, b)))),
    "neg": Operation(1, neg, lambda y, a: (-1,)),
    "fma": Operation(3, lambda a, b, c: a * b + c, lambda y, a, b, c: (b, a, 1)),
    "fms": Operation(3, lambda a, b, c: a * b - c, lambda y, a, b, c: (b, a, -1)),
    "fnma": Operation(3, lambda a, b, c: c - a * b, lambda y, a, b, c: (-b, -a, 1)),
    "sqrt": Operation(1, scalar.sqrt, lambda y, x: (div(0.5, y),)),
    "sin": Operation(1, scalar.sin, lambda y, x: (scalar.cos(x),)),
    "cos": Operation(1, scalar.cos, lambda y, x: (-scalar.sin(x),)),
    "tanh": Operation(1, scalar.tanh, lambda y, x: (1.0 - y * y,)),
    "atan2": Operation(2, scalar.atan2, lambda a, y, x: (div(x, x * x + y * y), -div(y, x * x + y * y))),
    "sign": Operation(1, scalar.sign, lambda y, x: (0,)),
}


def rebuilt(node: Expr, args: tuple[Any, ...]) -> Any:
    """A node's operation on other arguments."""
    return OPERATIONS[node.op].build(*args)


def partials(op: str, value: Any, args: tuple[Any, ...]) -> list[tuple[Expr, Any]]:
    """The expressions among the arguments of a value, each with the derivative by it, zeros left out."""
    slopes = OPERATIONS[op].partials(value, *args)
    return [(a, s) for a, s in zip(args, slopes, strict=True) if isinstance(a, Expr) and moves(s)]


def moves(x: Any) -> bool:
    """Whether a derivative is not zero for certain."""
    return isinstance(x, Expr) or x != 0
