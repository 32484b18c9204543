"""The torques of one motion, by two formulations, and back to the accelerations."""

import numpy as np

import appell

arm = appell.load("panda")
q, v = arm.random_state(seed=1)
a = np.linspace(-1.0, 1.0, arm.nv)

tau = arm.inverse_dynamics(q, v, a)
same = arm.inverse_dynamics(q, v, a, method="newton_euler")
back = arm.forward_dynamics(q, v, tau)

print(arm)
print("torques [N m]:", np.array2string(tau, precision=3, suppress_small=True, max_line_width=100))
print("largest relative difference of Newton-Euler:", f"{abs(same - tau).max() / abs(tau).max():.1e}")
print("largest difference of the accelerations found again:", f"{abs(back - a).max():.1e} rad/s²")
assert np.allclose(same, tau) and np.allclose(back, a)
