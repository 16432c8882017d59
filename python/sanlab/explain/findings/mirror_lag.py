"""How far asynchronous copies are behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.explain.evidence import Evidence, pick
from sanlab.explain.findings.finding import Finding
from sanlab.explain.view import Evidences
from sanlab.explain.window import whole
from sanlab.results.mirrors import worst_mirror
from sanlab.words import show_bytes, show_count, show_percent, show_rate, show_time

if TYPE_CHECKING:
    from sanlab.results.run import Run

#: Fewest intervals in each third of the run.
LEAST_BINS = 3
#: Least ratios of the mean lags of the thirds of a run in which a mirror falls behind.
GROWS = (1.5, 1.25)


def find(run: Run) -> list[Finding]:
    """Return the worst recovery point of the asynchronous mirrors.

    A mirror that was suspended, or falls behind more and more, is a problem.
    """
    row = worst_mirror(run)
    if row is None:
        return []
    lag = row["max_lag_ps"]
    title = (
        f"The worst recovery point of a mirror was {show_time(lag)}: {row['target']} lacked up to"
        f" {show_bytes(row['max_lag_bytes'])} of acknowledged writes"
    )
    columns = (
        "max_lag_ps",
        "max_lag_bytes",
        "unfinished_count",
        "lost_count",
        "suspended_ps",
        "resync_ps",
    )
    where = {"source": row["source"]}
    evidence = (Evidence("mirrors", where, pick(row, *columns)),)
    suspended = [other for other in run.rows("mirrors") if other["suspended_ps"]]
    if suspended:
        names = ", ".join(other["source"] for other in suspended[:4])
        more = f" and {len(suspended) - 4} more" if len(suspended) > 4 else ""
        lost = show_count(sum(other["lost_count"] for other in suspended))
        detail = (
            f"The journal was full and the mirror was suspended: {names}{more}. {lost} writes"
            f" {_what_became(suspended)} A larger journal, a faster link, more copies in"
            " progress or a protocol with one round trip delays that; 'when_full: wait'"
            " slows the writes instead."
        )
        return [Finding("mirror_lag", "problem", title, detail, lag / 1e12, "s", evidence)]
    growth = _growth(run, row["source"])
    if growth:
        words = f"{_why(run, row, growth)}{_until_full(run, row, growth)}"
        return [Finding("mirror_lag", "problem", title, words, lag / 1e12, "s", evidence)]
    detail = "Table `mirror_series` has the lag over time."
    return [Finding("mirror_lag", "notice", title, detail, lag / 1e12, "s", evidence)]


def _growth(run: Run, source: str) -> float:
    """How fast a mirror falls behind to the end of the run, in bytes per second; 0 if it does not.

    A queue that grows all the time has means of 1, 3 and 5 parts in the thirds of the run.
    """
    rows = [row for row in run.rows("mirror_series") if row["source"] == source]
    third = len(rows) // 3
    if third < LEAST_BINS:
        return 0.0
    parts = [rows[:third], rows[third : 2 * third], rows[2 * third :]]
    means = [sum(row["mean_lag_bytes"] for row in part) / len(part) for part in parts]
    if not (means[1] >= GROWS[0] * means[0] and means[2] >= GROWS[1] * means[1] > 0):
        return 0.0
    span_s = (rows[-1]["time_ps"] - rows[2 * third]["time_ps"]) / 1e12
    more = rows[-1]["end_lag_bytes"] - rows[2 * third]["end_lag_bytes"]
    return float(max(0, more)) / float(span_s)


def _why(run: Run, row: dict[str, Any], growth: float) -> str:
    """Say that copies are slower than writes, and what is busiest on their way."""
    evidences = Evidences(run)
    ports = evidences.view(whole(run)).ports
    copies = [reach.copies for reach in evidences.reach.values() if reach.copies is not None]
    names = {name for reach in copies for name in reach.ports if name in ports}
    rows = [ports[name] for name in names]
    top = max(rows, key=lambda row: (row["tx_utilisation"], row["port"]), default=None)
    busy = ""
    if top is not None:
        busy = f"; {top['port']} on their way is busy {show_percent(top['tx_utilisation'])}"
    return (
        f"It grows by {show_bytes(growth)} each second: the copies go at"
        f" {show_rate(row['throughput_bytes_per_s'])}, and writes come faster{busy}."
    )


def _until_full(run: Run, row: dict[str, Any], growth: float) -> str:
    """Say when the journal is full if this goes on."""
    luns = [lun for array in run.plan["arrays"] for lun in array["luns"]]
    mode = next(lun["mirror"]["mode"] for lun in luns if lun["name"] == row["source"])
    if mode["kind"] != "journal" or not mode.get("bytes"):
        return ""
    left = max(0, mode["bytes"] - row["end_lag_bytes"]) / growth
    return (
        f" If this goes on, the journal of {show_bytes(mode['bytes'])} is full"
        f" {show_time(left * 1e12)} after the end of the run."
    )


def _what_became(suspended: list[dict[str, Any]]) -> str:
    """Say whether the writes of suspended mirrors were copied afterwards."""
    copied = sum(row["resync_bytes"] for row in suspended)
    if not copied:
        return "are not copied."
    took = max(row["resync_ps"] for row in suspended)
    behind = any(row["end_lag_bytes"] for row in suspended)
    end = "It is still behind at the end." if behind else "Then it was behind by nothing."
    return (
        f"were not copied at once. When it went on, it copied the regions they had marked:"
        f" {show_bytes(copied)} in {show_time(took)}. {end}"
    )
