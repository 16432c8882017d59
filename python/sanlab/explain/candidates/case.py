"""A workload in a window, and a candidate for what limits it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.explain.evidence import Evidence, pick

if TYPE_CHECKING:
    from sanlab.explain.reach import Reach
    from sanlab.explain.view import Row, View

#: Smallest share of the response time of a candidate.
MATTERS = 0.1
#: The same of a delay without something busy.
DELAYS = 0.3
#: Queues in front of others: what they hold waits for something behind, if that is busy.
FRONT_STAGES = ("lun_queue", "task_set")


@dataclass(frozen=True)
class Candidate:
    """What may limit a workload; see `sanlab.explain.limit.Limit`.

    Attributes
    ----------
    is_behind
        Time in the queues in front of it belongs to it.
    remedy
        What may help, as a noun phrase; not tried.
    culprits
        Workloads that hold it back, if they are known better than by their bytes.
    is_reached
        It is a rate, and all of it is used: whatever else takes time, nothing else adds throughput.
    """

    kind: str
    element: str
    share: float
    utilisation: float | None
    sentence: str
    remedy: str
    detail: str = ""
    evidence: tuple[Evidence, ...] = ()
    is_behind: bool = True
    culprits: tuple[str, ...] = ()
    is_reached: bool = False


@dataclass(frozen=True)
class Case:
    """A workload in a window, as candidates look at it."""

    view: View
    workload: str
    reach: Reach
    stages: dict[str, float]
    """Shares of the response time."""
    prefer: tuple[str, ...] = ()
    """Elements that limit the whole run or the time before: named again if as full as others."""
    is_closed: bool = False
    """It keeps a number of I/Os open, without a rate."""
    is_met: bool = False
    """It has a rate and gets all its I/Os: only what they wait for costs it anything."""

    def share(self, *stages: str) -> float:
        """Share of the response time in these stages."""
        return sum(self.stages.get(stage, 0.0) for stage in stages)

    @property
    def front(self) -> float:
        """Share of the response time in queues in front of what may be busy."""
        return self.share(*FRONT_STAGES)

    def behind(self, share: float) -> float:
        """A share of the response time as a share of the time behind the queues in front."""
        rest = 1.0 - self.front
        return share / rest if rest > 0 else 0.0

    @property
    def room(self) -> float:
        """Share of the response time in which writes wait for room in a cache."""
        controllers = {name for kind, name in self.reach.stations if kind == "controller"}
        return self.share("cache") * min(1.0, self.view.full_share(controllers))

    @property
    def ahead(self) -> float:
        """Share of the response time in which reads wait for data that a cache reads ahead.

        What its access does not explain of their time in the cache, where reads wait for nothing
        else.
        """
        own = self.view.run.plan["arrays"]
        caches = [array["cache"] for array in own if array["name"] in self.reach.arrays]
        if not any(cache and cache.get("prefetch") for cache in caches):
            return 0.0
        access = max(cache["access_ps"] for cache in caches if cache)
        reads, all_ = self.view.flow(self.workload, "read"), self.view.flow(self.workload)
        spent = self.view.share_of(self.workload, "read", ("cache",))
        accessed = float(reads.io_count * access / max(1.0, all_.response_ps))
        return max(0.0, spent - accessed)

    @property
    def hosts(self) -> str:
        """Names of its hosts, four at most."""
        return _names(self.reach.hosts)

    @property
    def arrays(self) -> str:
        """Names of its arrays, four at most."""
        return _names(self.reach.arrays)


def _names(names: set[str]) -> str:
    shown = ", ".join(sorted(names)[:4])
    more = len(names) - 4
    return f"{shown} and {more} more" if more > 0 else shown


def port_evidence(row: Row, *columns: str) -> Evidence:
    """Evidence from the table of ports."""
    return Evidence("ports", {"port": row["port"]}, pick(row, *columns))
