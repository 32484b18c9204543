"""URDF as text, in small pieces; one line each, so that lines can be counted."""

from __future__ import annotations

from appell.files import urdf, xml
from appell.files.source import PLAIN, Choices, Read

INERTIA = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
LIMIT = "<limit lower='-1' upper='2' effort='3' velocity='4'/>"


def read(inside: str, choices: Choices = PLAIN, path: str = "r.urdf") -> Read:
    return urdf.read_element(xml.parse(f"<robot name='r'>{inside}</robot>".encode(), path), path, choices)


def link(name: str, inside: str = INERTIA) -> str:
    return f"<link name='{name}'>{inside}</link>\n"


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = LIMIT) -> str:
    return f"<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>{inside}</joint>\n"


ARM = link("a") + link("b") + joint("j", "a", "b")
