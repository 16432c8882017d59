"""`sanlab plot`."""

from __future__ import annotations

from typing import Annotated

import typer

from sanlab.cli.outcome import JsonOption, outcome, show_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plot")(plot)


def plot(
    folder: Annotated[str, typer.Argument(metavar="SWEEP", help="Folder of a sweep.")],
    x: Annotated[
        str | None, typer.Option("--x", metavar="PATH", help="Parameter along x; or 'iops'.")
    ] = None,
    y: Annotated[str, typer.Option("--y", metavar="METRIC", help="Value along y.")] = "iops",
    series: Annotated[
        str | None, typer.Option("--series", metavar="PATH", help="Parameter shown as colours.")
    ] = None,
    facet: Annotated[
        str | None,
        typer.Option("--facet", metavar="PATH", help="Parameter with one plot for each value."),
    ] = None,
    phase: Annotated[
        str | None,
        typer.Option("--phase", metavar="NAME", help="Phase of the scenario, not the whole run."),
    ] = None,
    is_heat_map: Annotated[
        bool,
        typer.Option("--heat-map", help="Draw a heat map over --x and --series instead of lines."),
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="FILE.svg or FILE.png; default SWEEP/Y.svg."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Draw one plot of a sweep as SVG or PNG; --x, --series and --facet have defaults.

    Parameters are named by their path, or by its end as in the legend. Parameters that vary fill
    the options that are left out; a note names those that are held at one value.

    `--x iops --y response_mean_ps` draws latency against load, with its knee.
    """
    with outcome(as_json=as_json):
        from pathlib import Path

        from sanlab.sweeps.picture import Wanted, draw
        from sanlab.sweeps.result import Sweep

        wanted = Wanted(x, y, series, facet, phase, is_heat_map=is_heat_map)
        drawn = draw(Sweep.open(folder), wanted, None if out is None else Path(out))
        if as_json:
            show_json({"plot": str(drawn.file), "held": drawn.held})
            return
        typer.echo(str(drawn.file))
        if drawn.held:
            held = ", ".join(f"{path} = {value}" for path, value in drawn.held.items())
            typer.echo(f"Only points with {held} are drawn.", err=True)
