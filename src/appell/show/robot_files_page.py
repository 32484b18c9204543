"""The page of all robot files that were tried: which agree with another library, and what is said of the rest.

Written by `python -m appell.show.robot_files_page docs/robot-files-tried.md [FOLDER ...]`. Without folders these are
the files of example-robot-data, mujoco and gymnasium that are installed; FOLDER is what `pip install --no-deps --target
FOLDER NAME` made of another package.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distributions, version
from importlib.util import find_spec
from pathlib import Path

from ..bridges.mujoco import mujoco
from ..model.content import write_text
from .markdown import grid
from .robot_files import Row, beside_mujoco, beside_pinocchio

STATES = 20
INSTALLED = ("mujoco", "gymnasium")
COMMAND = "python -m appell.show.robot_files_page docs/robot-files-tried.md [FOLDER ...]"
HEAD = ("file", "bodies", "freedoms", "inverse dynamics", "mass matrix", "forward dynamics")
PAGE = f"""# Robot files that were tried

Every robot file of some packages, read here and by another library: URDF by Pinocchio, MJCF by MuJoCo. The numbers
are the largest differences over {STATES} random states, relative to the largest entry of each answer; forward dynamics
loses what the condition of the mass matrix takes. "singular" is a mass matrix that has no inverse.

In a URDF rotors and friction are left out of the comparison, which Pinocchio does not read or use; in an MJCF springs,
damping and rotors are in it, and dry friction and equalities are left out, which MuJoCo holds softly. URDF files stand,
and once more float. What is not read of a file is listed by `appell inspect`; a file of which something is not read
that would change the motion counts among the rest here.

[Robot files](robot-files.md) tells what is read of each format. This page is written by

```sh
{COMMAND}
```
"""


def page(folders: Sequence[Path]) -> Iterator[str]:
    """The page, part by part."""
    yield PAGE
    yield section(*urdf())
    for name in INSTALLED:
        found = find_spec(name)
        if found is not None and found.origin is not None:
            yield section(f"{name} {version(name)}", mjcf(Path(found.origin).parent))
    for folder in folders:
        yield section(named(folder), mjcf(folder))


def named(folder: Path) -> str:
    """The package in a folder, with its version."""
    inside = sorted(f"{x.metadata['Name']} {x.version}" for x in distributions(path=[str(folder)]))
    return ", ".join(inside) or folder.name


def urdf() -> tuple[str, list[Row]]:
    """The files of example-robot-data: standing, and floating."""
    try:
        name = f"example-robot-data {version('example-robot-data')}"
    except PackageNotFoundError:
        return "example-robot-data, which is not installed", []
    share = [Path(p) / "cmeel.prefix" / "share" / "example-robot-data" / "robots" for p in sys.path]
    rows = []
    for folder in share:
        for path in sorted(folder.rglob("*.urdf")) if folder.is_dir() else ():
            both = (each(path, lambda x, f=f: beside_pinocchio(x, f, STATES, unroll=False)) for f in (False, True))
            rows.append(told_in(folder, path, worse(*both)))
    return name, rows


def told_in(folder: Path, path: Path, row: Row) -> Row:
    """The row with its paths from a folder."""
    sentence = row.sentence
    for root in (folder, folder.resolve()):
        sentence = sentence.replace(f"{root}/", "").replace(str(root.parent), "...")
    return replace(row, file=path.relative_to(folder).as_posix(), sentence=sentence)


def worse(standing: Row, floating: Row) -> Row:
    """Of a file that agrees both ways, the row with the larger differences."""
    if standing.sentence == "nothing moves":
        return floating
    if standing.agreement is None or floating.agreement is None:
        return standing if standing.agreement is None else floating
    return max(standing, floating, key=lambda row: row.agreement.inverse_dynamics if row.agreement else 0.0)


def mjcf(folder: Path) -> list[Row]:
    """The XML files of a folder."""
    mujoco().set_mju_user_warning(lambda _: None)  # or they would go into a file of the current folder
    paths = sorted(folder.rglob("*.xml"))
    there = (each(p, lambda x: beside_mujoco(x, STATES, unroll=False, roots=(folder,))) for p in paths)
    return [told_in(folder, path, row) for path, row in zip(paths, there, strict=True)]


def each(path: Path, beside: Callable[[Path], Row]) -> Row:
    """The row of a file, with a word on the terminal, as it takes a while."""
    row = beside(path)
    print(f"{path.name}: {row.sentence or 'agrees'}", file=sys.stderr)
    return row


def section(name: str, rows: Iterable[Row]) -> str:
    """The files of a package."""
    rows = list(rows)
    good = [row for row in rows if row.agreement is not None]
    parts = [f"## {name}", f"{len(good)} of {len(rows)} files are compared."]
    if good:
        parts.append(grid(HEAD, [cells(row) for row in good]))
    rest: dict[str, list[Row]] = {}
    for row in rows:
        if row.agreement is None:
            rest.setdefault(alike(row.sentence), []).append(row)
    parts += [
        f"{len(x)} files, as `{x[0].file}`: {x[0].sentence}" if len(x) > 1 else f"`{x[0].file}`: {x[0].sentence}"
        for x in sorted(rest.values(), key=len, reverse=True)
    ]
    return "\n\n".join(parts) + "\n"


def cells(row: Row) -> list[str]:
    """One line of the table."""
    a = row.agreement
    assert a is not None
    forward = "singular" if a.forward_dynamics != a.forward_dynamics else f"{a.forward_dynamics:.1e}"
    return [
        f"`{row.file}`",
        str(row.bodies),
        str(row.freedoms),
        f"{a.inverse_dynamics:.1e}",
        f"{a.mass_matrix:.1e}",
        forward,
    ]


def alike(sentence: str) -> str:
    """A sentence without lines and names, which tell files apart."""
    return re.sub(r"'[^']*'|\d+", "", sentence)


def main(arguments: Sequence[str]) -> None:
    """Writes the page."""
    if not arguments:
        raise SystemExit(f"which page? {COMMAND}")
    write_text("\n".join(page([Path(x) for x in arguments[1:]])), arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
