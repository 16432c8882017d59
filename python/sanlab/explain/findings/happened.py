"""Faults and failures of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import HAPPENINGS_SHOWN, Finding
from sanlab.quantities import counted
from sanlab.results.happenings import happenings
from sanlab.words import show_time

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """List faults and failures in the order of time."""
    events = happenings(run)
    if not events:
        return []
    texts = [f"{event.what} at {show_time(event.at_ps)}" for event in events]
    shown = "; ".join(texts[:HAPPENINGS_SHOWN])
    more = len(texts) - HAPPENINGS_SHOWN
    detail = shown + (f"; and {more} more" if more > 0 else "") + ". The time lines mark each."
    title = f"Faults: {counted(len(texts), 'event')} in this run"
    return [Finding("happenings", "notice", title, detail, float(len(texts)))]
