"""The case study of shafei2018: ten rods in the plane fall, and strike the inside of a circle.

Source: shafei2018, section 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..motion.impacts import Impact, Meeting
from .case import Agreement, Case, Table
from .symbolic_branch import branch
from .tree_figures import figures, histories
from .tree_in_circle import (
    PRINTED,
    PRINTED_ENERGY,
    REFERENCE,
    REFERENCE_ENERGY,
    X1,
    Flight,
    Row,
)

WORDS = ("t [s]", "attack angle [deg]", "|dr| [m/s]", "impulse [N s]")
__all__ = ["branch", "impacts"]
Allowed = Sequence[float | None]  # of a row's time, angle, change and impulse
UNJUDGED = (None,) * 4
FINE = 1e-12  # a tolerance from which on all digits of the reference can be asked for
CONSERVED = 1e-11
NEARLY = 1e-3  # metres from the symmetric start within which the paper's is
SHOWN = 40  # rows of contacts that a reader sees at most


def impacts(
    t_end: float = 1.5,
    restitution: float = 1.0,
    x1: float = X1,
    gap_tolerance: float = 1e-9,
    rtol: float = 1e-13,
    method: str = "gibbs_appell_tree",
) -> Case:
    """Flight and impacts of the tree inside a circle: Table 3, Figures 14 to 19.

    `x1` is where O1 starts, in both directions; `method` the formulation of forward dynamics.
    """
    flight = Flight(t_end, restitution, x1, gap_tolerance, rtol, method)
    return Case(
        "shafei2018",
        "impacts",
        "A tree of ten rods falls and strikes a circle from inside",
        _statement(flight),
        (_table_3(flight),),
        (),
        tuple(_agreements(flight)),
        _data(flight),
        lambda: (*figures(flight), *histories(flight)),
    )


# -- numbers ----------------------------------------------------------------------------------------------------


def _data(flight: Flight) -> dict[str, Any]:
    options = ("t_end", "restitution", "x1", "gap_tolerance", "rtol", "method")
    return {
        "impacts": [_plain(impact) for impact in flight.impacts],
        "energy_drift": flight.drift,
        "energy": flight.energy,
        "outcome": flight.run.ledger.outcome,
        **{name: getattr(flight, name) for name in options},
    }


def _plain(impact: Impact) -> dict[str, Any]:
    contacts = [
        {
            "point": c.point,
            "attack_angle_deg": c.attack_angle,
            "normal_velocity_change": c.normal_velocity_change,
            "impulse": c.impulse,
        }
        for c in impact.contacts
    ]
    return {
        "t": impact.t,
        "contacts": contacts,
        "energy_before": impact.energy_before,
        "energy_after": impact.energy_after,
    }


def _table_3(flight: Flight) -> Table:
    """A row for each contact, beside what the paper prints of it."""
    head = (WORDS[0], "point", *WORDS[1:], "energy after [J]", *(f"paper: {word}" for word in WORDS))
    rows: list[tuple[Any, ...]] = []
    for k, impact in enumerate(flight.impacts):
        printed = _numbers(PRINTED[k]) if _as_printed(flight, k) else ("",) * len(WORDS)
        for c in impact.contacts:
            rows.append((impact.t, c.point, *_measured(c), impact.energy_after, *printed))
    return Table("table-3", head, rows, every=max(1, len(rows) // SHOWN))


def _measured(c: Meeting) -> tuple[float, float, float]:
    return c.attack_angle, c.normal_velocity_change, c.impulse


def _numbers(row: Row) -> tuple[float, float, float, float]:
    return row.t, row.attack_angle, row.change, row.impulse


# -- agreement --------------------------------------------------------------------------------------------------


def _agreements(flight: Flight) -> Iterator[Agreement]:
    exact = flight.x1 == X1 and flight.rtol <= FINE
    yield Agreement("time reached [s]", flight.t_end, float(flight.run.t[-1]), 1e-12 * flight.t_end)
    for k, row in enumerate(PRINTED):
        if _as_printed(flight, k):
            yield from _both("Table 3", row, flight.impacts[k], _of_print(row) if flight.x1 == X1 else UNJUDGED)
    for k, row in enumerate(REFERENCE):
        if exact and _as_printed(flight, k):
            yield from _both("computed otherwise", row, flight.impacts[k], _of_digits(row))
    if abs(flight.x1 - X1) < NEARLY:
        yield Agreement("energy at the start [J]", PRINTED_ENERGY, flight.energy, 0.005)
    if exact:
        yield Agreement("energy at the start, computed otherwise [J]", REFERENCE_ENERGY, flight.energy, 1e-10)
    yield Agreement("energy that came from nowhere, relative", 0.0, flight.drift, max(CONSERVED, 10 * flight.rtol))


def _as_printed(flight: Flight, k: int) -> bool:
    """Whether the k-th impact is that of Table 3: the bodies are elastic, and so far the same points strike."""
    same = flight.restitution == 1 and k < len(PRINTED) and abs(flight.x1 - X1) < NEARLY
    return same and all(flight.matches(j, PRINTED[j]) for j in range(k + 1))


def _of_print(row: Row) -> Allowed:
    """How far off the paper's own numbers are, integrated as they were."""
    return 1e-3, 0.41, 0.005 * row.change, 0.005 * row.impulse


def _of_digits(row: Row) -> Allowed:
    """Nine digits, and half of the last one that the reference has."""
    return 1e-11, *(1e-9 * x + 5e-9 for x in (row.attack_angle, row.change, row.impulse))


def _both(source: str, row: Row, impact: Impact, allowed: Allowed) -> Iterator[Agreement]:
    """A row of a table beside an impact: of its contacts, each time the one that is furthest off."""
    what, (seconds, *others) = f"{source}, {', '.join(row.points)}", allowed
    yield Agreement(f"{what}: t [s]", row.t, impact.t, seconds)
    wanted, columns = (row.attack_angle, row.change, row.impulse), zip(*map(_measured, impact.contacts), strict=True)
    for word, w, here, a in zip(WORDS[1:], wanted, columns, others, strict=True):
        yield Agreement(f"{what}: {word}", w, max(here, key=lambda x, w=w: abs(x - w)), a)


# -- words ------------------------------------------------------------------------------------------------------


def _statement(flight: Flight) -> str:
    ledger, count = flight.run.ledger, len(flight.impacts)
    words = f"{count} impact" if count == 1 else f"{count} impacts"
    early = "" if ledger.outcome.startswith("reached") else f" The motion {ledger.outcome}"
    return (
        "The wall, which the paper's text leaves out, is the inside of a circle of 2.5 m about the origin. "
        f"{_on_table_3(flight)}Until {ledger.t[-1]:.6g} s there are {words}, and energy drifts by {flight.drift:.1e} "
        f"of itself. {ledger['steps']} steps took {1e3 * ledger['seconds']:.0f} ms; the paper's authors needed about "
        f"40 hours for 1.5 s.{early}"
    )


def _on_table_3(flight: Flight) -> str:
    """What became of the paper's five impacts."""
    same = [k for k in range(len(PRINTED)) if _as_printed(flight, k)]
    if not same:
        return f"{_on_simultaneity(flight)}Nothing here can be held against Table 3. "
    offs = [abs(PRINTED[k].impulse / c.impulse - 1) for k in same for c in flight.impacts[k].contacts]
    turns = [abs(PRINTED[k].attack_angle - c.attack_angle) for k in same for c in flight.impacts[k].contacts]
    return (
        f"{len(same)} of the 5 impacts of Table 3 are here, with the same points, impulses that differ by "
        f"{100 * max(offs):.1f} % at most and attack angles by {max(turns):.1f} degrees, which is how exact the paper "
        f"is. {_on_simultaneity(flight)}"
    )


def _on_simultaneity(flight: Flight) -> str:
    """What becomes of a start that is not symmetric."""
    if flight.x1 == X1 or abs(flight.x1 - X1) >= NEARLY or not flight.impacts:
        return ""
    first = ", ".join(flight.impacts[0].points)
    told = "are one impact" if len(flight.impacts[0].points) > 1 else "strikes alone"
    return (
        f"The start is not symmetric: {first} {told} within a gap of {flight.gap_tolerance:g} m, and what is struck "
        "one after the other, however close, gets other impulses. "
    )
