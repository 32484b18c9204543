"""Every formulation of the three basic questions beside the others: on arms of six, seven and thirty joints."""

from __future__ import annotations

import appell
from appell.formulations.table import FORMULATIONS

from . import robots
from .comparison import KINDS, Options, show, task_for, timed, verified
from .ours import bare
from .record import Result, say
from .task import FD, ID, M
from .truth import truth_for

ROBOTS = ("puma", "7r", "chain30")
BASIC = (ID, M, FD)


def compare_methods(options: Options, result: Result) -> None:
    """Times of one call and of a batch, question by question, all formulations in turn."""
    for name in ROBOTS:
        say(name)
        data = robots.load(name)
        truth, robot = truth_for(data), appell.Robot.from_dict(data)
        for question in BASIC:
            task = task_for(data, truth, question, options.states)
            skip = result.skipping(f"{name}, {question}, methods")
            rows = (row.name for row in FORMULATIONS if row.computes == question)
            able = [c for c in (bare(task, robot, row, row) for row in rows) if verified(c, task, truth, skip)]
            for kind in KINDS:
                found = timed(name, task, kind, able, options)
                result.methods += found
                show(found)
