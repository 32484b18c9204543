"""Object code on disk, named by what it is made of: atomic, private, checked; a damaged entry is built anew."""

from __future__ import annotations

import os
import sys
import tempfile
from functools import cache
from pathlib import Path

from ..trace.digest import sha256

MAGIC = b"appell-object/1\n"


def directory() -> Path:
    """Where entries stand: $APPELL_CACHE_DIR, or the user's cache directory."""
    given = os.environ.get("APPELL_CACHE_DIR")
    if given:
        return Path(given)
    home = Path(os.path.expanduser("~"))  # stays "~" where nobody knows it
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "appell" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "appell"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "appell"


def key(*parts: str) -> str:
    """A file's name from everything that its content depends on."""
    return sha256("\0".join(parts).encode()).hexdigest()


def read(name: str, kind: str = "o") -> bytes | None:
    """What an entry holds, or None if there is none that is whole and ours."""
    place = _private(str(directory()))
    if place is None:
        return None
    try:
        data = (place / f"{name}.{kind}").read_bytes()
    except OSError:
        return None
    head, seal, code = data[: len(MAGIC)], data[len(MAGIC) : len(MAGIC) + 32], data[len(MAGIC) + 32 :]
    return code if head == MAGIC and seal == _seal(name, code) else None


def write(name: str, code: bytes, kind: str = "o") -> bool:
    """Keeps an entry; False where nothing can be written, which costs speed only."""
    place = _private(str(directory()))
    if place is None:
        return False
    try:
        handle, temporary = tempfile.mkstemp(dir=place, prefix=".new-")
    except OSError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + _seal(name, code) + code)
        os.replace(temporary, place / f"{name}.{kind}")
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        return False
    return True


def clear() -> int:
    """Removes every entry; how many held code."""
    gone = [entry for kind in ("o", "ask") for entry in directory().glob(f"*.{kind}")]
    for entry in gone:
        entry.unlink(missing_ok=True)
    return sum(entry.suffix == ".o" for entry in gone)


def _seal(name: str, code: bytes) -> bytes:
    return sha256(name.encode() + code).digest()


@cache
def _private(path: str) -> Path | None:
    """The folder, made if need be; None unless it is this user's and nobody else may write there."""
    place = Path(path)
    if not place.is_absolute() and path.startswith("~"):
        return None
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = place.stat()
    except OSError:
        return None
    if hasattr(os, "getuid") and (state.st_uid != os.getuid() or state.st_mode & 0o022):
        return None
    return place
