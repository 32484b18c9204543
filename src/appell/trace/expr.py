"""Symbolic scalars: interned, folded as they are built, in the order in which the text asks for them."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..errors import TraceError
from .program import Array, Block, Index, Place, Store

Number: TypeAlias = "Expr | float"


class Graph:
    """Where expressions live: one pool and one list of statements per block, equal nodes made once."""

    def __init__(self) -> None:
        self.blocks = [Block()]
        self.count = 0

    @property
    def block(self) -> Block:
        """The block being written."""
        return self.blocks[-1]

    def node(self, op: str, *args: Any) -> Expr:
        """The node of an operation; the same one for the same arguments."""
        if (found := self.found(op, *args)) is not None:
            return found
        for a in args:
            if isinstance(a, Expr) and a.block.closed:
                raise TraceError("a value was carried out of its sweep in a Python variable or list; keep it in a slot")
        return self._add((op, *args), Expr(self, op, args, self.count))

    def found(self, *key: Any) -> Expr | None:
        """The node of an operation, if there is one."""
        for block in reversed(self.blocks):
            if (found := block.pool.get(key)) is not None:
                return found
        return None

    def _add(self, key: tuple[Any, ...], node: Expr) -> Expr:
        self.count += 1
        self.block.pool[key] = node
        self.block.items.append(node)
        return node

    def load(self, array: Array, place: tuple[Place, ...], component: int = 0, fresh: bool = False) -> Expr:
        """What stands in memory; memory that may change is read anew (`fresh`)."""
        self.check(*place)
        where = tuple(i.key if isinstance(i, Index) else i for i in place)
        key = ("load", self.count) if fresh else ("load", array.name, where, component)
        for block in reversed(self.blocks):
            if key in block.pool:
                return block.pool[key]
        return self._add(key, Expr(self, "load", (array, place, component), self.count))

    @staticmethod
    def check(*place: Place) -> None:
        """Refuses a place that belongs to a sweep that is over."""
        if any(isinstance(i, Index) and i.block.closed for i in place):
            raise TraceError("a body was used after its sweep; walk again to meet it")

    def store(self, array: Array, place: tuple[Place, ...], component: int, value: Any) -> None:
        """Puts a value into memory."""
        self.check(*place)
        if isinstance(value, Expr) and value.block.closed:
            raise TraceError("a value was carried out of its sweep in a Python variable or list; keep it in a slot")
        self.block.items.append(Store(array, place, component, value))

    def open(self) -> Block:
        """Begins an inner block."""
        self.blocks.append(Block())
        return self.block

    def close(self) -> Block:
        """Ends the innermost block; what it computed may not be used any more."""
        block = self.blocks.pop()
        block.closed = True
        return block


class Expr:
    """A scalar still to be computed: an operation and its arguments, expressions or floats."""

    __slots__ = ("args", "block", "graph", "id", "op")

    def __init__(self, graph: Graph, op: str, args: tuple[Any, ...], number: int) -> None:
        self.graph, self.op, self.args, self.id = graph, op, args, number
        self.block = graph.blocks[-1]

    def __add__(self, other: Any) -> Any:
        return add(self, other)

    def __radd__(self, other: Any) -> Any:
        return add(self, other)

    def __sub__(self, other: Any) -> Any:
        return sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return sub(other, self)

    def __mul__(self, other: Any) -> Any:
        return mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return mul(self, other)

    def __truediv__(self, other: Any) -> Any:
        return div(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return div(other, self)

    def __neg__(self) -> Any:
        return neg(self)

    def sin(self) -> Expr:
        return self.graph.node("sin", self)

    def cos(self) -> Expr:
        return self.graph.node("cos", self)

    def sqrt(self) -> Expr:
        return self.graph.node("sqrt", self)

    def tanh(self) -> Expr:
        return self.graph.node("tanh", self)

    def sign(self) -> Expr:
        return self.graph.node("sign", self)

    @staticmethod
    def atan2(y: Number, x: Number) -> Expr:
        graph = (y if isinstance(y, Expr) else x).graph  # type: ignore[union-attr]
        return graph.node("atan2", *(a if isinstance(a, Expr) else float(a) for a in (y, x)))

    def _no_value(self, *_: Any) -> Any:
        raise TraceError(f"an expression ({self.op}) has no value while a formulation is traced; do not branch on it")

    __bool__ = __float__ = __int__ = __index__ = _no_value
    __lt__ = __le__ = __gt__ = __ge__ = _no_value
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        return self._no_value()

    def __repr__(self) -> str:
        return f"%{self.id}"


def neg(x: Number) -> Any:
    """-x."""
    if not isinstance(x, Expr):
        return -x
    if x.op == "neg":
        return x.args[0]
    if x.op == "sub" and (back := x.graph.found("sub", x.args[1], x.args[0])) is not None:
        return back
    if x.op == "mul" and type(x.args[0]) is float and (back := x.graph.found("mul", -x.args[0], x.args[1])) is not None:
        return back
    return x.graph.node("neg", x)


def add(x: Number, y: Number) -> Any:
    """x + y."""
    if not isinstance(x, Expr):
        if not isinstance(y, Expr):
            return x + y
        x, y = y, x
    if not isinstance(y, Expr):
        return x if y == 0 else _raised(x, float(y))
    if y.op == "neg":
        return sub(x, y.args[0])
    if x.op == "neg":
        return sub(y, x.args[0])
    for whole, part in ((x, y), (y, x)):
        if whole.op == "sub" and whole.args[1] is part:
            return whole.args[0]
    if (together := _like(x, y, 1.0)) is not None:
        return together
    return x.graph.node("add", *((x, y) if x.id <= y.id else (y, x)))


def _raised(x: Expr, k: float) -> Any:
    """x + k: constants gather."""
    if x.op == "add" and type(x.args[1]) is float:
        return add(x.args[0], x.args[1] + k)
    if x.op == "sub" and type(x.args[0]) is float:
        return sub(x.args[0] + k, x.args[1])
    return x.graph.node("add", x, k)


def sub(x: Number, y: Number) -> Any:
    """x - y."""
    if not isinstance(y, Expr):
        return add(x, -y)
    if not isinstance(x, Expr):
        if x == 0:
            return neg(y)
        return add(x, y.args[0]) if y.op == "neg" else y.graph.node("sub", float(x), y)
    if x is y:
        return 0
    if y.op == "neg":
        return add(x, y.args[0])
    if x.op == "neg":
        return neg(add(x.args[0], y))
    if (together := _like(x, y, -1.0)) is not None:
        return together
    if (back := x.graph.found("sub", y, x)) is not None:
        return neg(back)
    return x.graph.node("sub", x, y)


def _like(x: Expr, y: Expr, sign: float) -> Any:
    """k x + sign l x as one product, if these are terms of one expression and one of them has a factor."""
    k, of_x = _term(x)
    m, of_y = _term(y)
    return scale(of_x, k + sign * m) if of_x is of_y and (k, m) != (1.0, 1.0) else None


def _term(x: Expr) -> tuple[float, Expr]:
    """A constant factor, and what it multiplies."""
    return (x.args[0], x.args[1]) if x.op == "mul" and type(x.args[0]) is float else (1.0, x)


def mul(x: Number, y: Number) -> Any:
    """x y."""
    if not isinstance(x, Expr):
        if not isinstance(y, Expr):
            return x * y
        x, y = y, x
    if not isinstance(y, Expr):
        return scale(x, float(y))
    if x.op == "neg":
        return mul(x.args[0], y.args[0]) if y.op == "neg" else neg(mul(x.args[0], y))
    if y.op == "neg":
        return neg(mul(x, y.args[0]))
    return x.graph.node("mul", *((x, y) if x.id <= y.id else (y, x)))


def scale(x: Expr, k: float) -> Any:
    """k x: constants gather in front, twice is a sum."""
    if k == 0.0:
        return 0
    if k == 1.0:
        return x
    if k == -1.0:
        return neg(x)
    if x.op == "neg":
        return scale(x.args[0], -k)
    if x.op == "mul" and type(x.args[0]) is float:
        return scale(x.args[1], x.args[0] * k)
    if k == 2.0:
        return x.graph.node("add", x, x)
    if (back := x.graph.found("mul", -k, x)) is not None:
        return neg(back)
    return x.graph.node("mul", k, x)


def div(x: Number, y: Number) -> Any:
    """x / y."""
    if not isinstance(y, Expr):
        return mul(x, 1.0 / y)
    if not isinstance(x, Expr):
        return 0 if x == 0 else y.graph.node("div", float(x), y)
    return x.graph.node("div", x, y)
