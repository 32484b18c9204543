"""Where a program runs: versions, the processor, the kernel cache, the way calls take."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import version as metadata_version

from ..errors import AppellError


def about() -> dict[str, str]:
    """What to put into a bug report. A part that cannot be asked says why: the report needs the others."""
    questions: dict[str, Callable[[], object]] = {
        "appell": _version,
        "python": lambda: f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.platform,
        "processor": _processor,
        "cache": _cache,
        "calls": _call_path,
    }
    questions |= {name: partial(metadata_version, name) for name in ("numpy", "scipy", "llvmlite")}
    return {name: _told(question) for name, question in questions.items()}


def _told(question: Callable[[], object]) -> str:
    try:
        return str(question())
    except (ImportError, OSError, AppellError) as error:
        return f"unknown ({error})"


def _version() -> str:
    return sys.modules[__name__.partition(".")[0]].__version__  # the package itself, which stands below this file


def _processor() -> str:
    from llvmlite import binding

    has = binding.get_host_cpu_features()
    wide = [name for name in ("avx512f", "avx2", "fma", "neon", "sse2") if has.get(name)]
    return f"{binding.get_host_cpu_name()} ({', '.join(wide)})"


def _cache() -> object:
    from ..kernel import cache

    return cache.directory()


def _call_path() -> str:
    from ..kernel.abi import supported

    fast, why = supported()
    return "compiled" if fast else f"through ctypes, as {why}"
