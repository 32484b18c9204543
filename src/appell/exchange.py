"""A robot in the terms of others: files, plain data, other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal
from warnings import warn

if TYPE_CHECKING:
    from .bridges.mujoco import MujocoRobot
    from .bridges.pinocchio import PinocchioRobot
    from .files.dh_table import DHTable
    from .files.poe import ProductOfExponentials
    from .files.source import Source
    from .model.mechanism import Mechanism


class Exchange:
    """What can be made of a mechanism for others."""

    mechanism: Mechanism
    assemble: Any
    source: Source | None = None  # the file it was read from, and what of it was not read

    def to_dict(self) -> dict[str, Any]:
        """The robot as plain data of the format `appell-robot/1`; exact."""
        return self.mechanism.to_dict()

    def save(self, path: Any, **options: Any) -> None:
        """Writes the robot to a file, by the end of its name: .toml holds all of it, others what they can.

        What others will not find in the file is warned of. `loops` tells what becomes of what binds the tree and cannot
        be said there: "error", or "comment", which leaves it out in words; in a URDF also "constraint", the tag that is
        proposed for it. In an MJCF loops are equalities.
        """
        from .files.save import save

        if self.mechanism.loops and str(path).lower().endswith(".sdf"):
            options = {"home": self.assemble().q, **options}
        notes = save(self.mechanism, path, self.source, **options)
        if notes:
            warn(f"file {str(path)!r} holds {'; '.join(notes)}", stacklevel=2)

    def to_dh(self, convention: Literal["standard", "modified"] = "standard", tool: str | None = None) -> DHTable:
        """The Denavit-Hartenberg table of a serial robot, with its residual: print it, or `from_dh(**table.options())`.

        `tool` is the frame on the last link that its frame `tool` will be, by default the first there.
        """
        from .files.dh_table import to_dh

        return to_dh(self.mechanism, convention, tool)

    def to_screws(self, tool: str | None = None) -> ProductOfExponentials:
        """A serial robot as a product of exponentials: its screws in the base, and the tool, at zero."""
        from .files.poe import to_screws

        return to_screws(self.mechanism, tool)

    def to_pinocchio(self) -> PinocchioRobot:
        """The robot in Pinocchio: `model`, states there and answers back; its tree, without geometry."""
        from .bridges.pinocchio import to_pinocchio

        return to_pinocchio(self.mechanism)

    def to_mujoco(self, least_inertia: float = 0.0) -> MujocoRobot:
        """The robot in MuJoCo: `model`, states there and answers back; loops as equalities, without geometry.

        MuJoCo refuses moving bodies of no mass, and thin rods: `least_inertia` is given to what has less.
        """
        from .bridges.mujoco import to_mujoco

        return to_mujoco(self.mechanism, least_inertia)
