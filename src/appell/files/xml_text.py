"""XML as text: elements in order, one per line, numbers to the last bit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..errors import ModelError
from ..model.reading import shown

FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
INDENT = [k * "  " for k in range(32)]  # and no deeper: bodies of a long chain lie in one another


@dataclass
class Tag:
    """An element to be written; a child that is a string is a comment."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Tag | str] = field(default_factory=list)
    text: str = ""

    def add(self, name: str, attributes: dict[str, str] | None = None, text: str = "") -> Tag:
        """A new child."""
        child = Tag(name, attributes or {}, [], text)
        self.children.append(child)
        return child


@dataclass(frozen=True)
class Written:
    """The text of a file, and what others, or all, will not find in it."""

    text: str
    notes: list[str]


def document(root: Tag) -> str:
    """The whole file. No recursion: bodies of a long chain lie deep in one another."""
    lines = ['<?xml version="1.0"?>']
    waiting: list[tuple[Tag | str | None, int, str]] = [(root, 0, "")]
    while waiting:
        tag, depth, closing = waiting.pop()
        indent = INDENT[min(depth, len(INDENT) - 1)]
        if tag is None:
            lines.append(f"{indent}</{closing}>")
        elif isinstance(tag, str):
            lines.append(f"{indent}<!-- {_comment(tag)} -->")
        else:
            head = (
                indent + "<" + " ".join([tag.name, *(f'{k}="{escaped(v)}"' for k, v in tag.attributes.items())])
            )
            if tag.children:
                lines.append(head + ">")
                waiting.append((None, depth, tag.name))
                waiting += [(child, depth + 1, "") for child in reversed(tag.children)]
            else:
                lines.append(f"{head}>{escaped(tag.text)}</{tag.name}>" if tag.text else head + "/>")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A text inside XML."""
    found = FORBIDDEN.search(text)
    if found:
        raise ModelError(f"name {shown(text)}: got the character {found[0]!r}, wanted one that XML can hold")
    return "".join(ESCAPES.get(c, c) for c in text) if not ESCAPES.keys().isdisjoint(text) else text


def _comment(text: str) -> str:
    return escaped(text).replace("--", "- -").rstrip("-")


def number(x: float) -> str:
    """A number, as short as it can be without losing a bit."""
    text = repr(float(x) + 0.0)
    return text[:-2] if text.endswith(".0") else text


def numbers(values: Iterable[float]) -> str:
    """Numbers with blanks between them."""
    return " ".join(map(number, values))
