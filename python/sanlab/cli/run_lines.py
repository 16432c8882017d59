"""What `sanlab run` prints: the figures of a run, its limits, and where the rest is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.cli.text_table import text_table

if TYPE_CHECKING:
    from sanlab.compare.figures import Figure
    from sanlab.results.run import Run

#: Most workloads with errors that are listed.
ERRORS_SHOWN = 5

#: Most workloads whose figures are listed; the table has all.
FLOWS_SHOWN = 20


def _headline(done: Run, notes: list[str]) -> list[str]:
    """Return the figures of the run with their intervals; each workload and operation apart."""
    from sanlab.compare.figures import figures

    flows = done.rows("workloads")
    names = dict.fromkeys(row["workload"] for row in flows)
    alone = next(iter(names)) if len(names) == 1 else None
    found = figures(done, alone)
    lines = [
        f"  throughput   {_figure(found, 'throughput')}",
        f"  IOPS         {_figure(found, 'iops')}",
        *(f"  note         {note}" for note in notes),
    ]
    if len(flows) == 1:
        times = [
            f"{title} {_figure(found, metric)}"
            for metric, title in _TIMES.items()
            if metric in found
        ]
        return [*lines, f"  response     {', '.join(times)}"]
    return lines + [f"  {line}" for line in _flow_table(done)]


#: Response times of the headline: metric, and its title.
_TIMES = {"mean": "mean", "p50": "p50", "p99": "p99", "p99_9": "p99.9"}


def _flow_table(done: Run) -> list[str]:
    """Return a table of workloads and operations; equal means are never made of unlike ones."""
    from sanlab.compare.figures import figures

    metrics = ("iops", "throughput", *_TIMES)
    table = [["workload", "op", "IOPS", "throughput", *_TIMES.values()]]
    flows = done.rows("workloads")
    for row in flows[:FLOWS_SHOWN]:
        found = figures(done, row["workload"], row["op"])
        table.append([row["workload"], row["op"], *(_figure(found, name) for name in metrics)])
    more = len(flows) - FLOWS_SHOWN
    rest = [f"and {more} rows more in the table 'workloads'"] if more > 0 else []
    return text_table(table, words={0, 1}) + rest


def _figure(found: dict[str, Figure], metric: str) -> str:
    """A figure with half of its 95 % interval, over the same time, as a share of it."""
    from sanlab.compare.figures import show_figure

    return show_figure(metric, found.get(metric), is_relative=True)


def _steady_lines(done: Run) -> list[str]:
    """Return whether the run was steady, and from when on."""
    from sanlab.explain.steadiness import steadiness
    from sanlab.results.steady import steady
    from sanlab.words import show_time

    judged = steadiness(done)
    if judged.kind not in ("steady", "unknown"):
        return [f"  not steady   {judged.sentence}"]
    found = steady(done)
    if found is None:
        return []
    if not found.is_settled:
        return [f"  steady       not by {found.rule}: the means may still move"]
    since = show_time(found.from_ps)
    meaning = "± is half of a 95 % interval, of all that is measured"
    return [f"  steady       from {since} on, by {found.rule} ({meaning})"]


#: Most workloads whose limit is shown.
LIMITS_SHOWN = 5


def _limit_lines(done: Run) -> list[str]:
    """Return what limits each workload, those with a problem first."""
    from sanlab.explain.explanation import explain, explain_flows

    limits = [one.overall for one in (*explain(done), *explain_flows(done))]
    limits.sort(key=lambda limit: limit.is_harmless)
    lines = [f"  limit        {limit.headline}" for limit in limits[:LIMITS_SHOWN]]
    more = len(limits) - LIMITS_SHOWN
    return [*lines, *([f"  and {more} more: sanlab explain"] if more > 0 else [])]


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


def _frames_line(done: Run) -> str:
    """Return what plain frames carried, for a run without I/O."""
    from sanlab.words import show_count, show_rate

    rows = done.rows("frames")
    frames = sum(row["frames_count"] for row in rows)
    seconds = done.manifest.simulated_ps / 1e12
    payload = sum(row["payload_bytes"] for row in rows)
    rate = f", {show_rate(payload / seconds)} of payload" if frames and seconds else ""
    return f"  frames       {show_count(frames)} delivered{rate}; no I/O completed"


def run_lines(done: Run, summary: dict[str, Any], report: str | None) -> list[str]:
    """Return what `sanlab run` prints."""
    from sanlab.words import show_count, show_percent, show_time

    simulated = show_time(done.manifest.simulated_ps)
    setup, wall = done.manifest.setup_s, done.manifest.wall_s
    speed = done.manifest.events / wall / 1e6 if wall > 0 else 0.0
    measured = done.manifest.measured
    how = f"simulated in {wall:.2f} s after {setup:.2f} s of set-up ({speed:.1f} M events/s)"
    if measured is not None:
        how = f"measured with fio {measured['fio']}"
    lines = [
        f"{done.title or done.manifest.scenario_file}: {simulated} {how}",
    ]
    if not done.manifest.is_complete:
        lines.append(
            "stopped before its end: all numbers cover the simulated time so far"
            if done.manifest.events or measured
            else "stopped before its first event: nothing was simulated"
        )
    if summary["io_count"]:
        notes = [summary[name] for name in ("throughput_note", "span_note") if summary[name]]
        lines += _headline(done, notes) + _steady_lines(done)
    else:
        lines.append(_frames_line(done))
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
    is_empty = not done.manifest.is_complete and not done.manifest.events
    if measured is None and not is_empty:
        lines.append(f"  fingerprint  {done.manifest.fingerprint}")
    lines.append(f"  {'report' if report else 'folder'}       {report or done.folder}")
    return lines
