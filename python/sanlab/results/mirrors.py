"""What asynchronous mirrors lack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sanlab.results.record import Record


def worst_mirror(run: Record) -> dict[str, Any] | None:
    """Return the row of the asynchronous mirror with the worst recovery point; None without one."""
    rows = run.rows("mirrors") if "mirrors" in run.tables else []
    asynchronous = [row for row in rows if row["mode"] == "asynchronous"]
    return max(asynchronous, key=lambda row: row["max_lag_ps"], default=None)
