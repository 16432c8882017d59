"""Rebuilds of drives that take time of the disks of a workload."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sanlab.words import show_bytes, show_percent, show_rate, show_time

if TYPE_CHECKING:
    from sanlab.explain.view import View

HOUR_PS: Final = 3_600_000_000_000_000


@dataclass(frozen=True)
class Rebuild:
    """A rebuild under way in a window.

    Attributes
    ----------
    group, drive
        Names of the RAID group and of the drive that failed.
    disks
        Disks that it reads and writes, the spare among them.
    words
        How fast it is and how long it takes.
    """

    group: str
    drive: str
    disks: frozenset[str]
    words: str


def rebuilds_in(view: View) -> list[Rebuild]:
    """Return the rebuilds of a run that are under way in a window."""
    window = view.window
    rows = view.run.rows("rebuilds") if "rebuilds" in view.run.tables else []
    disks = {
        group["name"]: frozenset(array["disks"][disk]["name"] for disk in group["disks"])
        for array in view.run.plan["arrays"]
        for group in array["groups"]
    }
    return [
        Rebuild(row["group"], row["drive"], disks[row["group"]] | {row["spare"]}, _words(row))
        for row in rows
        if row["is_begun"]
        and row["first_ps"] < window.to_ps
        and not (row["is_done"] and row["last_ps"] <= window.from_ps)
    ]


def _words(row: dict[str, Any]) -> str:
    rate = row["rate_bytes_per_s"]
    if row["is_done"] or not rate:
        took = f", which took {_hours(row['last_ps'] - row['first_ps'])}" if row["is_done"] else ""
        return f"The rebuild of {row['drive']} runs at {show_rate(rate)}{took}."
    done = show_percent(row["rebuilt_bytes"] / row["drive_bytes"])
    in_all = _hours(row["drive_bytes"] / rate * 1e12)
    return (
        f"The rebuild of {row['drive']} runs at {show_rate(rate)}: {in_all} for its"
        f" {show_bytes(row['drive_bytes'])}. At the end {done} is done."
    )


def _hours(ps: float) -> str:
    """A time for people, in hours if it is at least two."""
    return f"{ps / HOUR_PS:.1f} hours" if ps >= 2 * HOUR_PS else show_time(ps)
