"""The papers' tables of operation counts: their formulas evaluated, and our own texts counted beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from ..show.charts import Chart, Panel
from ..trace.counting import Counts
from .case import Agreement, Case, Table
from .own_counts import ARMS, JOINTS, READINGS, as_formulas, counted, counted_arm, counted_tree, has, methods, products
from .printed_counts import (
    BIAS,
    CROSSOVERS,
    FORWARD,
    INERTIA,
    INVERSE,
    MATA,
    MATA_FORWARD_AT_SIX,
    SAHA,
    SHAFEI,
    SOLVE,
    VALERA,
    VALERA_ALGORITHMS,
    Printed,
    PrintedTable,
)

OURS = ("our text", *(f"{what}, {name}" for name in READINGS for what in ("mul", "add")))
HEAD = ("in the paper", "mul", "add", "mul, n = 6", "add, n = 6", *OURS)
UP_TO = JOINTS[-1]
FIGURE = range(1, 9)  # links, or branches, of the figures


def mata2002() -> Case:
    """Tables 1 to 4."""
    by = {r.who: r for t in MATA for r in t.rows}
    steps = [r for r in MATA[2].rows if r.who != "total"]
    total = by["total"]
    agree = [*_at_six(MATA), *_sums(steps, total, "Table 3, total")]
    gibbs = MATA_FORWARD_AT_SIX[-1]
    agree += _both(f"Table 4, {gibbs[0]}", gibbs[1:3], (total.mul(6), total.add(6)))
    charts = (
        _against("mata2002-inverse-dynamics", "Inverse dynamics by Gibbs-Appell", INVERSE, MATA[0].rows[-1]),
        _against("mata2002-inertia", "The inertia matrix by Gibbs-Appell", INERTIA, MATA[1].rows[-1]),
    )
    tables = (*map(printed, MATA), _table_4(), *own((INVERSE, INERTIA, BIAS, FORWARD)))
    mul, add = as_formulas(INVERSE, "gibbs_appell", "text")
    remark = (
        "1261 sums of CRBA in Table 4 would need 7n^2 + 67n - 53 in Table 2, which prints -56. As written, our "
        f"Gibbs-Appell costs {mul} products and {add} sums: the paper's for every further joint. The paper's constants "
        "are of an arm whose first frame stands in the base, less what nobody asks for at both ends."
    )
    return _case("mata2002", "Operation counts of Gibbs-Appell", MATA, tables, charts, agree, remark)


def valera2003() -> Case:
    """Tables 1 to 3, and what others counted for the algorithm of Luh, Walker and Paul."""
    *steps, total = VALERA[0].rows
    agree = [*_at_six(VALERA), *_sums(steps, total, "Table 2, total")]
    sorts = ("authors", "principle", "formulation", "variables", "resolution", "our text")
    rows = [(*row[:5], row[5] if has(INVERSE, row[5]) else "") for row in VALERA_ALGORITHMS]
    tables = (Table("valera2003-table-1", sorts, rows), *map(printed, VALERA), *own((INVERSE,)))
    chart = _against("valera2003", "Inverse dynamics by Gibbs-Appell in vectors", INVERSE, VALERA[1].rows[1])
    return _case("valera2003", "Operation counts of inverse dynamics", VALERA, tables, (chart,), agree)


def saha2010() -> Case:
    """Tables 1 and 2, with the crossovers as they follow from the formulas."""
    found = list(crossovers())
    agree = [*_at_six(SAHA), *_crossover_values()]
    agree += [Agreement(f"{word} of {who}", right, here, 0) for who, word, right, _, here in found]
    agree += [Agreement(f"{word} of {who}, as printed", p, here) for who, word, right, p, here in found if right != p]
    rows = [(who, word, p, here) for who, word, _, p, here in found]
    crossed = Table("saha2010-crossovers", ("algorithm", "from so many links", "printed", "from the formulas"), rows)
    tables = (*map(printed, SAHA), crossed, *own((INVERSE, SOLVE)))
    chart = _against("saha2010", "Forward dynamics by DeNOC, bias forces known", SOLVE, SAHA[1].rows[0])
    remark = "Three crossovers do not follow from their formulas: Valasek's n+ is 16, Brandl's n* 15 and his n+ 18."
    return _case("saha2010", "Operation counts of recursive dynamics", SAHA, tables, (chart,), agree, remark)


def shafei2018() -> Case:
    """Table 1, and Figs 12 and 13 from its formulas."""
    agree: list[Agreement] = []
    rows: list[tuple[Any, ...]] = []
    for who, mul, add, at_four, ours in SHAFEI:
        agree += _both(f"Table 1, {who}, four branches of four links", at_four, (4 * mul(4), 4 * add(4)))
        rows.append((who, str(mul), str(add), *at_four, *_equations_of_motion(ours, 4, 4)))
    head = ("in the paper", "mul / branches", "add / branches", "mul, 4 x 4", "add, 4 x 4", "our text", "mul", "add")
    table = Table("shafei2018-table-1", head, rows)
    charts = (
        _figure("figure-12", "Four branches", "links of a branch", lambda k: (k, 4)),
        _figure("figure-13", "Branches of four links", "branches", lambda k: (4, k)),
    )
    title = "Operation counts of branched robots"
    return _whole("shafei2018", title, _OF_BRANCHES, (table,), charts, agree)


_OF_BRANCHES = (
    "The values for four branches of four links follow from the formulas, which grow with the number of branches and "
    "with the square of their links. The paper counts all that its equations of motion need, impacts included; ours "
    "are M and the bias forces of the same branches on one free body, each by its own text, so that what both share is "
    "counted twice. From two links on, ours cost a fraction of it, and the 3x3 matrices least, as there. But the "
    "Lagrangian with 4x4 matrices costs less than both combined, branch by branch: its text here is recursive and goes "
    "once through the tree."
)


# -- tables ---------------------------------------------------------------------------------------------------


def printed(table: PrintedTable) -> Table:
    """A table of a paper with our counts on the general arm of six joints."""
    name = f"{table.paper}-{table.name.lower().replace(' ', '-')}"
    return Table(name, HEAD, [_with_ours(r, r.question or table.question) for r in table.rows])


def _with_ours(r: Printed, question: str) -> tuple[Any, ...]:
    values = r.at_six or (round(r.mul(6)), round(r.add(6)))
    return (r.who, str(r.mul), str(r.add), *values, *_ours(question, r.ours))


def _ours(question: str, method: str) -> tuple[Any, ...]:
    if not has(question, method):
        return ("",) * len(OURS)
    return (method, *_numbers(counted(6, question, method)))


def _numbers(found: Counts) -> Iterator[int]:
    for reading in READINGS:
        x = getattr(found, reading)
        yield from (products(x), x.add)


def _table_4() -> Table:
    rows = [(who, mul, add, *_ours(FORWARD, method)) for who, mul, add, method in MATA_FORWARD_AT_SIX]
    return Table("mata2002-table-4", ("in the paper", "mul, n = 6", "add, n = 6", *OURS), rows)


def own(questions: Iterable[str]) -> Iterator[Table]:
    """All our texts of a question on general arms, and on the arms as they are."""
    for question in questions:
        rows = [
            (method, name, what, *(_one(counted(n, question, method), name, what) for n in JOINTS))
            for method in methods(question) for name in READINGS for what in ("mul", "add")
        ]  # fmt: skip
        yield Table(f"ours-{question}", ("formulation", "reading", "operation", *map(str, JOINTS)), rows)
        head = ("formulation", *(f"{arm}: {c}" for arm in ARMS for c in OURS[1:]))
        rows = [(m, *(k for arm in ARMS for k in _numbers(counted_arm(arm, question, m)))) for m in methods(question)]
        yield Table(f"ours-{question}-arms", head, rows)


def _one(found: Counts, reading: str, what: str) -> int:
    x = getattr(found, reading)
    return products(x) if what == "mul" else x.add


# -- agreement ------------------------------------------------------------------------------------------------


def _at_six(tables: Iterable[PrintedTable]) -> Iterator[Agreement]:
    for t in tables:
        for r in t.rows:
            if r.at_six:
                yield from _both(f"{t.name}, {r.who}, n = 6", r.at_six, (r.mul(6), r.add(6)))


def _both(what: str, paper: Iterable[Any], here: Iterable[Any]) -> Iterator[Agreement]:
    for word, p, h in zip(("products", "sums"), paper, here, strict=True):
        yield Agreement(f"{what}: {word}", float(p), float(h), 0)


def _sums(steps: Iterable[Printed], total: Printed, what: str) -> Iterator[Agreement]:
    """Whether the steps add up, for every n: the largest difference."""
    parts = list(steps)
    for word in ("mul", "add"):
        off = max(abs(sum(getattr(r, word)(n) for r in parts) - getattr(total, word)(n)) for n in range(1, 50))
        yield Agreement(f"{what} less its steps, n = 1 to 49: {word}", 0.0, float(off), 0)


def crossovers() -> Iterator[tuple[str, str, int, int, int]]:
    """Of each O(n) row of saha2010: n* or n+, the corrected number, the printed one, and what the formulas say."""
    last = SAHA[1].rows[-1]
    for r in SAHA[1].rows[:-1]:
        ((star, *_), (plus, *_), (right_star, right_plus)) = CROSSOVERS[r.who]
        fewer = [n for n in range(3, 60) if r.mul(n) < last.mul(n)]
        both = [n for n in fewer if r.add(n) < last.add(n)]
        yield r.who, "n*, products", right_star, star, fewer[0]
        yield r.who, "n+, products and sums", right_plus, plus, both[0]


def _crossover_values() -> Iterator[Agreement]:
    for r in SAHA[1].rows[:-1]:
        (star, mul), (plus, *two), _ = CROSSOVERS[r.who]
        yield Agreement(f"Table 2, {r.who}, n = {star}: products", mul, float(r.mul(star)), 0)
        yield from _both(f"Table 2, {r.who}, n = {plus}", two, (r.mul(plus), r.add(plus)))


def above(tables: Iterable[PrintedTable]) -> Table:
    """Where ours costs more than the paper's formula for the same method, and for which n from 3 on."""
    rows: list[tuple[Any, ...]] = []
    for t in tables:
        for r in t.rows:
            for reading, what in product(READINGS, ("mul", "add")) if has(r.question or t.question, r.ours) else ():
                ours = {n: _one(counted(n, r.question or t.question, r.ours), reading, what) for n in JOINTS[2:]}
                if more := [n for n, count in ours.items() if count > getattr(r, what)(n)]:
                    rows.append((t.name, r.who, r.ours, reading, what, _span(more)))
    head = ("table", "in the paper", "our text", "reading", "operation", "above for n")
    return Table(f"{next(iter(tables)).paper}-where-ours-is-above", head, rows)


def _span(numbers: list[int]) -> str:
    """3, 4, 5, 9 as 3 to 5, 9."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return ", ".join(f"{r[0]} to {r[-1]}" if len(r) > 1 else str(r[0]) for r in runs)


def _case(
    paper: str, title: str, tables: tuple[PrintedTable, ...], shown: Iterable[Table], charts: Iterable[Chart],
    agree: Iterable[Agreement], remark: str = "",
) -> Case:  # fmt: skip
    more = " ".join(filter(None, (remark, *(t.remark for t in tables))))
    over = above(tables)
    words = f"What the paper prints for its formulas follows from them. {more} {verdict(over)}"
    return _whole(paper, title, words, (*shown, over), charts, agree)


def _whole(
    paper: str, title: str, words: str, tables: tuple[Table, ...], charts: Iterable[Chart], agree: Iterable[Agreement]
) -> Case:  # fmt: skip
    """The case, its tables as data, too."""
    data = {t.name: [dict(zip(t.head, row, strict=True)) for row in t.rows] for t in tables}
    return Case(paper, "counts", title, words, tables, tuple(charts), tuple(agree), data)


def verdict(over: Table) -> str:
    """Where our counts are above the paper's."""
    found = {r: sorted({row[2] for row in over.rows if row[3] == r}) for r in READINGS}
    parts = [f"{READINGS[r]}, {', '.join(k) if k else 'nowhere'}" for r, k in found.items()]
    return f"Ours are above the paper's, on a general arm of 3 to {UP_TO} joints: " + "; ".join(parts) + "."


# -- charts ---------------------------------------------------------------------------------------------------


def _against(name: str, title: str, question: str, row: Printed) -> Chart:
    """A paper's formulas and our counts of the same method over the number of joints."""
    panels = []
    for what, word in (("mul", "products"), ("add", "sums")):
        curves = {"the paper's": [float(getattr(row, what)(n)) for n in JOINTS]}
        for reading, words in READINGS.items() if has(question, row.ours) else ():
            curves[f"ours {words}"] = [float(_one(counted(n, question, row.ours), reading, what)) for n in JOINTS]
        panels.append(Panel(word, curves))
    return Chart(name, title, "joints", list(JOINTS), tuple(panels))


def _figure(name: str, title: str, x: str, sizes: Any) -> Chart:
    panels = tuple(Panel(word, dict(_curves(sizes, k)), log=True) for k, word in enumerate(("products", "sums")))
    return Chart(f"shafei2018-{name}", title, x, list(FIGURE), panels)


def _curves(sizes: Any, which: int) -> Iterator[tuple[str, list[float]]]:
    for who, mul, add, _, ours in SHAFEI:
        formula = (mul, add)[which]
        yield who, [float(branches * formula(links)) for links, branches in map(sizes, FIGURE)]
        if found := [_equations_of_motion(ours, *sizes(k)) for k in FIGURE]:
            yield f"our {ours}", [float(x[1 + which]) for x in found]


def _equations_of_motion(method: str, links: int, branches: int) -> tuple[str, int, int]:
    """The mass matrix and the bias forces of a branched robot, by the texts of one method."""
    inertia = "gibbs_appell_inertia" if method == "gibbs_appell" else method
    both = [counted_tree(links, branches, INERTIA, inertia), counted_tree(links, branches, BIAS, method)]
    return method, sum(map(products, both)), sum(x.add for x in both)
