"""Robot files read by what they are: TOML, URDF, MJCF, SDF, tables of DH parameters."""

from __future__ import annotations

import os
from pathlib import Path
from warnings import warn

from ..errors import ModelError, unknown
from ..model import toml, zoo
from ..model.collector import collector_paused
from . import dh_csv, mjcf, sdf, urdf
from .places import roots_of
from .source import PLAIN, Choices, Read, Source


def load(name_or_path: str | os.PathLike[str], choices: Choices = PLAIN) -> Read:
    """A robot of the zoo by its name, or any by its file; a warning tells what was not read, if it moves the robot."""
    given = os.fspath(name_or_path)
    if given in zoo.names():
        given = os.fspath(zoo.ROBOTS / f"{given}.toml")
    found = read(given, choices)
    moving = [x for x in found.source.ignored if x.moves]
    if moving:
        more = f", and {len(moving) - 1} more that `appell inspect` lists" if len(moving) > 1 else ""
        warn(f"file {given!r}, {moving[0]}{more}; the motion may be another", stacklevel=3)
    return found


def read(path: str, choices: Choices = PLAIN) -> Read:
    """The robot in a file, by the end of its name."""
    suffix = Path(path).suffix.lower()
    if suffix in READERS:
        with collector_paused():
            return READERS[suffix](path, choices)
    if suffix == ".xacro":
        raise ModelError(
            f"file {path!r}: got xacro, which is a program; wanted what it makes: `xacro {path} > robot.urdf`"
        )
    if Path(path).exists() or suffix:
        raise ModelError(f"file {path!r}: got a {suffix or 'nameless'} file, wanted one of {', '.join(READERS)}")
    raise unknown("robot", path, zoo.names())


def _toml(path: str, _: Choices) -> Read:
    return Read(toml.read(path), Source(path, "toml", roots_of(path)))


READERS = {".toml": _toml, ".urdf": urdf.read, ".xml": mjcf.read, ".mjcf": mjcf.read, ".sdf": sdf.read}
READERS |= {".csv": dh_csv.read}
