"""Tables of I/Os: workloads, and the stages of their response times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.report.tables import (
    Cell,
    Column,
    Declaration,
    count,
    number,
    rate,
    share,
    text,
    time,
)
from sanlab.results.columns import PERCENTILES, STAGES
from sanlab.results.latency import TAIL, has_percentile
from sanlab.results.phases import PERCENTILES as PHASE_PERCENTILES
from sanlab.results.phases import phases
from sanlab.results.slowest import slowest
from sanlab.words import show_time, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.report.tables import Row
    from sanlab.results.run import Run


def _workload_rows(run: Run) -> Iterator[Row]:
    for row in run.rows("workloads"):
        yield {"error_count": 0} | row | {"shown_iops": whole(row["iops"])}


def _tail(percent: float) -> Column:
    """Return a percentile, or a dash if there are too few I/Os."""

    def cell(row: dict[str, Any]) -> Cell:
        value = row[PERCENTILES[percent]]
        is_known = has_percentile(row["io_count"], percent)
        return Cell(show_time(value) if is_known else "–", value)

    return Column(f"p{percent:g}", cell)


def _response(title: str, key: str) -> Column:
    """Return a response time, or a dash if no I/O completed."""

    def cell(row: dict[str, Any]) -> Cell:
        return Cell(show_time(row[key]), row[key]) if row["io_count"] else Cell("–", -1.0)

    return Column(title, cell)


WORKLOADS = Declaration(
    "workloads",
    (
        text("workload", "workload"),
        text("op", "op"),
        count("I/Os", "io_count"),
        count("IOPS", "shown_iops"),
        rate("throughput", "throughput_bytes_per_s"),
        _response("mean", "response_mean_ps"),
        *(_tail(percent) for percent in TAIL if percent != 95),
        _response("max", "response_max_ps"),
        count("queue full", "queue_full_count", "commands answered with TASK SET FULL"),
        count("errors", "error_count", "I/Os that failed after all retries, on all paths"),
    ),
    _workload_rows,
)


def _phase_rows(run: Run) -> Iterator[Row]:
    for row in phases(run):
        mean = row.response_mean_ps
        yield vars(row) | {
            "shown_iops": whole(row.iops),
            "span": f"{show_time(row.from_ps)} to {show_time(row.to_ps)}",
            "mean": Cell("–", -1.0) if mean is None else Cell(show_time(mean), mean),
        }


def _phase_tail(percent: float) -> Column:
    def cell(row: dict[str, Any]) -> Cell:
        value = row["response_ps"].get(percent)
        return Cell("–", -1.0) if value is None else Cell(show_time(value), value)

    return Column(f"p{percent:g}", cell)


PHASES = Declaration(
    "phases",
    (
        text("phase", "phase"),
        Column("time", lambda row: Cell(row["span"], row["from_ps"]), is_number=False),
        text("workload", "workload"),
        text("op", "op"),
        count("submitted", "submitted_count"),
        count("I/Os", "io_count"),
        count("IOPS", "shown_iops"),
        rate("throughput", "throughput_bytes_per_s"),
        Column("mean", lambda row: row["mean"]),
        *(_phase_tail(percent) for percent in PHASE_PERCENTILES),
        number("open", "open_mean", "I/Os open, mean over the phase"),
        count("open at end", "open_count"),
        count("errors", "error_count"),
    ),
    _phase_rows,
    has_filter=True,
)


def _stage_rows(run: Run) -> Iterator[Row]:
    for row in run.rows("stages"):
        if row["total_ps"] > 0:
            yield row | {"meaning": STAGES.get(row["stage"], "")}


STAGE_TIMES = Declaration(
    "stages",
    (
        text("workload", "workload"),
        text("op", "op"),
        text("stage", "stage"),
        time("mean", "mean_ps"),
        share("share", "share"),
        text("includes", "meaning"),
    ),
    _stage_rows,
)


def _slowest_rows(run: Run) -> Iterator[Row]:
    for io in slowest(run):
        yield vars(io) | {"spent": io.where(3)}


SLOWEST = Declaration(
    "slowest",
    (
        count("rank", "rank"),
        text("workload", "workload"),
        text("op", "op"),
        time("start", "start_ps"),
        time("response", "response_ps"),
        text("most of it", "spent"),
        text("host", "host"),
        text("LUN", "lun"),
        text("from", "initiator"),
        text("to", "target"),
        count("bytes", "bytes"),
        count("commands", "command_count"),
    ),
    _slowest_rows,
    has_filter=True,
)
