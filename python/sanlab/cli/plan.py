"""`sanlab plan`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sanlab.cli.outcome import FileArgument, JsonOption, SetOption, load, outcome, show_json

if TYPE_CHECKING:
    from sanlab.cli.pilot import Estimate
    from sanlab.plan.schema import Plan

#: Rows shown of each table; `--json` lists all.
MAX_ROWS = 20
PIPE_WIDTH = 160


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plan")(plan)


def plan(
    file: FileArgument,
    sets: SetOption = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Write the plan to a JSON file.")
    ] = None,
    pilot: Annotated[
        bool, typer.Option(help="Simulate the first part to estimate the cost.")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Show the resolved scenario with all its values, and estimate the cost of its run."""
    with outcome(as_json=as_json):
        from sanlab.cli.pilot import Estimate, estimate
        from sanlab.plan.compile import compile_plan
        from sanlab.plan.explain import links_by_speed, notes, totals
        from sanlab.simulation.folder import named

        resolved = compile_plan(load(file, sets))
        skipped = Estimate(is_available=False, basis="No pilot run was requested")
        cost = estimate(resolved) if pilot else skipped
        if output is not None:
            with named(Path(output)):
                Path(output).write_text(resolved.to_json() + "\n", encoding="utf-8")
        if as_json:
            show_json(
                {
                    "file": file,
                    "totals": totals(resolved),
                    "links_by_speed": links_by_speed(resolved),
                    "notes": notes(resolved),
                    "estimate": cost.as_dict(),
                    "plan": json.loads(resolved.to_json()),
                }
            )
            return
        _show(resolved, cost)


def _show(resolved: Plan, cost: Estimate) -> None:
    from rich.console import Console
    from rich.table import Table

    from sanlab.plan.explain import notes
    from sanlab.plan.tables import tables

    # A pipe has no width, and a table cut to 80 columns would lose names.
    console = Console(
        highlight=False, markup=False, width=None if sys.stdout.isatty() else PIPE_WIDTH
    )
    console.print(_head(resolved))
    for table in tables(resolved, MAX_ROWS):
        drawn = Table(*table.columns, title=table.title, title_justify="left")
        for row in table.rows:
            drawn.add_row(*row)
        console.print(drawn)
        if table.rows_count > len(table.rows):
            console.print(f"... and {table.rows_count - len(table.rows)} more; --json lists all")
    for note in notes(resolved)[:MAX_ROWS]:
        console.print(f"note: {note}")
    console.print(_cost_text(cost))


def _head(resolved: Plan) -> str:
    from sanlab.plan.explain import links_by_speed, totals
    from sanlab.quantities import format_time

    counts = [
        f"{key.removesuffix('_count').replace('_', ' ')} {count}"
        for key, count in totals(resolved).items()
        if count
    ]
    speeds = [f"{count} of {speed}" for speed, count in links_by_speed(resolved).items()]
    links = f"\nlinks: {', '.join(speeds)}" if speeds else ""
    return (
        f"{resolved.title}, seed {resolved.seed}\n"
        f"ends at the latest at {format_time(resolved.end_ps)}, "
        f"series in bins of {format_time(resolved.interval_ps or 0)}, "
        f"data frames of {resolved.data_frame_bytes} bytes\n"
        f"{', '.join(counts)}{links}"
    )


def _cost_text(cost: Estimate) -> str:
    if not cost.is_available:
        return f"estimate: none. {cost.basis}"
    from sanlab.words import show_count

    return (
        f"estimate: {show_count(cost.events)} events, {cost.wall_s:.2g} s of wall time, "
        f"{(cost.memory_bytes or 0) / 2**20:.0f} MiB of memory. {cost.basis}"
    )
