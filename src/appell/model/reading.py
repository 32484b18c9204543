"""Checked accessors of plain data. What they refuse, they name: the element, what was got and wanted."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from ..errors import ModelError, unknown

Vector: TypeAlias = tuple[float, float, float]
Rows: TypeAlias = tuple[Vector, Vector, Vector]

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 60


def shown(value: object) -> str:
    """A value as a message shows it: short."""
    return _short.repr(value)


def refuse(where: str, got: str, wanted: str) -> ModelError:
    """The error of one sentence."""
    return ModelError(f"{where}: got {got}, wanted {wanted}")


Keys: TypeAlias = Iterable[str]


def mapping(data: Any, where: str, required: Keys, optional: Keys = ()) -> Mapping[str, Any]:
    """A mapping with all of the required keys, and no other than these and the optional ones."""
    if not isinstance(data, Mapping):
        raise refuse(where, shown(data), "a mapping with keys " + ", ".join(required))
    for key in data:
        if key not in required and key not in optional:
            raise ModelError(f"{where}: {unknown('key', key, [*required, *optional])}")
    for key in required:
        if key not in data:
            raise refuse(where, f"no {key!r}", f"the keys {', '.join(required)}")
    return data


def _listed(value: Any) -> bool:
    if type(value) is list or type(value) is tuple:
        return True
    return hasattr(value, "__len__") and hasattr(value, "__iter__") and not isinstance(value, (str, bytes, Mapping))


def sequence(data: Mapping[str, Any], key: str, where: str) -> list[Any]:
    """A list (or tuple, or array) of anything."""
    value = data[key]
    if not _listed(value):
        raise refuse(where, f"{key} = {shown(value)}", "a list")
    return list(value)


def flag(data: Mapping[str, Any], key: str, where: str) -> bool:
    """True or False."""
    if not isinstance(data[key], bool):
        raise refuse(where, f"{key} = {shown(data[key])}", "true or false")
    return data[key]


def name(data: Mapping[str, Any], key: str, where: str) -> str:
    """A name: a string that is not empty."""
    value = data[key]
    if not isinstance(value, str) or not value:
        raise refuse(where, f"{key} = {shown(value)}", "a name")
    return value


def real(value: Any, infinite: bool = False) -> float | None:
    """A float, or None where the value is no finite number."""
    if type(value) is not float:
        if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
            return None
        try:
            value = float(value)
        except (TypeError, ValueError, OverflowError):
            return None
    return value if math.isfinite(value) or (infinite and value == value) else None


def number(data: Mapping[str, Any], key: str, where: str) -> float:
    """A finite number."""
    value = real(data[key])
    if value is None:
        raise refuse(where, f"{key} = {shown(data[key])}", "a finite number")
    return value


def numbers(value: Any, infinite: bool = False) -> tuple[float, ...] | None:
    """A tuple of floats, or None where the value is no list of finite numbers."""
    if not _listed(value):
        return None
    got = tuple(real(x, infinite) for x in value)
    return None if None in got else got  # type: ignore[return-value]


def vector(data: Mapping[str, Any], key: str, where: str, n: int = 3) -> Any:
    """n finite numbers."""
    got = numbers(data[key])
    if got is None or len(got) != n:
        raise refuse(where, f"{key} = {shown(data[key])}", f"{n} finite numbers")
    return got


def matrix(data: Mapping[str, Any], key: str, where: str) -> Rows:
    """Three rows of three finite numbers."""
    value = data[key]
    rows = tuple(map(numbers, value)) if _listed(value) else ()
    if len(rows) != 3 or any(r is None or len(r) != 3 for r in rows):
        raise refuse(where, f"{key} = {shown(value)}", "3 rows of 3 finite numbers")
    return rows  # type: ignore[return-value]


def one_or_many(data: Mapping[str, Any], key: str, where: str) -> float | tuple[float, ...]:
    """A number, or a list of numbers."""
    got = numbers(data[key])
    return got if got is not None else number(data, key, where)


def ranges(data: Mapping[str, Any], key: str, where: str) -> tuple[Any, ...]:
    """(lowest, highest), or a list of such pairs; either end may be infinite."""
    value = data[key]
    flat = numbers(value, infinite=True)
    pairs = (flat,) if flat is not None else tuple(numbers(p, True) for p in value) if _listed(value) else ()
    if not pairs or any(p is None or len(p) != 2 or p[0] > p[1] for p in pairs):
        raise refuse(where, f"{key} = {shown(value)}", "a pair (lowest, highest), or one pair per coordinate")
    return flat if flat is not None else pairs
