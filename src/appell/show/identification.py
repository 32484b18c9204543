"""What was identified, as a page and as JSON: the command `appell identify`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..closing.coordinates import freedoms_of, slides
from ..errors import AppellError
from ..identify.consistent import Consistent, consistent
from ..identify.estimate import Estimate, estimate
from ..identify.measurements import Measurements, measurements
from ..identify.table import read
from ..identify.validation import FOLDS, Validation, cross_validate, validate
from ..model.lift import MOMENTS, part
from ..robot import Robot
from . import report
from .charts import Chart, Panel
from .describe import table
from .report import Part, Picture, Section, Table, Text
from .surroundings import about

Array = np.ndarray[Any, Any]
SHOWN = 2000  # instants of a figure, at most
LASTING = 0.5  # of what is left, from which on noise does not explain it
MANY = 200_000  # samples that are worth a sign of progress
PARAMETERS = ("base parameter", "value", "standard error", "relative", "95 % from", "to", "model has", "is")
JOINTS = ("joint", "noise found", "residual", "of the forces", "explained", "by the model before")
MASSES = "Masses that fit and that matter can have. Where forces do not tell, they are the model's."


def identify(
    robot: Robot, data: str, out: Path, groups: Sequence[str], validation: str, model: str, **options: Any
) -> None:  # fmt: skip
    """Identifies, prints, and leaves a page, its numbers as JSON, and the robot if a name for it is given."""
    preparing = {k: options.pop(k) for k in ("cutoff", "mend", "delay", "actuators", "branch")}
    told, other_told = read(data), read(validation) if validation else None
    measured = measurements(robot, told, **preparing)
    found = estimate(robot, measured, *groups, progress=_told(len(measured)), **options)
    other = measurements(robot, other_told, **preparing) if other_told else measured
    held = validate(found, other) if validation else cross_validate(found, measured)
    findings = Findings(robot, found, held, validate(robot, other), measured, not validation)
    lines = [f"note: {note}" for note in findings.lacks]
    print("\n".join([str(found), *lines, "", table(JOINTS, findings.joints), "", f"{findings.physical.notes[0]}."]))
    report.write(out, findings.page())
    report.write(out.with_suffix(".json"), json.dumps(findings.plain(), indent=1) + "\n")
    if model:
        findings.physical.robot.save(model)
    print(f"\nwritten: {out}, {out.with_suffix('.json')}{', ' + model if model else ''}")


def _told(count: int) -> Callable[[int], None] | None:
    """Progress on stderr, where there is much to do."""
    if count < MANY:
        return None
    return lambda done: print(f"\r{done} of {count} samples", end="\n" if done == count else "", file=sys.stderr)


@dataclass(frozen=True, eq=False)
class Findings:
    """An estimate, how it predicts forces that it has not seen, and how the model before does."""

    robot: Robot
    found: Estimate
    held: Validation
    before: Validation
    data: Measurements  # from which it was estimated
    crossed: bool  # whether the data were predicted part by part, from the other parts

    @cached_property
    def physical(self) -> Consistent:
        """The same as matter."""
        return consistent(self.found)

    @property
    def lacks(self) -> tuple[str, ...]:
        """What the residuals say of the model."""
        rows = zip(self.found.base.regressor.labels, self.held.lasting, strict=True)
        lasting = [f"{name} ({x:.2f})" for name, x in rows if x > LASTING]
        text = "what is left goes on from sample to sample: the model lacks something, as friction, or forces come late"
        return (f"{text} (correlation of {', '.join(lasting)})",) if lasting else ()

    @property
    def parameters(self) -> list[tuple[str, ...]]:
        """A row for each base parameter."""
        found, base = self.found, self.found.base
        rows = zip(base.names, found.values, found.errors, found.interval(), base.values, base.forms, strict=True)
        return [(n, f"{x:.6g}", f"{e:.2g}", _percent(e, x), f"{low:.5g}", f"{high:.5g}", f"{m:.6g}", str(f))
                for n, x, e, (low, high), m, f in rows]  # fmt: skip

    @property
    def joints(self) -> list[tuple[str, ...]]:
        """A row for each joint: what is left of its forces on data that were not used."""
        held, before, names = self.held, self.before, self.found.base.regressor.labels
        rows = zip(names, self.found.sigma, held.rms, held.forces, held.explained, before.rms, strict=True)
        return [(n, *(f"{x:.4g}" for x in (s, r, f)), f"{100 * e:.3f} %", f"{b:.4g}") for n, s, r, f, e, b in rows]

    def plain(self) -> dict[str, Any]:
        """Everything as plain data."""
        found, held, ridge = self.found, self.held, self.found.ridge
        low, high = found.interval().T
        rows = zip(found.base.names, found.values, found.errors, low, high, found.base.forms, strict=True)
        keys = ("value", "standard_error", "low", "high")
        base = {n: {**dict(zip(keys, map(float, x), strict=True)), "is": str(form)} for n, *x, form in rows}
        choice = ridge and {"weights": ridge.weights.tolist(), "scores": ridge.scores.tolist(), "weight": ridge.weight}
        rms = {"rms": held.rms.tolist(), "explained": held.explained.tolist(), "rms_before": self.before.rms.tolist()}
        return {
            "format": "appell-identification/1", "robot": self.robot.name, "method": found.method,
            "samples": [int(x) for x in found.factors.counts], "rank": len(found.values), "condition": found.condition,
            "condition_scaled": found.scaled_condition, "base_parameters": base, "untold": list(found.untold),
            "noise": found.sigma.tolist(), "cutoff_hz": held.data.cutoff, "ridge": choice, "validation": rms,
            "physical_parameters": self.physical.values, "excess_chi_square": self.physical.excess,
            "notes": [*found.notes, *self.lacks, *self.physical.notes], "made_with": about(),
        }  # fmt: skip

    def page(self) -> str:
        """The report, in one file."""
        found, count = self.found, int(self.found.factors.counts.sum())
        lead = f"{len(found.values)} base parameters of {self.robot.name} from {count} forces, by {found.method}."
        how = f"Each of {FOLDS} parts of the data, from the others." if self.crossed else "The data for validation."
        bodies = zip(self.physical.robot.bodies, self.robot.bodies, strict=True)
        masses = [(b.name, f"{b.mass:.4g}", f"{was.mass:.4g}") for b, was in bodies]
        matter = [*_sentences(self.physical.notes), Text(MASSES, "note")]
        parts: list[Section] = [
            ("To know before reading the numbers", _sentences((*found.notes, *self.lacks, *self._conditions))),
            ("Base parameters", [Table(PARAMETERS, self.parameters)]),
            ("Forces that were not used", [Text(how, "note"), Table(JOINTS, self.joints), *self._figures()]),
            ("As matter", [*matter, Table(("body", "mass [kg]", "model"), masses), *self._joints()]),
            ("Made with", [Text(f"{name}: {value}", "note") for name, value in about().items()]),
        ]  # fmt: skip
        if shown := self._filter():
            parts.insert(1, ("The filter", shown))
        if found.ridge is not None:
            parts.insert(-3, ("The weight of ridge regression", self._ridge()))
        return report.page(f"Identification of {self.robot.name}", [Text(lead, "lead")], parts)

    def _joints(self) -> list[Part]:
        """What resists in the joints, if that was asked for."""
        asked = self.found.base.regressor
        every = zip(asked.names, self.physical.phi, asked.values, strict=True)
        rows = [(n, f"{x:.4g}", f"{m:.4g}") for n, x, m in every if part(n) not in MOMENTS]
        return [Table(("in a joint", "found", "model"), rows)] if rows else []

    @property
    def _conditions(self) -> tuple[str, ...]:
        found = self.found
        return (f"condition number {found.condition:.4g}, with columns of one length {found.scaled_condition:.4g}",)

    def _ridge(self) -> list[Part]:
        ridge = self.found.ridge
        assert ridge is not None
        panel = Panel("score of cross-validation", {"_": ridge.scores}, log=True)
        at, taken = np.log10(ridge.weights), (float(np.log10(ridge.weight)),)
        title = f"Score of each weight tried, {ridge.weight:.2g} taken"
        return _pictures([Chart("ridge", title, "log10 of the weight", at, (panel,), instants=taken)])

    def _figures(self) -> list[Part]:
        """Measured and predicted forces, and what is left, over the samples of the validation."""
        data = self.held.data
        some = slice(None, None, max(1, len(data) // SHOWN))
        t, tau, told = data.t[some], data.tau[some].T, self.held.predicted[some].T
        rows = list(zip(self._named(), tau, told, strict=True))
        both = tuple(Panel(name, {"measured": a, "predicted": b}, under="measured") for name, a, b in rows)
        left = tuple(Panel(name, {"_": a - b}) for name, a, b in rows)
        title = "What is left: measured less predicted forces"
        forces = Chart("forces", "Forces, measured and predicted", "time [s]", t, both)
        return _pictures([forces, Chart("residuals", title, "time [s]", t, left)])

    def _named(self) -> list[str]:
        """The rows of tau, with their units."""
        asked, slide = self.found.base.regressor, slides(self.robot.mechanism)
        if asked.coordinates:
            slide = slide[freedoms_of(self.robot.mechanism, asked.coordinates)]
        return [f"{name} [{'N' if s else 'N m'}]" for name, s in zip(asked.labels, slide, strict=True)]

    def _filter(self) -> list[Part]:
        """What the coordinates hold at which frequency, and what of it the filter has left."""
        data, seen = self.data, self.data.spectrum
        if seen is None or data.cutoff is None:
            return []
        some = seen.frequency < max(8 * data.cutoff, 20 * seen.frequency[1])
        names = data.coordinates or [f"q{k + 1}" for k in range(seen.amplitude.shape[1])]
        panel = Panel("amplitude", dict(zip(names, seen.amplitude[some].T, strict=True)), log=True)
        title, at = f"Amplitudes of the coordinates, kept up to {data.cutoff:.4g} Hz", seen.frequency[some]
        return _pictures([Chart("spectrum", title, "frequency [Hz]", at, (panel,), 3.4, (data.cutoff,))])


def _percent(error: float, value: float) -> str:
    return f"{100 * error / abs(value):.2g} %" if abs(value) > error else "over 100 %"


def _sentences(notes: Sequence[str]) -> list[Part]:
    return [Text(f"{note[0].upper()}{note[1:]}.") for note in notes]


def _pictures(charts: Sequence[Chart]) -> list[Part]:
    try:
        return [Picture(c.png(), c.title) for c in charts]
    except AppellError as reason:  # no matplotlib: the page does without
        return [Text(f"{reason}.", "note")]
