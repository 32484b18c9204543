"""Appell: the dynamics of rigid mechanisms. One text per formulation, read in many ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import zoo
from .errors import AppellError
from .robot import Robot

if TYPE_CHECKING:
    from .control.inverse_kinematics import inverse_kinematics
    from .motion.batch.run import BatchRun
    from .motion.batch.simulate import simulate_batch
    from .motion.contact import Ball, Edge
    from .motion.events import Event
    from .motion.run import Run
    from .motion.simulate import simulate
    from .motion.symbolic import traced
    from .motion.walls import Circle, Cylinder, Ellipse, Implicit, Line, Plane, Polynomial, Sphere

__version__ = "0.1.0"
__all__ = [
    "AppellError",
    "Ball",
    "BatchRun",
    "Circle",
    "Cylinder",
    "Edge",
    "Ellipse",
    "Event",
    "Implicit",
    "Line",
    "Plane",
    "Polynomial",
    "Robot",
    "Run",
    "Sphere",
    "__version__",
    "cite",
    "from_dh",
    "from_screws",
    "inverse_kinematics",
    "load",
    "simulate",
    "simulate_batch",
    "traced",
    "zoo",
]
LATER = {  # imported when asked for
    "papers": "papers",
    "inverse_kinematics": "control.inverse_kinematics",
    "simulate": "motion.simulate",
    "Run": "motion.run",
    "simulate_batch": "motion.batch.simulate",
    "BatchRun": "motion.batch.run",
    "Ball": "motion.contact",
    "Edge": "motion.contact",
    "Event": "motion.events",
    "traced": "motion.symbolic",
    **dict.fromkeys(
        ("Circle", "Cylinder", "Ellipse", "Implicit", "Line", "Plane", "Polynomial", "Sphere"), "motion.walls"
    ),
}


def load(
    name_or_path: Any,
    *,
    snap: float | None = None,
    roots: Any = (),
    floating: bool = False,
    unphysical: bool = False,
    geometry: bool = True,
) -> Robot:
    """A robot of the zoo by name, or a robot file by path: .toml, .urdf, .xml (MJCF).

    `floating` sets the root link of a URDF free. References to meshes may lead into the file's folder, its ROS package
    and the folders in `roots`, and no mesh is opened. `unphysical` takes inertias that no matter has as they are,
    `geometry=False` leaves shapes unread. `snap=1e-4`, say, cleans constants that are nearly 0 or +-1, as a URDF's
    1.5708 leaves them; never done unasked. `robot.source` tells what of the file was not read.
    """
    from .files.load import load as read
    from .files.source import choices

    found = read(name_or_path, choices(roots, floating, unphysical, geometry))
    mechanism = found.mechanism
    if snap is not None:
        from .model.variants import snapped

        mechanism = snapped(mechanism, snap)
    robot = Robot(mechanism)
    robot.source = found.source
    return robot


def cite(*what: Any, robot: Robot | None = None) -> Any:
    """The papers behind methods, questions or keys, as BibTeX: `cite("gibbs_appell")`, `cite("bias", robot=arm)`."""
    from .citations import cite as found

    return found(*what, robot=robot)


def from_dh(rows: Any, **options: Any) -> Robot:
    """A robot from a table of Denavit-Hartenberg parameters."""
    from .model.dh import from_dh as read

    return Robot(read(rows, **options))


def from_screws(screws: Any, **options: Any) -> Robot:
    """A robot from the screws of its joints: a product of exponentials."""
    from .files.poe import from_screws as read

    return Robot(read(screws, **options))


def __getattr__(name: str) -> Any:
    """What most programs never need is imported when it is asked for."""
    if name not in LATER:
        raise AttributeError(f"module 'appell' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"appell.{LATER[name]}")
    globals()[name] = found = getattr(module, name, module)
    return found
