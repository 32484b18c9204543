"""A Delta robot: its legs closed, a path by its three motors, and what happens when they let go."""

import numpy as np

import appell
from appell.control import Cycloid

delta = appell.load("delta")
motors = ["motor1", "motor2", "motor3"]
home = delta.assemble()
print(home)

# the platform moves 0.1 m aside and 0.05 m down in half a second, without turning
ramp = Cycloid([0.0, 0.0, 0.0], [0.1, 0.0, -0.05], t_end=0.5)
t = np.linspace(0.0, 0.5, 101)
x, dx, ddx = ramp(t)
platform = delta.reduced(["platform.x", "platform.y", "platform.z"])
start = delta.pose(home.q, "platform")[:3, 3]
q = [home.q]
for step in x[1:]:
    q.append(platform.configuration(start + step, near=q[-1]))
q = np.array(q)
v, a = platform.velocities(q, dx), platform.accelerations(q, dx, ddx)
torques = delta.inverse_dynamics(q, v, a, actuators=motors)
print("largest torque of each motor:", np.abs(torques).max(axis=0).round(3), "N m")

# the same torques, now driving the simulated robot
forces = torques @ delta.actuator_map(home.q, motors).T  # in all joints of the tree
run = appell.simulate(delta, home.q, v[0], 0.5, torque=(t, forces, "spline"))
reached = delta.pose(run.q[-1], "platform")[:3, 3] - start
print("the platform has gone", reached.round(6), "m; wanted", x[-1])
assert np.abs(reached - x[-1]).max() < 1e-5

fall = appell.simulate(delta, home.q, np.zeros(delta.nv), 1.0)
for event in fall.events:
    print(f"after {event.t:.4f} s: {event.name}")
print(f"energy drifts by {fall.ledger.drift:.0e} of the largest")
assert fall.events and fall.ledger.drift < 1e-9
