"""Whoever is timed gives the right answer, and whoever does not is found out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from benchmarks import robots
from benchmarks.comparison import task_for
from benchmarks.ours import appell_contenders
from benchmarks.task import DID, FD, ID, QUESTIONS, Contender, M, Task
from benchmarks.truth import OtherText, reference, relative, truth_for, wrong

pytestmark = pytest.mark.filterwarnings("ignore:.*radii of gyration")
STATES = 21  # not a multiple of any vector


@pytest.fixture(scope="module")
def pinocchio() -> object:
    """The oracle of the PUMA."""
    pytest.importorskip("pinocchio")
    return truth_for(robots.load("puma"))


def asked(name: str, question: str, truth: object) -> Task:
    return task_for(robots.load(name), truth, question, STATES)


def all_right(makers: Callable[..., Iterator[Contender]], task: Task, truth: object, *rest: object) -> int:
    found = list(makers(task, *rest))
    assert [(c.name, wrong(c, task, truth)) for c in found if wrong(c, task, truth)] == []
    return len(found)


@pytest.mark.parametrize("question", QUESTIONS)
def test_appell_answers_as_pinocchio(question: str, pinocchio: object) -> None:
    assert all_right(appell_contenders, asked("puma", question, pinocchio), pinocchio) == 3


@pytest.mark.parametrize("question", QUESTIONS)
def test_pinocchio_in_its_best_way_answers_as_itself(question: str, pinocchio: object) -> None:
    from benchmarks.pinocchio_peer import pinocchio_peers

    assert all_right(pinocchio_peers, asked("puma", question, pinocchio), pinocchio, True) >= 1


@pytest.mark.parametrize("question", (ID, M, FD))
def test_mujoco_answers_as_pinocchio(question: str, pinocchio: object) -> None:
    pytest.importorskip("mujoco")
    from benchmarks.mujoco_peer import mujoco_peers

    assert all_right(mujoco_peers, asked("puma", question, pinocchio), pinocchio, True) >= 1


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("name", ("puma", "quadruped"))
def test_casadi_text_answers_as_pinocchio(name: str, question: str) -> None:
    """The text itself, without gcc: that takes seconds."""
    pytest.importorskip("casadi")
    pytest.importorskip("pinocchio")
    from benchmarks.casadi_questions import SpatialQuestions

    truth = truth_for(robots.load(name))
    task = asked(name, question, truth)
    given = SpatialQuestions(truth).function(question)(*task.one[: task.inputs])
    found = [np.array(x).T for x in (given if isinstance(given, tuple) else (given,))]
    wanted = reference(truth, question, *task.one)
    assert relative(np.reshape(found, wanted.shape), wanted) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_casadi_compiled_answers_as_pinocchio(question: str, pinocchio: object) -> None:
    pytest.importorskip("casadi")
    from benchmarks.casadi_peer import casadi_peers

    task = asked("puma", question, pinocchio)
    try:
        assert all_right(casadi_peers, task, pinocchio, True) == 1
    except NotImplementedError as reason:
        pytest.skip(str(reason))


@pytest.mark.slow
@pytest.mark.parametrize("question", (ID, FD))
def test_without_a_peer_the_other_text_is_the_truth(question: str) -> None:
    truth = truth_for(robots.load("chain1200"))
    assert isinstance(truth, OtherText) and truth.method == "newton_euler"
    assert all_right(appell_contenders, asked("chain1200", question, truth), truth) == 3


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("spoilt", (1e-6, np.nan))
def test_a_wrong_answer_is_named(question: str, spoilt: float, pinocchio: object) -> None:
    task = asked("puma", question, pinocchio)
    answer = reference(pinocchio, question, *task.one)
    bad = Contender("bad", answer=lambda: answer * (1.0 + spoilt))
    assert wrong(bad, task, pinocchio).startswith("WRONG")
    assert not wrong(Contender("good", answer=lambda: answer), task, pinocchio)


def test_a_wrong_row_of_a_batch_is_named(pinocchio: object) -> None:
    task = asked("puma", DID, pinocchio)
    rows = np.array([reference(pinocchio, DID, *row) for row in zip(*task.many)])
    assert not wrong(Contender("good", batch_answer=lambda: rows), task, pinocchio)
    rows[-1, 2, 0, 0] *= 1.001
    assert wrong(Contender("bad", batch_answer=lambda: rows), task, pinocchio)
