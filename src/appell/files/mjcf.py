"""MJCF files read: MuJoCo's own format, with its defaults, units and order, so that q is qpos.

The velocity of a free body is another one: here (linear, angular) in the body's axes, in MuJoCo's qvel the linear part
is in those of the world (`robot.to_mujoco()` turns one into the other). What a simulator adds, contacts, sensors,
softness, is listed and not read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ..errors import ModelError
from ..model.configurations import Configuration
from ..model.mechanism import Body, Inertia, Mechanism
from . import mjcf_geoms, mjcf_include, mjcf_joints, mjcf_own
from .geometry import References
from .halves import Parts
from .mjcf_bodies import Bodies
from .mjcf_bound import DRIVE, DRIVES, EQUALITY, Bound
from .mjcf_geoms import Assets
from .mjcf_options import Defaults, Options, words
from .mjcf_own import Own
from .places import roots_of
from .source import PLAIN, Choices, Ignored, Read, Source, told
from .xml import Element, leftovers

KNOWN = {
    "joint": mjcf_joints.KNOWN, "geom": mjcf_geoms.KNOWN, "equality": EQUALITY, **dict.fromkeys(DRIVES, DRIVE),
    "site": words("name class pos quat axisangle euler xyaxes zaxis fromto"),
    "mesh": words("name class file scale"), "material": words("name class rgba"),
}  # fmt: skip
VIEW, STEP = "for viewers", "how a simulator steps"
REASONS = {
    **dict.fromkeys(("visual", "statistic", "camera", "light", "texture", "material", "skin", "rgba", "scale"), VIEW),
    **dict.fromkeys(("option", "flag", "size", "lengthrange"), STEP),
    **dict.fromkeys(("contact", "pair", "exclude", "geom"), "for contacts"),
    **dict.fromkeys(("sensor", "custom"), "not of the mechanism"),
    **dict.fromkeys(("site", "mesh"), VIEW),
    **dict.fromkeys(("joint", "connect", "weld", "equality"), "how softly a simulator holds it"),
    **dict.fromkeys(("motor", "position", "velocity"), "how a simulator drives it"),
    "compiler": "how the file is made into a model",
    "tendon": "tendons are not read",
    "hfield": "grounds are not shown",
    "key": "positions are all that is read",
    **dict.fromkeys(("deformable", "flex"), "soft bodies are not read"),
    **dict.fromkeys(("extension", "plugin"), "plugins are not run"),
}
DRIVE_KINDS = ("general", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "pid", "dcmotor", "orientation")
MOVES = {"plugin", "springdamper", "springyield", "flex", "flexstrain", "muscle"}  # elements and attributes
FORCES = {"stiffness", "damping", "frictionloss", "armature", "springyield"}  # of a tendon


def read(path: str | os.PathLike[str], choices: Choices = PLAIN) -> Read:
    """The robot in an MJCF file."""
    places = roots_of(path, choices.roots)
    if choices.floating:
        raise ModelError(
            f"file {os.fspath(path)!r}: got floating=True, which is for URDF; an MJCF says itself what floats"
        )
    root = mjcf_include.read(path, places)
    bodies = _bodies(root, References(places, choices.geometry))
    own = mjcf_own.taken(root.all("custom"))
    bound = Bound(bodies)
    for tag in ("equality", "actuator", "keyframe"):
        for block in root.all(tag):
            getattr(bound, tag)(block)
    name = root.label("model", None) or Path(os.fspath(path)).stem or "robot"
    notes = sorted([*bodies.options.notes, *_unread(root, bodies)], key=lambda x: x.line)
    source = Source(os.fspath(path), "mjcf", places, tuple(notes), bodies.lines)
    try:
        return Read(_mechanism(name, bodies, bound, own, choices), source)
    except ModelError as error:
        raise source.located(error) from None


def _bodies(root: Element, refer: References) -> Bodies:
    """Options, defaults and assets come first, wherever they stand."""
    options = Options()
    for e in root.all("compiler"):
        options.compiler(e)
    for e in root.all("option"):
        options.option(e)
    defaults = Defaults(root.all("default"), KNOWN)
    assets = Assets(options, refer)
    for e in root.all("asset"):
        assets.read(e, defaults)
    bodies = Bodies(options, defaults, assets)
    bodies.read(root.all("worldbody"))
    return bodies


def _mechanism(name: str, bodies: Bodies, bound: Bound, own: Own, choices: Choices) -> Mechanism:
    frames = mjcf_own.without_sites(bodies.framed(), *own)
    made = mjcf_own.dressed(_weighed(tuple(bodies.bodies), bodies.options.total_mass), *own)
    free = {c.name for c in bound.configurations}
    start = [Configuration("start" if "start" not in free else "start_", tuple(bodies.start))] if bodies.start else []
    gravity = (0.0, 0.0, 0.0) if "gravity" in bodies.options.off else bodies.options.gravity
    loops, keys = mjcf_own.closed(bound.loops, *own), (*start, *bound.configurations)
    made, loops, keys = mjcf_own.joined(Parts(made, loops, keys), *own)
    return Mechanism(
        name, gravity, made, frames, loops, tuple(bound.constraints),
        configurations=keys, actuators=tuple(bound.actuators),
        shapes=tuple(bodies.shapes) if choices.geometry else (), unphysical=choices.unphysical,
    )  # fmt: skip


def _weighed(bodies: tuple[Body, ...], total: float) -> tuple[Body, ...]:
    """The bodies, scaled to a total mass if one is told."""
    mass = sum(b.mass for b in bodies)
    if total <= 0 or not mass:
        return bodies
    k = total / mass
    return tuple(
        replace(b, mass=k * b.mass, inertia=Inertia(*(k * x for x in vars(b.inertia).values()))) for b in bodies
    )


def _unread(root: Element, bodies: Bodies) -> Iterator[Ignored]:
    """What nobody took out of the elements, and what defaults say in vain."""
    sprung = any(x.tag == "tendon" and FORCES & x.attributes.keys() for x in bodies.defaults.elements)
    for e, keys in (*leftovers(root), *bodies.defaults.unread(KNOWN)):
        pulls = e.tag == "tendon" and (sprung or any(FORCES & x.attributes.keys() for x in e.children))
        moves = pulls or bool(MOVES & {e.tag, *keys}) or any(x.tag in MOVES for x in e.children)
        yield told(e, keys, _why(e, keys), moves)


def _why(e: Element, keys: list[str]) -> str:
    if e.tag in DRIVE_KINDS or (e.tag in DRIVES and not keys):
        return "a drive of another kind"
    return REASONS.get(e.tag, "not known here")
