"""One self-contained page of HTML: sections of text, tables and pictures."""

from __future__ import annotations

import os
import tempfile
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TypeAlias

from ..errors import AppellError
from .describe import Row, is_numeric

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; color: #1d2430; background: #fff;
  max-width: 62rem; margin: 2.5rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.75rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .5rem; border-bottom: 1px solid #d5dae1; padding-bottom: .2rem; }
p { margin: .5rem 0; max-width: 46rem; }
.lead { font-size: 1.05rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; margin: .75rem 0; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: #4a5463; border-bottom: 2px solid #aab3c0; vertical-align: bottom; }
th, td { padding: .3rem .9rem .3rem 0; }
td { border-bottom: 1px solid #e6e9ee; white-space: nowrap; }
.right { text-align: right; }
.yes { color: #0a6b3d; font-weight: 600; }
.no { color: #b00020; font-weight: 700; }
.note { color: #4a5463; font-size: .875rem; }
img { max-width: 100%; height: auto; }
pre { background: #f4f6f9; padding: .7rem 1rem; font-size: .85rem; overflow-x: auto; border-radius: 4px; }
@media print { body { margin: 0; max-width: none; font-size: 10pt; } h2 { break-after: avoid; }
  table, img, pre { break-inside: avoid; } pre { border: 1px solid #d5dae1; } .wide { overflow: visible; } }
"""
VERDICTS = {"holds": "yes", "FAILS": "no"}  # words of a table that are coloured


@dataclass(frozen=True)
class Text:
    """A paragraph; `kind` is "", "lead" or "note"."""

    words: str
    kind: str = ""

    def html(self) -> str:
        return f'<p class="{self.kind}">{escape(self.words)}</p>' if self.kind else f"<p>{escape(self.words)}</p>"


@dataclass(frozen=True)
class Code:
    """Lines to be typed or read as they stand."""

    lines: str

    def html(self) -> str:
        return f"<pre>{escape(self.lines)}</pre>"


@dataclass(frozen=True)
class Picture:
    """A PNG, carried inside the page."""

    png: bytes
    meaning: str

    def html(self) -> str:
        data = b64encode(self.png).decode()
        return f'<img alt="{escape(self.meaning)}" src="data:image/png;base64,{data}">'


@dataclass(frozen=True)
class Table:
    """Columns under a head; columns of numbers stand to the right."""

    head: Row
    rows: Sequence[Row]

    def html(self) -> str:
        right = [is_numeric([row[k] for row in self.rows]) for k in range(len(self.head))]
        head = "".join(_cell("th", x, r) for x, r in zip(self.head, right, strict=True))
        rows = ("".join(_cell("td", x, r) for x, r in zip(row, right, strict=True)) for row in self.rows)
        body = "".join(f"<tr>{row}</tr>\n" for row in rows)
        return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


Part: TypeAlias = Text | Code | Picture | Table
Section: TypeAlias = tuple[str, Sequence[Part]]


def _cell(tag: str, words: str, right: bool) -> str:
    kind = "right" if right else VERDICTS.get(words, "")
    return f'<{tag} class="{kind}">{escape(words)}</{tag}>' if kind else f"<{tag}>{escape(words)}</{tag}>"


def page(title: str, lead: Sequence[Part], sections: Sequence[Section]) -> str:
    """The whole page; it needs nothing from outside."""
    parts = [part.html() for part in lead]
    for name, content in sections:
        parts += [f"<h2>{escape(name)}</h2>", *(part.html() for part in content)]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    body = "\n".join([f"<h1>{escape(title)}</h1>", *parts])
    top = f'<!doctype html>\n<html lang="en"><head>{head}\n<style>{STYLE}</style></head>'
    return f"{top}\n<body>\n{body}\n</body></html>\n"


def write(path: Path, content: str | bytes) -> None:
    """The whole file or none of it; a reader never sees half a page."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, data)
    except OSError as error:
        raise AppellError(f"cannot write {str(path)!r}: {error.strerror}; wanted a place that can be written") from None


def _replace(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)  # mkstemp makes it private, and a report is to be handed on
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
