"""The `appell` command: every subcommand calls one public function and prints what it answers.

Commands are plain functions: their parameters are the arguments (no default) and options (with one). A
mistake that Appell can explain is one line on stderr and exit code 2; Ctrl-C is 130.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
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
    with warnings.catch_warnings():
        warnings.showwarning = warn_plainly
        try:
            app(args=arguments, prog_name="appell")
        except KeyboardInterrupt:
            sys.exit(130)


def warn_plainly(message: Warning | str, *_: Any) -> None:
    """A warning as one line on stderr, without the code that gave it."""
    print(f"appell: {message}", file=sys.stderr)


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
    paper.__annotations__["more"] = typer.Context  # not above: importing this file takes no typer
    models = (info, zoo, show, inspect, convert, assemble, count, explain, cite)
    for command in (*models, papers, paper, identify, excite, track, demo, bench):
        own = {"allow_extra_args": True, "ignore_unknown_options": True} if command is paper else None
        app.command(context_settings=own)(guarded(command))
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
    from .show.surroundings import about

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

    from .show.describe import links, outline, table

    given = appell.load(robot)
    print(outline(given.to_dict()))
    print(f"\n{table(*links(given.bodies))}")


def inspect(
    file: str, roots: list[str] | None = None, floating: bool = False, unphysical: bool = False, json: bool = False
) -> None:  # fmt: skip
    """A robot file looked at: tree, masses, inertias, loops and mobility, warnings, and what of it was not read."""
    from json import dumps

    from .files.source import choices
    from .show.inspection import inspect

    found = inspect(file, choices(roots or (), floating, unphysical, True))
    print(dumps(found.plain(), indent=1) if json else found)


def convert(
    source: str, target: str, loops: str = "error", roots: list[str] | None = None, floating: bool = False,
    unphysical: bool = False, snap: float = 0.0, convention: str = "standard",
) -> None:  # fmt: skip
    """One robot file into another, by the ends of their names: .toml .urdf .xml (MJCF) .sdf .csv (a DH table).

    --loops error, comment, or for URDF constraint; --convention standard or modified, for a DH table.
    """
    import appell

    robot = appell.load(source, snap=snap or None, roots=roots or (), floating=floating, unphysical=unphysical)
    options = {"loops": loops} if target.lower().endswith((".urdf", ".xml", ".mjcf", ".sdf")) else {}
    if target.lower().endswith(".csv"):
        options = {"convention": convention}
    robot.save(target, **options)
    print(f"{target}: {robot.n} bodies, {robot.nv} freedoms of joints")


def assemble(robot: str, fixed: list[str] | None = None, branch: str = "", json: bool = False) -> None:
    """The loops of a robot closed: --fixed motor=1.0 holds joints; --branch all, or a name, or a number."""
    from json import dumps

    import appell

    from .show.assembling import assembled, page, plain

    found = assembled(appell.load(robot), fixed or (), branch)
    print(dumps([plain(x) for x in found], indent=1) if json else "\n\n".join(map(page, found)))


def count(
    robot: str, what: str = "inverse_dynamics", method: str = "", frame: str = "", all: bool = False
) -> None:  # fmt: skip
    """How many operations a question costs for a robot: as written, as folded, as run; --all: by every method."""
    import appell

    from .show.describe import costs, table

    given, place = appell.load(robot), frame or None
    print(table(*costs(given, what, place)) if all else given.count(what, method or None, frame=place))


def cite(what: list[str], robot: str = "") -> None:
    """The papers behind methods, questions (as the robot answers them) or keys, as BibTeX."""
    import appell

    print(appell.cite(*what, robot=appell.load(robot) if robot else None))


def explain(robot: str, method: str = "gibbs_appell", what: str = "", seed: int = 1) -> None:
    """Every quantity that a method computes, body by body, in a random motion (a = v)."""
    import appell

    given = appell.load(robot)
    q, v = given.random_state(seed)
    print(given.explain(method, q, v, v, what or None))


def papers() -> None:
    """The papers whose cases can be worked out again, the cases, and what each takes."""
    from .papers.library import listing
    from .show.describe import table

    print(table(("paper", "case", "what it is", "options"), listing()))


def paper(more: Any, name: str, case: str = "", out: Path = Path("appell-papers"), json: bool = False) -> None:
    """Work a paper's cases out again (all, or --case): tables, figures, agreement; saved under --out.

    --json prints a case's numbers instead. Further options are the case's own, as --times 0,5 for `saha2010 --case
    puma`.
    """
    from .papers.library import run

    sys.exit(run(name, case, out, more.args, json))


def identify(
    robot: str, data: str, out: Path = Path("identification.html"), groups: str = "", method: str = "qr",
    robust: str = "", cutoff: float = 0.0, validate: str = "", model: str = "", mend: bool = False,
    delay: float = 0.0, actuators: str = "", branch: str = "",
) -> None:  # fmt: skip
    """Base parameters of a robot from measurements (CSV or Parquet): a page and JSON; --model saves the robot found.

    Each fifth of the data is predicted from the others, or the data of --validate from all. --groups moments,friction
    chooses what is identified, --robust huber weighs outliers down, --cutoff is in Hz; --delay tells how many seconds
    after its row a force takes effect. A closed mechanism is driven by those joints whose forces are in the data, or by
    --actuators; --branch names how it stands.
    """
    import appell

    from .show.identification import identify as found

    options = {"method": method, "robust": robust or None, "cutoff": cutoff or None, "mend": mend, "delay": delay,
               "actuators": listed(actuators), "branch": branch or None}  # fmt: skip
    found(appell.load(robot), data, out, listed(groups), validate, model, **options)


def excite(
    robot: str, limits: str = "", out: Path = Path("excitation.csv"), groups: str = "", harmonics: int = 5,
    period: float = 10.0, criterion: str = "condition", rate: float = 1000.0, starts: int = 3, seed: int = 0,
    actuators: str = "",
) -> None:  # fmt: skip
    """A motion that shows a robot's parameters, within limits: as CSV, and its coefficients as JSON.

    --limits is a TOML file; without it, and for what it does not say, the model's own limits hold. A closed
    mechanism is moved by --actuators, the joints of its motors.
    """
    import appell

    from .show.exciting import exciting

    options = {"harmonics": harmonics, "period": period, "criterion": criterion, "starts": starts, "seed": seed,
               "coordinates": listed(actuators)}  # fmt: skip
    exciting(appell.load(robot), limits, out, rate, listed(groups), **options)


def track(
    robot: str, path: str, controller: str = "tracking", out: Path = Path("tracking.html"), tolerance: float = 0.0
) -> None:  # fmt: skip
    """A path (a TOML file) tracked on a simulated robot: a page, JSON and CSV; 1 if it misses more than --tolerance.

    Controllers: tracking, point_to_point, pd_with_gravity, task_tracking; their gains, and what is wrong with sensors
    and drives, stand in the tables `control` and `device` of the path's file.
    """
    import appell

    from .show.tracking import track as tracked

    sys.exit(tracked(appell.load(robot), path, controller, out, tolerance))


def listed(words: str) -> list[str]:
    """Words with commas between them."""
    return [x.strip() for x in words.split(",") if x.strip()]


def demo(out: Path = Path("appell-demo")) -> None:
    """The PUMA by every formulation: agreement, times, a figure and a one-page report."""
    from .show.demo import run

    sys.exit(run(out))


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
