"""C compilers to try: gcc, and clang, which zig brings along where the machine has none."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from typing import Any

import pytest


def command(name: str) -> list[str]:
    """How to call a compiler; nothing where there is none."""
    if shutil.which(name):
        return [name]
    if name == "clang" and importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc"]
    return []


def _tried(name: str) -> Any:
    return pytest.param(name, marks=[] if command(name) else pytest.mark.skip(f"no {name} on this machine"))


each_compiler = pytest.mark.parametrize("compiler", [_tried(name) for name in ("gcc", "clang")])
