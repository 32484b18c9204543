"""A hundred thousand states in one call: which postures are heaviest to hold?"""

from time import perf_counter

import numpy as np

import appell

arm = appell.load("panda")
rng = np.random.default_rng(1)
lowest, highest = np.array([b.joint.limits for b in arm.bodies], float).T
q = rng.uniform(lowest, highest, (100_000, arm.nq))
rest = np.zeros(arm.nv)  # one row for all: arguments broadcast

arm.inverse_dynamics(q[:1], rest, rest)  # the first call builds the kernel
start = perf_counter()
tau = arm.inverse_dynamics(q, rest, rest, threads=0)  # 0: all cores
spent = perf_counter() - start

worst = abs(tau).argmax(axis=0)
print(f"{len(q)} states in {spent * 1e3:.1f} ms: {spent / len(q) * 1e9:.0f} ns each")
for joint, row in enumerate(worst):
    print(f"joint {joint + 1} holds at most {abs(tau[row, joint]):6.2f} N m, at q = {np.round(q[row], 2)}")
one = arm.inverse_dynamics(q[worst[1]], rest, rest)
assert (one == tau[worst[1]]).all()  # a row of a batch is the single call, bit for bit
