"""How commands end: exit codes, and errors as text or as JSON.

0 is good, 1 a run that failed, 2 bad input, 3 a comparison outside its tolerance, 130 Ctrl-C before
there was a result.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from sanlab.errors import RunError, SanlabError, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.scenario import Scenario

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
#: As shells say that Ctrl-C ended a command.
EXIT_INTERRUPTED = 130
#: Most characters of a file name in a message.
NAME_SHOWN = 200

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="The scenario, a YAML file.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Change one value, hosts.host1.cpu.cores=2; repeatable."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def show_json(document: object) -> None:
    """Print one JSON document on stdout."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))


@contextmanager
def outcome(*, as_json: bool) -> Iterator[None]:
    """Turn errors into messages and exit codes."""
    try:
        yield
    except SanlabError as error:
        code = EXIT_FAILED if isinstance(error, RunError) else EXIT_BAD_INPUT
        _refuse(error, code, as_json=as_json)
    except BrokenPipeError:
        raise  # whoever reads us has heard enough; the command line ends quietly
    except OSError as error:
        place = f"{_shortened(str(error.filename))}: " if error.filename else "Cannot write: "
        reason = f"{place}{error.strerror or error}"
        _refuse(SanlabError(reason), EXIT_BAD_INPUT, as_json=as_json)


def _refuse(error: SanlabError, code: int, *, as_json: bool) -> NoReturn:
    if as_json:
        show_json({"error": _as_document(error)})
    else:
        typer.echo(str(error), err=True)
    raise typer.Exit(code) from None


def _shortened(name: str) -> str:
    return name if len(name) <= NAME_SHOWN else f"{name[:NAME_SHOWN]}..."


def _as_document(error: SanlabError) -> dict[str, Any]:
    document: dict[str, Any] = {"kind": type(error).__name__, "message": str(error)}
    if isinstance(error, ScenarioError):
        document["problems"] = [problem.as_dict() for problem in error.problems]
    return document


def load(file: str, sets: list[str] | None) -> Scenario:
    """Read a scenario with the values of `--set`."""
    from sanlab.scenario.load import load_scenario
    from sanlab.scenario.overrides import parse_assignment

    return load_scenario(file, dict(parse_assignment(text) for text in sets or []))
