"""Tables of stations, mirrors and file systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.report.tables import Declaration, count, number, rate, share, size, text, time

if TYPE_CHECKING:
    from sanlab.report.tables import Row
    from sanlab.results.run import Run


def _station_rows(run: Run) -> list[Row]:
    """Stations, busiest first."""
    return sorted(run.rows("stations"), key=lambda row: (-row["utilisation"], row["station"]))


STATIONS = Declaration(
    "stations",
    (
        text("station", "station"),
        text("kind", "kind"),
        share("busy", "utilisation"),
        count("servers", "servers"),
        count("requests", "arrivals_count"),
        number("in system", "mean_in_system", "requests waiting or in service, mean"),
        count("most", "max_in_system", "most requests at once"),
        time("residence", "mean_residence_ps", "waiting and service, mean"),
    ),
    _station_rows,
    has_filter=True,
)

MIRRORS = Declaration(
    "mirrors",
    (
        text("from", "source"),
        text("to", "target"),
        text("mode", "mode"),
        count("copies", "copies_count"),
        size("bytes", "bytes"),
        rate("throughput", "throughput_bytes_per_s"),
        time("mean time", "response_mean_ps"),
        count("most at once", "max_outstanding"),
        time("worst lag", "max_lag_ps", "greatest age of the oldest write that the copy lacked"),
        size("most behind", "max_lag_bytes", "acknowledged writes that the copy lacked, most"),
        size("mean behind", "mean_lag_bytes", "the same, mean over the run"),
        count("unfinished", "unfinished_count", "writes not copied yet at the end"),
        count("lost", "lost_count", "writes that a suspended mirror does not copy"),
    ),
    lambda run: run.rows("mirrors"),
)

FILE_SYSTEMS = Declaration(
    "file_systems",
    (
        text("file system", "file_system"),
        count("allocations", "allocation_count", "first writes that allocated blocks"),
        share(
            "allocating",
            "allocation_utilisation",
            "share of the time during which the metadata server or host allocated blocks",
        ),
        count(
            "journal writes",
            "journal_write_count",
            "of log and metadata; not counted in workloads",
        ),
        size("bytes", "journal_bytes"),
        time("mean time", "response_mean_ps"),
    ),
    lambda run: run.rows("file_systems"),
)
