"""Mechanisms as TOML files: the same data as `appell-robot/1`, floats to the last bit."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from ..errors import ModelError
from .content import read_text, write_text
from .mechanism import Mechanism
from .reading import shown

TABLES = ("bodies", "frames", "loops", "constraints", "configurations", "actuators", "shapes")
LARGEST = 64_000_000  # bytes


def read(path: str | os.PathLike[str]) -> Mechanism:
    """The mechanism in a file; every error names the file."""
    return parse(read_text(path, LARGEST, "a TOML file"), where=f"file {os.fspath(path)!r}")


def parse(text: str, where: str = "TOML text") -> Mechanism:
    """The mechanism in a text."""
    import tomllib

    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ModelError(f"{where}: got invalid TOML ({error}), wanted a robot in TOML") from None
    try:
        return Mechanism.from_dict(data)
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from None


def write(mechanism: Mechanism, path: str | os.PathLike[str]) -> None:
    """Save a mechanism, whole or not at all."""
    write_text(text(mechanism), path)


def text(mechanism: Mechanism) -> str:
    """The mechanism as TOML."""
    data = mechanism.to_dict()
    tables = {key: data.pop(key) for key in TABLES if data.get(key)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in data.items()]
    for key, rows in tables.items():
        for row in rows:
            lines += ["", f"[[{key}]]", *(f"{_key(k)} = {_value(v)}" for k, v in row.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    raise ModelError(f"TOML: got {shown(value)}, wanted a string, a number, a list or a mapping")


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else _quoted(key)


def _quoted(value: str) -> str:
    """A basic string; JSON's escapes are TOML's, which wants one more."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
