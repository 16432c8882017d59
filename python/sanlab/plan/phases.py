"""Phases with the times that a scenario leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.schema import PhasePlan
from sanlab.quantities import format_time

if TYPE_CHECKING:
    from sanlab.plan.names import Problems
    from sanlab.scenario import Scenario

#: Most phases of a scenario.
MAX_PHASES = 1000


def build_phases(scenario: Scenario, end_ps: int, problems: Problems) -> list[PhasePlan]:
    """Return the phases in the order of time; phases that overlap or are empty are problems."""
    specs = scenario.phases
    if len(specs) > MAX_PHASES:
        reason = f"These are {len(specs)} phases, and {MAX_PHASES} is the limit"
        problems.add(("phases",), reason, "Write fewer phases")
        return []
    phases: list[PhasePlan] = []
    names: set[str] = set()
    ended_at: int | None = 0
    for index, spec in enumerate(specs):
        path = ("phases", index)
        if spec.name in names:
            reason = f"The name '{spec.name}' is already used"
            problems.add((*path, "name"), reason, "Choose another name")
        names.add(spec.name)
        start = ended_at if spec.from_ is None else spec.from_
        if start is None:
            reason = f"It is open when '{spec.name}' begins, because neither has a time for that"
            problems.add((*path, "name"), reason, f"Add 'to' to '{specs[index - 1].name}'")
            return []
        following = specs[index + 1].from_ if index + 1 < len(specs) else None
        stop = following if spec.to is None else spec.to
        if ended_at is not None and start < ended_at:
            reason = (
                f"It begins at {format_time(start)}, and the phase before ends at"
                f" {format_time(ended_at)}"
            )
            problems.add((*path, "from"), reason, "Make phases follow each other")
        elif stop is not None and stop <= start:
            reason = f"It begins at {format_time(start)} and ends at {format_time(stop)}"
            problems.add((*path, "to" if spec.to else "from"), reason, "Make 'to' the later one")
        elif start >= end_ps:
            reason = f"It begins at {format_time(start)}, and the run ends at {format_time(end_ps)}"
            where = "from" if spec.from_ is not None else "name"
            problems.add((*path, where), reason, "Make 'measure.duration' longer")
        phases.append(PhasePlan(name=spec.name, from_ps=start, to_ps=stop))
        ended_at = stop
    return phases
