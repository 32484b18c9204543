"""Robots into files, by the end of the name: whole or not at all, and with a word for what a format cannot hold."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..model import toml
from ..model.content import write_text
from ..model.mechanism import Mechanism
from ..model.shapes import Shape
from . import dh_csv, mjcf_write, sdf_write, urdf_write
from .source import Source
from .xml_text import Written


def written(mechanism: Mechanism, suffix: str, **options: Any) -> Written:
    """The mechanism as the text of a file whose name ends so."""
    if suffix == ".toml" and not options:
        return Written(toml.text(mechanism), [])
    if suffix not in WRITERS:
        known = ", ".join(sorted({".toml", *WRITERS}))
        given = ", ".join(f"{k}={v!r}" for k, v in options.items())
        what = f"{given} for a {suffix} file" if suffix == ".toml" else f"a {suffix or 'nameless'} file"
        raise ModelError(f"robot {mechanism.name!r}: got {what}, wanted one of {known}")
    return WRITERS[suffix](mechanism, **options)


def save(mechanism: Mechanism, path: str | os.PathLike[str], source: Source | None = None, **options: Any) -> list[str]:
    """Write a mechanism to a file; the answer is what others, or all, will not find there."""
    target = Path(os.fspath(path))
    plain = target.suffix.lower() in PLAIN
    moved = replace(mechanism, shapes=tuple(_seen_from(x, target, source, plain) for x in mechanism.shapes))
    found = written(moved, target.suffix.lower(), **options)
    write_text(found.text, target)
    return found.notes


def _seen_from(shape: Shape, target: Path, source: Source | None, plain: bool) -> Shape:
    """A shape whose mesh is told from the folder of the new file, where it was told from that of the old.

    So are those of packages where the format knows `plain` paths only.
    """
    if shape.file is None or source is None or os.path.isabs(shape.file):
        return shape
    far = "://" in shape.file
    found, folder = source.roots.find(shape.file), os.path.realpath(target.parent)
    if found is None or (far and not plain) or (not far and folder == os.fspath(source.roots.folder)):
        return shape
    try:
        return replace(shape, file=Path(os.path.relpath(found, folder)).as_posix())
    except ValueError:  # on another drive
        return replace(shape, file=found.as_posix())


WRITERS = {".urdf": urdf_write.text, ".xml": mjcf_write.text, ".mjcf": mjcf_write.text, ".sdf": sdf_write.text}
PLAIN = (".xml", ".mjcf")
WRITERS |= {".csv": dh_csv.text}
