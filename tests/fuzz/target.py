"""What a robot file may do: be a valid robot, or an error in one sentence; in time, and with nothing opened outside.

An input is the end of a file's name, a line feed, and the content: `urdf`, `xml`, `sdf`, `csv`, `toml`.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from appell.errors import AppellError
from appell.files import load, save
from appell.files.source import Choices
from appell.model import toml
from appell.model.lower import lower
from appell.model.mechanism import Mechanism

ENDS = ("urdf", "xml", "sdf", "csv", "toml")
LONGEST = 2.0  # seconds
PART = "<mujoco><body name='inner'><joint/><geom size='.1'/></body></mujoco>"
watched: list[Path] = []  # the only folder in which anything may be opened, while a file is read


class Broken(Exception):
    """A file that did what none may do."""


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    """Sees everything that Python opens, and what it would run."""
    if not watched:
        return
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        place = os.path.realpath(os.fsdecode(arguments[0]))
        if not place.startswith(f"{watched[0]}{os.sep}") and not place.endswith((".py", ".pyc", "__pycache__")):
            raise Broken(f"opened {place}")
    elif event in ("os.system", "subprocess.Popen", "os.exec", "pickle.find_class", "socket.connect"):
        raise Broken(f"{event} {str(arguments)[:200]}")


sys.addaudithook(_hook)


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """While this lasts, nothing outside a folder may be opened."""
    watched.append(folder.resolve())
    try:
        yield
    finally:
        watched.clear()


def check(data: bytes, folder: Path) -> bool:
    """Read an input as a robot file, and try what became of it; whether it was a robot."""
    end, _, content = data.partition(b"\n")
    name = end.decode("ascii", "replace")
    if name not in ENDS:
        return False
    path = folder / f"robot.{name}"
    path.write_bytes(content)
    start = time.process_time()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            with inside(folder):
                found = load.read(str(path), Choices())
        except AppellError as error:
            _check_sentence(str(error))
            return False
        finally:
            spent = time.process_time() - start
            if spent > LONGEST:
                raise Broken(f"{spent:.1f} s")
        _check_robot(found.mechanism, folder)
    return True


def _check_sentence(text: str) -> None:
    """An error is one line, says where, and is no book."""
    if not ("robot." in text or "part.xml" in text) or len(text) > 4000 or "\n" in text:
        raise Broken(f"an error that says {text[:200]!r}")


def _check_robot(mechanism: Mechanism, folder: Path) -> None:
    """A robot can be walked, is the same in TOML, and what other formats say of it can be read again."""
    if toml.parse(toml.text(mechanism)) != mechanism:
        raise Broken("another robot in TOML")
    if len(mechanism.bodies) > 200:
        return
    lower(mechanism)
    for suffix in (".urdf", ".xml", ".sdf"):
        try:
            text = save.written(mechanism, suffix, loops="comment").text
        except AppellError:
            continue
        _check_again(mechanism, text, folder / f"again{suffix}")


def _check_again(mechanism: Mechanism, text: str, path: Path) -> None:
    """What is written can be read, but for names that are longer than names may be."""
    path.write_text(text, encoding="utf-8")
    try:
        load.read(str(path), Choices(unphysical=mechanism.unphysical))
    except AppellError as error:
        if "wanted a name of 1 to" not in str(error):
            raise Broken(f"written, and not read again: {error}") from None


def part(folder: Path) -> None:
    """A file that an MJCF may include."""
    (folder / "part.xml").write_text(PART)
