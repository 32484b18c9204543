"""Program -> SymPy: equations to be read, printed as LaTeX, or worked on by algebra."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from ..errors import ModelError
from ..model.lift import GRAVITY, LENGTHS, MOMENTS, owner, part
from ..model.mechanism import Mechanism
from ..trace.expr import Expr
from ..trace.program import Array, Program, Store

MOMENT_LETTERS = ("m", "sx", "sy", "sz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")
LETTERS = {str(name): letter for name, letter in zip((*MOMENTS, *LENGTHS), (*MOMENT_LETTERS, *"xyz"), strict=True)}
HALVES = 64  # numbers that are so many parts of a whole are written as fractions


def formulas(program: Program, mechanism: Mechanism, named: Mapping[str, Any], steps: bool) -> Any:
    """The outputs as SymPy matrices; `named` parameters have something to stand for each, or None for its letter."""
    reading = _Reading(sympy_here(), steps)
    given = [reading.symbols(a) for a in program.inputs if a.name != "parameters"]
    if named:
        given.append([reading.parameter(mechanism, name, meant) for name, meant in named.items()])
    outputs = reading.outputs(program, given)
    answer = outputs[0] if len(outputs) == 1 else tuple(outputs)
    return (reading.steps, answer) if steps else answer


def sympy_here() -> Any:
    """SymPy, or a sentence on how to get it."""
    try:
        import sympy
    except ImportError:
        raise ModelError("equations in symbols need SymPy: python -m pip install 'appell[symbolic]'") from None
    return sympy


class _Reading:
    """Values of a Program's expressions as SymPy has them, or names for them where steps are wanted."""

    def __init__(self, sympy: Any, stepwise: bool) -> None:
        self.sympy, self.stepwise = sympy, stepwise
        self.values: dict[Expr, Any] = {}
        self.steps: list[tuple[Any, Any]] = []
        whole, fused = operator, lambda a, b, c: a * b + c
        self.functions: dict[str, Callable[..., Any]] = {
            "add": whole.add, "sub": whole.sub, "mul": whole.mul, "div": whole.truediv, "neg": whole.neg,
            "fma": fused, "fms": lambda a, b, c: a * b - c, "fnma": lambda a, b, c: c - a * b,
            "sqrt": sympy.sqrt, "sin": sympy.sin, "cos": sympy.cos, "tanh": sympy.tanh,
            "atan2": sympy.atan2, "sign": sympy.sign,
        }  # fmt: skip

    def symbols(self, array: Array) -> list[Any]:
        """q1, q2, ... of an input; of a wrench W1_1 to W1_6 for each body."""
        stem, rows, wide = array.name if array.name != "wrench" else "W", array.shape[0], array.width
        names = [f"{stem}{k + 1}" + (f"_{j + 1}" if wide > 1 else "") for k, j in product(range(rows), range(wide))]  # type: ignore[arg-type]
        return [self.sympy.Symbol(name, real=True) for name in names]

    def parameter(self, mechanism: Mechanism, name: str, meant: Any) -> Any:
        """A letter with the body's name, or what the user wants to read instead."""
        if meant is None:
            meant = letter(mechanism, name)
        if isinstance(meant, str):
            return self.sympy.Symbol(meant, real=True)
        if isinstance(meant, (int, float, self.sympy.Expr)):
            return self.sympy.sympify(meant)
        raise ModelError(f"parameter {name!r} is to be {meant!r}, wanted a name or an expression of SymPy")

    def outputs(self, program: Program, given: list[list[Any]]) -> list[Any]:
        """A matrix for every output: a column for a vector; of more axes an array."""
        found: dict[Array, dict[Any, Any]] = {a: {} for a in program.outputs}
        memory = dict(zip(program.inputs, given, strict=True))
        for item in program.body.items:
            if isinstance(item, Store):
                found[item.array][item.place] = self.of(item.value)
            elif item.op == "load":
                array, place, component = item.args
                self.values[item] = memory[array][place[0] * array.width + component]
            else:
                self.values[item] = self.step(self.functions[item.op](*map(self.of, item.args)))
        return [self._shaped(a, found[a]) for a in program.outputs]

    def of(self, x: Any) -> Any:
        """A value, or a number: exact where it is short."""
        if isinstance(x, Expr):
            return self.values[x]
        parts = float(x) * HALVES
        return self.sympy.Rational(int(parts), HALVES) if parts.is_integer() else self.sympy.Float(float(x))

    def step(self, value: Any) -> Any:
        """The value, or a name for it."""
        if not self.stepwise or value.is_Atom:
            return value
        name = self.sympy.Symbol(f"t{len(self.steps) + 1}", real=True)
        self.steps.append((name, value))
        return name

    def _shaped(self, array: Array, values: dict[Any, Any]) -> Any:
        shape: tuple[int, ...] = tuple(int(n) for n in array.shape)
        zero = self.sympy.Integer(0)
        entries = [values.get(place, zero) for place in product(*map(range, shape))]
        if len(shape) <= 2:
            return self.sympy.Matrix(*(shape or (1,)), *((1,) if len(shape) < 2 else ()), entries)
        return self.sympy.Array(entries, shape)


def letter(mechanism: Mechanism, name: str) -> str:
    """The usual letter of a parameter: of "link3.second.xy" it is Jxy_link3."""
    if name in GRAVITY:
        return f"g{name[-1]}"
    return f"{LETTERS.get(part(name), part(name))}_{re.sub(r'[^A-Za-z0-9]+', '_', owner(name, mechanism))}"
