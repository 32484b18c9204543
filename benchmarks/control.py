"""What a control loop waits for: a step of a law in C, its worst case; and inverse kinematics, its success."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import appell
from appell.control import Block, Gains, point_to_point, tracking
from appell.control.inverse_kinematics import solver_for

from .measure import Share
from .record import Posed, Result, Stepped, mark, say
from .tables import duration
from .task import available

Array = np.ndarray[Any, Any]
LAW = "PUMA, computed torque"
STEPS, STATES = 10**7, 1024
FLAGS = ("-std=c99", "-O3", "-march=native", "-ffp-contract=fast")
COUNT, PEERS_COUNT, NEAR = 1000, 300, 1e-5  # poses; of peers that take long; what a pose may be missed by
HARNESS = """#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "law.h"

static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}}

static int rising(const void *a, const void *b)
{{
    const double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}}

int main(void)
{{
    static law_state state;
    static {real} x[{states}][5][{n}], tau[{n}];
    {real} kept = 0;
    for (int k = 0; k < {states}; ++k)
        for (int i = 0; i < 5; ++i)
            for (int j = 0; j < {n}; ++j) x[k][i][j] = ({real})(2.0 * rand() / RAND_MAX - 1.0);
    double *spent = malloc({steps} * sizeof *spent);
    if (!spent) return 1;
    law_start(&state);
    for (int k = 0; k < {states}; ++k) law_step(&state, x[k][0], x[k][1], x[k][2], x[k][3], x[k][4], tau);
    const double begin = now();
    for (long k = 0; k < {steps}; ++k) {{
        {real} (*s)[{n}] = x[k % {states}];
        law_step(&state, s[0], s[1], s[2], s[3], s[4], tau);
        kept += tau[0];
    }}
    const double mean = (now() - begin) / {steps};
    for (long k = 0; k < {steps}; ++k) {{
        {real} (*s)[{n}] = x[k % {states}];
        const double start = now();
        law_step(&state, s[0], s[1], s[2], s[3], s[4], tau);
        spent[k] = now() - start;
        kept += tau[0];
    }}
    qsort(spent, {steps}, sizeof *spent, rising);
    printf("%.9g %.9g %.9g %g\\n", mean, spent[(long)(0.99999 * {steps})], spent[{steps} - 1], (double)kept);
    free(spent);
    return 0;
}}
"""


def control(result: Result, quick: bool) -> None:
    """Both parts."""
    robot = appell.load("puma560")
    steps = STEPS // 100 if quick else STEPS
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler) is None:
            result.skip(compiler, "the step of a law in C", "it is not installed")
            continue
        for precision in ("double", "float"):
            in_c(tracking(robot, Gains(100.0, 20.0)), f"C, {compiler}, {precision}", precision, compiler, steps, result)
    from_python(point_to_point(robot, Gains(100.0, 20.0)), steps, result)
    inverse(result, 10 if quick else 1)


def in_c(law: Block, who: str, precision: str, compiler: str, steps: int, result: Result) -> None:
    """The law written, compiled and run."""
    with tempfile.TemporaryDirectory() as folder:
        law.write_c(Path(folder) / "law.c", precision)
        text = HARNESS.format(real=precision, n=law.robot.nv, steps=steps, states=STATES)
        (Path(folder) / "main.c").write_text(text)
        command = [compiler, *FLAGS, "law.c", "main.c", "-lm", "-o", "run"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        before = os.times()
        done = subprocess.run([str(Path(folder) / "run")], capture_output=True, text=True, check=True)
        after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    share = min(1.0, used / max(after.elapsed - before.elapsed, 0.01))
    mean, most, worst, _ = map(float, done.stdout.split())
    keep(Stepped(LAW, who, steps, mean, most, worst, share), result)


def from_python(law: Block, steps: int, result: Result) -> None:
    """The bare kernel, called from Python."""
    rng, kernel, count = np.random.default_rng(1), law.kernel, min(steps, 10**6)
    q, v, goal = (rng.uniform(-1, 1, law.robot.nv) for _ in range(3))
    with Share() as share:
        began = perf_counter()
        for _ in range(count):
            kernel(q, v, goal)
        mean = (perf_counter() - began) / count * 1e9
    keep(Stepped("PUMA, point to point", "kernel from Python", count, mean, np.nan, np.nan, share.value), result)


def keep(row: Stepped, result: Result) -> None:
    result.stepped.append(row)
    worst = "" if row.worst != row.worst else f", worst {duration(row.worst)}"
    say(f"{row.what}, {row.who}: mean {duration(row.mean)}{worst} {mark(row.share)}".rstrip())


def inverse(result: Result, part: int) -> None:
    """Arms without and with a closed form, one pose after another, and all at once."""
    for name, frame in (("puma560", "tool"), ("panda", "flange")):
        robot = appell.load(name)
        Q = postures(robot, COUNT // part)
        poses = robot.pose(Q, frame)
        for who, count, solve in [*ours(robot, frame, poses), *theirs(robot, poses, result, part)]:
            solve(poses[:2])  # built, and in the cache
            with Share() as share:
                began = perf_counter()
                q = solve(poses[:count])
                spent = (perf_counter() - began) / count * 1e9
            off = np.abs(robot.pose(np.nan_to_num(q), frame) - poses[:count]).reshape(count, -1).max(1)
            reached = float(np.mean((off < NEAR) & ~np.isnan(q).any(1)))
            result.posed.append(Posed(name, who, count, reached, spent, share.value))
            say(f"{name}, {who}: {reached:.1%}, {duration(spent)} {mark(share.value)}".rstrip())


def postures(robot: appell.Robot, count: int) -> Array:
    """Random ones within the limits."""
    from appell.control.inverse_kinematics import limits

    low, high = (np.array(x) for x in limits(robot))
    low, high = np.where(np.isfinite(low), low, -np.pi), np.where(np.isfinite(high), high, np.pi)
    return np.random.default_rng(1).uniform(low, high, (count, robot.nq))


def ours(robot: appell.Robot, frame: str, poses: Array) -> Iterator[tuple[str, int, Callable[[Array], Array]]]:
    """By closed form where there is one, and by numbers, within the limits."""
    from appell.control.inverse_kinematics import inverse_kinematics, limits
    from appell.control.pursuit import Pursuit

    if not isinstance(solver_for(robot, frame), Pursuit):
        yield "appell, closed form, batch", len(poses), lambda T: inverse_kinematics(robot, T, frame).q[:, 0]
    low, high = (np.array(x) for x in limits(robot))
    numbers, start = Pursuit.of(robot, frame, low, high).within, np.zeros(robot.nq)
    yield "appell, numbers, batch", len(poses), lambda T: numbers.solve(T, start)[:, 0]
    yield "appell, numbers, one by one", len(poses), lambda T: np.concatenate(
        [numbers.solve(x[None], start)[:, 0] for x in T]
    )


def theirs(
    robot: appell.Robot, poses: Array, result: Result, part: int
) -> Iterator[tuple[str, int, Callable[[Array], Array]]]:
    """The Robotics Toolbox on the same arm, to the same accuracy; its residual is half a square."""
    if not available("roboticstoolbox"):
        result.skip("roboticstoolbox", "inverse kinematics", "it is not installed")
        return
    from roboticstoolbox import ET, ETS  # pyright: ignore[reportMissingImports]

    parts = []
    for link in robot.tree.links:
        fixed = np.eye(4)
        fixed[:3, :3], fixed[:3, 3] = rows(link.fixed), [*link.offset]
        parts += [ET.SE3(fixed), ET.Rz(float(link.angle)), ET.Rz(qlim=_limits(robot, link.q_index))]
    place = robot.tree.frames["tool" if "tool" in robot.tree.frames else "flange"]
    end = np.eye(4)
    end[:3, :3], end[:3, 3] = rows(place.R), [*place.r]
    chain = ETS([*parts, ET.SE3(end)])
    assert np.abs(chain.fkine(robot.neutral()).A - robot.pose(robot.neutral(), _tool(robot))).max() < 1e-9
    tolerance, count = NEAR**2 / 10, PEERS_COUNT // part
    yield "rtb ikine_LM", count, lambda T: np.stack([chain.ikine_LM(x, tol=tolerance, seed=0).q for x in T])
    yield "rtb ik_LM (C++)", len(poses), lambda T: np.stack([chain.ik_LM(x, tol=tolerance).q for x in T])


def rows(R: Any) -> Array:
    """A rotation as an array."""
    return np.array([[*R.r1], [*R.r2], [*R.r3]], float)


def _tool(robot: appell.Robot) -> str:
    return "tool" if "tool" in robot.tree.frames else "flange"


def _limits(robot: appell.Robot, k: int) -> Array:
    from appell.control.inverse_kinematics import limits

    low, high = limits(robot)
    return np.array([max(low[k], -np.pi), min(high[k], np.pi)])
