"""Small files that hold very many of one thing: read in time that grows with their length, and within little memory."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from urdf_text import joint, link

from appell.errors import AppellError
from appell.files import load

pytestmark = pytest.mark.filterwarnings("ignore:nothing of mass", "ignore:robot .*radii of gyration")
N = 20_000
LONGEST = 2.0  # seconds of processor
BODIES = (
    "<body name='a'><joint name='j'/><geom size='.1'/></body><body name='b'><joint name='k'/><geom size='.1'/></body>"
)


def mjcf(world: str = BODIES, before: str = "", after: str = "") -> str:
    return f"<mujoco>{before}<worldbody>{world}</worldbody>{after}</mujoco>"


def sdf(model: str) -> str:
    return f"<sdf version='1.9'><model name='m'>{model}</model></sdf>"


def each(text: str, n: int = N) -> str:
    return "".join(text.replace("#", str(k)).replace("@", str(k + 1)) for k in range(n))


def inside(tag: str, text: str) -> str:
    return f"<{tag}>{text}</{tag}>"


def robot(text: str) -> str:
    return f"<robot name='r'>{text}</robot>"


LEADER = joint("j0", "l0", "l1", "continuous", "")
FOLLOWERS = "".join(joint(f"j{k}", f"l{k}", f"l{k + 1}", "continuous", "<mimic joint='j0'/>") for k in range(1, 5000))
RING = (
    "<link name='a#'/><link name='b#'/><joint name='j#' type='ball'><parent>a#</parent><child>b#</child></joint>"
    "<joint name='k#' type='ball'><parent>b#</parent><child>a#</child></joint>"
)
CROWDS = {
    "keys": ("xml", mjcf(after=inside("keyframe", each("<key qpos='1 2'/>")))),
    "couplings": ("xml", mjcf(after=inside("equality", each("<joint joint1='j' joint2='k'/>")))),
    "classes": ("xml", mjcf(before=inside("default", each("<x# a='1'/>") + each("<default class='c#'/>")))),
    "nested classes": (
        "xml",
        mjcf(before="<default>" + each("<default class='c#'><geom x#='1'/>", 15_000) + "</default>" * 15_001),
    ),
    "nested frames": ("xml", mjcf("<frame>" * 15_000 + BODIES + "</frame>" * 15_000)),
    "long names": ("urdf", robot(each(f"<link name='{'x' * 900}#'/>") + joint("j", "x" * 901, "l"))),
    "mimics": ("urdf", robot(each(link("l#"), 5001) + LEADER + FOLLOWERS)),
    "poses": ("sdf", sdf(each("<link name='l#'><pose relative_to='l@'/></link>") + f"<link name='l{N}'/>")),
    "frames": (
        "sdf",
        sdf("<link name='l'/>" + each("<frame name='f#' attached_to='f@'/>") + f"<frame name='f{N}' attached_to='l'/>"),
    ),
    "rings": ("sdf", sdf(each(RING, 4000))),
    "what floats": ("sdf", sdf(each("<link name='l#'/>"))),
}


@pytest.mark.slow
@pytest.mark.parametrize("crowd", CROWDS)
def test_no_crowd_takes_long(crowd: str, tmp_path: Path) -> None:
    end, text = CROWDS[crowd]
    path = tmp_path / f"r.{end}"
    path.write_text(text)
    start = time.process_time()
    try:
        load.read(str(path))
    except AppellError as error:
        assert len(str(error)) < 5000
    assert time.process_time() - start < LONGEST
