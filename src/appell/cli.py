"""The `appell` command: every subcommand calls one public function and prints what it answers.

Commands are plain functions: their parameters are the arguments (no default) and options (with one). A
mistake that Appell can explain is one line on stderr and exit code 2; Ctrl-C is 130.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial, wraps
from importlib.metadata import version as metadata_version
from pathlib import Path
from typing import Any

from .errors import AppellError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, by default on the arguments of the process."""
    try:
        app = application()
    except ModuleNotFoundError as error:
        if error.name != "typer":
            raise
        sys.exit("appell: the command line needs typer: python -m pip install 'appell[cli]'")
    try:
        app(args=arguments, prog_name="appell")
    except KeyboardInterrupt:
        sys.exit(130)


def application() -> Any:
    """The typer application with every command in it."""
    import typer

    plain: dict[str, Any] = {
        "add_completion": False,
        "no_args_is_help": True,
        "rich_markup_mode": None,
        "pretty_exceptions_enable": False,
    }
    app = typer.Typer(**plain)
    app.callback(invoke_without_command=True, help="Dynamics of rigid mechanisms.")(root)
    for command in (info, zoo, show, count, demo, bench):
        app.command()(guarded(command))
    cache = typer.Typer(help="The compiled kernels kept on this machine.", **plain)
    for name, command in {"where": cache_where, "clear": cache_clear}.items():
        cache.command(name)(guarded(command))
    app.add_typer(cache, name="cache")
    return app


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """The command with its user's mistakes told in one line instead of a traceback."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except AppellError as error:
            print(f"appell: {error}", file=sys.stderr)
            sys.exit(2)
        except KeyboardInterrupt:
            sys.exit(130)

    return run


def root(version: bool = False) -> None:
    """What stands before any command."""
    if version:
        import appell

        print(f"appell {appell.__version__}")
        sys.exit(0)


def info() -> None:
    """Versions, the processor, the kernel cache and the call path: what to put into a bug report."""
    for name, value in about().items():
        print(f"{name:<12}{value}")


def zoo() -> None:
    """The robots that come with Appell."""
    import appell

    print(f"{'name':<20}{'bodies':>8}{'nq':>6}{'nv':>6}")
    for name in appell.zoo.names():
        robot = appell.load(name)
        print(f"{name:<20}{robot.n:>8}{robot.nq:>6}{robot.nv:>6}")


def show(robot: str) -> None:
    """The tree of a robot (a name of the zoo, or a file): bodies, joints, masses."""
    import appell

    print(outline(appell.load(robot).to_dict()))


def count(robot: str, what: str = "inverse_dynamics", method: str = "") -> None:
    """How many multiplications, additions, sines and cosines a question costs for a robot."""
    import appell

    chosen = {"method": method} if method else {}
    print(appell.load(robot).count(what, **chosen))


def demo(out: Path = Path("appell-demo")) -> None:
    """The PUMA by every formulation: agreement, times, a figure and a one-page report."""
    from .show.demo import run

    run(out)


def bench() -> None:
    """Appell against its peers; needs a checkout of the repository."""
    import subprocess

    home = Path(__file__).resolve().parents[2]
    if not (home / "benchmarks" / "run.py").is_file():
        raise AppellError("the benchmarks are not in the wheel: clone the repository and run `make bench`")
    sys.exit(subprocess.run([sys.executable, "-m", "benchmarks.run"], cwd=home, check=False).returncode)


def cache_where() -> None:
    """The folder of the compiled kernels."""
    from .kernel import cache

    print(cache.directory())


def cache_clear() -> None:
    """Forget the compiled kernels; they are built again when asked for."""
    from .kernel import cache

    print(f"{cache.clear()} kernels forgotten")


def about() -> dict[str, str]:
    """What `appell info` prints. A part that cannot be asked says why: a bug report needs the others."""
    import platform

    questions: dict[str, Callable[[], object]] = {
        "appell": _version,
        "python": lambda: f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.platform,
        "processor": _processor,
        "cache": _cache,
        "calls": _call_path,
    }
    questions |= {name: partial(metadata_version, name) for name in ("numpy", "scipy", "llvmlite")}
    return {name: _told(question) for name, question in questions.items()}


def _told(question: Callable[[], object]) -> str:
    try:
        return str(question())
    except (ImportError, OSError, AppellError) as error:
        return f"unknown ({error})"


def _version() -> str:
    import appell

    return appell.__version__


def _processor() -> str:
    from llvmlite import binding

    has = binding.get_host_cpu_features()
    wide = [name for name in ("avx512f", "avx2", "fma", "neon", "sse2") if has.get(name)]
    return f"{binding.get_host_cpu_name()} ({', '.join(wide)})"


def _cache() -> object:
    from .kernel import cache

    return cache.directory()


def _call_path() -> str:
    from .kernel.abi import supported

    fast, why = supported()
    return "compiled" if fast else f"through ctypes, as {why}"


def outline(data: dict[str, Any]) -> str:
    """A robot's plain data (`Robot.to_dict`) as a tree; an only child stays in its parent's column."""
    children: dict[str, list[dict[str, Any]]] = {}
    for body in data["bodies"]:
        children.setdefault(body["parent"], []).append(body)
    lines = [f"{data['name']}, gravity {tuple(data['gravity'])}", "base"]
    waiting = _branches(children.get("base", []), "")
    while waiting:  # a stack, not recursion: a chain may have 100 000 bodies
        body, mark, indent, below = waiting.pop()
        lines.append(f"{indent}{mark}{_in_words(body)}")
        waiting += _branches(children.get(body["name"], []), indent + below)
    return "\n".join(lines)


def _branches(bodies: list[dict[str, Any]], indent: str) -> list[tuple[dict[str, Any], str, str, str]]:
    """Bodies of one parent, last first, each with its mark and with the indentation of what hangs on it."""
    if len(bodies) < 2:
        return [(b, "• ", indent, "") for b in bodies]
    marks = [("├─ ", "│  ")] * (len(bodies) - 1) + [("└─ ", "   ")]
    return [(b, mark, indent, below) for b, (mark, below) in zip(bodies, marks, strict=True)][::-1]


def _in_words(body: dict[str, Any]) -> str:
    joint = body["joint"]
    axes = [str(tuple(joint[key])) for key in ("axis", "axis2") if key in joint]
    about = f" about {' and '.join(axes)}" if joint["type"] not in ("fixed", "ball", "free") and axes else ""
    return f"{body['name']}: {joint['type']} {joint['name']}{about}, {body['mass']:g} kg"
