"""What binds and drives the bodies of an MJCF: equalities as loops and couplings, actuators on joints, keyframes."""

from __future__ import annotations

from dataclasses import replace
from math import comb, prod
from typing import Any

from ..errors import ModelError, unknown
from ..model.actuators import Actuator
from ..model.configurations import Configuration
from ..model.joints import WIDTHS, per_freedom
from ..model.mechanism import Body, Coupling, Joint, Loop, Placement
from .graph import free
from .mjcf_bodies import Bodies
from .mjcf_options import YES_NO, settle, words
from .turns import carried, quaternion_rows, seen_from
from .xml import Element

EQUALITY = words("active name class body1 body2 anchor site1 site2 relpose torquescale joint1 joint2 polycoef")
DRIVE = words("name class joint jointinparent gear kp kv ctrlrange ctrllimited forcerange forcelimited armature")
DRIVE |= words("damping gainprm gaintype biastype dyntype")
DRIVES = ("motor", "position", "velocity", "general")


class Bound:
    """Loops, constraints, actuators and configurations while they are read."""

    def __init__(self, bodies: Bodies) -> None:
        self.bodies, self.options, self.defaults = bodies, bodies.options, bodies.defaults
        self.loops: list[Loop] = []
        self.constraints: list[Coupling] = []
        self.actuators: list[Actuator] = []
        self.configurations: list[Configuration] = []
        self.taken = set(bodies.joints)
        self.keys: set[str] = set()
        self.names: set[str] = set()  # of equalities

    # -- equalities -----------------------------------------------------------------------------------------------

    def equality(self, block: Element) -> None:
        """The elements of an <equality>."""
        off = {"equality", "constraint"} & self.options.off
        for e in block.all("connect", "weld", "joint"):
            m = self.defaults.merged(e, "main", "equality")
            if not m.choice("active", YES_NO, True) or off:
                self.bodies.note(e.told(), e.title, "it is switched off")
                continue
            name = self._named(m, e.tag)
            getattr(self, f"_{e.tag}")(m, name)
            settle(e, m)

    def _named(self, e: Element, kind: str) -> str:
        given = e.word("name", "")
        if given in self.names:
            raise e.refuse(f"the name {given!r}, which is taken", "a name of its own for every equality")
        self.names |= {given} - {""}
        name = free(given or f"{kind}{len(self.taken)}", self.taken)
        self.taken.add(name)
        self.bodies.lines |= {f"{what} {name!r}": e.line for what in ("loop", "constraint", "joint")}
        return name

    def _body(self, e: Element, key: str) -> str:
        given = e.word(key, "world")
        if given not in self.bodies.names:
            raise ModelError(f"{e.where}: {unknown('body', given, self.bodies.names)}")
        return self.bodies.names[given]

    def _sites(self, e: Element) -> list[tuple[str, Placement]] | None:
        """The two sites that meet, if it is told by sites."""
        if "site1" not in e.attributes:
            return None
        found = []
        for key in ("site1", "site2"):
            name = e.word(key)
            if name not in self.bodies.sites:
                raise ModelError(f"{e.where}: {unknown('site', name, self.bodies.sites)}")
            found.append(self.bodies.sites[name])
        return found

    def _connect(self, e: Element, name: str) -> None:
        """A point that two bodies share: a ball."""
        ends = self._sites(e)
        if ends is None:
            a, b, anchor = self._body(e, "body1"), self._body(e, "body2"), Placement(e.vector("anchor"))
            there = seen_from(self.bodies.worlds[b], carried(self.bodies.worlds[a], anchor))
            ends = [(a, anchor), (b, Placement(there.position))]
        self._close(e, Joint(name, "ball"), ends)

    def _weld(self, e: Element, name: str) -> None:
        """Two bodies that are one."""
        ends, worlds = self._sites(e), self.bodies.worlds
        for key in ("anchor", "torquescale"):
            e.word(key, None)  # where and how hard it pulls while it is not closed
        if ends is None:
            a, b = self._body(e, "body1"), self._body(e, "body2")
            pose = e.vector("relpose", (0.0,) * 7, n=7)
            there = Placement(pose[:3], quaternion_rows(pose[3:])) if any(pose[3:]) else seen_from(worlds[a], worlds[b])
            ends = [(a, there), (b, Placement())]
        self._close(e, Joint(name, "fixed"), ends)

    def _close(self, e: Element, joint: Joint, ends: list[tuple[str, Placement]]) -> None:
        (a, on_a), (b, on_b) = ends
        if a == b:
            raise e.refuse(f"both ends on {a!r}", "two bodies")
        self.loops.append(Loop(joint.name, joint, a, b, on_a, on_b))

    def _joint(self, e: Element, name: str) -> None:
        """A coordinate that follows another's, both counted from their references."""
        names = [e.word("joint1"), e.word("joint2", None)]
        for x in names:
            if x is not None and x not in self.bodies.joints:
                raise ModelError(f"{e.where}: {unknown('joint', x, self.bodies.joints)}")
        c = e.vector("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), n=5)
        if names[1] is None:
            self.bodies.note(e, f"<joint> {name!r} of <equality>", "a joint is held; `lock` does it", True)
            return
        y0, x0 = (self.bodies.joints[x].reference for x in names if x is not None)
        self.constraints.append(Coupling(name, names[0], names[1], _shifted(c, x0, y0)))

    # -- actuators ------------------------------------------------------------------------------------------------

    def actuator(self, block: Element) -> None:
        """The drives on joints; others stay unread."""
        for e in [x for x in block.children if x.tag in DRIVES and {"joint", "jointinparent"} & x.attributes.keys()]:
            m = self.defaults.merged(e, "main")
            if e.tag == "general" and not _is_motor(m):
                continue
            name = m.word("name", "") or f"{e.tag}{len(self.actuators)}"
            joint = m.word("joint", None) or m.word("jointinparent")
            if joint not in self.bodies.joints:
                raise ModelError(f"{e.where}: {unknown('joint', joint, self.bodies.joints)}")
            self.bodies.lines[f"actuator {name!r}"] = e.line
            self._drive(m, e.tag, name, joint)
            block.take(e)
            settle(e, m)

    def _drive(self, e: Element, kind: str, name: str, joint: str) -> None:
        given = self.bodies.joints[joint].joint
        gear = e.numbers("gear", (1.0,))[: WIDTHS[given.type][1]]
        scale = e.numbers("gainprm", (1.0,))[0] if kind == "general" else 1.0
        data: dict[str, Any] = {"gear": gear[0] * scale if len(gear) == 1 else tuple(x * scale for x in gear)}
        if kind in ("position", "velocity"):
            data["kv"] = e.number("kv", 1.0 if kind == "velocity" else None)
        if kind == "position":
            data["kp"] = e.number("kp", 1.0)
        data |= {mine: self._range(e, key) for key, mine in (("ctrl", "control_range"), ("force", "force_range"))}
        word = kind if kind != "general" else "motor"
        self.actuators.append(Actuator(name, joint, word, **data))
        self._felt(joint, gear, e.number("armature", 0.0), e.numbers("damping", (0.0,))[0])

    def _range(self, e: Element, key: str) -> Any:
        """A range, if it is one."""
        ends, limited = e.vector(f"{key}range", None, n=2), e.choice(f"{key}limited", YES_NO | {"auto": None}, None)
        if ends is None or limited is False or not (limited or self.options.auto_limits):
            return None
        if ends[0] > ends[1]:
            raise e.refuse(f"{key}range = {ends}", "the lower limit, then the upper one")
        return ends

    def _felt(self, joint: str, gear: tuple[float, ...], armature: float, damping: float) -> None:
        """The rotor and the friction of a drive, which the joint feels by the square of the gear."""
        if not armature and not damping:
            return
        k = next(k for k, b in enumerate(self.bodies.bodies) if b.joint.name == joint)
        body = self.bodies.bodies[k]
        made: dict[str, Any] = {"rotor_inertia": armature, "gear": gear[0]}
        if len(gear) > 1 or body.joint.rotor_inertia is not None or damping:
            more = {"rotor_inertia": armature, "damping": damping}
            made = {key: _added(body, key, gear, value) for key, value in more.items()} | {"gear": None}
        self.bodies.bodies[k] = replace(body, joint=replace(body.joint, **made))

    # -- keyframes ------------------------------------------------------------------------------------------------

    def keyframe(self, block: Element) -> None:
        """The positions of the <key> elements, as configurations."""
        widths = [(name, WIDTHS[x.joint.type][0]) for name, x in self.bodies.joints.items()]
        for e in block.all("key"):
            given = e.word("name", "")
            if given in self.keys:
                raise e.refuse(f"the name {given!r}, which is taken", "a name of its own for every key")
            name = given or free(f"key{len(self.configurations)}", self.keys)
            self.keys.add(name)
            qpos = e.numbers("qpos", ())
            if not qpos:
                continue
            if len(qpos) != sum(n for _, n in widths):
                raise e.refuse(f"{len(qpos)} numbers of qpos", f"{sum(n for _, n in widths)}")
            joints, at = [], 0
            for joint, n in widths:
                joints.append((joint, qpos[at] if n == 1 else qpos[at : at + n]))
                at += n
            self.bodies.lines[f"configuration {name!r}"] = e.line
            self.configurations.append(Configuration(name, tuple(joints)))


def _is_motor(e: Element) -> bool:
    """Whether a <general> gives a force that is proportional to what it is asked for."""
    plain = {"gaintype": "fixed", "biastype": "none", "dyntype": "none"}
    return all(e.attributes.get(key, word) == word for key, word in plain.items())


def _shifted(c: tuple[float, ...], x0: float, y0: float) -> tuple[float, ...]:
    """The coefficients of y0 + sum c_k (x - x0)^k in powers of x."""
    found = [0.0] * len(c)
    for k, a in enumerate(c):
        for j in range(k + 1):
            found[j] += a * comb(k, j) * prod([-x0] * (k - j))
    found[0] += y0
    while len(found) > 2 and not found[-1]:
        found.pop()
    return tuple(x + 0.0 for x in found)


def _added(body: Body, key: str, gear: tuple[float, ...], value: float) -> Any:
    """One of a joint's constants, with what a drive adds to each freedom."""
    own = per_freedom(body.joint, key)
    if key == "rotor_inertia":
        own = tuple(x * g * g for x, g in zip(own, per_freedom(body.joint, "gear"), strict=True))
    felt = tuple(x + value * g * g for x, g in zip(own, (*gear, *(0.0,) * len(own)), strict=False))
    return (felt[0] if len(set(felt)) == 1 else felt) if any(felt) else None
