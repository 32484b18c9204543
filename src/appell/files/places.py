"""Where a robot file's references may lead: into declared folders, and nowhere else. Nothing is opened here."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import ModelError
from ..model.reading import refuse, shown

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?://)?(.*)", re.S)
PACKAGES = ("package", "model")  # package://NAME/path, as ROS and Gazebo write


@dataclass(frozen=True)
class Roots:
    """The folder of a robot file, and all folders into which its references may lead; real paths."""

    folder: Path
    folders: tuple[Path, ...]

    def find(self, reference: str) -> Path | None:
        """The file that a reference means, whether it is there or not; None if its package is in no root.

        A reference that leads out of the roots, by `..`, by an absolute path or by a symbolic link, is a ModelError.
        """
        scheme, path = _parts(reference)
        if "\0" in path:
            raise self._refuse(reference, "a path")
        if scheme in PACKAGES:
            return self._in_package(reference, path.lstrip("/"))
        if scheme not in ("", "file"):
            raise self._refuse(reference, "a file of this machine")
        return self._inside(reference, self.folder / path)

    def _in_package(self, reference: str, path: str) -> Path | None:
        package, _, rest = path.partition("/")
        if not package or package in (".", "..") or os.path.normpath(rest or ".").startswith(".."):
            raise self._refuse(reference, "a path inside its package")
        for root in self.folders:
            place = root / rest if root.name == package else root / package / rest
            if (root if root.name == package else root / package).is_dir():
                return self._inside(reference, place)
        return None

    def _inside(self, reference: str, place: Path) -> Path:
        real = Path(os.path.realpath(place))
        if any(real.is_relative_to(root) for root in self.folders):
            return real
        inside = ", ".join(map(repr, map(str, self.folders[:4])))
        raise self._refuse(reference, f"a path inside {inside}, or `roots=` with its folder")

    def _refuse(self, reference: str, wanted: str) -> ModelError:
        return refuse("path", shown(reference), wanted)


def roots_of(path: str | os.PathLike[str], declared: Iterable[str | os.PathLike[str]] = ()) -> Roots:
    """The roots of a robot file: its ROS package, or else its own folder, and those declared."""
    folder = Path(os.path.realpath(path)).parent
    packages = [p for p in (folder, *list(folder.parents)[:4]) if (p / "package.xml").is_file()]
    given = []
    for root in declared:
        real = Path(os.path.realpath(root))
        if not real.is_dir():
            raise refuse("roots", shown(os.fspath(root)), "folders")
        given.append(real)
    return Roots(folder, (folder, *packages[:1], *given))


def _parts(reference: str) -> tuple[str, str]:
    """Scheme and path; a single letter before a colon is a drive."""
    found = SCHEME.fullmatch(reference)
    scheme, path = (found[1].lower(), found[2]) if found else ("", reference)
    return scheme, path.replace("\\", "/")
