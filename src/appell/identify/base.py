"""Base parameters: the combinations of parameters that forces can tell apart, and no others.

With P their coefficients, beta = P phi, and K phi = K_b beta for every motion. What cannot be felt is not in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import AppellError, unknown
from ..model.lift import LENGTHS, MOMENTS, Lift, parameters, part
from ..model.regrouped import regrouped
from ..robot import Robot
from .form import Form
from .letters import lengths_of, lettered, varied
from .motions import random_motions
from .regressor import Regressor

Array = np.ndarray[Any, Any]
ROWS = 4  # of the regressor for each of its columns, at least, when columns are compared
SAME = 1e-9  # a column that is left with so little of itself depends on others
METHODS = ("symbolic", "qr", "svd")


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """beta = matrix @ phi, with phi the parameters of `regressor`; a form to read for each."""

    regressor: Regressor
    forms: tuple[Form, ...]
    matrix: Array
    singular: Array  # of the regressor in many motions, columns scaled to one length, largest first

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A short name for each: of a parameter that is in no other, with a star where more are in it."""
        columns = self.columns if self.columns is not None else np.abs(self.matrix).argmax(1)
        leaders = [self.regressor.names[k] for k in columns]
        return tuple(x if len(f.terms) == 1 else f"{x}*" for x, f in zip(leaders, self.forms, strict=True))

    @property
    def values(self) -> Array:
        """The numbers that the robot has for them."""
        return self.matrix @ self.regressor.values

    @property
    def unfelt(self) -> tuple[str, ...]:
        """Parameters that no force depends on."""
        return tuple(n for n, k in zip(self.regressor.names, self.matrix.T, strict=True) if not k.any())

    @cached_property
    def columns(self) -> Array | None:
        """A column of P for each base parameter that is its own alone, as in a unit matrix, if there are such."""
        lone = (np.abs(self.matrix) > 0).sum(0) == 1
        found = [np.flatnonzero(lone & (row == 1.0)) for row in self.matrix]
        return np.array([k[0] for k in found]) if all(k.size for k in found) else None

    @cached_property
    def spread(self) -> Array:
        """Z, such that P Z = 1 and K Z = K_b."""
        if self.columns is None:
            return np.linalg.pinv(self.matrix)
        return np.eye(self.matrix.shape[1])[:, self.columns]

    def __str__(self) -> str:
        wide = max(map(len, self.names), default=0)
        rows = zip(self.names, self.values, self.forms, strict=True)
        return "\n".join(f"{name:<{wide}} {x:> 13.6g}  {form}" for name, x, form in rows)


def base_parameters(
    robot: Robot, *groups: str, coordinates: Iterable[str] = (), method: str = "symbolic", static: bool = False,
    gravity: bool = True,
) -> BaseParameters:  # fmt: skip
    """What forces can tell of a robot: of the parameters of some groups (see `Regressor.of`), in all motions.

    Of a closed mechanism the forces of its `coordinates`, which are its motors' joints as a rule, in motions that keep
    its loops closed.
    """
    return base_of(Regressor.of(robot, *groups, coordinates=coordinates), method, static, gravity)


def base_of(
    regressor: Regressor, method: str = "symbolic", static: bool = False, gravity: bool = True
) -> BaseParameters:  # fmt: skip
    """What forces can tell of some parameters.

    "symbolic" moves masses along the axes and names every sum; "qr" takes columns by pivots and groups the others
    with them by numbers; "svd" takes directions, of which none has a name. `static` asks at rest, `gravity=False`
    without weight.
    """
    if method not in METHODS:
        raise unknown("method of base parameters", method, METHODS)
    K = stacked(weightless(regressor) if not gravity else regressor, static)
    size = np.linalg.norm(K, axis=0)
    scaled = K / np.where(size > SAME * size.max(initial=0.0), size, np.inf)
    singular = np.linalg.svd(scaled, compute_uv=False)
    if method == "svd":
        return _directions(regressor, K, singular)
    forms = _pivoted(regressor, scaled) if method == "qr" else symbolic(regressor)
    lengths = lengths_of(regressor.robot.mechanism)
    P = _coefficients(forms, regressor.names, lengths)
    forms, P = _joined(forms, P, K, regressor, lengths)
    return BaseParameters(regressor, tuple(forms), P, singular)


def told_apart(base: BaseParameters, R: Array, tolerance: float) -> BaseParameters:
    """Of base parameters those that measurements with the factor R can tell: others join them or are left out."""
    columns = R @ base.spread
    kept, weights = independent(columns, tolerance)
    if len(kept) == len(base):
        return base
    names, lengths = base.regressor.names, lengths_of(base.regressor.robot.mechanism)
    forms = _grown(base.forms, kept, weights)
    singular = np.linalg.svd(columns / np.linalg.norm(columns, axis=0).clip(1e-300), compute_uv=False)
    return BaseParameters(base.regressor, tuple(forms), _coefficients(forms, names, lengths), singular)


def stacked(regressor: Regressor, static: bool = False) -> Array:
    """K of many random motions, or postures, one below the other."""
    count = max(16, ROWS * len(regressor.names) // regressor.rows + 1)
    q, v, a = random_motions(regressor, count)
    moving = 0.0 if static else 1.0
    return regressor(q, v * moving, a * moving).reshape(-1, len(regressor.names))


def weightless(regressor: Regressor) -> Regressor:
    """The same where nothing weighs."""
    return replace(regressor, robot=Robot(replace(regressor.robot.mechanism, gravity=(0.0, 0.0, 0.0))))


def symbolic(regressor: Regressor) -> list[Form]:
    """Sums that no force can tell apart from their parts, by moving masses of the robot with letters for numbers."""
    robot, names = regressor.robot, regressor.names
    own = parameters(robot.mechanism)
    moments = [f"{b.name}.{x}" for b in robot.bodies for x in MOMENTS]
    lengths = [n for n in own if n.endswith(tuple(f".{x}" for x in LENGTHS)) and own[n]]
    lift = Lift(robot.mechanism, robot.tree, tuple(moments + lengths))
    symbols = [Form.parameter(n) if n in names else 0 for n in moments] + [Form.length(n) for n in lengths]
    links = regrouped(lift.tree_with(symbols)).links
    found = [x for b in links for x in (b.mass, *b.first, *b.second) if isinstance(x, Form) and x.terms]
    return found + [Form.parameter(n) for n in names if part(n) not in MOMENTS]


def _coefficients(forms: Sequence[Form], names: Sequence[str], lengths: dict[str, float]) -> Array:
    """P: a row for each form."""
    rows = [form.coefficients(lengths) for form in forms]
    return np.array([[row.get(name, 0.0) for name in names] for row in rows]).reshape(len(rows), len(names))


def _joined(
    forms: list[Form], P: Array, K: Array, regressor: Regressor, lengths: dict[str, float]
) -> tuple[list[Form], Array]:
    """The forms whose columns are independent, the others added to them as far as these can stand for them."""
    columns = K @ np.linalg.pinv(P)
    if np.abs(columns @ P - K).max(initial=0.0) > 1e-9 * np.abs(K).max(initial=1.0):
        raise AppellError("base parameters miss a force that the regressor has: this is an error of Appell's")
    kept, weights = independent(columns)
    total = _grown(forms, kept, _named(regressor, kept, weights))
    return total, _coefficients(total, regressor.names, lengths)


def _named(regressor: Regressor, kept: list[int], weights: dict[int, Array]) -> dict[int, Any]:
    """Weights with letters for lengths, where a closed mechanism makes them."""
    here = regressor.robot.mechanism
    if not (regressor.coordinates and here.loops and weights):
        return weights
    there = replace(regressor, robot=Robot(varied(here)))
    try:
        forms = symbolic(there)
        P = _coefficients(forms, there.names, lengths_of(there.robot.mechanism))
        again, others = independent(stacked(there) @ np.linalg.pinv(P))
    except AppellError:  # lengths that must fit each other do not
        return weights
    return lettered(here, there.robot.mechanism, weights, others) if again == kept else weights


def _grown(forms: Sequence[Form], kept: list[int], weights: Mapping[int, Any]) -> list[Form]:
    """The forms that are kept, each with its share of the others."""
    total = [forms[k] for k in kept]
    for j, row in weights.items():
        share = [x if isinstance(x, Form) else _tidy(float(x)) for x in row]
        pairs = zip(total, share, strict=True)
        total = [form + forms[j] * x if isinstance(x, Form) or x else form for form, x in pairs]
    return total


def independent(columns: Array, least: float = SAME) -> tuple[list[int], dict[int, Array]]:
    """The columns that do not depend on those before them, and for the others their weights of the kept ones."""
    size = np.linalg.norm(columns, axis=0)
    kept: list[int] = []
    basis = np.zeros((len(columns), 0))
    for k in np.flatnonzero(size > least * size.max(initial=0.0)).tolist():
        x = columns[:, k] / size[k]
        rest = x - basis @ (basis.T @ x)
        rest -= basis @ (basis.T @ rest)
        if (left := float(np.linalg.norm(rest))) > least:
            basis, kept = np.column_stack([basis, rest / left]), [*kept, k]
    others = [k for k in range(columns.shape[1]) if k not in kept]
    found = np.linalg.lstsq(columns[:, kept], columns[:, others], None)[0].T
    return kept, dict(zip(others, found, strict=True))


def _tidy(x: float) -> float:
    """A weight without its round-off."""
    near = round(x * 12) / 12
    return near if abs(x - near) < SAME else x if abs(x) > SAME else 0.0


def _pivoted(regressor: Regressor, K: Array) -> list[Form]:
    """All parameters, those in front that pivots choose."""
    from scipy.linalg import qr

    factor: Any = qr(K, mode="r", pivoting=True)
    R, order = factor
    pivots = np.abs(np.diag(R))
    rank = int((pivots > SAME * pivots.max(initial=0.0)).sum())
    return [Form.parameter(regressor.names[k]) for k in (*np.sort(order[:rank]), *order[rank:])]


def _directions(regressor: Regressor, K: Array, singular: Array) -> BaseParameters:
    """The directions of phi that forces feel, as rows of unit length."""
    _, s, V = np.linalg.svd(K, full_matrices=False)
    felt = V[s > SAME * s.max(initial=0.0)]
    names = regressor.names
    forms = [Form({(n, ()): float(x) for n, x in zip(names, row, strict=True) if abs(x) > SAME}) for row in felt]
    return BaseParameters(regressor, tuple(forms), felt, singular)
