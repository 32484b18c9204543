"""Work done early or several numbers at a time: the sines of the coordinates, the zeros of the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..trace.expr import Expr
from ..trace.program import Array, Store

if TYPE_CHECKING:
    from .llvm import Function


def pack_angles(f: Function) -> None:
    """The sines of one state's coordinates, several at a time in one vector."""
    early = _early_angles(f)
    for k in range(0, len(early), f.pack):
        _pack(f, early[k : k + f.pack])


def take_angles_first(f: Function) -> None:
    """The sines of all coordinates before anything else.

    Each has a branch to a slow function for huge angles, and whatever is in a register there must leave it.
    """
    for angle in _early_angles(f):
        _name(f, angle)
        f.packed[angle] = f.sincos(angle)


def _early_angles(f: Function) -> list[Expr]:
    angles = [x.args[0] for x in f.program.body.items if isinstance(x, Expr) and x.op in ("sin", "cos")]
    return [a for a in dict.fromkeys(angles) if _is_early(a)]


def _name(f: Function, angle: Expr) -> None:
    for node in (*(a for a in angle.args if isinstance(a, Expr)), angle):
        f.names[node] = f.node(node)


def _pack(f: Function, angles: list[Expr]) -> None:
    kind = f"<{f.pack} x {f.scalar}>"
    vector = "zeroinitializer"
    for k, angle in enumerate(angles):
        _name(f, angle)
        vector = f.emit(f"insertelement {kind} {vector}, {f.scalar} {f.names[angle]}, i32 {k}")
    f.needs.add("sincos_pack")
    pair = f"{{{kind}, {kind}}}"
    both = f.emit(f"call {pair} @sincos_{f.dtype}_{f.pack}({kind} {vector})", "sc")
    parts = [f.emit(f"extractvalue {pair} {both}, {k}") for k in (0, 1)]
    for k, angle in enumerate(angles):
        f.packed[angle] = [f.emit(f"extractelement {kind} {p}, i32 {k}") for p in parts]


def pack_zeros(f: Function) -> None:
    """Runs of zeros in one state's outputs, several in one store."""
    for array in f.program.outputs:
        zeros = {flat(x): x for x in f.program.body.items if _is_zero(x, array)}
        for at in sorted(zeros):
            run = [zeros[k] for k in range(at, at + f.pack) if k in zeros and zeros[k] not in f.stored]
            if len(run) == f.pack:
                f.stored.update(run)
                there = f.emit(f"getelementptr inbounds {f.scalar}, ptr %{array.name}, i64 {at}", "p")
                kind = f"<{f.pack} x {f.scalar}>"
                f.lines.append(f"  store {kind} zeroinitializer, ptr {there}, align {f.bytes}")


def flat(store: Store) -> int:
    """The place of a store in an array of fixed shape, in memory order."""
    at = 0
    for i, size in zip(store.place, (1, *store.array.shape[1:]), strict=True):
        at = at * int(size) + i  # type: ignore[operator]
    return at * store.array.width + store.component


def _is_zero(item: Any, array: Array) -> bool:
    return isinstance(item, Store) and item.array is array and not isinstance(item.value, Expr) and item.value == 0


def _is_early(angle: Any) -> bool:
    """Whether an angle is a coordinate, or one plus a constant."""
    if not isinstance(angle, Expr):
        return False
    if angle.op == "add" and not isinstance(angle.args[1], Expr):
        angle = angle.args[0]
    return angle.op == "load" and angle.args[0].role == "lane"
