"""What a case may be told on the command line: the parameters of its function, by their types.

`def fall(times: tuple[float, ...] = (), mode: Literal["up", "down"] = "up")` takes --times 0,5 and --mode down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ..errors import ShapeError, unknown

SWITCH = {"yes": True, "no": False}


def given(case: Callable[..., Any], name: str, words: Sequence[str]) -> dict[str, Any]:
    """The arguments that words like `--times 0,5` or `--times=0,5` mean for a case; a switch alone means yes."""
    kinds, known, out = get_type_hints(case), signature(case).parameters, {}
    rest = list(words)
    while rest:
        option, _, value = rest.pop(0).partition("=")
        key = option.removeprefix("--").replace("-", "_")
        if not option.startswith("--") or key not in known:
            raise _strange(name, option, [*known])
        if not value:
            alone = not rest or (kinds[key] is bool and rest[0] not in SWITCH)
            value = "yes" if alone and kinds[key] is bool else rest.pop(0) if rest else ""
        out[key] = _read(kinds[key], value, f"case {name}: {option}")
    return out


def options(words: Sequence[str]) -> list[str]:
    """The options among the words, each once."""
    named = (word.partition("=")[0].replace("_", "-") for word in words if word.startswith("--"))
    return [*dict.fromkeys(named)]


def taken(case: Callable[..., Any]) -> list[str]:
    """The options that a case takes."""
    return [f"--{key.replace('_', '-')}" for key in signature(case).parameters]


def _strange(name: str, option: str, known: Sequence[str]) -> Exception:
    if not known:
        return ShapeError(f"case {name} got {option!r}, wanted nothing, as it takes no option")
    return unknown(f"option of case {name}", option, [f"--{key.replace('_', '-')}" for key in known])


def _read(kind: Any, word: str, where: str) -> Any:
    try:
        return value(kind, word)
    except ValueError:
        raise ShapeError(f"{where} got {word!r}, wanted {in_words(kind)}") from None


def value(kind: Any, word: str) -> Any:
    """A word as a value of a type; a ValueError if it is none."""
    origin, inner = get_origin(kind), [k for k in get_args(kind) if k not in (NoneType, ...)]
    if origin is tuple:
        return tuple(value(inner[0], part) for part in word.split(","))
    if origin in (Union, UnionType):
        return value(inner[0], word)
    if origin is Literal or kind is bool:
        choices = {str(k): k for k in inner} if origin is Literal else SWITCH
        if word not in choices:
            raise ValueError(word)
        return choices[word]
    if kind is float and not isfinite(float(word)):
        raise ValueError(word)
    return kind(word)


def in_words(kind: Any) -> str:
    """What a type wants."""
    origin, inner = get_origin(kind), [k for k in get_args(kind) if k not in (NoneType, ...)]
    if origin is tuple:
        return f"{in_words(inner[0])} or several with commas between"
    if origin in (Union, UnionType):
        return in_words(inner[0])
    if origin is Literal or kind is bool:
        return " or ".join(map(str, inner or SWITCH))
    return {float: "a number", int: "a whole number"}.get(kind, "a word")
