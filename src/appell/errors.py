"""What can go wrong, one sentence each: what was got, what was wanted, where."""

from typing import Any


class AppellError(ValueError):
    """Any mistake that Appell can explain."""


class ModelError(AppellError):
    """A mechanism that cannot be: a cycle, a negative mass, an unknown parent."""


class ShapeError(AppellError):
    """An array of the wrong shape or kind."""


class TraceError(AppellError):
    """A formulation whose text cannot be read symbolically."""


class KernelError(AppellError):
    """Machine code that could not be built, or that disagrees with its text."""


class UnknownName(AppellError):
    """A name that nothing carries."""


class DataError(AppellError):
    """Measurements that cannot be used as they are: gaps, missing columns, time that runs backwards."""


class AssemblyError(AppellError):
    """A mechanism that cannot be closed; `q` is where least is left open, `residual` the largest of that."""

    q: Any = None
    residual: float = float("nan")


class SingularError(AppellError):
    """A configuration in which coordinates or drives do not tell all motion; `direction` moves while they are held."""

    direction: Any = None


class SimulationError(AppellError):
    """A motion that could not be followed to its end; `run` holds it up to there."""

    run: Any = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a simulation; `run` holds the motion up to there."""

    run: Any = None


def unknown(kind: str, name: object, known: object) -> UnknownName:
    """The error for a name that is not among the known ones, with the nearest of them."""
    from difflib import get_close_matches

    names = sorted({str(k) for k in known})  # type: ignore[attr-defined]
    few = sum(map(len, names)) * len(str(name)) < 2_000_000  # or looking for them takes long
    near = get_close_matches(str(name), names, n=1, cutoff=0.6) if few else []
    all_known = f"; known: {', '.join(x[:60] for x in names[:12])}" if names else ""
    hint = f"; did you mean {near[0]!r}?" if near else all_known
    text = str(name) if len(str(name)) <= 300 else f"{str(name)[:300]}..."
    return UnknownName(f"unknown {kind} {text!r}{hint}")
