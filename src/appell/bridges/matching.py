"""A model that Pinocchio read by itself, beside the same robot here: which joint is which, by their names."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import unknown
from ..model.mechanism import Mechanism
from ..model.reading import refuse
from .pinocchio import PinocchioRobot, quaternions_last


def matched(mechanism: Mechanism, model: Any) -> PinocchioRobot:
    """The robot in a model of Pinocchio's own reader, whose joints have the names that the robot's have."""
    where = f"robot {mechanism.name!r} in Pinocchio"
    places = {b.joint.name: i for i, b in enumerate(mechanism.bodies) if b.joint.type != "fixed"}
    iq: list[int] = []
    iv: list[int] = []
    turns: list[int] = []
    for name, joint in zip(list(model.names)[1:], list(model.joints)[1:], strict=True):
        if name not in places:
            raise unknown(f"joint of {where}", name, places)
        i = places[name]
        body, start, first = mechanism.bodies[i], mechanism.q_starts[i], mechanism.v_starts[i]
        if (joint.nq, joint.nv) == (2, 1):
            turns.append(len(iq))
            iq += [start, start]
        elif (joint.nq, joint.nv) in ((1, 1), (4, 3), (7, 6)) and body.joint.type != "planar":
            iq += quaternions_last(body.joint.type, start)
        else:
            raise refuse(where, f"the {body.joint.type} joint {name!r} with other coordinates", "the same")
        iv += range(first, mechanism.v_starts[i + 1])
    if len(iv) != mechanism.nv:
        raise refuse(where, f"{len(iv)} freedoms", str(mechanism.nv))
    return PinocchioRobot(model, np.array(iq, int), np.array(iv, int), {}, tuple(turns))
