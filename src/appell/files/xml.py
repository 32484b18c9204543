"""XML as a tree of elements that know their lines; only what robot files need, within bounds.

A document type, and with it every entity of a file's own, is refused when it is met; bytes, depth, elements and
attributes are bounded. What a reader takes out of an element is gone from it, so that what is left at the end is
what nobody read: `leftovers`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.parsers import expat

from ..errors import ModelError
from ..model.content import read_bytes
from ..model.reading import refuse, shown

LARGEST = 64_000_000  # bytes
ELEMENTS, ATTRIBUTES, LONGEST = 500_000, 100, 1000
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
ENCODINGS = ("utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "utf-16")
REQUIRED: Any = object()


class Element:
    """One element: what stands in it, in the order of the file, and where it stands."""

    __slots__ = ("attributes", "children", "file", "line", "name", "owner", "tag", "taken", "text")

    def __init__(self, tag: str, attributes: dict[str, str], file: str, line: int) -> None:
        self.tag, self.attributes, self.file, self.line = tag, attributes, file, line
        self.name = attributes.get("name", "")
        self.owner = ""  # the named element around it, once it has been taken from there
        self.children: list[Element] = []  # not taken out so far
        self.taken: Sequence[Element] = ()
        self.text = ""

    # -- what is wrong with it ------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The element as a message names it."""
        own = f"<{self.tag}> {shown(self.name)}" if self.name else f"<{self.tag}>"
        return f"{own} of {self.owner}" if self.owner and not self.name else own

    @property
    def where(self) -> str:
        return f"file {self.file!r}, line {self.line}: {self.title}"

    def refuse(self, got: str, wanted: str) -> ModelError:
        """The error of one sentence, with file, line and element."""
        return refuse(self.where, got, wanted)

    def told(self) -> Element:
        """The element emptied: what is left in it needs no word of its own."""
        self.attributes.clear()
        self.children, self.taken, self.text = [], (), ""
        return self

    # -- children -------------------------------------------------------------------------------------------------

    def all(self, *tags: str) -> list[Element]:
        """The children of these tags, taken out."""
        wanted = tags if len(tags) < 8 else frozenset(tags)
        found = [e for e in self.children if e.tag in wanted]
        if found:
            self.children = [e for e in self.children if e.tag not in wanted]
            self.taken = [*self.taken, *found]
            owner = f"{self.tag} {shown(self.name)}" if self.name else self.owner
            for e in found:
                e.owner = owner
        return found

    def one(self, tag: str) -> Element | None:
        """The child of this tag, taken out; a second one is an error."""
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].refuse(f"a second <{tag}>", f"one, as on line {found[0].line}")
        return found[0] if found else None

    def take(self, child: Element) -> None:
        """Take out one child."""
        self.children.remove(child)
        self.taken = [*self.taken, child]

    def child(self, tag: str) -> Element | None:
        """The first child of this tag, which stays where it is."""
        return next((e for e in self.children if e.tag == tag), None)

    def the(self, tag: str) -> Element:
        """The child of this tag, which must be there."""
        found = self.one(tag)
        if found is None:
            raise self.refuse(f"no <{tag}>", "one")
        return found

    # -- attributes -----------------------------------------------------------------------------------------------

    def word(self, key: str, default: Any = REQUIRED) -> Any:
        """An attribute as it stands, taken out."""
        value = self.attributes.pop(key, default)
        if value is REQUIRED:
            raise self.refuse(f"no {key!r}", f"the attribute {key!r}")
        return value

    def label(self, key: str = "name", default: Any = REQUIRED) -> Any:
        """A name: not empty, and not longer than a name should be."""
        value = self.word(key, default)
        if value is not default and not 0 < len(value) <= LONGEST:
            raise self.refuse(f"{key} = {shown(value)}", f"a name of 1 to {LONGEST} characters")
        return value

    def number(self, key: str, default: Any = REQUIRED) -> Any:
        """A finite number, with a decimal point."""
        value = self.attributes.pop(key, None)
        if value is None:
            return self.word(key, default)
        found = number(value)
        if found is None:
            raise self.refuse(f"{key} = {shown(value)}", "a finite number")
        return found

    def numbers(self, key: str, default: Any = REQUIRED) -> Any:
        """Finite numbers with blanks between them."""
        value = self.attributes.pop(key, None)
        if value is None:
            return self.word(key, default)
        found = tuple(map(number, value.split()))
        if None in found or not found:
            raise self.refuse(f"{key} = {shown(value)}", "finite numbers with blanks between them")
        return found

    def vector(self, key: str, default: Any = REQUIRED, n: int = 3) -> Any:
        """So many finite numbers."""
        value = self.attributes.get(key)
        found = self.numbers(key, default)
        if value is not None and len(found) != n:
            raise self.refuse(f"{key} = {shown(value)}", f"{n} finite numbers")
        return found

    def choice(self, key: str, known: Any, default: Any = REQUIRED) -> Any:
        """One of the known words; of a mapping, what the word stands for."""
        value = self.word(key, default)
        if value is not default and value not in known:
            raise self.refuse(f"{key} = {shown(value)}", f"one of {', '.join(known)}")
        return known[value] if isinstance(known, dict) and value is not default else value

    # -- text -----------------------------------------------------------------------------------------------------

    def content(self) -> str:
        """The text in it, taken out."""
        text, self.text = self.text.strip(), ""
        return text

    def content_vector(self, n: int) -> tuple[float, ...]:
        """The text as so many finite numbers."""
        text = self.content()
        found = tuple(map(number, text.split()))
        if None in found or len(found) != n:
            raise self.refuse(shown(text), f"{n} finite numbers" if n > 1 else "a finite number")
        return found  # type: ignore[return-value]

    def content_number(self) -> float:
        """The text as a finite number."""
        return self.content_vector(1)[0]


def number(text: str) -> float | None:
    """A finite number as robot files write it; None for anything else: no nan, comma, or digit of other scripts."""
    if NUMBER.fullmatch(text) is None and NUMBER.fullmatch(text.strip()) is None:
        return None
    value = float(text)
    return value if -1.8e308 < value < 1.8e308 else None


def read(path: str | os.PathLike[str], wanted: str, deepest: int = 100) -> Element:
    """The root of the XML in a file."""
    return parse(read_bytes(path, LARGEST, wanted), os.fspath(path), deepest)


def parse(content: bytes, file: str = "text", deepest: int = 100) -> Element:
    """The root of the XML in the content of a file."""
    if len(content) > LARGEST:
        raise ModelError(f"file {file!r}: got {len(content)} bytes, wanted at most {LARGEST}")
    builder = _Builder(file, deepest)
    try:
        builder.parser.Parse(content, True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise refuse(f"file {file!r}, line {error.lineno}", f"broken XML ({what})", "a whole document") from None
    except (LookupError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise refuse(f"file {file!r}", f"an encoding that is not known ({error})", "UTF-8") from None
    assert builder.root is not None  # or expat would have said that there is no element
    return builder.root


class _Builder:
    """Makes elements of what expat meets."""

    def __init__(self, file: str, deepest: int) -> None:
        self.file, self.deepest, self.root, self.count = file, deepest, None, 0
        self.open: list[Element] = []
        self.texts: dict[int, list[str]] = {}  # of open elements, by their depth
        self.parser = p = expat.ParserCreate()
        p.buffer_text = True
        p.XmlDeclHandler, p.StartDoctypeDeclHandler, p.EntityDeclHandler = self.declared, self.doctype, self.doctype
        p.StartElementHandler, p.EndElementHandler, p.CharacterDataHandler = self.start, self.end, self.data

    def refuse(self, got: str, wanted: str) -> ModelError:
        return refuse(f"file {self.file!r}, line {self.parser.CurrentLineNumber}", got, wanted)

    def declared(self, _version: str, encoding: str | None, _alone: int) -> None:
        if encoding is not None and encoding.lower() not in ENCODINGS:
            raise self.refuse(f"the encoding {shown(encoding)}", "UTF-8")

    def doctype(self, *_: Any) -> None:
        raise self.refuse("a document type (<!DOCTYPE>), where entities hide", "a file without one")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self.file, self.parser.CurrentLineNumber)
        self.count += 1
        if self.count > ELEMENTS or len(self.open) > self.deepest or len(attributes) > ATTRIBUTES or len(tag) > LONGEST:
            raise self.refuse(f"<{tag[:40]}> beyond the bounds of a robot file", self.bounds())
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def bounds(self) -> str:
        return f"at most {ELEMENTS} elements, {self.deepest} deep, with {ATTRIBUTES} attributes each"

    def end(self, _tag: str) -> None:
        element = self.open.pop()
        if self.texts and len(self.open) in self.texts:
            element.text = "".join(self.texts.pop(len(self.open)))

    def data(self, text: str) -> None:
        if not text.isspace():
            self.texts.setdefault(len(self.open) - 1, []).append(text)


def leftovers(root: Element) -> Iterator[tuple[Element, list[str]]]:
    """What nobody took out, in the order of the file: of an element these attributes, or none and the whole of it."""
    waiting = [(root, False)]
    while waiting:
        e, whole = waiting.pop()
        if whole:
            yield e, []
            continue
        left = [key for key in e.attributes if not key.startswith("xmlns")] + ["text"] * bool(e.text)
        if left:
            yield e, left
        inner = [(x, True) for x in e.children] + [(x, False) for x in e.taken]
        waiting += sorted(inner, key=lambda pair: -pair[0].line)
