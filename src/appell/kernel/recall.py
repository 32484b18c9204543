"""A question that was asked before finds its code without its text being read again.

Reading a text takes longer than loading its code: a third of a PUMA's time from the cache, nearly all of it for the
derivatives of a humanoid. So the cache also keeps what a question led to, under a name made of everything that the
reading depends on: the robot, the options, this machine, and the files of this package by their sizes and times, as
Python itself decides whether bytecode is stale.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from functools import cache
from pathlib import Path

from ..model.mechanism import Mechanism
from ..trace.stages import level
from . import cache as disk
from .interface import Interface
from .machine import compiles, surroundings, target_of

HOME = Path(__file__).parent.parent
ROOMS = ("", "model", "formulations", "trace", "write", "kernel")  # what code is made of, and by
UP_TO = 300  # degrees of freedom: beyond, it takes as long to say which robot it is
KIND = "ask"


def name_of(mechanism: Mechanism, dtype: str, question: Hashable) -> str | None:
    """The name of a question to a robot; None where nothing is kept, and where all stages are to be seen."""
    if mechanism.nv > UP_TO or level() or not compiles() or not sources():
        return None
    return disk.key(repr((mechanism, question)), sources(), *surroundings(target_of(dtype)))


def find(name: str) -> tuple[Interface, bytes] | None:
    """What a question led to when it was asked before, with the code."""
    text = disk.read(name, KIND)
    if text is None:
        return None
    interface = Interface.read(text)
    code = disk.read(interface.code)
    return None if code is None else (interface, code)


def keep(name: str, interface: Interface) -> None:
    """Keeps what a question has led to."""
    disk.write(name, interface.text().encode(), KIND)


@cache
def sources() -> str:
    """The files of this package, with sizes and times; empty where they are not files, and nothing may be kept."""
    try:
        rows = [_row(entry) for room in ROOMS for entry in os.scandir(HOME / room) if entry.name.endswith(".py")]
    except OSError:
        return ""
    return repr((str(HOME), sorted(rows))) if rows else ""


def _row(entry: os.DirEntry[str]) -> tuple[str, int, int]:
    state = entry.stat()
    return entry.path, state.st_size, state.st_mtime_ns
