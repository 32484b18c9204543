"""What a file that is written cannot say: noted for its user, kept where only Appell reads it, or left out in words."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ..errors import ModelError
from ..model.loops import plain_constraint, plain_loop
from ..model.mechanism import Joint, Loop
from .xml_text import Tag


@dataclass
class Notes:
    """What others, or all, will not find in a file; and what holds it for Appell."""

    root: Tag
    found: list[str] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)

    def add(self, note: str) -> None:
        """One more, but for those that are there."""
        if note not in self.found:
            self.found.append(note)

    def own(self, tag: Tag, key: str, value: str) -> None:
        """An attribute that only Appell reads."""
        self.root.attributes["xmlns:appell"] = "appell-robot/1"
        tag.attributes[f"appell:{key}"] = value

    def keep(self, group: str, name: str, values: Any) -> None:
        """A value by its name, in a format that knows no other attributes than its own."""
        self.kept.setdefault(group, {})[name] = values

    def even(self, joint: Joint, key: str) -> float | None:
        """One of a joint's constants, which must be the same for all of its freedoms."""
        value: Any = getattr(joint, key)
        if not isinstance(value, tuple):
            return value
        if len(set(value)) > 1:
            self.add(f"no {key} that differs from freedom to freedom, as in the {joint.type} joint {joint.name!r}")
            return None
        return value[0]

    def left_out(self, x: Any, loops: str, got: str) -> str:
        """The comment that tells a loop or a constraint; an error, unless the caller wants comments."""
        what = "loop" if isinstance(x, Loop) else "constraint"
        if loops == "error":
            wanted = "loops='comment', which leaves it out, or a file that can hold it, as TOML does"
            raise ModelError(f"{what} {x.name!r}: got {got}; wanted {wanted}")
        self.add(f"no {what} {x.name!r}, but in a comment")
        return f"{what}: {json.dumps(plain_loop(x) if isinstance(x, Loop) else plain_constraint(x))}"
