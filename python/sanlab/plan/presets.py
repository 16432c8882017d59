"""Presets: values of a workload from the catalog, unless the scenario sets them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sanlab.catalog import UnknownEntryError, entry
from sanlab.plan.names import Problems
from sanlab.scenario.base import overlaid
from sanlab.scenario.groups import expand_names
from sanlab.scenario.workload import contradictions

if TYPE_CHECKING:
    from sanlab.catalog.entries import WorkloadEntry
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.workload import Workload


#: Keys of a closed loop, which a preset loses where the scenario makes its arrivals open.
CLOSED = frozenset({"iodepth", "thinktime"})


def filled_workloads(scenario: Scenario) -> list[Workload]:
    """Return the workloads with the values of their presets.

    Raises
    ------
    ScenarioError
        A preset is unknown, or contradicts what is written beside it.
    """
    problems = Problems(scenario)
    filled = [
        with_preset(spec, ("workloads", number), problems)
        for number, spec in enumerate(scenario.workloads)
    ]
    problems.stop_if_any()
    return [work for work in filled if work is not None]


def workloads_by_name(scenario: Scenario) -> dict[str, Workload]:
    """Return the same by each of their names; a group has several."""
    return {name: work for work in filled_workloads(scenario) for name in expand_names(work.name)}


def with_preset(spec: Workload, path: Path, problems: Problems) -> Workload | None:
    """Fill in the values of the preset; None if its name is unknown or keys contradict."""
    if spec.preset is None:
        return spec
    try:
        found = cast("WorkloadEntry", entry("workloads", spec.preset))
    except UnknownEntryError as error:
        problems.add((*path, "preset"), error.reason, error.remedy)
        return None
    written = {key: getattr(spec, key) for key in spec.model_fields_set}
    is_open = written.get("arrivals", "closed") != "closed"
    base = _without(found.workload, CLOSED) if is_open else found.workload
    work = overlaid(base, written)
    for key, reason, remedy in contradictions(work)[:1]:
        where = (*path, key if key in written else "preset")
        stated = f"With 'preset: {spec.preset}', {reason[0].lower()}{reason[1:]}"
        problems.add(where, stated, remedy)
        return None
    return work


def _without(work: Workload, keys: frozenset[str]) -> Workload:
    """A workload with the defaults of some keys."""
    kept = work.model_fields_set - keys
    return type(work).model_construct(kept, **{key: getattr(work, key) for key in kept})
