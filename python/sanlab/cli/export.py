"""`sanlab export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from sanlab.cli.outcome import SetOption, load, outcome

Kind = Literal["cabling", "drawing", "fio", "fio-results", "zoning-brocade", "zoning-cisco"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export")(export)


def export(
    kind: Annotated[
        Kind,
        typer.Argument(
            metavar="KIND",
            help="cabling, drawing, fio, fio-results, zoning-brocade or zoning-cisco.",
        ),
    ],
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="The scenario, a YAML file; of fio-results a run folder."
        ),
    ],
    sets: SetOption = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File; else stdout. Of fio-results a new folder, which it needs.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Write a scenario, or the results of a run, as other tools and people read them.

    `cabling`: the cables as CSV. `drawing`: boxes and cables as SVG. `fio`: the workloads as a job
    file. `fio-results`: the results of a run, simulated or measured, as fio writes them: JSON with
    histograms, and logs of bandwidth, I/Os per second and latency. `zoning-brocade`,
    `zoning-cisco`: the active zoning as commands; those that change a fabric stand in comments.
    """
    with outcome(as_json=False):
        if kind == "fio-results":
            _write_results(file, sets, output)
            return
        text = _text(kind, file, sets)
        if output is None:
            typer.echo(text, nl=not text.endswith("\n"))
            return
        from sanlab.cli.new import write_new

        write_new(Path(output), text, force=force)
        typer.echo(f"{output}: written")


def _write_results(run: str, sets: list[str] | None, output: str | None) -> None:
    from sanlab.errors import SanlabError
    from sanlab.exporters.fio_results import fio_results
    from sanlab.results.run import Run
    from sanlab.simulation.folder import named, refuse_to_overwrite

    if output is None:
        reason = "fio-results are several files: name a new folder for them with -o"
        raise SanlabError(reason)
    if sets:
        reason = "fio-results are of a run that has ended: remove --set"
        raise SanlabError(reason)
    folder = Path(output)
    refuse_to_overwrite(folder)
    files = fio_results(Run.open(run))
    with named(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    typer.echo(f"{output}: {len(files)} files written")


def _text(kind: Kind, file: str, sets: list[str] | None) -> str:
    import json

    from sanlab.plan.compile import compile_plan

    scenario = load(file, sets)
    plan_json = compile_plan(scenario).to_json()
    if kind == "fio":
        from sanlab.exporters.fio_job import fio_job

        return fio_job(scenario)
    if kind == "drawing":
        from sanlab.exporters.drawing import drawing

        return drawing(plan_json)
    plan = json.loads(plan_json)
    if kind == "cabling":
        from sanlab.exporters.cabling import cabling

        return cabling(plan)
    from sanlab.exporters.zoning import brocade, cisco, zonings_of

    defaults = {spec.vsan: spec.default == "all" for spec in scenario.zoning or []}
    zonings = zonings_of(plan, defaults)
    return brocade(zonings) if kind == "zoning-brocade" else cisco(zonings)
