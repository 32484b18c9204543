"""SDF files read: one model, alone or in a world, with the models in it. Joints of any order close loops.

A body is a link, and q follows the links of the file; a link that no joint carries moves freely, unless its model is
static. A link whose frame is not that of its joint stands on an empty one, `link/0`, that has it. Coordinates are zero
where the poses of the file have the links.
"""

from __future__ import annotations

import os

from ..errors import ModelError
from . import xml
from .geometry import References
from .places import roots_of
from .sdf_joints import TRUE
from .sdf_model import Model, included
from .source import PLAIN, Choices, Read, Source, unread
from .xml import Element

WANTED = "an SDF file"
GRAVITY, ALONE = (0.0, 0.0, -9.8), (0.0, 0.0, -9.81)  # of a world that does not say, by the format; of no world
REASONS = {
    **dict.fromkeys(
        ("plugin", "physics", "scene", "light", "gui", "atmosphere", "audio", "wind", "state"), "of a world"
    ),
    **dict.fromkeys(("sensor", "battery", "audio_source", "audio_sink", "projector"), "not of the mechanism"),
    **dict.fromkeys(("self_collide", "allow_auto_disable", "surface", "max_contacts", "laser_retro"), "for contacts"),
    **dict.fromkeys(("enable_wind", "velocity_decay"), "no forces of the air"),
    **dict.fromkeys(("material", "transparency", "cast_shadows", "meta", "visibility_flags"), "for viewers"),
    **dict.fromkeys(("heightmap", "image", "polyline", "empty"), "not known here"),
    "limit": "how softly a simulator holds it",
}
MOVES = ("gearbox_ratio", "gravity", "kinematic", "fluid_added_mass", "dynamics", "joint")


def read(path: str | os.PathLike[str], choices: Choices = PLAIN) -> Read:
    """The robot in an SDF file."""
    root, places = xml.read(path, WANTED), roots_of(path, choices.roots)
    if choices.floating:
        raise ModelError(
            f"file {os.fspath(path)!r}: got floating=True, which is for URDF; an SDF says itself what floats"
        )
    if root.tag != "sdf":
        raise root.refuse(f"<{root.tag}>", "<sdf>")
    version = root.word("version", "1.7")
    model, gravity = _model(root)
    robot = Model(model, References(places, choices.geometry), choices, _old(root, version))
    notes = sorted([*robot.notes, *unread(root, REASONS, MOVES)], key=lambda x: x.line)
    source = Source(os.fspath(path), "sdf", places, tuple(notes), robot.lines)
    try:
        return Read(robot.mechanism(model.name, gravity), source)
    except ModelError as error:
        raise source.located(error) from None


def _old(root: Element, version: str) -> bool:
    """Whether axes stand in the model's frame unless they say otherwise, as they did up to 1.4."""
    parts = version.split(".")
    if len(parts) != 2 or not all(x.isascii() and x.isdigit() for x in parts) or parts[0] != "1":
        raise root.refuse(f"version = {version!r}", "1.4 to 1.12")
    return int(parts[1][:3]) < 5


def _model(root: Element) -> tuple[Element, tuple[float, float, float]]:
    """The only model, or the only one of a world that is not static, and the gravity there."""
    world, gravity = root.one("world"), ALONE
    if world is not None:
        world.word("name", None)
        given = world.one("gravity")
        gravity = GRAVITY if given is None else given.content_vector(3)
    owner = root if world is None else world
    models = [x for x in owner.children if x.tag == "model"]
    moving = [x for x in models if not _static(x)] or models
    if len(moving) != 1:
        if any(x.tag == "include" for x in owner.children) and not moving:
            raise included(next(x for x in owner.children if x.tag == "include"))
        raise owner.refuse(f"{len(moving)} models", "one; models inside a model are one robot")
    owner.take(moving[0])
    return moving[0], gravity  # type: ignore[return-value]


def _static(model: Element) -> bool:
    x = model.child("static")
    return x is not None and TRUE.get(x.text.strip(), False)
