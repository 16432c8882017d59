"""`sanlab run`."""

from __future__ import annotations

from typing import Annotated

import typer

from sanlab.cli.outcome import (
    EXIT_FAILED,
    FileArgument,
    JsonOption,
    SetOption,
    outcome,
    show_json,
)
from sanlab.cli.run_lines import run_lines


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run")(run)


def run(
    file: FileArgument,
    sets: SetOption = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, max=2**64 - 1, help="Replace the seed of the scenario."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="DIR", help="Run folder; default runs/NAME."),
    ] = None,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write only tables, without findings and report.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Simulate a scenario; write a self-contained run folder with tables, findings and a report.

    Ctrl-C keeps the results so far and marks them as partial.
    """
    with outcome(as_json=as_json):
        from sanlab.results.run import run as simulate
        from sanlab.results.steady import steady
        from sanlab.scenario.overrides import parse_assignment

        overrides = dict(parse_assignment(text) for text in sets or [])
        done = simulate(file, overrides=overrides, folder=out, seed=seed, show_progress=True)
        report = None
        if not no_report:
            from sanlab.report.build import build

            report = str(build(done))
        summary = done.summary()
        if as_json:
            from sanlab.compare.document import workload_documents

            found = steady(done)
            flows = workload_documents(done)
            steadiness = found and found.as_dict()
            show_json(summary | {"workloads": flows, "steady": steadiness, "report": report})
        else:
            typer.echo("\n".join(run_lines(done, summary, report)))
    if not done.manifest.is_complete:
        raise typer.Exit(EXIT_FAILED)
