"""DOP853 whose stages run in machine code: forces, kernels and sums without Python in between.

For right-hand sides made of kernels, driven by numbers or by a law that was read symbolically. The code is the same
for all robots; a `Job` tells it where their kernels and memory are.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..asking import OnBodies, on_links
from ..kernel.kernel import Kernel
from .integrate import Adaptive, Counts, Tolerances
from .machine_text import ATOL, BEGIN, BLOCK, RTOL, Word, module

if TYPE_CHECKING:
    from .rate import Rate

Array = np.ndarray[Any, Any]
NAMES = ("derive", "attempt", "finish")
ROWS, AHEAD = 16, 8  # of stages; steps in one go, before anybody looks for events


class Machine(Adaptive):
    """Stages in machine code."""

    ahead = AHEAD

    def __init__(self, rate: Rate, tolerances: Tolerances, counts: Counts) -> None:
        super().__init__(rate, tolerances, counts)
        n = rate.size
        padded = -(-n // BLOCK) * BLOCK
        self.K, self.whole = np.zeros((ROWS, padded)), np.ones((3, padded))  # y, z, y1; the padding of K is 0, of y 1
        self.y, self.slope = self.whole[0, :n], self.K[0, :n]
        self.asked, self.other = np.ones(padded), np.zeros(padded)
        self.sums, self.numbers = np.zeros((2, BLOCK)), np.zeros(4)
        self.numbers[[RTOL, ATOL]] = tolerances.rtol, tolerances.atol
        self.laws = [_Forces(rate.torque, None)]
        if rate.wrench is not None:
            self.laws.append(_Forces(rate.wrench, rate.robot if isinstance(rate.accelerations, OnBodies) else None))
        self.job = self._job(rate, padded)
        derive, attempt, finish = functions()
        word = self.job.ctypes.data
        self.call = lambda t, y, dy: derive(word, t, y, dy)
        self.try_it = lambda t, h, sums=self.sums.ctypes.data: attempt(word, t, h, sums)
        self.make_it = lambda t, h, F: finish(word, t, h, F)

    def _job(self, rate: Rate, padded: int) -> Array:
        job = np.zeros(Word.COUNT, np.int64)
        job[[Word.NQ, Word.NV, Word.PADDED]] = rate.nq, rate.nv, padded
        job[[Word.ACCELERATE, Word.ACCELERATE_CONTEXT]] = _code(rate.accelerations)
        job[[Word.RATES, Word.RATES_CONTEXT]] = _code(rate.rates)
        if rate.torque.kernel is not None:
            job[[Word.LAW, Word.LAW_CONTEXT]] = _code(rate.torque.kernel)
        job[[Word.TAU, Word.TAU_CUBIC]] = self.laws[0].places
        if len(self.laws) > 1:
            job[Word.WRENCHES] = self.laws[1].now.size
            job[[Word.WRENCH, Word.WRENCH_CUBIC]] = self.laws[1].places
        job[Word.NUMBERS] = self.numbers.ctypes.data
        job[[Word.Y, Word.Z, Word.Y1]] = [x.ctypes.data for x in self.whole]
        job[Word.K] = self.K.ctypes.data
        return job

    def restart(self, t: float, y: Array, guess: float = 0.0) -> None:
        """Goes on from another state, perhaps with other forces."""
        self.numbers[BEGIN] = t
        for forces in self.laws:
            forces.begin(t)
        super().restart(t, y, guess)

    def _derive(self, t: float, y: Array) -> Array:
        n = self.rate.size
        if y is self.y:
            self.call(t, self.whole.ctypes.data, self.K.ctypes.data)
            return self.slope
        self.asked[:n] = y
        self.call(t, self.asked.ctypes.data, self.other.ctypes.data)
        return self.other[:n]

    def _attempt(self, h: float) -> tuple[float, float]:
        self.try_it(self.t, h)
        five, three = self.sums.sum(1).tolist()
        return five, three

    def _finish(self, h: float, F: Array) -> None:
        self.make_it(self.t, h, F.ctypes.data)

    def _room(self, count: int) -> Array:
        return np.empty((count, 7, self.K.shape[1]))


class _Forces:
    """A law's forces as cubics of the time since the last restart, in memory that machine code reads."""

    def __init__(self, law: Any, robot: Any) -> None:
        self.law, self.robot = law, robot
        self.cubic = np.ascontiguousarray(self._cubic(law.cubic(0.0) if law.kernel is None else law.none))
        self.now = np.zeros(self.cubic.shape[1])

    def _cubic(self, c: Array) -> Array:
        """Rows of coefficients; wrenches carried from bodies to links, where loops want them there."""
        return (on_links(self.robot, c) if self.robot is not None else c).reshape(4, -1)

    @property
    def places(self) -> tuple[int, int]:
        """Where the forces of the moment stand, and their coefficients."""
        return self.now.ctypes.data, self.cubic.ctypes.data

    def begin(self, t: float) -> None:
        """Takes over what holds from t on."""
        if self.law.kernel is None:
            self.cubic[:] = self._cubic(self.law.cubic(t))


def serves(rate: Any) -> bool:
    """Whether a right-hand side is made of machine code throughout."""
    kernels = [rate.accelerations, rate.rates, *(law.kernel for law in rate.laws if law.kernel is not None)]
    laws = rate.torque.smooth and (rate.wrench is None or (rate.wrench.smooth and rate.wrench.kernel is None))
    return laws and all(isinstance(_kernel(f), Kernel) for f in kernels)


def _kernel(function: Any) -> Any:
    return getattr(function.function if isinstance(function, OnBodies) else function, "__self__", None)


def _code(function: Any) -> tuple[int, int]:
    """Where a kernel's code for one state stands, and its context."""
    kernel = _kernel(function)
    return kernel.addresses["one"], kernel.context.ctypes.data


@cache
def functions() -> tuple[Any, ...]:
    """The integrator's functions, built or found in the cache."""
    from ..kernel import cache as store
    from ..kernel.machine import compile_object, load, machine

    here = machine()
    text = module(here.triple, here.attributes)
    key = store.key(text, here.cpu, here.features, here.code_model)
    code = store.read(key)
    if code is None:
        code = compile_object(text)
        store.write(key, code)
    found = load(code, NAMES)
    pointer, number = ctypes.c_void_p, ctypes.c_double
    kinds = (pointer, number, pointer, pointer), *[(pointer, number, number, pointer)] * 2
    return tuple(ctypes.PYFUNCTYPE(None, *kind)(found[name]) for name, kind in zip(NAMES, kinds, strict=True))
