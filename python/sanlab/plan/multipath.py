"""Several paths from a host to a LUN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.controllers import ports_by_controller
from sanlab.plan.schema import (
    LeastQueueSpreading,
    MultipathPlan,
    OnePathSpreading,
    RoundRobinSpreading,
)

if TYPE_CHECKING:
    from sanlab.plan.boxes import ArrayBox
    from sanlab.plan.luns import PlacedLun
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import SpreadingPlan
    from sanlab.scenario.document import Path
    from sanlab.scenario.hosts import Multipath


def multipath_of(spec: Multipath | None) -> MultipathPlan | None:
    """Return the multipath settings of a host; None without `multipath`."""
    if spec is None:
        return None
    spreading: SpreadingPlan
    if spec.policy == "round-robin":
        spreading = RoundRobinSpreading(ios=spec.ios or 1)
    elif spec.policy == "least-queue":
        spreading = LeastQueueSpreading()
    else:
        spreading = OnePathSpreading()
    return MultipathPlan(
        spreading=spreading,
        queues_without_path=spec.no_path == "queue",
        failback_ps=None if spec.failback == "manual" else spec.failback,
        checker_ps=spec.checker,
    )


def optimised_ports(lun: PlacedLun, array: ArrayBox) -> frozenset[str]:
    """Return the ports whose paths to a LUN are optimised: those of its owner, all without one."""
    if lun.owner is None:
        return frozenset(lun.ports)
    return frozenset(ports_by_controller(array)[lun.owner])


def refuse_one_path(host: str, lun: str, path: Path, problems: Problems) -> None:
    """Note a problem for a host with `multipath` and a single path."""
    problems.add(
        path,
        f"'{host}' has 'multipath' but only one path to '{lun}'",
        "Link a second port of the host or the array, or remove 'multipath'",
    )
