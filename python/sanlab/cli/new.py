"""`sanlab new`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sanlab.cli.outcome import JsonOption, next_steps, outcome, show_json


class Template(StrEnum):
    """Scenarios to start from."""

    FIRST_SAN = "first-san"
    TWO_SWITCHES = "two-switches"
    MIRROR = "mirror"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("new")(new)


def new(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File to write.")] = "scenario.yaml",
    template: Annotated[
        Template, typer.Option("--template", "-t", help="Template.")
    ] = Template.FIRST_SAN,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a commented example scenario."""
    with outcome(as_json=as_json):
        from importlib.resources import files

        source = files("sanlab.cli") / "templates" / f"{template.value}.yaml"
        write_new(Path(file), source.read_text(encoding="utf-8"), force=force)
        if as_json:
            show_json({"file": file, "template": template.value})
            return
        typer.echo(f"{file}: written. {next_steps(file)}")


def write_new(path: Path, text: str, *, force: bool) -> None:
    """Write a new file, or with `force` replace one."""
    from sanlab.errors import BAD_NAMES, Problem, ScenarioError

    # A full disk must not leave half a file or destroy the existing one.
    growing = path.parent / f".{path.name}.partial"
    try:
        if not force:
            path.open("x").close()
        try:
            growing.write_text(text, encoding="utf-8")
            growing.replace(path)
        except OSError:
            growing.unlink(missing_ok=True)
            if not force:
                path.unlink()
            raise
    except FileExistsError:
        reason, remedy = "The file exists already", "Choose another name, or add --force"
    except OSError as error:
        if error.errno not in BAD_NAMES:
            raise OSError(error.errno, error.strerror, str(path)) from error
        reason, remedy = f"The file cannot be written: {error.strerror}", "Choose another place"
    else:
        return
    raise ScenarioError([Problem(str(path), None, None, "", reason, remedy)])
