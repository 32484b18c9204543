"""Motion through impacts: how long it takes to follow, and how far off its end is then."""

from __future__ import annotations

from . import measure
from .comparison import Options
from .measure import Call
from .motion_peers import Follower, followers
from .motion_problems import Problem, problems
from .record import Moved, Result, mark, say
from .tables import duration


def follow(options: Options, result: Result) -> None:
    """Every problem by everyone, all in turn."""
    for problem in problems():
        say(problem.name)
        able = list(followers(problem, result.skipping(problem.name)))
        errors = [problem.error(one.run()) for one in able]
        calls = {_name(one): Call("run()", {"run": one.run}) for one in able}
        found = measure.compare(calls, options.seconds, options.repeats)
        for one, error in zip(able, errors):
            _keep(problem, one, error, found, result)


def _keep(problem: Problem, one: Follower, error: float, found: measure.Comparison, result: Result) -> None:
    t = found.times[_name(one)]
    row = Moved(problem.name, one.who, one.setting, t.median, t.best, error, problem.unit, found.share)
    result.moved.append(row)
    say(f"{_name(one)}: {duration(row.ns)}, off by {error:.1e} {problem.unit} {mark(row.share)}".rstrip())


def _name(one: Follower) -> str:
    return f"{one.who}, {one.setting}"
