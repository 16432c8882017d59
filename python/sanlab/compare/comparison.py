"""Two runs beside each other: what differs in the scenarios, and in the figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.compare.changes import changes
from sanlab.compare.figures import DECISIVE, METRICS, figures
from sanlab.compare.phases import phases
from sanlab.compare.verdict import TOLERANCE, decided, joined, lines_of
from sanlab.errors import SanlabError

if TYPE_CHECKING:
    from sanlab.compare.changes import Change
    from sanlab.compare.phases import Phase
    from sanlab.compare.verdict import Line, Verdict
    from sanlab.results.run import Run


@dataclass(frozen=True)
class Comparison:
    """A run against the first one.

    Attributes
    ----------
    changes
        What differs in the scenarios.
    lines
        Figures of all workloads together, then of each.
    only_before, only_after
        Workloads that the other run does not have.
    phases
        The runs before, during and after the events of either; empty without events.
    """

    before: Run
    after: Run
    changes: list[Change]
    lines: list[Line]
    only_before: list[str]
    only_after: list[str]
    phases: list[Phase]

    @property
    def verdict(self) -> Verdict:
        """Of the decisive figures of all workloads: throughput, mean, p99 and failed I/Os.

        Where they cannot tell, since a run with an event has no one rate, the phases decide.
        """
        found = decided(self.lines, DECISIVE)
        if found != "can't tell" or not self.phases:
            return found
        return joined([phase.verdict for phase in self.phases])


def compare(before: Run, after: Run, tolerance: float = TOLERANCE) -> Comparison:
    """Compare a run with another one.

    Raises
    ------
    SanlabError
        One was stopped before its end, or they have no workload in common.
    """
    for run in (before, after):
        if not run.manifest.is_complete:
            reason = f"{run.folder} was stopped before its end: run it again to compare it"
            raise SanlabError(reason)
    one, other = _workloads(before), _workloads(after)
    common = [name for name in one if name in other]
    if not common:
        reason = (
            f"{before.folder} and {after.folder} have no workload in common: "
            f"{', '.join(one) or 'none'} and {', '.join(other) or 'none'}"
        )
        raise SanlabError(reason)
    shown: list[str | None] = [None, *common] if len(common) > 1 else [None]
    lines = [line for workload in shown for line in _lines(before, after, workload, tolerance)]
    return Comparison(
        before,
        after,
        changes(before, after),
        lines,
        [name for name in one if name not in other],
        [name for name in other if name not in one],
        phases(before, after, shown, tolerance),
    )


def _workloads(run: Run) -> list[str]:
    return [row["name"] for row in run.plan["workloads"] if row["file_system"] is None]


def _lines(before: Run, after: Run, workload: str | None, tolerance: float) -> list[Line]:
    one, other = figures(before, workload), figures(after, workload)
    return lines_of(workload, METRICS, one, other, tolerance)
