"""From a question with options to a kernel: names, places, contradictions."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state

from appell import asking
from appell.errors import ModelError, ShapeError, UnknownName
from appell.formulations.table import QUESTIONS
from appell.robot import Robot

DATA = random_robot(95, 4, joints="mixed", floating=True, shape="tree", order="shuffled")
ROBOT = Robot.from_dict(DATA)
ARM = Robot.from_dict(random_robot(96, 3))


def test_names_of_joints_and_bodies_are_places_in_v():
    starts = (*ROBOT.mechanism.v_starts, ROBOT.nv)
    for k, body in enumerate(ROBOT.bodies):
        wanted = frozenset(range(starts[k], starts[k + 1]))
        assert asking.freedoms(ROBOT, (body.name,)) == asking.freedoms(ROBOT, (body.joint.name,)) == wanted
    assert asking.freedoms(ROBOT, ()) == frozenset()
    assert asking.freedoms(ROBOT, tuple(b.name for b in ROBOT.bodies)) == frozenset(range(ROBOT.nv))
    with pytest.raises(UnknownName, match="unknown joint 'joint9'; did you mean"):
        asking.freedoms(ROBOT, ("joint9",))


def test_one_name_or_several():
    assert asking.words("inputs", "wrench") == ("wrench",)
    assert asking.words("inputs", ["a", "b"]) == asking.words("inputs", iter(("a", "b"))) == ("a", "b")
    assert asking.words("inputs", ()) == ()
    for bad in (3, None, [3], [None], [["a"]], 1.5):
        with pytest.raises(ShapeError, match="inputs is .*, wanted a list of names"):
            asking.words("inputs", bad)


def test_types_of_numbers():
    assert asking.code_of(float) == asking.code_of(np.float64) == asking.code_of("double") == "f8"
    assert asking.code_of("float32") == asking.code_of(np.dtype("f4")) == "f4"
    for bad in ("f9", object(), ["f8", 3]):
        with pytest.raises(ShapeError, match="dtype is .*, wanted float64 or float32"):
            asking.code_of(bad)
    for other in ("f2", int, complex, bool, object):
        with pytest.raises(ShapeError, match="kernel bias: dtype is .*, wanted float64 or float32"):
            ARM.kernel("bias", dtype=other)


@pytest.mark.parametrize(
    ("what", "options", "words"),
    [
        (
            "forward_dynamics",
            {"method": "gibbs_appell_tree", "unroll": False},
            "does not roll into loops; wanted unroll=True",
        ),
        ("hybrid_dynamics", {"prescribed": ["joint1"], "unroll": False}, "does not roll into loops"),
        ("bias", {"unroll": "no"}, "bias: unroll is 'no', wanted True, False or None"),
        ("bias", {"unroll": 2}, "unroll is 2"),
        ("bias", {"frame": "tool"}, "bias got the frame 'tool', wanted none"),
        ("bias", {"prescribed": ["joint1"]}, "bias got prescribed joints, wanted none; hybrid_dynamics takes them"),
        ("pose", {}, "unknown frame 'None'; known: base, body0"),
        ("inverse_dynamics", {"inputs": ["body1.mass"], "unroll": False}, "want unroll=True, got unroll=False"),
        ("inverse_dynamics", {"method": ["gibbs_appell"]}, r"got \['gibbs_appell'\] where it wanted a name"),
        ("pose", {"frame": ["tool"]}, r"got \['tool'\] where it wanted a name"),
    ],
)
def test_contradictions(what: str, options: dict[str, Any], words: str):
    with pytest.raises(ValueError, match=words):
        ARM.kernel(what, **options)


def test_a_robot_that_cannot_move():
    data = random_robot(97, 2)
    for body in data["bodies"]:
        body["joint"] = {"name": body["joint"]["name"], "type": "fixed"}
    robot, none = Robot.from_dict(data), np.zeros(0)
    with pytest.raises(ModelError, match="has no joint that moves, wanted a degree of freedom at least"):
        robot.mass_matrix(none)
    for unroll in (True, False):
        with pytest.raises(ModelError, match="no joint that moves"):
            robot.pose(none, "tool", unroll=unroll)


def test_questions_with_options_and_frames():
    q, v, _ = random_state(DATA, 1)
    for dtype in ("f8", "f4"):
        T = asking.answered(ROBOT, "pose", (q,), {"dtype": dtype, "threads": 1}, "tool")
        np.testing.assert_allclose(T, ROBOT.pose(q, "tool"), atol=1e-5)
    with pytest.raises(UnknownName, match="unknown option of bias 'treads'; did you mean 'threads'"):
        asking.answered(ROBOT, "bias", (q, v), {"treads": 2}, None)


def test_callers_options_are_left_as_they_are():
    q, v, a = random_state(DATA, 1)
    options = {"method": "newton_euler", "wrench": np.zeros((4, 6)), "threads": 2}
    before = dict(options)
    ROBOT.inverse_dynamics(q, v, a, **options)
    assert options.keys() == before.keys()


def test_wrenches_on_links_do_the_same_work():
    """The power of wrenches on bodies is that of those on links, for any motion."""
    q, v, a = random_state(DATA, 3)
    W = np.random.default_rng(0).normal(size=(2, 4, 6))
    f = ROBOT.kernel("inverse_dynamics", unroll=False, inputs=["wrench"])
    direct = f.function(q, v, a, asking.on_links(ROBOT, W))
    np.testing.assert_allclose(direct, ROBOT.inverse_dynamics(q, v, a, wrench=W), rtol=1e-9)
    assert asking.on_links(ROBOT, W).shape == (2, ROBOT.light_tree.n, 6)
    with pytest.raises(ShapeError, match=r"wrench has shape \(3, 6\), wanted \(..., 4, 6\)"):
        asking.on_links(ROBOT, np.zeros((3, 6)))
    with pytest.raises(ShapeError, match="external forces: wrench holds <U3"):
        asking.on_links(ROBOT, "abc")


def test_a_function_that_takes_wrenches_on_bodies_is_like_any_other():
    f = ROBOT.kernel("inverse_dynamics", unroll=False, inputs=["wrench"])
    assert f.__name__ == "inverse_dynamics"
    assert f.__self__.program.rolled
    assert [*inspect.signature(f).parameters] == ["q", "v", "a", "wrench", "out"]
    q, v, a = random_state(DATA, 3)
    with pytest.raises(ShapeError, match="got 3 arguments, wanted 4: q, v, a, wrench"):
        f(q, v, a)
    with pytest.raises(AttributeError):
        _ = f.nothing
    W = np.ones((4, 6))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(f))(q, v, a, W), f(q, v, a, W))


def test_the_way_back_to_the_robot():
    ask = ARM.kernel("jacobian", frame="tool", dtype="f4").__self__.ask
    assert (ask.robot, ask.asked.what, ask.asked.frame) == (ARM, "jacobian", "tool")
    assert ask.kernel().callable is ARM.kernel("jacobian", frame="tool", dtype="f4")
    q = np.zeros(3)
    assert ask(q).dtype == np.float32
    assert ask(q, dtype="f8").dtype == np.float64


def test_identities_are_equal_for_equal_mechanisms():
    one, two = (asking.Identity(r.mechanism, r.identity) for r in (ARM, Robot.from_dict(ARM.to_dict())))
    other = asking.Identity(ROBOT.mechanism, ARM.identity)
    assert one == two
    assert hash(one) == hash(two)
    assert one != other
    assert one != "identity"


@pytest.mark.parametrize("what", list(QUESTIONS))
def test_too_few_and_too_many_arguments(what: str):
    """In the same words before and after the first answer."""
    robot = Robot.from_dict(ARM.to_dict())
    question = getattr(robot, what)
    with pytest.raises(ShapeError, match=f"{what}.* wanted q"):
        question()
    with pytest.raises(ShapeError, match=f"{what}.* wanted q"):
        question(*[np.zeros(3)] * 9)
    assert question.__doc__
    assert next(iter(inspect.signature(question).parameters)) == "q"


def test_errors_inside_are_not_hidden():
    """A TypeError of another kind goes through as it is."""

    def question(self: Any, q: Any) -> None:
        """A question."""
        raise TypeError("from within")

    with pytest.raises(TypeError, match="from within"):
        asking._explained(question)(None, 1)
