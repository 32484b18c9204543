"""C text into files: source and header, whole or not at all."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..errors import AppellError
from ..model.tree import Tree
from ..trace.program import Program
from .c import c_header, c_source
from .interpret import interpret


def write_c(program: Program, tree: Tree, path: Any, precision: Literal["double", "float"]) -> None:
    """`path` and a header beside it; the function has the file's name, `NAME_selftest()` returns 0 if all is well."""
    place = Path(os.fspath(path))
    if place.suffix != ".c":
        raise AppellError(f"C is written to a file that ends in .c, got {str(place)!r}")
    name = re.sub(r"\W", "_", place.stem)
    source = c_source(program, name=name, precision=precision, tree=tree, example=example(program, tree))
    put(place, source)
    put(place.with_suffix(".h"), c_header(program, name, precision=precision))


def example(program: Program, tree: Tree) -> Any:
    """A state and its answer, for the self-test."""
    rng = np.random.default_rng(1)
    sizes = {"n": tree.n, "nq": tree.nq, "nv": tree.nv}
    own = [tuple(s if isinstance(s, int) else sizes[s] for s in a.shape) for a in program.inputs]
    wide = [(a.width,) if a.width > 1 else () for a in program.inputs]
    given = [rng.uniform(-1.0, 1.0, (*shape, *more)) for shape, more in zip(own, wide, strict=True)]
    return given, interpret(program, *given, tree=tree)


def put(place: Path, text: str) -> None:
    """The whole file, or none of it."""
    try:
        handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, place)
    except OSError as error:
        raise AppellError(f"cannot write {str(place)!r}: {error.strerror}") from None
