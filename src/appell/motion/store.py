"""A run as arrays and a text that say everything, and a run made of them again; its rows as a Dataset."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import AppellError
from ..robot import Robot
from .events import Happened
from .files import xarray
from .impacts import Impact, Meeting
from .ledger import Ledger
from .steps import Steps

if TYPE_CHECKING:
    from .run import Run

Array = np.ndarray[Any, Any]
FORMAT = "appell-run/1"
KINDS = {kind.__name__: kind for kind in (Happened, Impact, Meeting)}
ROWS = ("t", "q", "v", "tau")
ENERGIES = ("kinetic", "potential", "actuators", "wrenches", "friction", "impacts")
STEPS = ("t", "h", "y", "F")


def dataset(run: Run) -> Any:
    """The rows as an `xarray.Dataset`, with names of coordinates and what the ledger knows."""
    rows = {name: (("t", f"{name}_place"), getattr(run, name)) for name in ROWS[1:]}
    energies = {f"energy_{name}": ("t", getattr(run.ledger, name)) for name in ENERGIES}
    text = {"format": FORMAT, "outcome": run.ledger.outcome, "facts": json.dumps(run.ledger.facts)}
    lists = {"events": json.dumps(_plain(run.events)), "impacts": json.dumps(_plain(run.impacts))}
    about = {**text, **lists, "robot": json.dumps(run.robot.to_dict())}
    return xarray().Dataset({**rows, **energies}, coords={"t": run.t}, attrs=about)


def arrays(run: Run) -> dict[str, Array]:
    """Everything, as a file holds it."""
    text = {
        "format": FORMAT, "robot": run.robot.to_dict(), "outcome": run.ledger.outcome, "facts": run.ledger.facts,
        "events": _plain(run.events), "impacts": _plain(run.impacts),
    }  # fmt: skip
    return {
        "text": np.array(json.dumps(text)),
        **{f"row_{name}": getattr(run, name) for name in ROWS},
        **{f"energy_{name}": getattr(run.ledger, name) for name in ENERGIES},
        **{f"step_{name}": getattr(run.steps, name) for name in STEPS},
    }


def parts(where: str, found: dict[str, Array]) -> dict[str, Any]:
    """What a run is made of, from a file's arrays."""
    text = json.loads(str(found["text"][()]))
    if not isinstance(text, dict) or text.get("format") != FORMAT:
        raise AppellError(f"{where} is not of the format {FORMAT}")
    robot = Robot.from_dict(text["robot"])
    rows = [_checked(where, found, f"row_{name}") for name in ROWS]
    energies = {name: _checked(where, found, f"energy_{name}") for name in ENERGIES}
    steps = Steps(*(_checked(where, found, f"step_{name}") for name in STEPS))
    _check_shapes(where, robot, rows, [*energies.values()], steps)
    ledger = Ledger(rows[0], **energies, outcome=str(text["outcome"]), facts=dict(text["facts"]))
    lists = {name: [_made(x) for x in text[name]] for name in ("events", "impacts")}
    return {"robot": robot, **dict(zip(ROWS, rows, strict=True)), "ledger": ledger, "steps": steps, **lists}


def _checked(where: str, found: dict[str, Array], name: str) -> Array:
    if found[name].dtype != np.float64:
        raise AppellError(f"{where}: {name} holds {found[name].dtype}, wanted float64")
    return found[name]


def _check_shapes(where: str, robot: Robot, rows: list[Array], energies: list[Array], steps: Steps) -> None:
    count, m, n = len(rows[0]), len(steps.t), robot.nq + robot.nv
    wanted = [
        (count,),
        (count, robot.nq),
        (count, robot.nv),
        (count, robot.nv),
        *[(count,)] * len(energies),
        (m,),
        (m,),
    ]
    shapes = [x.shape for x in (*rows, *energies, steps.t, steps.h)]
    many = steps.y.ndim == 2 and steps.F.ndim == 3 and steps.y.shape[1] >= n and steps.F.shape[1] >= 1
    fit = many and (len(steps.y), steps.y.shape[1]) == (m, steps.F.shape[2]) and len(steps.F) == m
    if shapes != wanted or not fit or not count:
        raise AppellError(f"{where}: its arrays do not fit together, or not to robot {robot.name!r}")


def _plain(value: Any) -> Any:
    """Dataclasses as mappings that name their kind, arrays as lists."""
    if is_dataclass(value):
        return {"kind": type(value).__name__, **{f.name: _plain(getattr(value, f.name)) for f in fields(value)}}
    if isinstance(value, np.ndarray):
        return {"kind": "array", "numbers": value.tolist()}
    return [_plain(x) for x in value] if isinstance(value, (list, tuple)) else value


def _made(value: Any) -> Any:
    """The reverse, for kinds that are known."""
    if isinstance(value, list):
        return tuple(_made(x) for x in value)
    if not isinstance(value, dict):
        return value
    rest = {name: _made(x) for name, x in value.items() if name != "kind"}
    if value.get("kind") == "array":
        return np.array(value["numbers"], float)
    return KINDS[value["kind"]](**rest)
