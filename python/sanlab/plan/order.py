"""Workloads that start when others have ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from sanlab.plan.names import Names
from sanlab.scenario.groups import expand_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.plan.names import Problems
    from sanlab.plan.schema import JobPlan, WorkloadPlan
    from sanlab.scenario import Scenario


@dataclass(frozen=True, slots=True)
class _Placed:
    """A workload: its place in the file and in the plan."""

    index: int
    number: int


def in_order(
    scenario: Scenario, workloads: list[WorkloadPlan], jobs: list[JobPlan], problems: Problems
) -> list[WorkloadPlan]:
    """Return the workloads with those that each waits for.

    An unknown name, a workload without an end and a circle are problems.
    """
    if all(spec.after is None for spec in scenario.workloads):
        return workloads
    table: Names[_Placed] = Names("workload")
    for (index, name), number in zip(_names(scenario), range(len(workloads)), strict=False):
        table.items[name] = _Placed(index, number)
    endless = {job.workload for job in jobs if job.total_bytes is None and job.stop_ps is None}
    waits: dict[str, list[str]] = {}
    for name, placed in table.items.items():
        path = ("workloads", placed.index, "after")
        patterns = scenario.workloads[placed.index].after or []
        waits[name] = list(dict.fromkeys(table.resolve(patterns, path, problems)))
        for before in waits[name]:
            if table[before].number in endless and before != name:
                problems.add(
                    path,
                    f"'{before}' has no end, so that '{name}' would never start",
                    f"Give '{before}' a 'runtime' or a 'size'",
                )
    if circle := _circle(waits):
        problems.add(
            ("workloads", table[circle[0]].index, "after"),
            f"These wait for each other: {', '.join(circle)}"
            if len(circle) > 1
            else f"'{circle[0]}' waits for itself",
            "Remove one of the names",
        )
    return [
        msgspec.structs.replace(
            workload, after=[table[before].number for before in waits.get(workload.name, ())]
        )
        for workload in workloads
    ]


def _names(scenario: Scenario) -> Iterator[tuple[int, str]]:
    """Names of workloads in the order of the plan, each once, with their places in the file."""
    seen: set[str] = set()
    for index, spec in enumerate(scenario.workloads):
        for name in expand_names(spec.name):
            if name not in seen:
                seen.add(name)
                yield index, name


def _circle(waits: dict[str, list[str]]) -> list[str]:
    """Return workloads that wait for each other, in order; an empty list without a circle."""
    may_start: set[str] = set()
    while ready := [
        name for name in waits if name not in may_start and may_start.issuperset(waits[name])
    ]:
        may_start.update(ready)
    stuck = [name for name in waits if name not in may_start]
    if not stuck:
        return []
    # From any that is stuck, the way back through others that are leads into a circle.
    walk = [stuck[0]]
    while True:
        following = next(name for name in waits[walk[-1]] if name not in may_start)
        if following in walk:
            return walk[walk.index(following) :]
        walk.append(following)
