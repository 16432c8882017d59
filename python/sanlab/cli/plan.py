"""`sanlab plan`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sanlab.cli.outcome import FileArgument, JsonOption, SetOption, load, outcome, show_json

if TYPE_CHECKING:
    from rich.console import Console

    from sanlab.cli.pilot import Estimate
    from sanlab.plan.schema import JobPlan, Plan

#: Rows shown of each table; `--json` has all of them.
MAX_ROWS = 20


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plan")(plan)


def plan(
    file: FileArgument,
    sets: SetOption = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Write the plan to a JSON file.")
    ] = None,
    pilot: Annotated[bool, typer.Option(help="Run the beginning to estimate the cost.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Show what would be simulated, with all values resolved, and what it would cost."""
    with outcome(as_json=as_json):
        from sanlab.cli.pilot import Estimate, estimate
        from sanlab.plan.compile import compile_plan
        from sanlab.plan.explain import links_by_speed, notes, totals

        resolved = compile_plan(load(file, sets))
        skipped = Estimate(is_available=False, basis="No pilot run was asked for")
        cost = estimate(resolved) if pilot else skipped
        if output is not None:
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

    from sanlab.plan.explain import notes
    from sanlab.quantities import format_time

    # A pipe has no width; a table cut to 80 columns would lose names.
    console = Console(soft_wrap=True) if sys.stdout.isatty() else Console(width=160)
    console.print(f"[bold]{resolved.title}[/bold], seed {resolved.seed}", highlight=False)
    console.print(
        f"ends at the latest at {format_time(resolved.end_ps)}, "
        f"series in bins of {format_time(resolved.interval_ps)}",
        highlight=False,
    )
    _show_totals(resolved, console)
    _show_links(resolved, console)
    _show_jobs(resolved, console)
    for note in notes(resolved)[:MAX_ROWS]:
        console.print(f"note: {note}", highlight=False)
    console.print(_cost_text(cost), highlight=False)


def _show_totals(resolved: Plan, console: Console) -> None:
    from sanlab.plan.explain import links_by_speed, totals

    counts = [
        f"{key.removesuffix('_count').replace('_', ' ')} {count}"
        for key, count in totals(resolved).items()
        if count
    ]
    console.print(", ".join(counts), highlight=False)
    speeds = [f"{count} of {speed}" for speed, count in links_by_speed(resolved).items()]
    console.print(f"links: {', '.join(speeds)}", highlight=False)


def _show_links(resolved: Plan, console: Console) -> None:
    from rich.table import Table

    from sanlab.plan.explain import end_name
    from sanlab.quantities import format_time

    table = Table("from", "to", "speed", "delay", "credit there", "credit back", title="Links")
    for link in resolved.links[:MAX_ROWS]:
        table.add_row(
            end_name(resolved, link.a),
            end_name(resolved, link.b),
            link.speed,
            format_time(link.delay_ps),
            str(link.credit_a_to_b),
            str(link.credit_b_to_a),
        )
    console.print(table)
    _show_rest(len(resolved.links), console)


def _show_jobs(resolved: Plan, console: Console) -> None:
    from rich.table import Table

    from sanlab.quantities import format_size

    table = Table("job", "through", "reads", "order", "bs", "depth", "region", title="Jobs")
    for job in resolved.jobs[:MAX_ROWS]:
        region = f"{format_size(job.span_bytes)} at {format_size(job.offset_bytes)}"
        order = "random" if job.random else "sequential"
        reads = f"{job.read_ppm / 10_000:g} %"
        depth = str(job.iodepth) if job.iodepth else "open"
        size = format_size(job.block_bytes)
        table.add_row(job.name, _through(resolved, job), reads, order, size, depth, region)
    console.print(table)
    _show_rest(len(resolved.jobs), console)


def _through(resolved: Plan, job: JobPlan) -> str:
    adapter = resolved.hosts[job.host].adapters[job.adapter]
    source, target = resolved.n_ports[adapter.n_port], resolved.n_ports[job.target_n_port]
    return f"{source.name} to {target.name}"


def _show_rest(count: int, console: Console) -> None:
    if count > MAX_ROWS:
        console.print(f"... and {count - MAX_ROWS} more; --json has all", highlight=False)


def _cost_text(cost: Estimate) -> str:
    if not cost.is_available:
        return f"estimate: none. {cost.basis}"
    return (
        f"estimate: {cost.events:,} events, {cost.wall_s:.2g} s of wall time, "
        f"{(cost.memory_bytes or 0) / 2**20:.0f} MiB of memory. {cost.basis}"
    )
