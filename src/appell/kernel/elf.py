"""Just enough of ELF to see which symbols an object leaves undefined."""

from __future__ import annotations

import struct


def undefined(code: bytes) -> list[str]:
    """Names of undefined symbols in a 64-bit little-endian ELF object."""
    offset, size, count = struct.unpack_from("<Q", code, 40)[0], *struct.unpack_from("<HH", code, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, offset + k * size) for k in range(count)]
    names: list[str] = []
    for s in sections:
        if s[1] == 2:  # SHT_SYMTAB
            strings = sections[s[6]]
            names += _undefined_in(code, s[4], s[5], strings[4])
    return names


def _undefined_in(code: bytes, start: int, length: int, strings: int) -> list[str]:
    found = []
    for at in range(start + 24, start + length, 24):  # the first symbol is empty
        name, _, _, section = struct.unpack_from("<IBBH", code, at)
        if section == 0 and name:
            end = code.index(b"\0", strings + name)
            found.append(code[strings + name : end].decode())
    return found
