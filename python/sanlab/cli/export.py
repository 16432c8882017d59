"""`sanlab export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from sanlab.cli.outcome import FileArgument, SetOption, load, outcome

Kind = Literal["cabling", "drawing", "fio", "zoning-brocade", "zoning-cisco"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export")(export)


def export(
    kind: Annotated[
        Kind,
        typer.Argument(
            metavar="KIND", help="cabling, drawing, fio, zoning-brocade or zoning-cisco."
        ),
    ],
    file: FileArgument,
    sets: SetOption = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="File; else stdout.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Write a scenario as other tools and people read it.

    `cabling`: the cables as CSV. `drawing`: boxes and cables as SVG. `fio`: the workloads as a job
    file. `zoning-brocade`, `zoning-cisco`: the active zoning as commands; those that change a
    fabric stand in comments.
    """
    with outcome(as_json=False):
        text = _text(kind, file, sets)
        if output is None:
            typer.echo(text, nl=not text.endswith("\n"))
            return
        from sanlab.cli.new import write_new

        write_new(Path(output), text, force=force)
        typer.echo(f"{output}: written")


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
