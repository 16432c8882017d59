"""The type of a finding, and helpers for its evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from sanlab.explain.evidence import Evidence, pick

if TYPE_CHECKING:
    from collections.abc import Sequence


Severity = Literal["problem", "notice", "good"]

#: Smallest share of the response time of a waiting stage that gives a notice.
WAIT_SHARE = 0.1
#: Faults and failures listed in one finding.
HAPPENINGS_SHOWN = 8
#: Rows shown as evidence of one finding.
EVIDENCE_SHOWN = 20


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
