"""`sanlab sweep`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sanlab.cli.outcome import (
    EXIT_FAILED,
    ClusterOption,
    FileArgument,
    JsonOption,
    SetOption,
    outcome,
    show_json,
)
from sanlab.cli.text_table import text_table

if TYPE_CHECKING:
    from sanlab.sweeps.result import Sweep
    from sanlab.sweeps.tally import Tally


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("sweep")(sweep)


def sweep(
    file: FileArgument,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "-p",
            "--parameter",
            metavar="PATH=VALUES",
            help="Parameter and its values: 1,2,4,..,256, 1..7, 4KiB,64KiB; repeatable.",
        ),
    ] = None,
    points: Annotated[
        str | None,
        typer.Option("--points", metavar="FILE.csv", help="List of points: paths, then values."),
    ] = None,
    is_zipped: Annotated[
        bool, typer.Option("--zip", help="Combine the first values, the second values, and so on.")
    ] = False,
    random: Annotated[
        int | None,
        typer.Option(
            "--random",
            min=1,
            max=1_000_000,
            metavar="N",
            help="N points of a Latin hypercube over ranges, 1..256 or 1..256:log, and lists.",
        ),
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, max=10_000, metavar="N", help="Seeds of each point.")
    ] = 1,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="2%",
            help="Add repeats until the 95 % interval of the metric is this narrow on each side.",
        ),
    ] = None,
    metric: Annotated[
        str, typer.Option("--metric", metavar="NAME", help="Metric of --until.")
    ] = "iops",
    max_repeats: Annotated[
        int, typer.Option("--max-repeats", min=1, metavar="N", help="Most repeats with --until.")
    ] = 30,
    refine: Annotated[
        str | None,
        typer.Option("--refine", metavar="METRIC", help="Add points where this metric bends most."),
    ] = None,
    max_points: Annotated[
        int, typer.Option("--max-points", min=1, metavar="N", help="Most points of --refine.")
    ] = 16,
    warm_up: Annotated[
        str,
        typer.Option(
            "--warm-up", metavar="RULE", help="Detection of the warm-up: mser5, pts or none."
        ),
    ] = "mser5",
    sets: SetOption = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, max=2**64 - 1, help="Replace the seed of the scenario."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Folder of the sweep; default sweeps/NAME."
        ),
    ] = None,
    extend: Annotated[
        bool, typer.Option("--extend", help="Add other values or repeats to an earlier sweep.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, max=1024, metavar="N", help="Threads; default all cores."),
    ] = None,
    cluster: ClusterOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Run more than a million points.")] = False,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write only the data set, no page of plots.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Simulate a scenario with varied parameters; write a data set and a page of plots.

    Each finished point is saved. The same command resumes a sweep that was stopped or killed. Exit
    code 1 means that points failed. Combinations that the scenario does not allow are marked as
    impossible, and the others run.
    """
    with outcome(as_json=as_json):
        from pathlib import Path

        from sanlab.scenario.overrides import parse_assignment
        from sanlab.sweeps.execute import execute, parse_all
        from sanlab.sweeps.options import SweepOptions
        from sanlab.sweeps.result import Sweep

        options = SweepOptions(
            points=points,
            is_zipped=is_zipped,
            random=random,
            repeats=repeats,
            until=_share(until),
            metric=metric,
            max_repeats=max_repeats,
            refine=refine,
            max_points=max_points,
            warm_up=warm_up,
            overrides=dict(parse_assignment(text) for text in sets or []),
            seed=seed,
            folder=out,
            workers=workers,
            cluster=cluster,
            extend=extend,
            allow_many=yes,
            show_progress=True,
        )
        folder, tally = execute(Path(file), parse_all(parameters or []), options)
        done = Sweep.open(folder)
        page = None
        if not no_report:
            from sanlab.sweeps.page import write_page

            page = str(write_page(done))
        if as_json:
            show_json(_document(done, tally, page))
        else:
            typer.echo("\n".join(_lines(done, tally, page)))
    if not tally.is_good:
        raise typer.Exit(EXIT_FAILED)


def _share(text: str | None) -> float | None:
    if text is None:
        return None
    from sanlab.errors import SanlabError
    from sanlab.quantities import QuantityError, parse_share

    try:
        share = parse_share(text) / 1e6
    except QuantityError as error:
        reason = f"--until {text}: {error.reason}. {error.remedy}"
        raise SanlabError(reason) from None
    if share <= 0:
        reason = f"--until {text}: no interval is that narrow. Write a share such as 2%"
        raise SanlabError(reason)
    return share


def _document(done: Sweep, tally: Tally, page: str | None) -> dict[str, Any]:
    return {
        "folder": str(done.folder),
        "report": page,
        "points": {
            "done": tally.done,
            "failed": tally.failed,
            "impossible": tally.impossible,
            "lost": tally.lost,
            "found": tally.found,
            "is_stopped": tally.is_stopped,
        },
        "reasons": tally.reasons,
        "not_sure": tally.unsure,
        "added": tally.added,
        "summary": done.summary(),
        "phases": [
            {"phase": phase} | row for phase in done.phases for row in done.summary(phase=phase)
        ],
    }


#: Rows of the table on a terminal; the page lists all.
_ROWS = 60


def _lines(done: Sweep, tally: Tally, page: str | None) -> list[str]:
    from sanlab.sweeps.knee import RULE
    from sanlab.sweeps.page import knee_of, setting_text

    lines = _table(done)
    if done.phases:
        lines += ["", *_phase_table(done), ""]
    if found := knee_of(done):
        lines.append(f"knee at {setting_text(done, found)}: {RULE}")
    if tally.added:
        from sanlab.sweeps.refine import RULE as REFINE_RULE

        lines.append(f"{len(tally.added)} settings added at {REFINE_RULE}")
    lines += _warm_up(done)
    points = f"{tally.done} points done"
    points += f", {tally.failed} failed" if tally.failed else ""
    points += f", {tally.impossible} impossible" if tally.impossible else ""
    points += f", {tally.lost} without a result" if tally.lost else ""
    points += f"; {tally.found} of these from an earlier command" if tally.found else ""
    lines.append(points)
    lines += [f"  {reason}" for reason in tally.reasons]
    if tally.unsure:
        rules = done.request["extent"]
        lines.append(
            f"{len(tally.unsure)} settings reached {rules['max_repeats']} repeats with an interval"
            f" wider than {rules['until'] * 100:g} % of {rules['metric']}"
        )
    if tally.damaged:
        lines.append(f"{tally.damaged} damaged parts were replaced: their points ran again")
    if tally.is_stopped:
        lines.append("stopped: finished points are saved; the same command resumes the sweep")
    lines.append(f"{'report' if page else 'folder'} {page or done.folder}")
    return lines


def _warm_up(done: Sweep) -> list[str]:
    from sanlab.quantities import counted
    from sanlab.words import show_time

    rows = [row for row in done.rows if row["workload"] is None and row["warm_up_rule"]]
    if not rows:
        return []
    rules = ", ".join(sorted({row["warm_up_rule"] for row in rows}))
    latest = max(row["steady_from_ps"] for row in rows)
    unsettled = sum(not row["is_settled"] for row in rows)
    line = f"means count from {show_time(latest)} at the latest (warm-up by {rules})"
    return [f"{line}; {counted(unsettled, 'run')} did not settle" if unsettled else line]


def _share_of(row: dict[str, Any], name: str) -> str:
    """Half width of an interval as a share of the mean."""
    from sanlab.words import show_percent

    half = row[f"{name}_half_width"]
    return "" if half is None or not row[name] else f"± {show_percent(half / row[name])}"


def _table(done: Sweep) -> list[str]:
    """Return the settings as text with aligned columns."""
    from sanlab.sweeps.figures import short_names
    from sanlab.words import show_count, show_percent, show_rate, show_time

    summary = done.summary()
    names = list(short_names(done.parameters).values())
    table = [[*names, "IOPS", "", "throughput", "mean", "", "p99", "busiest", ""]]
    for row in summary[:_ROWS]:
        cells = [str(row[path]) for path in done.parameters]
        if row["iops"] is None:
            outcome = "impossible" if row["is_impossible"] else "failed" if row["failed"] else "–"
            table.append([*cells, outcome, "", "", "", "", "", "", ""])
            continue
        p99 = row["response_p99_ps"]
        cells += [show_count(round(row["iops"])), _share_of(row, "iops")]
        cells += [show_rate(row["throughput_bytes_per_s"])]
        cells += [show_time(row["response_mean_ps"]), _share_of(row, "response_mean_ps")]
        cells += ["–" if p99 is None else show_time(p99)]
        cells += [row["limiting_element"], show_percent(row["limiting_utilisation"])]
        table.append(cells)
    lines = text_table(table, words={len(names) + 1, len(names) + 4, len(names) + 6})
    left_out = len(summary) - _ROWS
    return [*lines, *([f"and {left_out} settings more"] if left_out > 0 else [])]


def _phase_table(done: Sweep) -> list[str]:
    """Return the phases of the settings as text with aligned columns."""
    from sanlab.sweeps.figures import short_names
    from sanlab.words import show_count, show_time

    names = list(short_names(done.parameters).values())
    table = [[*names, "phase", "IOPS", "", "mean", "", "p99"]]
    found = [row | {"phase": phase} for phase in done.phases for row in done.summary(phase=phase)]
    rows = [row for row in sorted(found, key=done.place) if row["iops"] is not None]
    for row in rows[:_ROWS]:
        mean, p99 = row["response_mean_ps"], row["response_p99_ps"]
        cells = [*(str(row[path]) for path in done.parameters), row["phase"]]
        cells += [show_count(round(row["iops"])), _share_of(row, "iops")]
        cells += (
            ["–", ""] if mean is None else [show_time(mean), _share_of(row, "response_mean_ps")]
        )
        table.append([*cells, "–" if p99 is None else show_time(p99)])
    lines = text_table(table, words={len(names), len(names) + 2, len(names) + 4})
    left_out = len(rows) - _ROWS
    return [*lines, *([f"and {left_out} rows more"] if left_out > 0 else [])]
