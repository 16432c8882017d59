"""Faults and failures of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings import lost_frames
from sanlab.explain.findings.finding import HAPPENINGS_SHOWN, Finding
from sanlab.quantities import counted
from sanlab.results.happenings import happenings
from sanlab.words import show_time

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """List faults and failures in the order of time, then frames whose loss cost nothing."""
    texts = [f"{event.what} at {show_time(event.at_ps)}" for event in happenings(run)]
    shown = texts[:HAPPENINGS_SHOWN]
    more = len(texts) - HAPPENINGS_SHOWN
    if more > 0:
        shown.append(f"and {more} more")
    detail = f"{'; '.join(shown)}. The time lines mark each." if texts else ""
    losing = lost_frames.losing(run)
    if losing and not lost_frames.costs(run):
        detail = f"{detail} {lost_frames.in_words(losing)}, {_harmless(run)}.".strip()
        texts = texts or [detail]
    if not texts:
        return []
    title = f"Faults and reactions to them: {counted(len(texts), 'event')} in this run"
    return [Finding("happenings", "notice", title, detail, float(len(texts)))]


def _harmless(run: Run) -> str:
    """Say whether the commands whose frames were lost were sent again."""
    again = sum(row.get("retried_count", 0) for row in run.rows("workloads"))
    if not again:
        return "and no I/O had to be sent again"
    return f"and {counted(again, 'I/O')} {'was' if again == 1 else 'were'} sent again at once"
