"""Loops of a rolled Program in LLVM IR: a sweep, a walk to the base, a jump by the kind of joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..model.tree import KINDS
from ..trace.program import Loop
from .llvm_streams import after_body, before_body

if TYPE_CHECKING:
    from .llvm import Function


@dataclass
class Run:
    """A loop being written."""

    index: str
    head: str
    done: str
    before: str
    phis: list[tuple[str, str, str]]
    at: int


def write_loop(f: Function, loop: Loop) -> None:
    run = open_loop(f, *_range(f, loop), loop.carries)
    f.rows[-1]["i", loop.number, 0] = run.index
    before_body(f, loop, run.index)
    _cases(f, loop)
    after_body(f, loop, run.index)
    if loop.way == "support":
        after = _parent(f, loop)
    else:
        after = f.emit(f"add nsw i64 {run.index}, {-1 if loop.way == 'inward' else 1}")
    close_loop(f, run, after, [f.value(x[2]) for x in loop.carries])


def _range(f: Function, loop: Loop) -> tuple[str, str]:
    """Where a loop begins, and before which body it ends."""
    if loop.start is None:
        return ("1", f.sizes["n+1"]) if loop.way == "outward" else (f.sizes["n"], "0")
    if loop.way == "support":
        return f.index(loop.start), "0"
    stop = f.sizes["n+1"] if f.program.chain else f.key_index(("t", "last", loop.start.key, 1))
    return f.index(loop.start + 1), stop


def _parent(f: Function, loop: Loop) -> str:
    key = ("i", loop.number)
    return f.key_index((*key, -1) if f.program.chain else ("t", "parent", (*key, 0), 0))


def open_loop(f: Function, first: str, stop: str, carries: tuple[Any, ...] = ()) -> Run:
    """Begins a loop over a whole number; its phi instructions are completed when it closes."""
    head, body, done = (f.fresh(s)[1:] for s in ("head", "body", "done"))
    index = f.fresh("i")
    phis = [(index, "i64", first)]
    for symbol, start, _ in carries:
        f.names[symbol] = f.fresh("c")
        phis.append((f.names[symbol], f.type, f.value(start)))
    run = Run(index, head, done, f.here, phis, len(f.lines) + 2)
    f.lines += [f"  br label %{head}", f"{head}:", *("" for _ in phis)]
    test = f.emit(f"icmp ne i64 {index}, {stop}")
    f.lines.append(f"  br i1 {test}, label %{body}, label %{done}")
    f.label(body)
    f.rows.append({})
    return run


def close_loop(f: Function, run: Run, after: str, carried: list[str] | None = None) -> None:
    """Ends a loop: what the index and the carried values become."""
    for k, ((name, kind, first), next_) in enumerate(zip(run.phis, (after, *(carried or ())), strict=True)):
        line = f"  {name} = phi {kind} [{first}, %{run.before}], [{next_}, %{f.here}]"
        f.lines[run.at + k] = line
    f.lines.append(f"  br label %{run.head}")
    f.rows.pop()
    f.label(run.done)


def _cases(f: Function, loop: Loop) -> None:
    """The one case, or a jump by the body's kind."""
    if len(loop.cases) == 1:
        f.block(next(iter(loop.cases.values())))
        return
    kind = f.key_index(("t", "kind", ("i", loop.number, 0), 0))
    done = f.fresh("join")[1:]
    labels = {k: f.fresh("case")[1:] for k in loop.cases}
    arms = " ".join(f"i64 {KINDS.index(k)}, label %{labels[k]}" for k in loop.cases)  # type: ignore[arg-type]
    f.lines.append(f"  switch i64 {kind}, label %{done} [{arms}]")
    for k, block in loop.cases.items():
        f.label(labels[k])
        f.rows.append({})
        f.block(block)
        f.rows.pop()
        f.lines.append(f"  br label %{done}")
    f.label(done)
