"""The rules of the house that a program can check: imports, equation marks, sources, sizes, words."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
SRC = HOME / "src" / "appell"
FILES = sorted(SRC.rglob("*.py"))
FORMULATIONS = sorted((SRC / "formulations").glob("*.py"))

# Folders and files in the order in which data flows: one imports only what stands before it.
ORDER = (
    *("errors", "scalar", "vec", "spatial", "linalg", "orthogonal", "model", "files", "bridges", "formulations"),
    *("trace", "write", "kernel", "closures", "regular", "actuation", "asking", "questions", "recording"),
    *("explanation", "decoupled", "analysis", "closing", "exchange", "robot"),
    *("citations", "zoo", "motion", "control", "identify", "study", "show", "papers"),
    *("cli", "__main__", "__init__"),
)
SEEN_BY_FORMULATIONS = {"scalar", "vec", "spatial", "linalg", "orthogonal", "formulations"}
HEAVY = ("scipy", "llvmlite", "matplotlib", "typer", "pydantic", "rich")
KEY = re.compile(r"\b[a-z]+(?:19|20)\d\d[a-z]?\b")
NUMBER = re.compile(r"(?<![\w(])\((\d+)\)")


def name_of(path: Path) -> str:
    """A file as pytest shows it."""
    return path.relative_to(HOME).as_posix()


def each(files: list[Path]) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """Makes a rule for a file one test of all files, which names those that break it."""

    def over_all(rule: Callable[[Path], None]) -> Callable[[], None]:
        def test() -> None:
            wrong = [f"{name_of(path)}: {fault}" for path in files if (fault := broken(rule, path))]
            assert not wrong, "; ".join(wrong)

        test.__doc__ = rule.__doc__
        return test

    return over_all


def broken(rule: Callable[[Path], None], path: Path) -> str:
    """What a rule has against a file."""
    try:
        rule(path)
    except AssertionError as error:
        return str(error)
    return ""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree(path)))


def module_of(path: Path) -> str:
    """The dotted name of a file inside the package: "" for the package itself."""
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(p): p for p in FILES}


def place(module: str) -> str:
    """Where in ORDER a module of the package stands."""
    return module.split(".")[0] or "__init__"


def imports(path: Path, inside_functions: bool = True) -> Iterator[tuple[str, int]]:
    """Every module of the package that a file imports, with the line."""
    read = nodes(path) if inside_functions else outside_functions(tree(path))
    only_types = {x for block in nodes(path) if is_for_types(block) for x in ast.walk(block)}
    for node in (x for x in read if x not in only_types):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "appell":
                    yield alias.name.partition(".")[2], node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = source(path, node)
            for alias in node.names if base is not None else ():
                deeper = f"{base}.{alias.name}".lstrip(".")
                yield (deeper if deeper in MODULES else str(base)), node.lineno


def is_for_types(node: ast.AST) -> bool:
    """Whether a block is read by type checkers only."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when the module is imported."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield child
            yield from outside_functions(child)


def source(path: Path, node: ast.ImportFrom) -> str | None:
    """The module that `from ... import` names, None if it is not of the package."""
    if node.level == 0:
        first, _, rest = (node.module or "").partition(".")
        return rest if first == "appell" else None
    package = list(path.relative_to(SRC).parts[:-1])
    kept = package[: len(package) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])


# --- imports ---------------------------------------------------------------------------------------------


def test_every_module_has_its_place() -> None:
    strangers = {place(m) for m in MODULES} - set(ORDER)
    assert not strangers, f"not in the order of the layout: {sorted(strangers)}"


@each(FILES)
def test_imports_go_upward_only(path: Path) -> None:
    here = place(module_of(path))
    lazy_is_free = here in ("cli", "__main__", "__init__")  # they offer everything and load it when asked
    for module, line in imports(path, inside_functions=not lazy_is_free):
        ahead = ORDER.index(place(module)) > ORDER.index(here)
        assert not ahead, f"{name_of(path)}:{line} imports {module or 'appell'}, which stands below {here}"


def needs(path: Path) -> set[str]:
    """What a file imports when it runs: a name needed for its type alone makes no cycle."""
    typing_only: set[int] = set()
    for node in nodes(path):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            typing_only |= set(range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1))
    lazy_is_free = place(module_of(path)) in ("cli", "__main__", "__init__")
    return {to for to, line in imports(path, not lazy_is_free) if line not in typing_only}


def test_no_cycles() -> None:
    graph = {m: needs(p) for m, p in MODULES.items()}
    while leaves := [m for m, to in graph.items() if not to & graph.keys()]:
        for m in leaves:
            del graph[m]
    assert not graph, f"these import each other: {sorted(graph)}"


@each(FORMULATIONS)
def test_physics_knows_no_compiler_and_no_numpy(path: Path) -> None:
    inner = {place(m) for m, _ in imports(path)}
    assert inner <= SEEN_BY_FORMULATIONS, f"{name_of(path)} sees {sorted(inner - SEEN_BY_FORMULATIONS)}"
    assert outer_modules(path) <= {"__future__", "collections", "dataclasses", "functools", "typing"}


def outer_modules(path: Path) -> set[str]:
    """The top-level modules of others that a file imports."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {a.name.split(".")[0] for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").split(".")[0])
    return found - {"appell"}


def test_import_is_light(tmp_path: Path) -> None:
    """At most 50 ms of processor above NumPy, from bytecode, and nothing heavy loaded: the best of some."""
    code = (
        "import json, sys, time\ns = time.process_time()\nimport numpy\nt = time.process_time()\nimport appell\n"
        "spent, others = time.process_time() - t, t - s\n"
        f"print(json.dumps([spent, others, [m for m in {HEAVY!r} if m in sys.modules]]))"
    )
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(tmp_path)
    best, numpys = 1.0, 1.0
    for _ in range(6):
        spent, others, heavy = json.loads(subprocess.check_output([sys.executable, "-c", code], text=True, env=env))
        assert heavy == []
        best, numpys = min(best, spent), min(numpys, others)
    assert best < max(0.050, 1.5 * numpys)  # of a slow hour NumPy's own import tells how slow it is


# --- equations and sources -------------------------------------------------------------------------------


def functions(path: Path) -> list[ast.FunctionDef]:
    return [n for n in nodes(path) if isinstance(n, ast.FunctionDef)]


def equations(function: ast.FunctionDef) -> set[int]:
    """The numbers a docstring gives to its own equations: those before its "Source:"."""
    own, _, _ = (ast.get_docstring(function) or "").partition("Source:")
    return {int(n) for n in NUMBER.findall(own)}


@cache
def marks(path: Path) -> list[tuple[int, int]]:
    """(line, number) of every `# (n)` that stands behind code."""
    found = []
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    for token in tokens:
        if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip():
            found += [(token.start[0], int(n)) for n in NUMBER.findall(token.string)]
    return found


def belongs(path: Path, line: int) -> ast.FunctionDef | None:
    """The innermost function around a line."""
    around = [f for f in functions(path) if f.lineno <= line <= (f.end_lineno or f.lineno)]
    return max(around, key=lambda f: f.lineno, default=None)


def unmarked(path: Path) -> list[str]:
    """Equations that no line carries, and lines that carry an equation nobody wrote down."""
    texts = {f.name: equations(f) for f in functions(path) if equations(f)}
    helpers: set[int] = set()
    carried: dict[str, set[int]] = {name: set() for name in texts}
    for line, number in marks(path):
        function = belongs(path, line)
        if function is not None and function.name in texts:
            carried[function.name].add(number)
        else:
            helpers.add(number)
    known = set().union(*texts.values()) if texts else set()
    wrong = [f"a helper carries ({n}), which no docstring defines" for n in sorted(helpers - known)]
    for name, numbers in texts.items():
        lost = numbers - carried[name] - helpers
        wrong += [f"{name}: no line carries equation ({n})" for n in sorted(lost)]
        wrong += [f"{name}: ({n}) is not in the docstring" for n in sorted(carried[name] - numbers)]
    return wrong


@each(FORMULATIONS)
def test_every_equation_is_carried_by_a_line(path: Path) -> None:
    assert unmarked(path) == []


def test_the_equation_check_sees_what_is_missing(tmp_path: Path) -> None:
    text = 'def f(x):\n    """y.\n\n    y = x  (1)\n    z = y  (2)\n\n    Source: luh1980, (7).\n    """\n'
    path = tmp_path / "text.py"
    path.write_text(text + "    y = x  # (1)\n    # (2)\n    return y  # (3)\n")
    assert unmarked(path) == ["f: no line carries equation (2)", "f: (3) is not in the docstring"]


@cache
def bibliography() -> frozenset[str]:
    return frozenset(re.findall(r"^@\w+\{(\w+),", (HOME / "references.bib").read_text(encoding="utf-8"), re.M))


@each(FILES)
def test_sources_are_in_the_bibliography(path: Path) -> None:
    for node in nodes(path):
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
            continue
        _, found, sources = (ast.get_docstring(node) or "").partition("Source:")
        keys = set(KEY.findall(sources))
        assert keys <= bibliography(), f"{name_of(path)} cites {sorted(keys - bibliography())}"
        assert keys or not found, f"{name_of(path)}: a source that names no key"


@each(FORMULATIONS)
def test_numbered_equations_name_their_source(path: Path) -> None:
    for function in functions(path):
        if equations(function):
            assert "Source:" in (ast.get_docstring(function) or ""), f"{function.name} names no source"


def test_the_bibliography_has_no_key_twice() -> None:
    keys = re.findall(r"^@\w+\{(\w+),", (HOME / "references.bib").read_text(encoding="utf-8"), re.M)
    assert len(keys) == len(set(keys)) > 5


# --- sizes and words -------------------------------------------------------------------------------------


@each(FILES)
def test_files_are_short(path: Path) -> None:
    most = 120 if path in FORMULATIONS and path.stem != "table" else 350  # the table grows with what it lists
    assert len(path.read_text(encoding="utf-8").splitlines()) <= most


@each(FILES)
def test_nothing_runs_foreign_data_as_code(path: Path) -> None:
    modules = outer_modules(path) & {"pickle", "marshal", "shelve", "dill", "cloudpickle"}
    assert not modules, f"{name_of(path)} imports {sorted(modules)}"
    for node in nodes(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("eval", "exec"), f"{name_of(path)}:{node.lineno} calls {node.func.id}"


@each(FILES)
def test_nothing_is_left_undone(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            assert not re.search(r"\b(TODO|FIXME|XXX)\b", token.string), f"{name_of(path)}:{token.start[0]}"
    for node in nodes(path):
        assert not (isinstance(node, ast.Name) and node.id == "NotImplementedError"), f"{node.lineno}"


@each(FILES)
def test_names_say_what_they_are(path: Path) -> None:
    assert path.stem not in ("utils", "helpers", "common", "misc")
    for node in nodes(path):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            hollow = node.name.startswith(("get_", "compute_")) or node.name.endswith(("Manager", "Helper"))
            assert not hollow, f"{name_of(path)}:{node.lineno} {node.name}"


def texts_of_the_repository() -> list[Path]:
    """Everything a reader may see, this file excepted: it must name what it forbids."""
    names = ("Makefile", "pyproject.toml", "constraints.txt", ".ci/run", "references.bib")
    kinds = (".py", ".md", ".toml", ".json", ".txt")
    found = [*(HOME / name for name in names), *HOME.glob("*.md")]
    for folder in ("src", "tests", "benchmarks", "docs", "examples"):
        found += [p for p in (HOME / folder).rglob("*") if p.suffix in kinds]
    return [p for p in found if p != Path(__file__).resolve()]


def test_no_place_of_one_machine_and_no_registry() -> None:
    machine = re.compile(r"(?<![\w.])/(?:home|root|work|Users|opt)/\w|\b[A-Z]:\\Users|\.\./shared")
    registry = re.compile(r"index-url|find-links|pypi\.org/simple|://[^/\s]*@|files\.pythonhosted")
    for path in texts_of_the_repository():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert not machine.search(line), f"{name_of(path)}:{number} names a place of one machine"
            assert not registry.search(line), f"{name_of(path)}:{number} names a registry"


def test_links_between_documents_lead_somewhere() -> None:
    for page in [*HOME.glob("*.md"), *(HOME / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            found = "://" in target or (page.parent / target).exists()
            assert found, f"{name_of(page)} points to {target}, which is not there"


def test_constraints_pin_exactly() -> None:
    lines = (HOME / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert [p for p in pins if not re.fullmatch(r"[\w.-]+==[\w.!+-]+", p)] == []
    assert {"numpy", "scipy", "llvmlite", "pytest"} <= {p.split("==")[0] for p in pins}
