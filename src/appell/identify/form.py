"""Sums of parameters with lengths as factors, as a reader would write them: "link2.second.xx + link3.offset.x² m"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Lengths: TypeAlias = tuple[str, ...]  # a product of lengths, in alphabetical order
Term: TypeAlias = tuple[str, Lengths]  # a parameter ("" for none), and what it is multiplied with
LEAST = 1e-12  # a coefficient smaller than this is round-off
OVER = "1/"  # before the name of a length that divides
POWERS = {1: "", 2: "²"}


@dataclass(frozen=True)
class Form:
    """A scalar for the texts that move masses about: linear in parameters, polynomial in lengths."""

    terms: Mapping[Term, float] = field(default_factory=dict)

    @staticmethod
    def parameter(name: str) -> Form:
        """A parameter alone."""
        return Form({(name, ()): 1.0})

    @staticmethod
    def length(name: str) -> Form:
        """A length alone."""
        return Form({("", (name,)): 1.0})

    def __add__(self, other: Any) -> Form:
        total = dict(self.terms)
        for term, k in _form(other).terms.items():
            total[term] = total.get(term, 0.0) + k
        return Form({term: k for term, k in total.items() if abs(k) > LEAST})

    def __mul__(self, other: Any) -> Any:
        if type(other) is int and other == 0:
            return 0
        total: dict[Term, float] = {}
        for (name, lengths), k in self.terms.items():
            for (other_name, more), m in _form(other).terms.items():
                term = (name or other_name, tuple(sorted(lengths + more)))
                total[term] = total.get(term, 0.0) + k * m
        return Form({term: k for term, k in total.items() if abs(k) > LEAST})

    def __neg__(self) -> Form:
        return Form({term: -k for term, k in self.terms.items()})

    def __sub__(self, other: Any) -> Form:
        return self + -_form(other)

    def __rsub__(self, other: Any) -> Form:
        return _form(other) - self

    def __truediv__(self, other: float) -> Form:
        return self * (1.0 / other)

    def __abs__(self) -> float:
        """1 if anything is left: whatever a parameter's number is, it may be another one."""
        return 1.0 if self.terms else 0.0

    __radd__, __rmul__ = __add__, __mul__

    def coefficients(self, lengths: Mapping[str, float]) -> dict[str, float]:
        """How much of each parameter, for lengths as given."""
        total: dict[str, float] = {}
        for (name, factors), k in self.terms.items():
            for factor in factors:
                k *= lengths[factor]
            total[name] = total.get(name, 0.0) + k
        return total

    def __str__(self) -> str:
        """The sum, parameters with the same factor in brackets."""
        by_factor: dict[tuple[float, Lengths], list[str]] = {}
        for (name, lengths), k in self.terms.items():
            same = next((f for f in by_factor if f[1] == lengths and abs(f[0] - k) < LEAST), (k, lengths))
            by_factor.setdefault(same, []).append(name)
        parts = [_part(k, lengths, names) for (k, lengths), names in by_factor.items()]
        return " ".join([_first(parts[0]), *parts[1:]]) if parts else "0"


def _form(x: Any) -> Form:
    return x if isinstance(x, Form) else Form({("", ()): float(x)} if x else {})


def _first(part: str) -> str:
    """A product at the beginning of a sum."""
    return part[2:] if part[0] == "+" else f"-{part[2:]}"


def _part(k: float, lengths: Lengths, names: list[str]) -> str:
    """One product, with its sign in front."""
    size = "" if abs(abs(k) - 1) < LEAST else f"{abs(k):.6g}"
    powers = [f"{x}{POWERS.get(n, f'^{n}')}" for x in dict.fromkeys(lengths) if (n := lengths.count(x))]
    under = [x.removeprefix(OVER) for x in powers if x.startswith(OVER)]
    powers = [x for x in powers if not x.startswith(OVER)]
    if under:
        powers = [*(powers or [] if size else powers or ["1"]), f"/ {' / '.join(under)}"]
    named = [] if names == [""] else [x or "1" for x in names]
    summed = " + ".join(named)
    factors = [*([size] if size else []), *powers]
    parts = [*factors, f"({summed})" if len(named) > 1 and factors else summed] if named else factors
    return f"{'-' if k < 0 else '+'} {' '.join(parts) or '1'}"
