"""Ends of commands: exit codes, and errors as text or as JSON.

0 is success, 1 a failed run, 2 bad input, 3 a comparison outside its tolerance, 130 Ctrl-C before
there was a result.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from sanlab.errors import BAD_NAMES, RunError, SanlabError, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sanlab.scenario import Scenario

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
#: Most characters of a file name in a message.
NAME_SHOWN = 200

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="The scenario, a YAML file.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Change one value, hosts.host1.cpu.cores=2; repeatable."
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Dask scheduler, tcp://HOST:PORT."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def show_json(document: object) -> None:
    """Print one JSON document on stdout."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))


def progress(words: Callable[..., str]) -> Callable[..., None] | None:
    """Return what draws a line of progress on a terminal; None where stderr is none.

    `words` turns what is reported into the line, which replaces the one before.
    """
    if not sys.stderr.isatty():
        return None
    return lambda *news: typer.echo(f"\r\033[K{words(*news)}\r", err=True, nl=False)


def parsed(option: str, text: str, parse: Callable[[str], int]) -> int:
    """Read the quantity of an option.

    Raises
    ------
    SanlabError
        It is none; the message names the option.
    """
    from sanlab.quantities import QuantityError

    try:
        return parse(text)
    except QuantityError as error:
        reason = f"{option} {text}: {error.reason}. {error.remedy}"
        raise SanlabError(reason) from None


@contextmanager
def outcome(*, as_json: bool) -> Iterator[None]:
    """Turn errors into messages and exit codes."""
    try:
        yield
    except SanlabError as error:
        code = EXIT_FAILED if isinstance(error, RunError) else EXIT_BAD_INPUT
        _refuse(error, code, as_json=as_json)
    except BrokenPipeError:
        raise  # the reader of stdout is gone; the command line ends quietly
    except OSError as error:
        place = f"{_shortened(str(error.filename))}: " if error.filename else "Cannot write: "
        reason = f"{place}{error.strerror or error}"
        if error.errno in BAD_NAMES:
            _refuse(SanlabError(reason), EXIT_BAD_INPUT, as_json=as_json)
        _refuse(RunError(reason), EXIT_FAILED, as_json=as_json)
    except MemoryError:
        reason = "There is not enough memory. Make the scenario smaller, or close other programs"
        _refuse(RunError(reason), EXIT_FAILED, as_json=as_json)


def _refuse(error: SanlabError, code: int, *, as_json: bool) -> NoReturn:
    with suppress(OSError):  # stderr may be full as well
        try:
            if as_json:
                show_json({"error": _as_document(error)})
        except OSError:
            as_json = False
        if not as_json:
            typer.echo(str(error), err=True)
    raise typer.Exit(code) from None


def _shortened(name: str) -> str:
    return name if len(name) <= NAME_SHOWN else f"{name[:NAME_SHOWN]}..."


def _as_document(error: SanlabError) -> dict[str, Any]:
    document: dict[str, Any] = {"kind": type(error).__name__, "message": str(error)}
    if isinstance(error, ScenarioError):
        document["problems"] = [problem.as_dict() for problem in error.problems]
    return document


def next_steps(file: str) -> str:
    """Return the commands to try with a new scenario, under the name that started this one."""
    program = program_name()
    return f"Next: {program} check {file}; {program} run {file}"


def program_name() -> str:
    """Return the command that started this program, as one would type it again.

    The script `sanlab` of a clone starts the installed command and passes its own name.
    """
    program = os.environ.get("SANLAB_PROGRAM") or sys.argv[0]
    path = Path(program)
    if path.name != "sanlab":
        return "python -m sanlab.cli" if path.name == "__main__.py" else "sanlab"
    found = shutil.which("sanlab")
    return "sanlab" if found and Path(found).absolute() == path.absolute() else program


def load(file: str, sets: list[str] | None) -> Scenario:
    """Read a scenario with the values of `--set`."""
    from sanlab.scenario.load import load_scenario
    from sanlab.scenario.overrides import parse_assignment

    return load_scenario(file, dict(parse_assignment(text) for text in sets or []))
