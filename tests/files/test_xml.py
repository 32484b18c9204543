"""The reader of XML: lines, bounds, and what it refuses before anything else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from appell.errors import ModelError
from appell.files import xml


def refused(content: bytes | str, words: str, **options: int) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        xml.parse(content.encode() if isinstance(content, str) else content, "a.urdf", **options)
    assert str(caught.value).startswith("file 'a.urdf'")
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_elements_know_their_lines_and_owners() -> None:
    root = xml.parse(
        b"<robot name='r'>\n <link name='a'>\n  <inertial>\n   <mass value='x'/>\n</inertial></link></robot>", "f"
    )
    mass = root.the("link").the("inertial").the("mass")
    with pytest.raises(ModelError) as caught:
        mass.number("value")
    assert str(caught.value) == "file 'f', line 4: <mass> of link 'a': got value = 'x', wanted a finite number"


BAD: dict[str, tuple[bytes | str, str]] = {
    "doctype": ("<!DOCTYPE robot><robot/>", r"line 1: got a document type \(<!DOCTYPE>\)"),
    "entity": ('<!DOCTYPE r [<!ENTITY a "b">]><r>&a;</r>', "a document type"),
    "laughs": ('<!DOCTYPE r [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><r>&c;</r>', "a document type"),
    "external": ('<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>', "a document type"),
    "parameter": ('<!DOCTYPE r [<!ENTITY % p SYSTEM "file:///x"> %p;]><r/>', "a document type"),
    "wide doctype": ("\ufeff<!DOCTYPE r><r/>".encode("utf-16-le"), "a document type"),
    "undefined entity": ("<r>\n&nope;</r>", "line 2: got broken XML .undefined entity"),
    "truncated": ("<r>\n<a>", "line 2: got broken XML"),
    "empty": ("", "broken XML .no element found"),
    "mismatch": ("<r></q>", "mismatched tag"),
    "twice": ("<r a='1' a='2'/>", "duplicate attribute"),
    "two roots": ("<r/><r/>", "junk after document element"),
    "nul": (b"<r a='\x00'/>", "broken XML"),
    "no utf-8": (b"<r a='\xff\xfe'/>", "broken XML .not well-formed"),
    "half a character": (b"<r a='\xe2\x82'/>", "broken XML"),
    "encoding": ("<?xml version='1.0' encoding='utf-7'?><r/>", "line 1: got the encoding 'utf-7', wanted UTF-8"),
    "no encoding": ("<?xml version='1.0' encoding='none-such'?><r/>", "the encoding 'none-such'"),
    "binary": (bytes(range(256)) * 10, "broken XML"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(case: str) -> None:
    refused(*BAD[case])


def test_bounds() -> None:
    refused("<a>" * 60 + "</a>" * 60, "line 1: got <a> beyond the bounds", deepest=50)
    many = " ".join(f"b{i}='{i}'" for i in range(200))
    refused(f"<a {many}/>", "beyond the bounds")
    refused(f"<{'a' * 2000}/>", "<a+> beyond the bounds")
    refused("<a>" + "<b/>" * (xml.ELEMENTS + 1) + "</a>", f"at most {xml.ELEMENTS} elements")
    refused(b" " * (xml.LARGEST + 1), f"wanted at most {xml.LARGEST}")


def test_a_document_deep_within_bounds_needs_no_stack() -> None:
    root = xml.parse(b"<a>" * 20_000 + b"</a>" * 20_000, deepest=30_000)
    assert sum(1 for _ in xml.leftovers(root)) == 1


def test_encodings_that_are_served() -> None:
    for encoding in ("utf-8", "utf-16", "iso-8859-1"):
        text = f"<?xml version='1.0' encoding='{encoding}'?><r name='é'/>"
        assert xml.parse(text.encode(encoding)).name == "é"
    assert xml.parse("\ufeff<r name='é'/>".encode()).name == "é"


NUMBERS = {"1": 1.0, "-1.5e3": -1500.0, "+.5": 0.5, "3.": 3.0, "1E-400": 0.0, " 2 ": 2.0, "0x10": None, "1,5": None}
NUMBERS |= {"nan": None, "inf": None, "-Infinity": None, "1e400": None, "1_0": None, "": None, "1 2": None, "٣": None}
NUMBERS |= {"--1": None, "1e": None, ".": None, "1.5f": None}


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers(text: str) -> None:
    assert xml.number(text) == NUMBERS[text]


def test_what_is_left_is_told() -> None:
    root = xml.parse(b"<r x='1' xmlns:q='u'>\n<a b='2' c='3'>t</a>\n<d/><a/></r>")
    root.all("a")[0].number("b")
    left = [(e.line, e.tag, keys) for e, keys in xml.leftovers(root)]
    assert left == [(1, "r", ["x"]), (2, "a", ["c", "text"]), (3, "d", [])]


def test_a_second_child_and_a_missing_one_are_refused() -> None:
    root = xml.parse(b"<r><a/>\n<a/></r>", "f")
    with pytest.raises(ModelError, match=r"line 2: <a>: got a second <a>, wanted one, as on line 1"):
        root.one("a")
    with pytest.raises(ModelError, match="line 1: <r>: got no <b>, wanted one"):
        root.the("b")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_pipes_and_devices_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.urdf")
    for path in (tmp_path / "pipe.urdf", Path("/dev/zero")):
        with pytest.raises(ModelError, match="got a device or a pipe, wanted a URDF file"):
            xml.read(path, "a URDF file")
    with pytest.raises(ModelError, match="got a folder"):
        xml.read(tmp_path, "a URDF file")
    with pytest.raises(ModelError, match=r"could not be read \(No such file"):
        xml.read(tmp_path / "none.urdf", "a URDF file")
