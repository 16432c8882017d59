"""`sanlab run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sanlab.cli.outcome import (
    EXIT_FAILED,
    FileArgument,
    JsonOption,
    SetOption,
    outcome,
    show_json,
)
from sanlab.cli.text_table import text_table

if TYPE_CHECKING:
    from sanlab.results.run import Run


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
            found = steady(done)
            show_json(summary | {"steady": found and found.as_dict(), "report": report})
        else:
            typer.echo("\n".join(_lines(done, summary, report)))
    if not done.manifest.is_complete:
        raise typer.Exit(EXIT_FAILED)


#: Most workloads with errors that are listed.
ERRORS_SHOWN = 5

_TIMES = {
    "mean": "response_mean_us",
    "p50": "response_p50_us",
    "p99": "response_p99_us",
    "p99.99": "response_p99_99_us",
}


def _steady_lines(done: Run) -> list[str]:
    """Return whether the run was steady, and the confidence intervals of its means."""
    from sanlab.explain.steadiness import steadiness
    from sanlab.results.steady import steady
    from sanlab.words import show_count, show_percent, show_time

    judged = steadiness(done)
    if judged.kind not in ("steady", "unknown"):
        return [f"  not steady   {judged.sentence}"]
    found = steady(done)
    if found is None:
        return []
    if not found.is_settled:
        return [f"  steady       not by {found.rule}: the means may still move"]
    shown = []
    for name, interval, show in (
        ("IOPS", found.iops, lambda value: show_count(round(value))),
        ("response", found.response_mean_ps, show_time),
    ):
        share = interval.relative
        sure = "" if share is None else f" ± {show_percent(share)}"
        shown.append(f"{name} {show(interval.mean)}{sure}")
    since = show_time(found.from_ps)
    return [f"  steady       from {since} by {found.rule}: {', '.join(shown)} (95 %)"]


#: Most workloads whose limit is shown.
LIMITS_SHOWN = 5


def _limit_lines(done: Run) -> list[str]:
    """Return what limits each workload, those with a problem first."""
    from sanlab.explain.explanation import explain

    limits = [one.overall for one in explain(done)]
    limits.sort(key=lambda limit: limit.is_harmless)
    lines = [f"  limit        {limit.headline}" for limit in limits[:LIMITS_SHOWN]]
    more = len(limits) - LIMITS_SHOWN
    return [*lines, *([f"  and {more} workloads more: sanlab explain"] if more > 0 else [])]


#: Most rows of phases that are shown; the table has all.
PHASES_SHOWN = 40


def _phase_lines(done: Run) -> list[str]:
    """Return the figures of the phases as a table, if there are phases."""
    from sanlab.results.phases import phases
    from sanlab.words import show_count, show_rate, show_time

    found = phases(done)
    if not found:
        return []
    table = [["phase", "from", "to", "workload", "op", "IOPS", "throughput", "mean"]]
    table[0] += ["p50", "p99", "p99.9"]
    for row in found[:PHASES_SHOWN]:
        mean = "–" if row.response_mean_ps is None else show_time(row.response_mean_ps)
        tail = [
            show_time(row.response_ps[percent]) if percent in row.response_ps else "–"
            for percent in (50.0, 99.0, 99.9)
        ]
        cells = [row.phase, show_time(row.from_ps), show_time(row.to_ps), row.workload, row.op]
        iops, throughput = show_count(round(row.iops)), show_rate(row.throughput_bytes_per_s)
        table.append([*cells, iops, throughput, mean, *tail])
    lines = [f"  {line}" for line in text_table(table, words={0, 3, 4})]
    more = len(found) - PHASES_SHOWN
    return [*lines, *([f"  and {more} rows more in the table 'phases'"] if more > 0 else [])]


def _order_lines(done: Run) -> list[str]:
    """Return the figures of the workloads as a table, if some wait for others."""
    from sanlab.results.throughput import has_order
    from sanlab.words import show_count, show_rate, show_time

    if not has_order(done):
        return []
    table = [["workload", "op", "from", "for", "IOPS", "throughput", "mean", "p99"]]
    rows = sorted(done.rows("workloads"), key=lambda row: row["from_ps"])
    for row in rows[:PHASES_SHOWN]:
        cells = [row["workload"], row["op"], show_time(row["from_ps"]), show_time(row["window_ps"])]
        cells += [show_count(round(row["iops"])), show_rate(row["throughput_bytes_per_s"])]
        table.append(
            [*cells, *(show_time(row[f"response_{figure}_ps"]) for figure in ("mean", "p99"))]
        )
    more = len(rows) - PHASES_SHOWN
    rest = [f"  and {more} rows more in the table 'workloads'"] if more > 0 else []
    return [f"  {line}" for line in text_table(table, words={0, 1})] + rest


def _note_lines(note: str | None) -> list[str]:
    return [] if note is None else [f"  note         {note}"]


def _lines(done: Run, summary: dict[str, Any], report: str | None) -> list[str]:
    from sanlab.words import show_count, show_percent, show_rate, show_time

    simulated = show_time(done.manifest.simulated_ps)
    setup, wall = done.manifest.setup_s, done.manifest.wall_s
    speed = done.manifest.events / wall / 1e6 if wall > 0 else 0.0
    lines = [
        (
            f"{done.title or done.manifest.scenario_file}: {simulated} simulated in {wall:.2f} s"
            f" after {setup:.2f} s of set-up ({speed:.1f} M events/s)"
        )
    ]
    if not done.manifest.is_complete:
        lines.append("stopped before its end: all numbers cover the simulated time so far")
    if summary["io_count"]:
        lines += [
            f"  throughput   {show_rate(summary['throughput_bytes_per_s'])}",
            *_note_lines(summary["throughput_note"]),
            f"  IOPS         {show_count(round(summary['iops']))}",
            "  response     "
            + ", ".join(
                f"{name} {show_time(summary[key] * 1e6)}"
                for name, key in _TIMES.items()
                if summary[key] is not None
            ),
        ]
        lines += _steady_lines(done)
    else:
        frames = sum(row["frames_count"] for row in done.rows("frames"))
        lines.append(f"  frames       {show_count(frames)} delivered; no I/O completed")
    lines += _order_lines(done) + _phase_lines(done)
    if summary["error_count"]:
        failed = [
            f"{row['workload']} {show_count(row['error_count'])}"
            for row in done.rows("workloads")
            if row["error_count"]
        ]
        others = f" and {len(failed) - ERRORS_SHOWN} more" if len(failed) > ERRORS_SHOWN else ""
        shown = f"{', '.join(failed[:ERRORS_SHOWN])}{others}"
        lines.append(f"  errors       {show_count(summary['error_count'])} I/Os failed: {shown}")
    if summary["busiest_link"]:
        share = show_percent(summary["busiest_link_utilisation"])
        lines.append(f"  busiest link {summary['busiest_link']}, {share}")
    if summary["busiest_loop"]:
        share = show_percent(summary["busiest_loop_share"])
        lines.append(f"  busiest loop {summary['busiest_loop']}, {share}")
    if summary["worst_mirror"]:
        lag = show_time(summary["worst_mirror_lag_us"] * 1e6)
        lines.append(f"  worst lag    {summary['worst_mirror']}'s copy, {lag} behind")
    lines += _limit_lines(done)
    lines.append(f"  fingerprint  {done.manifest.fingerprint}")
    lines.append(f"  {'report' if report else 'folder'}       {report or done.folder}")
    return lines
