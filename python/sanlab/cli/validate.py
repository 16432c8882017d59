"""`sanlab validate`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from sanlab.cli.outcome import JsonOption, outcome, show_json

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.validate import Validation

EXIT_OUTSIDE = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("validate")(validate)


def validate(
    studies: Annotated[
        list[str] | None, typer.Argument(metavar="STUDY", help="Studies; all by default.")
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Print every figure, not one line for each study.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run the bundled studies and print published value, simulated value and error.

    Without names, run all studies, print a line for each study and each miss, and write the pages
    of `docs/accuracy`. With names, or with `--details`, print every figure. Exit code 3 means that
    a figure is outside its tolerance or a published shape does not hold, and that the study does
    not list it as a known miss.
    """
    with outcome(as_json=as_json):
        from sanlab.validate import load_study, study_names

        names = studies or study_names()
        for name in names:
            title = load_study(name).title
            if not as_json and (studies or details):
                typer.echo(f"{name}: {title}")
        from sanlab.validate import validate as run_studies

        done = run_studies(names, on_case=_say if sys.stderr.isatty() else None)
        accuracy = None if studies else _write_accuracy(done)
        if as_json:
            rows = [row.model_dump() for study in done for row in study.rows]
            pages = {study.study.name: str(study.page) for study in done}
            document = {"rows": rows, "reports": pages, "score": _score(done)}
            show_json(document if accuracy is None else document | {"accuracy": str(accuracy)})
        else:
            _show(done, in_full=details or bool(studies))
            if accuracy is not None:
                typer.echo(f"accuracy: {accuracy}")
    if not all(study.is_ok for study in done):
        raise typer.Exit(EXIT_OUTSIDE)


def _write_accuracy(done: list[Validation]) -> Path | None:
    """Write the page of all studies into the manual, if there is one."""
    from sanlab.validate.accuracy import accuracy_folder, write_accuracy

    folder = accuracy_folder()
    return write_accuracy(done, folder) if folder.parent.is_dir() else None


def _score(done: list[Validation]) -> dict[str, float]:
    from dataclasses import asdict

    from sanlab.validate.accuracy import score

    return asdict(score([row for study in done for row in study.rows]))


def _say(case: str, done: int, count: int, left_s: float) -> None:
    left = f", about {left_s:.0f} s left" if done < count else ""
    typer.echo(f"\r\033[K{done} of {count}: {case}{left}\r", err=True, nl=False)


def _show(done: list[Validation], *, in_full: bool) -> None:
    from rich.console import Console

    from sanlab.validate.screen import screen_of
    from sanlab.validate.summary import summary_of

    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    if not in_full:
        for part in screen_of(done):
            console.print(part)
        return
    for study in done:
        if len(done) > 1:
            console.rule(study.study.title, align="left")
        for part in summary_of(study):
            console.print(part)
        typer.echo(f"report: {study.page}")
