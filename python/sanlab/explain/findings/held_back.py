"""Commands that an array held back: at a limit, or because its cache was full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import EVIDENCE_SHOWN, Evidence, Finding, and_more, pick
from sanlab.words import show_count

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Name the limits that were reached and the caches that were full."""
    return [*_limits(run), *_full_caches(run)]


def _limits(run: Run) -> list[Finding]:
    rows = [] if "limits" not in run.tables else run.rows("limits")
    rows = sorted(
        (row for row in rows if row["delayed_count"]), key=lambda it: -it["delayed_count"]
    )
    if not rows:
        return []
    first = rows[0]
    columns = ("delayed_count", "commands_count", "mean_wait_ps")
    return [
        Finding(
            "array_limit",
            "notice",
            f"{show_count(first['delayed_count'])} commands waited for the limit of"
            f" {first['limit']}{and_more(rows)}",
            "The limit is lower than the load. Raise it, or reduce the load. The time is in stage"
            " 'limit'.",
            float(first["delayed_count"]),
            evidence=tuple(
                Evidence("limits", {"limit": row["limit"]}, pick(row, *columns))
                for row in rows[:EVIDENCE_SHOWN]
            ),
        )
    ]


def _full_caches(run: Run) -> list[Finding]:
    rows = [] if "caches" not in run.tables else run.rows("caches")
    rows = [row for row in rows if row["room_waits_count"]]
    rows.sort(key=lambda row: -row["room_waits_count"])
    if not rows:
        return []
    first = rows[0]
    columns = ("room_waits_count", "room_wait_ps", "full_ps", "max_dirty_bytes")
    return [
        Finding(
            "cache_full",
            "notice",
            f"{show_count(first['room_waits_count'])} writes waited for room in the cache of"
            f" {first['controller']}{and_more(rows)}",
            "The media store data more slowly than hosts write them. A larger cache only delays"
            " this; faster media, or fewer writes, remove it.",
            float(first["room_waits_count"]),
            evidence=tuple(
                Evidence("caches", {"controller": row["controller"]}, pick(row, *columns))
                for row in rows[:EVIDENCE_SHOWN]
            ),
        )
    ]
