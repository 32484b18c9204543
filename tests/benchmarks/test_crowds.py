"""Many motions by everybody end where the closed form, or a more exact simulation, says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import crowds
from benchmarks.record import Result
from benchmarks.report import markdown
from benchmarks.surroundings import circumstances


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, count in (("COUNT", 16), ("CHECKED", 4), ("ONE_BY_ONE", 3)):
        monkeypatch.setattr(crowds, name, count)


@pytest.mark.parametrize("make", [crowds._pendulums, crowds._humanoids])
def test_everybody_is_as_exact_as_the_way_allows(make: object) -> None:
    pytest.importorskip("mujoco")
    _, ways, errors = make(Result("test", {}))  # type: ignore[operator]
    found = {(w.who, w.setting): float(np.median(errors(w.run()))) for w in ways if w.setting != "RK4, 0.0001 s"}
    assert found["appell", "rtol 1e-09"] < 1e-8 < found["appell", "rtol 1e-06"] < 1e-4
    rolled = [off for (who, _), off in found.items() if who == "mujoco rollout"]
    assert max(rolled) < (1e-8 if "humanoid" in make.__name__ else 0.3)  # type: ignore[attr-defined]


def test_all_are_timed_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "_pendulums", lambda result: ("none", iter(()), np.abs))
    monkeypatch.setattr(crowds, "_humanoids", lambda result: ("none", iter(()), np.abs))
    result = Result("test", circumstances())
    crowds.crowd(result, many=5)
    assert [(c.who, c.count) for c in result.crowds] == [("appell", 5), ("appell, one by one", 3)]
    assert all(c.error <= c.most < 1e-2 for c in result.crowds)
    page = markdown(result)
    assert "## Many motions at once" in page and "| variants of shafei2018, 1.5 s | 5 | appell | rtol 1e-06 |" in page
    assert "variants of shafei2018, 1.5 s, 10000 of them" in page
