"""Charts: what is drawn, what is in the key, and which curves are one."""

from __future__ import annotations

import numpy as np
import pytest

from appell.show.charts import Chart, Panel, merged

plt = pytest.importorskip("matplotlib.pyplot")


def drawn(panel: Panel, at: object = (0.0, 1.0)) -> object:
    """The axis of a panel."""
    _, axis = plt.subplots()
    Chart("name", "A title", "x", at, (panel,))._draw(axis, panel)
    plt.close("all")
    return axis


def test_a_chart_is_a_picture_with_all_its_panels() -> None:
    panels = (Panel("y", {"a": [1.0, 2.0]}, title="one"), Panel("z", {"_": [1e-3, 1.0]}, log=True))
    assert Chart("name", "A title", "x", [0, 1], panels, height=1.5, instants=(0.5,)).png().startswith(b"\x89PNG")


def test_the_key_has_the_names_that_want_to_be_there() -> None:
    axis = drawn(Panel("y", {"a": [1, 2], "_b": [2, 1]}))
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["a"]
    assert drawn(Panel("y", {"_": [1, 2]})).get_legend() is None


def test_bars_stand_on_zero_and_say_their_numbers() -> None:
    axis = drawn(Panel("ns", {"_": [79.338, 118.9]}, bars=True), at=("one", "two"))
    assert [bar.get_height() for bar in axis.patches] == [79.338, 118.9]
    assert axis.get_ylim()[0] == 0
    assert {"79.3", "119"} <= {text.get_text() for text in axis.texts}


def test_equal_curves_are_one() -> None:
    x = np.linspace(0.0, 1.0, 5)
    found = merged({"a": x, "b": x + 1e-12, "c": x + 1e-3})
    assert [*found] == ["a, b", "c"]
    assert [*merged({"a": x, "b": x + 1e-12}, near=0.0)] == ["a", "b"]
