"""A double pendulum between two walls: its impacts, its energy, and how soon neighbours part."""

import numpy as np

import appell

arm = appell.load("double_pendulum")
walls = [appell.Line((1.0, 0.0), (-0.3, 0.0), name="left"), appell.Line((-1.0, 0.0), (0.7, 0.0), name="right")]
start, pushed = [-1.4, 0.1], [4.0, 0.0]

run = appell.simulate(arm, start, pushed, t_end=4.0, walls=walls, points=["tip"], restitution=0.95)
print(run.table())
print(f"energy that came from nowhere: {run.ledger.drift:.0e}, of what moved")
assert run.ledger.drift < 1e-9

rng = np.random.default_rng(0)
near = start + rng.normal(size=(500, 2)) * 1e-6
many = appell.simulate_batch(
    arm, near, pushed, 4.0, walls=walls, points=["tip"], restitution=0.95, times=np.linspace(0.0, 4.0, 5), rtol=1e-8
)
spread = many.q.std(axis=0).max(axis=-1)  # lanes, times, joints
for t, apart in zip(many.t, spread, strict=True):
    print(f"after {t:.1f} s, 500 that began 1e-6 rad apart are {apart:.1e} rad apart")
assert many.complete.all() and spread[-1] > 10 * spread[0]
