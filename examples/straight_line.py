"""A hand along a straight line: in which posture does the arm need the least torque, and is the plan right?"""

import numpy as np

import appell
from appell.control import Cycloid, JointPath, Line, zyz

arm = appell.load("stanford")
attitude = zyz(*np.radians([45.0, 60.0, 90.0]))
line = Line(start=[0.4, 0.2, 0.5], end=[0.1, 0.5, 0.3], attitude=attitude, along=Cycloid(0.0, 1.0, t_end=3.0))

t = np.linspace(0.0, line.t_end, 301)
postures = appell.inverse_kinematics(arm, line(0.0).pose)  # every one, in closed form
plans = [JointPath(arm, line, near=q)(t) for q in postures.q]
needed = [abs(arm.inverse_dynamics(*plan)).max(axis=0) for plan in plans]
for start, tau, margin in zip(postures.q, needed, postures.margin, strict=True):
    print(f"from q = {np.round(start, 2)}: joint 2 needs {tau[1]:5.2f} N m; from a singularity by {margin:.3f}")

q, v, a = plans[int(np.argmin([tau[1] for tau in needed]))]
torques = (t, arm.inverse_dynamics(q, v, a), "spline")  # known at 301 instants, a spline between
run = appell.simulate(arm, q[0], v[0], line.t_end, torque=torques, times=t)
off = abs(arm.pose(run.q, "tool") - line(t).pose)[:, :3, 3].max()
print(f"driven by the torques of the best plan, without feedback, the hand is off by {off:.1e} m at most")
assert off < 1e-5
