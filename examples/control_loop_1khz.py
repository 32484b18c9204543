"""Computed torque control at 1 kHz: the bare kernels, arrays made once, and what a step costs."""

from time import perf_counter_ns

import numpy as np

import appell

STEP = 1e-3  # s
KP, KD = 400.0, 40.0  # critically damped, 20 rad/s

arm = appell.load("panda")
torques = arm.kernel("inverse_dynamics")  # f(q, v, a, *, out=None), nothing in between
motion = arm.kernel("forward_dynamics")  # the robot itself, here simulated

goal = np.array([0.3, -0.4, 0.2, -1.9, 0.1, 1.6, 0.5])
q, v = np.array([0.0, -0.8, 0.0, -2.3, 0.0, 1.5, 0.8]), np.zeros(arm.nv)
wish, tau, a = np.empty(arm.nv), np.empty(arm.nv), np.empty(arm.nv)
start_error, spent = abs(goal - q).max(), []

for _ in range(1000):
    start = perf_counter_ns()
    np.subtract(goal, q, out=wish)
    wish *= KP
    wish -= KD * v
    torques(q, v, wish, out=tau)
    spent.append(perf_counter_ns() - start)
    motion(q, v, tau, out=a)  # what the arm answers to these torques
    v += STEP * a
    q += STEP * v

error = abs(goal - q).max()
print(f"largest error: {start_error:.3f} rad at the start, {error:.1e} rad after 1 s")
print(f"control step: median {np.median(spent) / 1e3:.2f} µs, slowest {max(spent) / 1e3:.1f} µs, of 1000 µs")
assert error < 1e-4
