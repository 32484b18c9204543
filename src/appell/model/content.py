"""The content of files: read whole, within bounds; written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from uuid import uuid4

from ..errors import ModelError


def read_bytes(path: str | os.PathLike[str], largest: int, wanted: str) -> bytes:
    """The bytes of a plain file of at most `largest` bytes; every error names the file."""
    where = f"file {os.fspath(path)!r}"
    try:
        _check(os.stat(path), where, largest, wanted)
        with open(path, "rb") as file:
            _check(os.fstat(file.fileno()), where, largest, wanted)
            content = file.read(largest + 1)
    except ModelError:
        raise
    except (OSError, ValueError) as error:
        raise ModelError(f"{where}: could not be read ({_reason(error)})") from None
    if len(content) > largest:
        raise ModelError(f"{where}: got a file that grows, wanted {wanted}")
    return content


def _check(found: os.stat_result, where: str, largest: int, wanted: str) -> None:
    """Refuse what is no file, before it is opened: a pipe would wait for ever, a device never end."""
    if stat.S_ISDIR(found.st_mode):
        raise ModelError(f"{where}: got a folder, wanted {wanted}")
    if not stat.S_ISREG(found.st_mode):
        raise ModelError(f"{where}: got a device or a pipe, wanted {wanted}")
    if found.st_size > largest:
        raise ModelError(f"{where}: got {found.st_size} bytes, wanted at most {largest}")


def read_text(path: str | os.PathLike[str], largest: int, wanted: str) -> str:
    """The text of a file in UTF-8."""
    try:
        return read_bytes(path, largest, wanted).decode("utf-8")
    except UnicodeDecodeError:
        raise ModelError(f"file {os.fspath(path)!r}: got bytes that are no UTF-8, wanted {wanted}") from None


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Save a text: a temporary file takes the place of the old one."""
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{uuid4().hex}")
    try:
        with open(temporary, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(temporary, target)
    except (OSError, UnicodeEncodeError) as error:
        temporary.unlink(missing_ok=True)
        raise ModelError(f"file {str(path)!r}: could not be written ({_reason(error)})") from None


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "a name that is no Unicode"
    return getattr(error, "strerror", None) or str(error)
