"""Figures of the phases of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sanlab.results.latency import has_percentile

if TYPE_CHECKING:
    from sanlab.results.record import Record

#: Percentiles in the `phases` table.
PERCENTILES: Final[dict[float, str]] = {
    50.0: "response_p50_ps",
    95.0: "response_p95_ps",
    99.0: "response_p99_ps",
    99.9: "response_p99_9_ps",
}


@dataclass(frozen=True)
class PhaseFigures:
    """Reads or writes of one workload in one phase: I/Os that completed in it.

    Attributes
    ----------
    from_ps, to_ps
        When the phase begins and ends.
    submitted_count, io_count, error_count
        I/Os submitted, completed and failed in it.
    open_count, open_mean
        I/Os open at its end, and on average.
    iops, throughput_bytes_per_s
        Of completed I/Os, over the length of the phase.
    response_mean_ps
        Of completed I/Os; None without one.
    response_ps
        Response times by percentile, those with enough I/Os beyond them.
    """

    phase: str
    workload: str
    op: str
    from_ps: int
    to_ps: int
    submitted_count: int
    io_count: int
    error_count: int
    open_count: int
    open_mean: float
    iops: float
    throughput_bytes_per_s: float
    response_mean_ps: float | None
    response_ps: dict[float, int]

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for `--json`; times in seconds and microseconds."""
        mean = self.response_mean_ps
        return {
            "phase": self.phase,
            "workload": self.workload,
            "op": self.op,
            "from_s": self.from_ps / 1e12,
            "to_s": self.to_ps / 1e12,
            "submitted_count": self.submitted_count,
            "io_count": self.io_count,
            "error_count": self.error_count,
            "open_count": self.open_count,
            "open_mean": self.open_mean,
            "iops": self.iops,
            "throughput_bytes_per_s": self.throughput_bytes_per_s,
            "response_mean_us": None if mean is None else mean / 1e6,
            **{
                f"response_p{percent:g}_us".replace(".", "_"): (
                    self.response_ps[percent] / 1e6 if percent in self.response_ps else None
                )
                for percent in PERCENTILES
            },
        }


def phases(run: Record, workload: str | None = None) -> list[PhaseFigures]:
    """Return the figures of each phase, of one workload or of all, in the order of time.

    Examples
    --------
    >>> for phase in phases(run, "oltp"):  # doctest: +SKIP
    ...     print(phase.phase, phase.op, phase.iops, phase.response_mean_ps)
    """
    rows = run.rows("phases")
    return [_figures(row) for row in rows if workload in (None, row["workload"])]


def _figures(row: dict[str, Any]) -> PhaseFigures:
    count = row["io_count"]
    return PhaseFigures(
        phase=row["phase"],
        workload=row["workload"],
        op=row["op"],
        from_ps=row["from_ps"],
        to_ps=row["to_ps"],
        submitted_count=row["submitted_count"],
        io_count=count,
        error_count=row["error_count"],
        open_count=row["open_count"],
        open_mean=row["open_mean"],
        iops=row["iops"],
        throughput_bytes_per_s=row["throughput_bytes_per_s"],
        response_mean_ps=row["response_mean_ps"] if count else None,
        response_ps={
            percent: row[column]
            for percent, column in PERCENTILES.items()
            if count and has_percentile(count, percent)
        },
    )
