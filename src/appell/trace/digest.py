"""SHA-256 as the interpreter has it: hashlib loads OpenSSL first, which costs two milliseconds of every start."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def sha256(data: bytes) -> Any:
    """A digest, begun with some bytes."""
    return _sha256(data)


def _found() -> Any:
    for name in ("_sha2", "_sha256"):  # CPython from 3.12 on, and before
        try:
            return import_module(name).sha256
        except (ImportError, AttributeError):
            continue
    return import_module("hashlib").sha256


_sha256 = _found()
