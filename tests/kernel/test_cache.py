"""The cache on disk: private, whole entries only, and never needed."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot

from appell.kernel import build, cache, check, machine, make
from appell.model.lower import lower
from appell.model.mechanism import Mechanism
from appell.robot import Robot

ROW = Robot.from_dict(random_robot(1, 1)).formulation("inverse_dynamics", "newton_euler")
posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are of POSIX")


class Fresh:
    """Makes the same kernel as if in a new process, and counts what that costs."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch, self.compiled, self.checked = patch, 0, 0
        self.verify = check.verify
        self.tree = lower(Mechanism.from_dict(random_robot(21, 2)))

    def __call__(self, dtype: str = "f8", unroll: bool = True) -> Any:
        self.patch.setattr(make, "_made", {})
        self.patch.setattr(build, "compile_object", self._compile)
        self.patch.setattr(check, "verify", self._verify)
        cache._private.cache_clear()
        return make.make(ROW, self.tree, dtype=dtype, unroll=unroll)

    def _compile(self, ir: str) -> bytes:
        self.compiled += 1
        return machine.compile_object(ir)

    def _verify(self, *args: Any, **given: Any) -> None:
        self.checked += 1
        self.verify(*args, **given)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Fresh:
    return Fresh(monkeypatch)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache directory that does not exist yet."""
    folder = tmp_path / "deep" / "cache"
    monkeypatch.setenv("APPELL_CACHE_DIR", str(folder))
    return folder


def _answer(kernel: Any) -> list[float]:
    x = np.array([0.3, -0.7])
    return kernel.callable(x, 2 * x, 3 * x).tolist()


def _entries(place: Path) -> list[Path]:
    return sorted(place.glob("*.o"))


def test_the_second_time_nothing_is_compiled_or_checked(fresh: Fresh, place: Path):
    first = fresh()
    assert (first.from_cache, fresh.compiled, fresh.checked) == (False, 1, 1)
    second = fresh()
    assert (second.from_cache, fresh.compiled, fresh.checked) == (True, 1, 1)
    assert second.code == first.code
    assert _answer(second) == _answer(first)
    assert [e.stem for e in _entries(place)] == [first.interface.code]


def test_each_kind_of_code_has_an_entry_of_its_own(fresh: Fresh, place: Path):
    keys = {fresh(dtype, unroll).interface.code for dtype in ("f8", "f4") for unroll in (True, False)}
    assert {e.stem for e in _entries(place)} == keys
    assert len(keys) == 4


@pytest.mark.parametrize("part", ["triple", "cpu", "features"])
def test_another_machine_has_other_entries(fresh: Fresh, place: Path, part: str, monkeypatch: pytest.MonkeyPatch):
    from dataclasses import replace

    made = fresh().build
    own = made.key
    here = machine.machine()
    foreign = replace(here, **{part: getattr(here, part) + ",+other"})
    monkeypatch.setattr(machine, "machine", lambda: foreign)
    del vars(made)["key"]
    assert made.key != own


def test_other_versions_have_other_entries(fresh: Fresh, place: Path, monkeypatch: pytest.MonkeyPatch):
    import llvmlite

    made, keys = fresh().build, set()
    for module, name in ((llvmlite, "__version__"), (np, "__version__"), (machine, "WRITER")):
        keys.add(made.key)
        monkeypatch.setattr(module, name, "another")
        del vars(made)["key"]
    keys.add(made.key)
    assert len(keys) == 4


def _truncate(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _flip(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


DAMAGE = {
    "truncated": _truncate,
    "empty": lambda data: b"",
    "only a head": lambda data: data[:20],
    "a flipped bit": _flip,
    "a flipped seal": lambda data: data[:30] + bytes([data[30] ^ 128]) + data[31:],
    "another format": lambda data: b"appell-object/0\n" + data[16:],
    "text": lambda data: b"not an object at all",
    "longer": lambda data: data + b"\0",
}


@pytest.mark.parametrize("damage", list(DAMAGE))
def test_a_damaged_entry_is_built_anew_without_a_word(fresh: Fresh, place: Path, damage: str, recwarn: Any):
    wanted = _answer(fresh())
    (entry,) = _entries(place)
    whole = entry.read_bytes()
    entry.write_bytes(DAMAGE[damage](whole))
    again = fresh()
    assert (again.from_cache, fresh.compiled, fresh.checked) == (False, 2, 2)
    assert _answer(again) == wanted
    assert entry.read_bytes() == whole
    assert fresh().from_cache
    assert [str(w.message) for w in recwarn] == []


def test_an_entry_under_another_name_is_not_taken(fresh: Fresh, place: Path):
    first, other = fresh("f8"), fresh("f4")
    a, b = (place / f"{k.interface.code}.o" for k in (first, other))
    a.write_bytes(b.read_bytes())
    again = fresh("f8")
    assert not again.from_cache
    assert _answer(again) == _answer(first)


def test_an_entry_that_is_a_folder_is_passed_over(fresh: Fresh, place: Path):
    kernel = fresh()
    entry = place / f"{kernel.interface.code}.o"
    entry.unlink()
    entry.mkdir()
    assert _answer(fresh()) == _answer(kernel)
    assert [p.name for p in place.iterdir()] == [entry.name], "nothing half-written is left"


def test_no_temporary_file_is_left(fresh: Fresh, place: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert _answer(fresh())
    assert list(place.iterdir()) == []


def test_an_entry_appears_whole_or_not_at_all(place: Path, monkeypatch: pytest.MonkeyPatch):
    seen, swap = [], os.replace

    def watched(source: str, target: Path) -> None:
        seen.append((target.exists(), Path(source).parent == target.parent, len(Path(source).read_bytes())))
        swap(source, target)

    monkeypatch.setattr(os, "replace", watched)
    assert cache.write("name", b"code")
    assert seen == [(False, True, len(cache.MAGIC) + 32 + 4)]
    assert cache.read("name") == b"code"
    assert cache.read("eman") is None


@pytest.mark.parametrize("where", ["below a file", "a file", "a null"])
def test_an_unwritable_directory_costs_speed_only(
    fresh: Fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
):
    file = tmp_path / "file"
    file.write_text("")
    path = {"below a file": file / "cache", "a file": file, "a null": Path("/dev/null")}[where]
    monkeypatch.setenv("APPELL_CACHE_DIR", str(path))
    first, second = fresh(), fresh()
    assert (first.from_cache, second.from_cache, fresh.compiled) == (False, False, 2)
    assert _answer(first) == _answer(second)
    assert cache.write("name", b"code") is False


def test_a_directory_that_goes_away(fresh: Fresh, place: Path):
    fresh()
    for entry in place.iterdir():
        entry.unlink()
    place.rmdir()
    assert cache.read("name") is None
    assert cache.write("name", b"code") is False
    assert _answer(fresh())


@posix
def test_the_directory_is_private(fresh: Fresh, place: Path):
    fresh()
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    (entry,) = _entries(place)
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_directory_that_others_may_write_to_is_not_trusted(fresh: Fresh, place: Path, mode: int):
    fresh()
    place.chmod(mode)
    again = fresh()
    assert not again.from_cache
    assert fresh.compiled == 2
    assert cache.write("name", b"code") is False
    place.chmod(0o755)
    assert fresh().from_cache


@posix
def test_a_directory_of_another_user_is_not_trusted(fresh: Fresh, place: Path, monkeypatch: pytest.MonkeyPatch):
    fresh()
    monkeypatch.setattr(os, "getuid", lambda: place.stat().st_uid + 1)
    assert not fresh().from_cache


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("APPELL_CACHE_DIR", str(tmp_path / "here"))
    assert cache.directory() == tmp_path / "here"
    monkeypatch.setenv("APPELL_CACHE_DIR", "")
    monkeypatch.setattr(cache.sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache.directory() == tmp_path / ".cache" / "appell"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.directory() == tmp_path / "xdg" / "appell"
    monkeypatch.setattr(cache.sys, "platform", "darwin")
    assert cache.directory() == tmp_path / "Library" / "Caches" / "appell"
    monkeypatch.setattr(cache.sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache.directory() == tmp_path / "local" / "appell" / "cache"


def test_a_user_without_a_home_has_no_cache_and_no_error(fresh: Fresh, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APPELL_CACHE_DIR", "")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.setattr(cache.sys, "platform", "linux")
    assert _answer(fresh())
    assert list(tmp_path.iterdir()) == []


def test_clear(place: Path):
    assert cache.clear() == 0
    cache.write("a", b"1")
    cache.write("b", b"2")
    (place / "other.txt").write_text("kept")
    assert cache.clear() == 2
    assert [p.name for p in place.iterdir()] == ["other.txt"]
