"""valera2003, section 4: the PUMA's hand along a straight line; torques (Figure 4) in every branch.

Source: valera2003.
"""

from __future__ import annotations

from .case import Agreement, Case
from .valera_control import dead_zone, model_error, references
from .valera_line import driven, straight

__all__ = ["dead_zone", "driven", "line", "model_error", "references", "straight"]

CLOSE = 1e-9  # what a reference value may be missed by, in rad and N m
# One branch at t = 0, and its torques there
POSTURE = (0.041428258169, -1.1024983341, 3.0373554946, 2.4400488561, 1.1402033193, -0.80043179243)
TORQUES = (0.03714774498, -56.315253039, -25.388949554, 0.10910933503, 0.12450813743, 0.0)


def line(branch: int = 0, times: tuple[float, ...] = ()) -> Case:
    """The straight line of section 4 in all branches: Figure 4.

    `branch` is drawn alone, by default that of the reference.
    """
    path = straight()
    known = path.number(POSTURE)
    drawn = branch or known
    q, v, a = path.branch(known)(0.0)
    tau = path.robot.inverse_dynamics(q, v, a)
    agreements = [
        Agreement("duration [s]", 8.6, path.line.t_end, 0.05),
        *path.agreements(0.8602, 5e-5, 8),
        *(Agreement(f"q_{k + 1}(0), branch {known} [rad]", x, float(q[k]), CLOSE) for k, x in enumerate(POSTURE)),
        *(Agreement(f"tau_{k + 1}(0), branch {known} [N m]", x, float(tau[k]), CLOSE) for k, x in enumerate(TORQUES)),
    ]
    return Case(
        "valera2003",
        "line",
        "A PUMA's hand along a straight line: what drives the joints",
        "The paper draws the torques of one branch without saying which; all eight reach the whole line, and are here. "
        "The duration is the paper's; angles and torques are compared with values computed elsewhere from its data.",
        path.tables(),
        path.charts(drawn, "valera2003, 0.1 m/s along a line"),
        tuple(agreements),
        path.data(drawn, times),
    )
