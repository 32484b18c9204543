"""C files that a robot writes: they compile without a warning, and their self-test holds."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import appell

GCC = shutil.which("gcc")
CASES = {
    "arm-id": ("puma560", "inverse_dynamics", {}),
    "arm wrench": ("puma560", "inverse_dynamics", {"inputs": ["wrench"]}),
    "tool": ("puma560", "jacobian", {"frame": "link6"}),
    "dog": ("quadruped", "mass_matrix", {}),
    "loops": ("quadruped", "inverse_dynamics", {"unroll": False}),
}


@pytest.mark.skipif(GCC is None, reason="no gcc on this machine")
@pytest.mark.parametrize("precision", ["double", pytest.param("float", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CASES)
def test_the_self_test_of_written_c_holds(name: str, precision: str, tmp_path: Path) -> None:
    robot, what, options = CASES[name]
    appell.load(robot).write_c(what, tmp_path / f"{name}.c", precision=precision, **options)
    legal = name.replace("-", "_").replace(" ", "_")
    (tmp_path / "main.c").write_text(f'#include "{name}.h"\nint main(void) {{ return {legal}_selftest(); }}\n')
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
    subprocess.run([GCC, *strict, "main.c", f"{name}.c", "-lm", "-o", "t"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "t"]).returncode == 0


def test_a_file_that_is_no_c_is_refused(tmp_path: Path) -> None:
    with pytest.raises(appell.AppellError, match=r"ends in \.c"):
        appell.load("scara").write_c("mass_matrix", tmp_path / "scara.txt")


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(appell.AppellError, match="cannot write"):
        appell.load("scara").write_c("mass_matrix", tmp_path / "none" / "scara.c")
