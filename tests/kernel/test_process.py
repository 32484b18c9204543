"""Kernels and processes: fork, also during a compile; spawn; two builders at once; the last moments."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
HEAD = f"import sys; sys.path[:0] = [{str(TESTS)!r}, {str(TESTS.parent / 'src')!r}]\n"
HEAD += """
import os, threading, time
import numpy as np
import appell
from oracles.random_robots import random_robot, random_state
def state(r, seed=3):
    q, v = r.random_state(seed)
    return q, v, v * 2
"""
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


def _start(script: str, cache: Path | None = None, **environment: str) -> subprocess.Popen[str]:
    env = {**os.environ, **environment}
    if cache is not None:
        env["APPELL_CACHE_DIR"] = str(cache)
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", HEAD + script], stdout=pipe, stderr=pipe, text=True, env=env)


def _end(process: subprocess.Popen[str], timeout: float = 120) -> str:
    """What it printed; it must end well, in time, and complain of nothing."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        pytest.fail("the process hangs")
    assert process.returncode == 0, err
    assert err == ""
    return out


def _run(script: str, cache: Path | None = None, **environment: str) -> str:
    return _end(_start(script, cache, **environment))


FORK = """
import signal
stop, built = threading.Event(), []
def build():
    while not stop.is_set():
        r = appell.Robot.from_dict(random_robot(len(built), 5 + len(built) % 4))
        r.kernel(QUESTION)
        built.append(1)
worker = threading.Thread(target=build)
worker.start()
while not built:
    time.sleep(0.01)
failed = 0
for k in range(FORKS):
    time.sleep(0.004 + 0.017 * (k % 7))
    child = os.fork()
    if not child:
        signal.alarm(40)  # ends a child that hangs
        r = appell.Robot.from_dict(random_robot(1000, 2))
        q, v, a = state(r)
        tau = r.inverse_dynamics(q, v, a)
        fine = np.allclose(tau, r.mass_matrix(q) @ a + r.bias(q, v))
        os._exit(0 if fine else 1)
    failed += os.waitpid(child, 0)[1] != 0
stop.set()
worker.join()
print(failed, len(built) > 1)
"""


@pytest.mark.slow
@forks
def test_fork_while_another_thread_builds(tmp_path: Path):
    script = FORK.replace("QUESTION", "'forward_dynamics'").replace("FORKS", "6")
    assert _run(script, tmp_path, PYTHONWARNINGS="ignore") == "0 True\n"


@forks
@pytest.mark.slow
def test_many_forks_while_another_thread_builds(tmp_path: Path):
    script = FORK.replace("QUESTION", "'coriolis'").replace("FORKS", "60")
    assert _run(script, tmp_path, PYTHONWARNINGS="ignore") == "0 True\n"


FORK_USES = """
r = appell.Robot.from_dict(random_robot(3, 4))
q, v, a = state(r)
tau, batch = r.inverse_dynamics(q, v, a), np.tile(q, (100, 1))
child = os.fork()
if not child:
    same = np.array_equal(tau, r.inverse_dynamics(q, v, a))
    same &= np.array_equal(r.inverse_dynamics(batch, v, a, threads=2)[50], tau)
    os._exit(0 if same else 1)
print(os.waitpid(child, 0)[1])
"""


@forks
def test_a_forked_child_goes_on_with_the_kernels_of_its_parent():
    assert _run(FORK_USES, PYTHONWARNINGS="ignore") == "0\n"


def _asked(work: tuple[Any, ...]) -> Any:
    """Runs in another process, with a function that came by pickle."""
    f, args, named = work
    return f(*args, **named)


def test_spawned_processes_take_functions_and_robots():
    import multiprocessing

    import numpy as np
    from oracles.random_robots import random_robot, random_state

    from appell.robot import Robot

    data = random_robot(8, 3, joints="mixed")
    robot, (q, v, a) = Robot.from_dict(data), random_state(data, 2)
    wrench = np.arange(18.0).reshape(3, 6)
    functions = [robot.kernel("inverse_dynamics"), robot.kernel("pose", frame="tool"), robot.inverse_dynamics]
    given: list[Any] = [(q, v, a), (q,), (q, v, a)]
    named: list[Any] = [{}, {}, {"wrench": wrench}]
    with multiprocessing.get_context("spawn").Pool(1) as pool, warnings.catch_warnings():
        found = pool.map(_asked, list(zip(functions, given, named)))
        there = pool.map(_asked, [(robot.mass_matrix, (q,), {})])
    for f, args, names, answer in zip(functions, given, named, found):
        np.testing.assert_array_equal(answer, f(*args, **names))
    np.testing.assert_array_equal(there[0], robot.mass_matrix(q))


BUILD = """
r = appell.Robot.from_dict(random_robot(5, 6, joints="mixed"))
q, v, a = state(r)
kernel = r.kernel("inverse_dynamics").__self__
print(kernel.from_cache, kernel.callable(q, v, a).tobytes().hex())
"""


@pytest.mark.slow
def test_two_processes_build_one_kernel_at_once(tmp_path: Path):
    both = [_start(BUILD, tmp_path), _start(BUILD, tmp_path)]
    answers = [_end(p).split()[1] for p in both]
    assert answers[0] == answers[1]
    assert len(list(tmp_path.glob("*.o"))) == 1
    assert not list(tmp_path.glob(".new*"))
    later = _run(BUILD, tmp_path).split()
    assert later == ["True", answers[0]]


AT_EXIT = """
import atexit
r = appell.Robot.from_dict(random_robot(3, 3))
f, (q, v, a) = r.kernel("inverse_dynamics"), state(r)
first = f(q, v, a)[1]
class Last:
    def __init__(self, name):
        self.name, self.f, self.given, self.first, self.write = name, f, (q, v, a), first, os.write
    def __del__(self):
        same = self.f(*self.given)[1] == self.first
        same &= self.f(*self.given, out=self.given[0] + 0)[1] == self.first
        self.write(1, f"{self.name} {same}\\n".encode())
early = Last("early")
del early
late, cycle, sys.last = Last("late"), Last("cycle"), Last("last")
cycle.cycle = cycle
atexit.register(lambda: os.write(1, f"exit {f(q, v, a)[1] == first} {f(list(q), v, a)[1] == first}\\n".encode()))
del r
"""


def test_calls_from_del_and_at_exit():
    early, exiting, *rest = _run(AT_EXIT).splitlines()
    assert [early, exiting] == ["early True", "exit True True"]
    assert "late True" in rest
    assert set(rest) <= {f"{name} True" for name in ("late", "cycle", "last")}


DAEMON = """
r = appell.Robot.from_dict(random_robot(3, 3))
f, given = r.kernel("inverse_dynamics"), [np.tile(x, (2000, 1)) for x in state(r)]
def work():
    while True:
        f(*given)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
print("done")
"""


@pytest.mark.slow
def test_daemon_threads_in_the_middle_of_a_call_at_exit():
    for _ in range(3):
        assert _run(DAEMON) == "done\n"


INTERRUPT = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background is born deaf
r = appell.Robot.from_dict(random_robot(3, 6))
f, given = r.kernel("energy"), [np.broadcast_to(x, (2, 2_000_000, 6)) for x in state(r)[:2]]
times = []
for delay in (None, 0.1):
    if delay:
        threading.Timer(delay * times[0], lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()
    try:
        f(*given)
    except KeyboardInterrupt:
        print("stopped")
    times.append(time.perf_counter() - start)
print(times[1] < 0.8 * times[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_batches_of_many_axes_can_be_interrupted():
    assert _run(INTERRUPT) == "stopped\nTrue\n"


SAME_TEXT = """
r = appell.Robot.from_dict(random_robot(6, 5, joints="mixed", shape="tree", floating=True))
import hashlib
for unroll in (True, False):
    kernel = r.kernel("inverse_dynamics", unroll=unroll).__self__
    print(kernel.program.hash, kernel.build.key, hashlib.sha256(kernel.build.ir.encode()).hexdigest())
"""


@pytest.mark.slow
def test_texts_do_not_differ_between_two_runs():
    assert _run(SAME_TEXT, PYTHONHASHSEED="1") == _run(SAME_TEXT, PYTHONHASHSEED="2")
