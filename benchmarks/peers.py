"""All who take part: Appell, Pinocchio, MuJoCo and CasADi's generated C, each in its best way from Python.

A contender's arrays are laid out before it is timed; its answers are turned into Appell's order, so
that each can be verified against another source first.
"""

from __future__ import annotations

from collections.abc import Iterator

from .casadi_peer import casadi_peers
from .mujoco_peer import mujoco_peers
from .ours import appell_contenders
from .pinocchio_peer import pinocchio_peers
from .task import Contender, Skip, Task, available

MAKERS = {"pinocchio": pinocchio_peers, "mujoco": mujoco_peers, "casadi": casadi_peers}


def everyone(task: Task, skip: Skip, batch: bool = True) -> Iterator[Contender]:
    """Appell and the peers; what a peer cannot do is said and left out."""
    yield from appell_contenders(task)
    for module, make in MAKERS.items():
        if not available(module):
            skip(module, "it is not installed")
            continue
        try:
            yield from make(task, batch)
        except (MemoryError, NotImplementedError, ValueError, OSError) as reason:
            skip(module, str(reason))
