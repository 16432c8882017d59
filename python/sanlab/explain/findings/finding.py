"""The type of a finding, and helpers for its evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanlab.results.run import Run

Severity = Literal["problem", "notice", "good"]

#: Smallest share of the response time of a waiting stage that gives a notice.
WAIT_SHARE = 0.1
#: Faults and failures listed in one finding.
HAPPENINGS_SHOWN = 8
#: Rows shown as evidence of one finding.
EVIDENCE_SHOWN = 20


@dataclass(frozen=True)
class Evidence:
    """The source of a number: a table of the run folder, a row and its values."""

    table: str
    where: dict[str, str]
    values: dict[str, float | int | str]


@dataclass(frozen=True)
class Finding:
    """One result of a run.

    Attributes
    ----------
    id
        Kind of finding; stable, for scripts.
    severity
        `problem` reduces performance or trust, `notice` is information, `good` is as expected.
    title
        The finding in one sentence, with its number.
    detail
        Its meaning, and a remedy.
    number, unit
        The number alone; None if there is not enough data.
    """

    id: str
    severity: Severity
    title: str
    detail: str = ""
    number: float | None = None
    unit: str = "1"
    evidence: tuple[Evidence, ...] = field(default_factory=tuple)


def not_enough(kind: str, what: str, missing: str) -> Finding:
    """Return a finding that lists the missing data."""
    return Finding(kind, "notice", f"Not enough data to say {what}", f"It needs {missing}.")


def and_more(rows: Sequence[object]) -> str:
    """Return the number of further rows as text."""
    others = len(rows) - 1
    return f"; likewise {others} more" if others else ""


def workload_evidence(row: dict[str, Any], *columns: str) -> Evidence:
    """Evidence from the table of workloads."""
    where = {"workload": row["workload"], "op": row["op"]}
    return Evidence("workloads", where, pick(row, *columns))


def long_waits(run: Run, stage: str) -> list[dict[str, Any]]:
    """Return the rows of a stage with at least `WAIT_SHARE` of the time, longest first."""
    rows = [
        row for row in run.rows("stages") if row["stage"] == stage and row["share"] >= WAIT_SHARE
    ]
    return sorted(rows, key=lambda row: -row["share"])


def stages_evidence(rows: Sequence[dict[str, Any]]) -> tuple[Evidence, ...]:
    """Evidence from the first rows of the table of stages."""
    return tuple(
        Evidence(
            "stages",
            {"workload": row["workload"], "op": row["op"], "stage": row["stage"]},
            pick(row, "mean_ps", "share"),
        )
        for row in rows[:EVIDENCE_SHOWN]
    )


def pick(row: dict[str, Any], *columns: str) -> dict[str, float | int | str]:
    """Some columns of a row."""
    return {column: row[column] for column in columns}
