"""Operation counts as the papers print them: formulas in the number of joints, and what they give for six."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

TERM = re.compile(r"([+-])([\d./]*)(n?)(?:\^(\d))?")


@dataclass(frozen=True)
class Formula:
    """A polynomial in n, written as in print; its values are exact."""

    text: str

    @staticmethod
    def of(coefficients: Mapping[int, Fraction]) -> Formula:
        """The formula with these coefficients, written as the papers write: 11.5n^2 - n + 1/6."""
        terms = [(power, k) for power, k in sorted(coefficients.items(), reverse=True) if k]
        text = "".join(f" {'-' if k < 0 else '+'} {_written(abs(k), power)}" for power, k in terms) or " + 0"
        return Formula(text[3:] if text[1] == "+" else f"-{text[3:]}")

    @property
    def coefficients(self) -> dict[int, Fraction]:
        """By the power of n."""
        plain = self.text.replace(" ", "")
        terms = TERM.findall(plain if plain.startswith("-") else f"+{plain}")
        read = "".join(s + k + n + (f"^{p}" if p else "") for s, k, n, p in terms)
        if read.removeprefix("+") != plain or not all(k or n for _, k, n, _ in terms):
            raise ValueError(f"formula {self.text!r}: wanted terms like 11.5n^2 or 1/6n")
        return {(int(p or 1) if n else 0): Fraction(f"{s}{k or 1}") for s, k, n, p in terms}

    def __call__(self, n: int) -> Fraction:
        return sum((k * n**power for power, k in self.coefficients.items()), Fraction(0))

    def __str__(self) -> str:
        return self.text


def _written(k: Fraction, power: int) -> str:
    """A term without its sign."""
    unknown = "" if power == 0 else "n" if power == 1 else f"n^{power}"
    number = f"{float(k):g}" if k.denominator in (1, 2) else str(k)
    return f"{'' if unknown and k == 1 else number}{unknown}"


@dataclass(frozen=True)
class Printed:
    """One row of a table; `ours` names the formulation of the same idea, where there is one."""

    who: str
    mul: Formula
    add: Formula
    at_six: tuple[int, int] | None = None  # as printed beside the formulas
    ours: str = ""
    question: str = ""  # if another than the table's


@dataclass(frozen=True)
class PrintedTable:
    """A table of a paper: what is counted, and its rows."""

    paper: str
    name: str
    question: str
    title: str
    rows: tuple[Printed, ...]
    remark: str = ""


def _row(who: str, mul: str, add: str, at_six: tuple[int, int] | None = None, ours: str = "", of: str = "") -> Printed:
    return Printed(who, Formula(mul), Formula(add), at_six, ours, of)


INVERSE, INERTIA, FORWARD, BIAS = "inverse_dynamics", "mass_matrix", "forward_dynamics", "bias"
SOLVE = "M a = phi"  # forward dynamics where the forces that are left for accelerating are known
CHOLESKY = "1/6n^3 + 1/2n^2 + 1/3n"

MATA = (
    PrintedTable(
        "mata2002", "Table 1", INVERSE, "inverse dynamics",
        (
            _row("Luh et al., Newton-Euler", "150n - 48", "131n - 48", (852, 738), "newton_euler"),
            _row("Angeles et al., Kane", "105n - 109", "90n - 105", (521, 435), "kane"),
            _row("Balafoutis and Patel, Newton-Euler", "93n - 69", "81n - 66", (489, 420), "newton_euler_tensor"),
            _row("this work, Gibbs-Appell", "96n - 101", "84n - 100", (475, 404), "gibbs_appell"),
        ),
        "The step counts of section 4.1 confirm the slopes; the constants rest on savings at the first and last links "
        "that are not listed.",
    ),
    PrintedTable(
        "mata2002", "Table 2", INERTIA, "the inertia matrix",
        (
            _row("Walker and Orin, CRBA", "12n^2 + 56n - 27", "7n^2 + 67n - 56", (741, 598), "composite_body"),
            _row("Angeles and Ma, NOC", "n^3 + 17n^2 - 21n + 8", "n^3 + 14n^2 - 16n + 5", (710, 629),
                 "natural_orthogonal_complement"),
            _row("this work, Gibbs-Appell", "11.5n^2 + 19.5n - 49", "8.5n^2 + 31.5n - 69", (482, 426),
                 "gibbs_appell_inertia"),
        ),
    ),
    PrintedTable(
        "mata2002", "Table 3", FORWARD, "forward dynamics by Gibbs-Appell, step by step",
        (
            _row("calculation of D", "11.5n^2 + 19.5n - 49", "8.5n^2 + 31.5n - 69", (482, 426),
                 "gibbs_appell_inertia", INERTIA),
            _row("bias vector", "96n - 108", "83n - 105", (468, 393), "gibbs_appell", BIAS),
            _row("Cholesky decomposition", CHOLESKY, CHOLESKY, (56, 56)),
            _row("linear system", "n^2", "n^2 - n", (36, 30)),
            _row("total", "1/6n^3 + 13n^2 + 695/6n - 157", "1/6n^3 + 10n^2 + 683/6n - 174", (1042, 905),
                 "gibbs_appell_forward"),
        ),
        "The total is the sum of the four steps for every n.",
    ),
)  # fmt: skip

# Table 4 of mata2002 has no formulas: products and sums for n = 6, and our text of the same method.
MATA_FORWARD_AT_SIX = (
    ("Walker and Orin, CRBA", 1627, 1261, "composite_body"),
    ("Featherstone, ABA", 1533, 1415, "articulated_body"),
    ("Angeles and Ma, NOC", 1353, 1165, "natural_orthogonal_complement"),
    ("this work, Gibbs-Appell", 1042, 905, "gibbs_appell_forward"),
)

# Table 1 of valera2003 sorts algorithms of inverse dynamics; the last column is ours.
VALERA_ALGORITHMS = (
    ("Hollerbach 1980", "Lagrange-Euler", "recursive", "matrices", "numerical", "lagrange"),
    ("Luh et al. 1980", "Newton-Euler", "recursive", "vectors", "numerical", "newton_euler"),
    ("Angeles et al. 1989", "Kane", "recursive", "tensors", "numerical", "kane"),
    ("Balafoutis and Patel 1991", "Newton-Euler", "recursive", "tensors", "numerical", "newton_euler_tensor"),
    ("Khalil and Kleinfinger 1987", "Newton-Euler", "recursive", "vectors", "symbolic", "newton_euler"),
    ("Lee and Chang 1986", "Newton-Euler", "recursive", "vectors", "numerical, parallel", "newton_euler"),
)

VALERA = (
    PrintedTable(
        "valera2003", "Table 2", INVERSE, "Gibbs-Appell in vectors, step by step",
        (
            _row("1: rotations and translations", "4n", "0"),
            _row("2: velocities and accelerations", "62n - 75", "46n - 61"),
            _row("3: derivatives of the angular acceleration", "0", "0"),
            _row("4: the terms A", "24n - 23", "18n - 18"),
            _row("5: the terms B", "31n - 38", "26n - 37"),
            _row("6: generalised forces", "0", "n"),
            _row("total", "121n - 136", "91n - 116", (590, 430), "gibbs_appell_vector"),
        ),
        "The total is Table 3's, the sum of the six steps for every n.",
    ),
    PrintedTable(
        "valera2003", "Table 3", INVERSE, "inverse dynamics, for n of 3 and more",
        (
            _row("Luh, Walker and Paul", "121n - 112", "90n - 82", (614, 458), "newton_euler"),
            _row("proposed, Gibbs-Appell in vectors", "121n - 136", "91n - 116", (590, 430), "gibbs_appell_vector"),
            _row("the same, Paul's convention", "133n - 74", "97n - 71", (724, 511), "gibbs_appell_vector"),
        ),
    ),
    PrintedTable(
        "valera2003", "the text", INVERSE, "the algorithm of Luh, Walker and Paul as others counted it",
        (
            _row("Hollerbach 1980", "150n - 48", "131n - 48", None, "newton_euler"),
            _row("Fu et al. 1987", "117n - 24", "103n - 21", None, "newton_euler"),
            _row("Zomaya 1992", "150n", "116n", None, "newton_euler"),
            _row("Craig 1986", "126n - 99", "106n - 92", None, "newton_euler"),
        ),
        "One algorithm, four counts: what differs is which zeros and ones are thought to be known.",
    ),
)  # fmt: skip

SAHA = (
    PrintedTable(
        "saha2010", "Table 1", INVERSE, "inverse dynamics",
        (
            _row("Hollerbach (1980)", "412n - 277", "320n - 201", (2195, 1719), "lagrange"),
            _row("Luh et al. (1980)", "150n - 48", "131n + 48", (852, 834), "newton_euler"),
            _row("Walker and Orin (1982)", "137n - 22", "101n - 11", (800, 595), "newton_euler"),
            _row("RIDIM (Saha, 1999)", "120n - 44", "97n - 55", (676, 527), "denoc"),
            _row("Khalil et al. (1986)", "105n - 92", "94n - 86", (538, 478), "newton_euler"),
            _row("Angeles et al. (1989)", "105n - 109", "90n - 105", (521, 435), "kane"),
            _row("Balafoutis et al. (1988)", "93n - 69", "81n - 65", (489, 421), "newton_euler_tensor"),
        ),
        "mata2002 has 131n - 48 for the sums of Luh et al. and 81n - 66 for those of Balafoutis; each paper's value "
        "for n = 6 follows from its own formula.",
    ),
    PrintedTable(
        "saha2010", "Table 2", SOLVE, "forward dynamics, where bias and gravity forces are known",
        (
            _row("Mohan and Saha (2007)", "173n - 128", "150n - 133", None, "denoc"),
            _row("Saha (2003)", "191n - 284", "187n - 325", None, "denoc"),
            _row("Featherstone (1983)", "199n - 198", "174n - 173", None, "articulated_body"),
            _row("Valasek", "226n - 343", "206n - 345", None, "articulated_body"),
            _row("Brandl et al.", "250n - 222", "220n - 198", None, "articulated_body"),
            _row("Walker and Orin, as implemented by Featherstone", "1/6n^3 + 23/2n^2 + 115/3n - 47",
                 "1/6n^3 + 7n^2 + 233/6n - 46", None, "composite_body"),
        ),
        "The algorithm begins with phi = tau - h given. So does the last row: less the decomposition and the "
        "substitutions as mata2002 counts them it leaves 10n^2 + 38n - 47 products, an inertia matrix alone. Ours are "
        "counted so as well, at rest and without gravity.",
    ),
)  # fmt: skip

# From how many links on the rows of saha2010 Table 2 beat its last row, in products, and in products and sums both:
# as printed, with the products (and sums) there; then as it follows from the formulas.
CROSSOVERS = {
    "Mohan and Saha (2007)": ((10, 1602), (12, 1948, 1667), (10, 12)),
    "Saha (2003)": ((10, 1626), (14, 2390, 2293), (10, 14)),
    "Featherstone (1983)": ((12, 2190), (14, 2588, 2263), (12, 14)),
    "Valasek": ((13, 2595), (15, 3047, 2745), (13, 16)),
    "Brandl et al.": ((14, 3278), (16, 3778, 3322), (15, 18)),
}

# Table 1 of shafei2018: formulas in the links of a branch, all times the number of branches; then their values for four
# branches of four links, and our text.
SHAFEI = (
    ("Lagrange, 4x4 transformations", Formula("340n^2 + 1296n + 504"), Formula("463/2n^2 + 2111/2n + 350"),
     (44512, 33104), "lagrange"),
    ("Gibbs-Appell, 3x3 rotations", Formula("186n^2 + 57n - 162"), Formula("148n^2 + 145n - 215"),
     (12168, 10932), "gibbs_appell"),
    ("Gibbs-Appell, 3x3 and 4x4 combined", Formula("507/2n^2 + 1631/2n + 297"), Formula("146n^2 + 643n + 165"),
     (30460, 20292), "gibbs_appell_tree"),
)  # fmt: skip
