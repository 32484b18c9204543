"""Robot files with something changed: numbers, names, attributes, elements; so that most remain documents."""

from __future__ import annotations

import random
import re

TAG = re.compile(rb"<[^<>]*>")
VALUE = re.compile(rb"(['\"])([^'\"<>]*)\1")
WORD = re.compile(rb"[A-Za-z_:.]+")
NUMBER = re.compile(rb"(?<![\w.])[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?")
NASTY = (
    *b"nan inf -inf 1e400 1e308 -1e308 1e-320 0 -0 -1 1,5 0x10 1e154 1e200 1e-200 1.5707963267948966".split(),
    *b"../../etc/passwd /etc/hostname file:///etc/hostname package://a/../b part.xml robot.xml".split(),
    *b"&lt; &#0; \xff\xfe \xc3\xa9 base world __model__ true 99999999999999999999".split(),
    *(b"", b" ", b"1 2 3", b"x" * 2000),
)
INSERTED = (
    *(b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"<!-- -->", b"<![CDATA[x]]>", b"<?xml version='1.0' encoding='utf-16'?>"),
    *(b"<include file='part.xml'/>", b"<mimic joint='j'/>", b"<inertial/>", b"<joint type='free'/>", b"\x00"),
    *(b"<default class='x'><joint ref='1'/></default>", b"<frame>", b"</frame>", b"<pose>0 0 0 0 0 0</pose>"),
)


def mutated(data: bytes, seed: int, longest: int = 20_000) -> bytes:
    """The input with one to four changes."""
    rng = random.Random(seed)
    for _ in range(rng.choice((1, 1, 2, 4))):
        data = rng.choice(CHANGES)(data, rng)[:longest]
    return data


def _spans(pattern: re.Pattern[bytes], data: bytes) -> list[tuple[int, int]]:
    return [m.span() for m in pattern.finditer(data)]


def _replaced(data: bytes, spans: list[tuple[int, int]], new: bytes, rng: random.Random) -> bytes:
    if not spans:
        return data
    a, b = rng.choice(spans)
    return data[:a] + new + data[b:]


def _number(data: bytes, rng: random.Random) -> bytes:
    return _replaced(data, _spans(NUMBER, data), rng.choice(NASTY), rng)


def _value(data: bytes, rng: random.Random) -> bytes:
    """An attribute's value for a nasty one, or for that of another."""
    spans = [m.span(2) for m in VALUE.finditer(data)]
    other = data[slice(*rng.choice(spans))] if spans and rng.random() < 0.5 else rng.choice(NASTY)
    return _replaced(data, spans, other, rng)


def _word(data: bytes, rng: random.Random) -> bytes:
    """A tag, a key or a name for another one."""
    spans = _spans(WORD, data)
    return _replaced(data, spans, data[slice(*rng.choice(spans))], rng) if spans else data


def _swapped(data: bytes, rng: random.Random) -> bytes:
    """Two tags in each other's place."""
    spans = _spans(TAG, data)
    if len(spans) < 2:
        return data
    (a, b), (c, d) = sorted(rng.sample(spans, 2))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _doubled(data: bytes, rng: random.Random) -> bytes:
    """A stretch of tags twice, or very often."""
    spans = _spans(TAG, data)
    if not spans:
        return data + data
    (a, _), (_, d) = sorted((rng.choice(spans), rng.choice(spans)))
    return data[:d] + data[a:d] * rng.choice((1, 1, 1, 3, 200)) + data[d:]


def _dropped(data: bytes, rng: random.Random) -> bytes:
    return _replaced(data, _spans(TAG, data) or _spans(WORD, data), b"", rng)


def _inserted(data: bytes, rng: random.Random) -> bytes:
    spans = _spans(TAG, data) or [(len(data), len(data))]
    at = rng.choice(spans)[1]
    return data[:at] + rng.choice(INSERTED) + data[at:]


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _byte(data: bytes, rng: random.Random) -> bytes:
    if not data:
        return data
    k = rng.randrange(len(data))
    return data[:k] + bytes([rng.randrange(256)]) + data[k + 1 :]


CHANGES = (_number, _value, _swapped, _doubled, _dropped, _inserted, _cut, _byte, _word)
