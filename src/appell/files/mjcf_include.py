"""MJCF files with what they include: other files of the same folder or below, each once."""

from __future__ import annotations

import os
from typing import Any

from ..errors import ModelError
from . import xml
from .places import Roots
from .xml import Element

WANTED = "an MJCF file"
DEEPEST = 20_000  # bodies lie in one another
MOST = 500  # files


def read(path: str | os.PathLike[str], roots: Roots) -> Element:
    """The root of an MJCF file, with <include> replaced by what it names, from the folder of this file."""
    root = xml.read(path, WANTED, DEEPEST)
    if root.tag != "mujoco":
        raise root.refuse(f"<{root.tag}>", "<mujoco>")
    seen, waiting = {os.path.realpath(path)}, [root]
    while waiting:
        e = waiting.pop()
        if any(x.tag == "include" for x in e.children):
            e.children = [y for x in e.children for y in (_included(x, roots, seen) if x.tag == "include" else [x])]
            waiting.append(e)  # what was included may include more
        else:
            waiting += e.children
    return root


def _included(e: Element, roots: Roots, seen: set[str]) -> list[Element]:
    """The elements that an <include> stands for."""
    name = e.label("file")
    try:
        place: Any = roots.find(name)
    except ModelError as error:
        raise ModelError(f"{e.where}: {error}") from None
    if place is None:
        raise e.refuse(f"file = {name!r}", "a file beside this one")
    if os.fspath(place) in seen:
        raise e.refuse(f"file = {name!r} a second time", "each file once")
    if len(seen) >= MOST:
        raise e.refuse(f"more than {MOST} files", "fewer")
    seen.add(os.fspath(place))
    try:
        inner = xml.read(place, WANTED, DEEPEST)
    except ModelError as error:
        raise ModelError(f"{e.where}: {error}") from None
    if e.attributes or e.children:
        raise e.refuse("more than a file in it", 'file="..." alone')
    return inner.children
