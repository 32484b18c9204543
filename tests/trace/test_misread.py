"""What a rolled reading would misread in silence is refused: values, bodies and counters that leave their sweep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from oracles.traced import CASES

from appell.errors import TraceError
from appell.trace.pattern import Pattern
from appell.trace.program import Array
from appell.trace.rolled import trace_rolled
from appell.vec import Vec3

TREES = {"tree": CASES["tree"].tree, "chain": CASES["arm"].tree}


def local_value(robot: Any, q: Any) -> Any:
    tau, before = robot.vector(), 0
    for b in robot.outward():
        before = q[b.q_index] + before
        for z in b.freedoms:
            tau[z] = before
    return tau


def value_after_its_sweep(robot: Any, q: Any) -> Any:
    tau, x = robot.vector(), 0
    for b in robot.outward():
        x = q[b.q_index] * 3.0
    for b in robot.outward():
        for z in b.freedoms:
            tau[z] = x
    return tau


def list_across_sweeps(robot: Any, q: Any) -> Any:
    tau, kept = robot.vector(), []
    for b in robot.outward():
        kept.append(q[b.q_index] * 3.0)
    for b in robot.inward():
        for z in b.freedoms:
            tau[z] = kept.pop()
    return tau


def dictionary_by_body(robot: Any, q: Any) -> Any:
    tau, kept = robot.vector(), {}
    for b in robot.outward():
        kept[b.index] = q[b.q_index]
    return tau


def parent_is_zero(robot: Any, q: Any) -> Any:
    tau = robot.vector()
    for b in robot.outward():
        for z in b.freedoms:
            tau[z] = q[b.q_index] if b.parent == 0 else 0.0
    return tau


def parent_is_true(robot: Any, q: Any) -> Any:
    tau = robot.vector()
    for b in robot.outward():
        if b.parent:
            tau[b.v_index] = q[b.q_index]
    return tau


def body_as_number(robot: Any, q: Any) -> Any:
    tau = robot.vector()
    for b in robot.outward():
        tau[b.v_index] = [1.0, 2.0, 3.0][b.index]
    return tau


def order_of_bodies(robot: Any, q: Any) -> Any:
    tau = robot.vector()
    for b in robot.outward():
        if b.index < 3:
            tau[b.v_index] = q[b.q_index]
    return tau


def branch_on_a_value(robot: Any, q: Any) -> Any:
    tau = robot.vector()
    for b in robot.outward():
        if q[b.q_index] > 0:
            tau[b.v_index] = 1.0
    return tau


def python_counter(robot: Any, q: Any) -> Any:
    tau, count = robot.vector(), 0
    for b in robot.outward():
        count = count + 1
        for z in b.freedoms:
            tau[z] = q[b.q_index] * (count + 1.5)
    return tau


def first_body_flag(robot: Any, q: Any) -> Any:
    tau, first = robot.vector(), True
    for b in robot.outward():
        for z in b.freedoms:
            tau[z] = q[b.q_index] if first else 0.0
        first = False
    return tau


def inner_value_outside(robot: Any, q: Any) -> Any:
    tau = robot.vector()
    for b in robot.outward():
        x = 0
        for c in robot.support(b):
            x = q[c.q_index] * 2.0
        for z in b.freedoms:
            tau[z] = x
    return tau


def inner_sum(robot: Any, q: Any) -> Any:
    tau = robot.vector()
    for b in robot.outward():
        x = q[b.q_index] * 0.5
        for c in robot.support(b):
            x = x + q[c.q_index]
        for z in b.freedoms:
            tau[z] = x
    return tau


def inner_body_outside(robot: Any, q: Any) -> Any:
    tau, w = robot.vector(), robot.slots()
    for b in robot.outward():
        for c in robot.support(b):
            w[c] = q[c.q_index]
        w[c.parent] = q[b.q_index]
    return tau


def body_after_its_sweep(robot: Any, q: Any) -> Any:
    tau, w = robot.vector(), robot.slots()
    for b in robot.outward():
        w[b] = q[b.q_index]
    w[b] = 0.0
    return tau


def freedom_after_its_sweep(robot: Any, q: Any) -> Any:
    tau, z = robot.vector(), None
    for b in robot.outward():
        for z in b.freedoms:
            tau[z] = 1.0
    for b in robot.outward():
        tau[z] = q[b.q_index]
    return tau


def support_after_its_sweep(robot: Any, q: Any) -> Any:
    tau, w = robot.vector(), robot.slots()
    for b in robot.outward():
        w[b] = q[b.q_index]
    for c in robot.support(b):
        w[c] = 1.0
    return tau


def slot_read_after_its_sweep(robot: Any, q: Any) -> Any:
    tau, w = robot.vector(), robot.slots(Vec3)
    for b in robot.outward():
        w[b] = Vec3(q[b.q_index], 0, 1)
    tau[0] = w[b].x
    return tau


def broken_sweep(robot: Any, q: Any) -> Any:
    tau = robot.vector()
    for b in robot.outward():
        for z in b.freedoms:
            tau[z] = q[b.q_index]
        break
    return tau


def broken_inner_sweep(robot: Any, q: Any) -> Any:
    tau = robot.vector()
    for b in robot.outward():
        for c in robot.support(b):
            tau[b.v_index] = q[c.q_index]
            break
    return tau


def returned_from_a_sweep(robot: Any, q: Any) -> Any:
    tau = robot.vector()
    for b in robot.outward():
        if b.kind:
            return tau
    return tau


def sweeps_side_by_side(robot: Any, q: Any) -> Any:
    tau = robot.vector()
    for b, c in zip(robot.outward(), robot.inward()):
        tau[b.v_index] = q[c.q_index]
    return tau


LEAK = "keep it in a slot|keep what changes in a slot"
MISREAD: list[tuple[Callable[..., Any], str]] = [
    *((f, LEAK) for f in (local_value, value_after_its_sweep, list_across_sweeps, python_counter, first_body_flag)),
    *((f, LEAK) for f in (inner_value_outside, inner_sum)),
    *((f, "do not compare or branch") for f in (parent_is_zero, parent_is_true, body_as_number, order_of_bodies)),
    (dictionary_by_body, "do not compare or branch"),
    (branch_on_a_value, "do not branch on it"),
    *((f, "after its sweep") for f in (inner_body_outside, body_after_its_sweep, freedom_after_its_sweep)),
    *((f, "after its sweep") for f in (support_after_its_sweep, slot_read_after_its_sweep)),
    *((f, "left before its end") for f in (broken_sweep, broken_inner_sweep, returned_from_a_sweep)),
    (sweeps_side_by_side, "left before its end"),
]


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
@pytest.mark.parametrize("text, reason", MISREAD, ids=lambda x: getattr(x, "__name__", ""))
def test_what_cannot_be_rolled_is_refused(text: Callable[..., Any], reason: str, tree: Any) -> None:
    with pytest.raises(TraceError, match=reason):
        trace_rolled("small", text, Pattern.of(tree), (Array("q", "lane", ("nq",)),), (("tau", None),))
