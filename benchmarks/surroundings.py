"""Machine, versions, date: what a number means nothing without."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("appell", "numpy", "llvmlite", "pin", "mujoco", "casadi")


def circumstances() -> dict[str, Any]:
    """Where and when."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    where = {"cpu": _processor(), "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}"}
    return where | {"load": load, "date": time.strftime("%Y-%m-%d"), "versions": _versions()}


def _processor() -> str:
    """Its name and its vectors."""
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor() or platform.machine()
    lines = [line.partition(":") for line in info.read_text().splitlines()]
    known = {key.strip(): value.strip() for key, _, value in reversed(lines)}
    flags = known.get("flags", "").split()
    vectors = [name for key, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if key in flags][:1]
    return ", ".join([known.get("model name", platform.machine()), *vectors])


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        if version := _version(package):
            found[package] = version
    return found | _compiler()


def _version(package: str) -> str:
    """Of an installed package, or of one that is imported from a checkout."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        if package != "appell":
            return ""
        import appell

        return appell.__version__


def _compiler() -> dict[str, str]:
    try:
        gcc = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return {}
    return {"gcc": gcc.stdout.strip()}
