"""Identification: how fast regressors are and are reduced, and whether estimates are as good as noise lets them be.

``python -m benchmarks.identification 1000000`` reduces so many samples of a PUMA and prints seconds and memory.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import appell
from appell.control import Fourier
from appell.identify import (
    Block,
    Limits,
    Measurements,
    Regressor,
    base_parameters,
    estimate,
    excite,
    measurements,
    reduced,
    validate,
)
from appell.identify.closed_data import followed
from appell.robot import Robot

from . import measure
from .comparison import Options
from .measure import Call, Share
from .record import Identified, Result, mark, say
from .task import Array, available

NOISE = np.array([0.5, 0.5, 0.3, 0.05, 0.05, 0.02])  # N m, of the study of valera2003
SEEDS, SAMPLES, BATCH = 40, 1_000_000, 10_000
KERNEL, PIN = "regressor of the PUMA, batch, per sample", "the same by Pinocchio, one call"
SECONDS, PEAK = "1e6 samples of the PUMA to a triangle", "the same, most memory of the process"
WORST, ALL = "PUMA, 40 seeds: worst error by the Cramer-Rao bound", "PUMA, 40 seeds: all errors by the bound"
COVERED = "PUMA, 40 seeds: 95 % intervals that hold the truth"
ARM, BAR = "7R with friction: residual by noise, validation", "five-bar, closed: residual by noise, validation"
MOTORS = ("shoulder1", "shoulder2")


def identify(options: Options, result: Result) -> None:
    """Everything, one after the other."""
    _kernels(options, result)
    _streamed(result)
    _statistics(result)
    for what, ratio in ((ARM, arm), (BAR, five_bar)):
        _keep(result, what, ratio(), "", 1.0)


def _keep(result: Result, what: str, value: float, unit: str, share: float) -> None:
    result.identified.append(Identified(what, value, unit, share))
    say(f"{what}: {value:.4g} {unit} {mark(share)}".rstrip())


# ---- speed


def _kernels(options: Options, result: Result) -> None:
    """K in a batch, and Pinocchio's for one state."""
    robot, rng = appell.load("puma560"), np.random.default_rng(0)
    K = Regressor.of(robot, "moments")
    q, v, a = rng.normal(size=(3, BATCH, 6))
    calls = {KERNEL: Call("f(q, v, a, out=out)", {"f": K.kernel, "q": q, "v": v, "a": a, "out": K(q, v, a)})}
    if available("pinocchio"):
        calls[PIN] = _theirs(robot, q[0], v[0], a[0])
    found = measure.compare(calls, options.seconds, options.repeats)
    for what, t in found.times.items():
        _keep(result, what, t.median / (BATCH if what == KERNEL else 1), "ns", found.share)


def _theirs(robot: Robot, q: Array, v: Array, a: Array) -> Call:
    """Pinocchio's regressor of the same arm."""
    from .truth import truth_for

    pin, model = importlib.import_module("pinocchio"), truth_for(robot.to_dict()).model
    names = {"f": pin.computeJointTorqueRegressor, "m": model, "d": model.createData(), "q": q, "v": v, "a": a}
    return Call("f(m, d, q, v, a)", names)


def blocks(count: int) -> Iterator[Block]:
    """So many random samples, ten thousand at a time."""
    rng = np.random.default_rng(0)
    for start in range(0, count, BATCH):
        yield Block(*rng.normal(size=(4, min(BATCH, count - start), 6)))


def _streamed(result: Result) -> None:
    """In a process of its own, whose memory is all that the reduction takes."""
    command = [sys.executable, "-m", "benchmarks.identification", str(SAMPLES)]
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(command, env={**os.environ, **one}, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    _keep(result, SECONDS, found["seconds"], "s", found["share"])
    if found["memory"]:
        _keep(result, PEAK, found["memory"] / 1e6, "MB", 1.0)


def _reduce(count: int) -> dict[str, Any]:
    """Seconds of a reduction, the making of samples included, and the most memory that the process had."""
    warnings.simplefilter("ignore")
    measure.pin_to_core()
    K = Regressor.of(appell.load("puma560"), "moments")
    reduced(K, blocks(1000))
    with Share() as share:
        start = time.perf_counter()
        reduced(K, blocks(count))
        seconds = time.perf_counter() - start
    return {"seconds": seconds, "share": share.value, "memory": _most_memory()}


def _most_memory() -> int | None:
    """Bytes; of Linux what the process itself reached, as its usage begins with that of whoever started it."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return 1024 * int(line.split()[1])
    try:
        import resource
    except ImportError:  # Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


# ---- quality


def sines(n: int, seed: int, size: float = 0.5) -> Array:
    """Random coefficients a and b of five sines in every coordinate."""
    return np.random.default_rng(seed).normal(size=(2, n, 5)) * size


def _statistics(result: Result) -> None:
    """Forty estimates of the PUMA: errors beside the bound, and how many intervals hold the truth."""
    robot, t = appell.load("puma560"), np.linspace(0.0, 10.0, 1001)
    base, m = base_parameters(robot), Fourier(np.zeros(6), *sines(6, 3), period=10.0)(t)
    tau, covered, off = robot.inverse_dynamics(*m), [], []
    for seed in range(SEEDS):
        noisy = tau + NOISE * np.random.default_rng(seed).normal(size=tau.shape)
        found = estimate(robot, Measurements(t, *m, noisy), base=base)
        low, high = found.interval(0.95).T
        covered.append(np.mean((low <= base.values) & (base.values <= high)))
        off.append(found.values - base.values)
    R = found.factors.together(NOISE).R @ base.spread  # type: ignore[possibly-undefined]
    bound, error = np.diag(np.linalg.inv(R.T @ R)), np.mean(np.square(off), axis=0)
    _keep(result, WORST, float(np.sqrt(error / bound).max()), "", 1.0)
    _keep(result, ALL, float(np.sqrt(error.sum() / bound.sum())), "", 1.0)
    _keep(result, COVERED, 100 * float(np.mean(covered)), "%", 1.0)


def with_friction(name: str) -> Robot:
    """A robot of the zoo with viscous and dry friction in every joint, cut ones as well."""
    data = appell.load(name).to_dict()
    joints = [*(b["joint"] for b in data["bodies"]), *(x["joint"] for x in data.get("loops", ()))]
    for k, joint in enumerate(j for j in joints if j["type"] == "revolute"):
        joint |= {"damping": 0.6 - 0.05 * k, "coulomb": 0.8 - 0.08 * k}
    return Robot.from_dict(data)


@dataclass(frozen=True)
class Drive:
    """Some joints, and their motors' noise."""

    robot: Robot
    names: tuple[str, ...]
    noise: Array

    def measured(self, series: Fourier, seed: int) -> tuple[Measurements, Array]:
        """What is measured in 30 s at 1 kHz, encoders with noise as well; and the forces without their noise."""
        t, rng = np.arange(30_000) / 1000, np.random.default_rng(seed)
        x, u, du = series(t)
        given = {"t [s]": t} | {f"q.{n} [rad]": y for n, y in zip(self.names, (x + 2e-6 * rng.normal(size=x.shape)).T)}
        exact = self._forces(t, x, u, du)
        noisy = exact + self.noise * rng.normal(size=exact.shape)
        read = [measurements(self.robot, given | {f"tau.{n} [N m]": y for n, y in zip(self.names, tau.T)}, cutoff=10.0)
                for tau in (noisy, exact)]  # fmt: skip
        return read[0], read[1].tau

    def _forces(self, t: Array, x: Array, u: Array, du: Array) -> Array:
        if not self.robot.mechanism.closed:
            return self.robot.inverse_dynamics(x, u, du)
        q, reduced_to = followed(self.robot, self.names, t, x, None, None), self.robot.reduced(self.names)
        v, a = reduced_to.velocities(q, u), reduced_to.accelerations(q, u, du)
        return self.robot.inverse_dynamics(q, v, a, actuators=self.names)

    def ratio(self, first: Fourier, second: Fourier) -> float:
        """Residuals of an estimate on another motion, by the noise that is in it: the worst joint's."""
        found = estimate(self.robot, self.measured(first, 1)[0])
        data, exact = self.measured(second, 2)
        return float((validate(found, data).rms / np.sqrt(np.mean((data.tau - exact) ** 2, axis=0))).max())


def arm() -> float:
    """A 7R arm from positions and torques, excited within its limits; two searches give the two motions."""
    robot, noise = with_friction("panda"), np.array([0.5, 0.5, 0.4, 0.4, 0.1, 0.1, 0.1])
    limits = Limits.of(robot, speed=1.5, acceleration=5.0)
    series = [excite(robot, limits, starts=1, steps=40, samples=60, seed=seed).trajectory for seed in (1, 2)]
    return Drive(robot, tuple(b.joint.name for b in robot.bodies), noise).ratio(*series)


def five_bar() -> float:
    """A closed mechanism from positions and torques of its two motors."""
    robot, options = with_friction("five_bar"), {"coordinates": MOTORS, "starts": 2, "steps": 60, "samples": 60}
    limits = Limits.of(robot, speed=2.0, acceleration=8.0)
    series = [excite(robot, limits, seed=seed, **options).trajectory for seed in (1, 2)]
    return Drive(robot, MOTORS, np.array([0.3, 0.2])).ratio(*series)


if __name__ == "__main__":
    print(json.dumps(_reduce(int(sys.argv[1]))))
