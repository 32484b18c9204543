"""The page on architecture shows what the code does today."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from appell.show import architecture
from appell.show.architecture import BEGIN, END, MACHINE

PAGE = Path(__file__).resolve().parents[2] / "docs" / "architecture.md"


def test_the_programs_in_the_page_are_those_of_today() -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = page[page.index(BEGIN) + len(BEGIN) : page.index(MACHINE)].strip()
    assert shown == architecture.programs().strip(), f"run: {architecture.COMMAND}"


def test_the_page_is_rewritten_in_its_place_only() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    new = architecture.rewritten(page)
    assert new.startswith(f"before\n{BEGIN}\n") and new.endswith(f"{END}\nafter\n")
    assert "old" not in new
    assert architecture.rewritten(new) == new
    with pytest.raises(SystemExit, match="no place"):
        architecture.rewritten("nothing")


def test_machine_code_stores_every_torque() -> None:
    part = architecture.machine_code()
    ir = part[part.index("```llvm") :].partition("```\n")[0]
    assert ir.count("store ") == architecture.arm().nv
    assert "%tau" in ir
    assert part.count("tau[") == architecture.arm().nv


def test_the_arm_is_the_textbook_double_pendulum() -> None:
    """Two uniform rods in closed form."""
    m1, m2, length, g = 2.0, 1.0, 0.6, 9.81
    q, v, a = np.array([0.3, 0.7]), np.array([1.1, -0.4]), np.array([0.5, 2.0])
    c, s, k = np.cos(q[1]), np.sin(q[1]), m2 * length**2
    M = np.array([[(m1 / 3 + m2) * length**2 + k / 3 + k * c, k / 3 + k * c / 2], [k / 3 + k * c / 2, k / 3]])
    h = k * s / 2 * np.array([-(2 * v[0] + v[1]) * v[1], v[0] ** 2])
    outer = m2 * g * length / 2 * np.cos(q.sum())
    weight = np.array([(m1 / 2 + m2) * g * length * np.cos(q[0]) + outer, outer])
    np.testing.assert_allclose(architecture.kernel().callable(q, v, a), M @ a + h + weight, rtol=1e-13)
