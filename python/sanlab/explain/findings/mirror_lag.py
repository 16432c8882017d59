"""How far asynchronous copies are behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.explain.evidence import Evidence, pick
from sanlab.explain.findings.finding import Finding
from sanlab.results.mirrors import worst_mirror
from sanlab.words import show_bytes, show_count, show_time

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Return the worst recovery point of the asynchronous mirrors; suspended ones are a problem."""
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
    detail = "Table `mirror_series` has the lag over time."
    return [Finding("mirror_lag", "notice", title, detail, lag / 1e12, "s", evidence)]


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
