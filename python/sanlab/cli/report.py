"""`sanlab report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sanlab.cli.outcome import JsonOption, outcome, show_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report)


def report(
    folder: Annotated[str, typer.Argument(metavar="RUN", help="A run folder.")],
    figures: Annotated[
        str | None,
        typer.Option(
            "--figures", metavar="DIR", help="Also write figures as SVG and PNG, tables as CSV."
        ),
    ] = None,
    with_pictures: Annotated[
        bool,
        typer.Option("--pictures", help="Also put each plot in as a picture, without JavaScript."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write findings and the report of a run again: one HTML file that needs no network."""
    with outcome(as_json=as_json):
        from sanlab.report.build import build, export
        from sanlab.results.run import Run

        run = Run.open(folder)
        path = build(run, with_pictures=with_pictures)
        written = export(run, Path(figures)) if figures else []
        if as_json:
            show_json({"report": str(path), "figures": [str(file) for file in written]})
            return
        typer.echo(str(path))
        if written:
            typer.echo(f"{len(written)} files in {figures}")
