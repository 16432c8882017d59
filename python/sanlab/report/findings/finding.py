"""What a finding is, and how its evidence is put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Severity = Literal["problem", "notice", "good"]

#: Share of the response time from which a stage that waits is worth a notice.
WAIT_SHARE = 0.1
#: Faults and failures told in one finding.
HAPPENINGS_SHOWN = 8
#: Rows shown as evidence of one finding.
EVIDENCE_SHOWN = 20


@dataclass(frozen=True)
class Evidence:
    """Where the number comes from: a table of the run folder, a row of it, and values there."""

    table: str
    where: dict[str, str]
    values: dict[str, float | int | str]


@dataclass(frozen=True)
class Finding:
    """One thing that the run shows.

    Attributes
    ----------
    id
        What kind of finding it is; stable, for scripts.
    severity
        `problem` costs performance or trust, `notice` is worth knowing, `good` is as it should be.
    title
        The finding in one sentence, with its number.
    detail
        What it means, and what would change it.
    number, unit
        The number by itself; None where there is not enough data.
    """

    id: str
    severity: Severity
    title: str
    detail: str = ""
    number: float | None = None
    unit: str = "1"
    evidence: tuple[Evidence, ...] = field(default_factory=tuple)


def not_enough(kind: str, what: str, missing: str) -> Finding:
    """A finding that says what it would need."""
    return Finding(kind, "notice", f"Not enough data to say {what}", f"It needs {missing}.")


def and_more(rows: Sequence[object]) -> str:
    """Words for the rows after the first."""
    others = len(rows) - 1
    return f"; likewise {others} more" if others else ""


def workload_evidence(row: dict[str, Any], *columns: str) -> Evidence:
    """Evidence from the table of workloads."""
    where = {"workload": row["workload"], "op": row["op"]}
    return Evidence("workloads", where, pick(row, *columns))


def stage_evidence(row: dict[str, Any]) -> Evidence:
    """Evidence from the table of stages."""
    where = {"workload": row["workload"], "op": row["op"], "stage": row["stage"]}
    return Evidence("stages", where, pick(row, "mean_ps", "share"))


def pick(row: dict[str, Any], *columns: str) -> dict[str, float | int | str]:
    """Some columns of a row."""
    return {column: row[column] for column in columns}
