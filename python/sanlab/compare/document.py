"""Figures of runs, and comparisons, as plain data, for `--json` and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.compare.figures import METRICS, Figure, figures
from sanlab.compare.verdict import difference_text

if TYPE_CHECKING:
    from sanlab.compare.comparison import Comparison
    from sanlab.compare.sweeps import SweepComparison
    from sanlab.compare.verdict import Line
    from sanlab.results.run import Run

#: Most workloads and operations with intervals; of more, only the values are given.
INTERVALS = 100


def comparison_document(one: Comparison) -> dict[str, Any]:
    """Return a comparison of two runs."""
    return {
        "before": str(one.before.folder),
        "after": str(one.after.folder),
        "verdict": one.verdict,
        "changes": [vars(change) for change in one.changes],
        "only_before": one.only_before,
        "only_after": one.only_after,
        "figures": [_line(line) for line in one.lines],
        "phases": [
            {
                "when": phase.when,
                "title": phase.title,
                "from_s": phase.from_ps / 1e12,
                "to_s": phase.to_ps / 1e12,
                "event": phase.event,
                "verdict": phase.verdict,
                "figures": [_line(line) for line in phase.lines],
            }
            for phase in one.phases
        ],
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "workload": line.workload,
        "metric": line.metric,
        "title": METRICS[line.metric].title,
        "before": _figure(line.before),
        "after": _figure(line.after),
    } | judgement_document(line)


def judgement_document(line: Line) -> dict[str, Any]:
    """Return the difference of a figure, the same in words, and the verdict."""
    return {
        "difference": line.difference,
        "half_width": line.half_width,
        "difference_text": difference_text(line),
        "verdict": line.verdict,
    }


def _figure(figure: Figure | None) -> dict[str, float | None] | None:
    return None if figure is None else {"value": figure.value, "half_width": figure.half_width}


def sweeps_document(one: SweepComparison) -> dict[str, Any]:
    """Return a comparison of two sweeps."""
    return {
        "before": str(one.before.folder),
        "after": str(one.after.folder),
        "verdict": one.verdict,
        "only_before": one.only_before,
        "only_after": one.only_after,
        "settings": [
            {
                "setting": row.setting,
                "verdict": row.verdict,
                "figures": [
                    {
                        "metric": line.metric,
                        "title": METRICS[line.metric].title,
                        "before": None if line.before is None else vars(line.before),
                        "after": None if line.after is None else vars(line.after),
                    }
                    | judgement_document(line)
                    for line in row.lines
                ],
            }
            for row in one.settings
        ],
    }


def workload_documents(done: Run) -> list[dict[str, Any]]:
    """Return the figures of each workload and operation, with half widths."""
    flows = done.rows("workloads")
    documents = []
    for row in flows:
        if len(flows) <= INTERVALS:
            found = figures(done, row["workload"], row["op"])
        else:
            found = {
                "throughput": Figure(row["throughput_bytes_per_s"]),
                "iops": Figure(row["iops"]),
                "mean": Figure(row["response_mean_ps"]),
                "p99": Figure(row["response_p99_ps"]),
            }
        documents.append(
            {name: row[name] for name in ("workload", "op", "io_count", "error_count")}
            | {
                name: {
                    "value": figure.value,
                    "half_width": figure.half_width,
                    "unit": METRICS[name].unit,
                }
                for name, figure in found.items()
                if name != "errors" and figure.value is not None
            }
        )
    return documents
