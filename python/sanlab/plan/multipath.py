"""Several paths from a host to a LUN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.names import safe_expand
from sanlab.plan.schema import (
    InTurn,
    LeastQueue,
    MultipathPlan,
    Nothing,
    OnePath,
    PathPlan,
    RoundRobin,
)
from sanlab.plan.spans import NEVER

if TYPE_CHECKING:
    from sanlab.plan.names import Problems
    from sanlab.plan.storage import PlacedLun
    from sanlab.scenario.document import Path
    from sanlab.scenario.hosts import Multipath


def multipath_of(spec: Multipath | None) -> MultipathPlan | None:
    """Return what a host does with several paths; None where it has none of it."""
    if spec is None:
        return None
    spreading: RoundRobin | LeastQueue | OnePath
    if spec.policy == "round-robin":
        spreading = RoundRobin(round_robin=InTurn(ios=spec.ios or 1))
    elif spec.policy == "least-queue":
        spreading = LeastQueue(least_queue=Nothing())
    else:
        spreading = OnePath(one_path=Nothing())
    return MultipathPlan(
        spreading=spreading,
        queues_without_path=spec.no_path == "queue",
        failback_ps=NEVER if spec.failback == "manual" else spec.failback,
        checker_ps=spec.checker,
        switch_over_ps=spec.switch_over,
    )


def preferred_ports(lun: PlacedLun, problems: Problems) -> frozenset[str]:
    """Return the ports by which a LUN wants to be reached; all where it does not say."""
    wanted = lun.spec.preferred
    if wanted is None:
        return frozenset(lun.ports)
    path: Path = (*lun.path, "preferred")
    chosen = [port for it in wanted for port in safe_expand(it, path, problems)]
    for port in chosen:
        if port not in lun.ports:
            problems.add(
                path,
                f"'{lun.name}' is not exported by '{port}'",
                f"Ports with a link that export it: {', '.join(lun.ports) or 'none'}",
            )
            return frozenset(lun.ports)
    return frozenset(chosen)


def other_paths(ways: list[tuple[int, int, int]], target: int) -> list[PathPlan]:
    """Return the paths beside the first of `ways`, each an adapter, an N_Port and a group."""
    return [
        PathPlan(target=target, adapter=adapter, target_n_port=port, group=group)
        for adapter, port, group in ways[1:]
    ]


def refuse_one_path(host: str, lun: str, path: Path, problems: Problems) -> None:
    """Note that there is nothing to choose from."""
    problems.add(
        path,
        f"'{host}' has 'multipath' and a single path to '{lun}'",
        "Link a second port of the host or the array, or remove 'multipath'",
    )
