"""What limits a workload in a window, and the vocabulary for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from sanlab.words import show_percent, show_time

if TYPE_CHECKING:
    from sanlab.explain.evidence import Evidence
    from sanlab.explain.window import Window

Domain = Literal["host", "fabric", "array", "load"]

#: Stages of an I/O by the domain in which the time passes.
DOMAINS: Final[dict[str, Domain]] = {
    "host_cpu": "host",
    "file_system": "host",
    "lun_queue": "host",
    "hba": "host",
    "bus": "host",
    "interrupt": "host",
    "tx_queue": "fabric",
    "loop": "fabric",
    "credit_wait": "fabric",
    "wire": "fabric",
    "switch": "fabric",
    "recovery": "fabric",
    "task_set": "array",
    "limit": "array",
    "controller": "array",
    "cache": "array",
    "disk_queue": "array",
    "seek": "array",
    "rotation": "array",
    "transfer": "array",
    "parity": "array",
    "media": "array",
    "mirror": "array",
}

#: Kinds of limits: the domain, and the meaning.
KINDS: Final[dict[str, tuple[Domain, str]]] = {
    "cpu": ("host", "the processors of a host are busy"),
    "adapter": ("host", "the engine of an adapter is busy"),
    "bus": ("host", "the I/O bus of a host is busy"),
    "queue_depth": ("host", "the queue depth of a LUN or an adapter, with nothing busy behind it"),
    "interrupt": ("host", "interrupt moderation"),
    "path_turns": ("host", "long turns of paths: one path is full while the others rest"),
    "link_turns": ("fabric", "parallel links that are full one after the other"),
    "metadata_server": ("host", "the allocation of blocks by a file system"),
    "link": ("fabric", "a link that the workload uses is full"),
    "loop": ("fabric", "an arbitrated loop, or a string of one, is in use all the time"),
    "credit": ("fabric", "too few BB credits for the length of a link"),
    "credit_loss": ("fabric", "BB credits were lost"),
    "slow_receiver": ("fabric", "a device empties its buffers slowly"),
    "congestion": ("fabric", "frames of others fill the buffers on the path"),
    "bursts": (
        "fabric",
        "frames of several senders wait for each other for short times; no link is full",
    ),
    "priority": ("fabric", "frames of others go first at a full port, as their priority is higher"),
    "qos_limit": ("fabric", "a rate limit of the fabric"),
    "fault": ("fabric", "a fault: waiting for a path, a time-out or an abort"),
    "lost_frames": ("fabric", "frames are lost, and commands are sent again"),
    "no_path": ("fabric", "no path to the LUN: every command fails"),
    "stall": ("fabric", "no I/O completes"),
    "array_limit": ("array", "a limit of the array for a LUN or a host"),
    "task_set_full": ("array", "TASK SET FULL: the array accepts no more commands"),
    "controller": ("array", "the processors of a controller are busy"),
    "partner": ("array", "copies of writes to the other controller"),
    "cache_room": ("array", "the cache is full and data are destaged more slowly than they come"),
    "write_through": (
        "array",
        "writes go to the media: the cache has no partner, is off, or is too small for them",
    ),
    "disk": ("array", "disks are busy"),
    "media": ("array", "SSDs, flash or memory are busy"),
    "parity": ("array", "the computation of parity"),
    "mirror": ("array", "copies to another array"),
    "outstanding": ("load", "the number of I/Os the workload keeps open; nothing is saturated"),
    "offered_load": ("load", "nothing: all I/Os that are asked for are done"),
    "contention": ("array", "others that use the same element, which is not saturated"),
}


@dataclass(frozen=True)
class Limit:
    """What limits a workload in a window.

    Attributes
    ----------
    kind
        One of `KINDS`.
    element
        Name of the port, station, loop or device; empty if the limit is not an element.
    share
        Share of the workload's response time that passes because of it, 0 to 1.
    utilisation
        Of the element; None where it has none.
    sentence
        The same in words, as in "limited by ...".
    detail
        What more is known.
    remedy
        What may help, as a noun phrase; not tried. Empty where nothing is wrong.
    culprits
        Other workloads that use much of the element, most bytes first.
    is_victim
        The workload does not use the element itself: others that do hold it back.
    evidence
        Rows of tables.
    is_met
        The workload gets all the I/Os it asks for: they take longer, but none are missing.
    at
        The domain, for a kind that may be in any.
    """

    workload: str
    window: Window
    kind: str
    element: str
    share: float
    utilisation: float | None
    sentence: str
    detail: str = ""
    remedy: str = ""
    culprits: tuple[str, ...] = ()
    is_victim: bool = False
    evidence: tuple[Evidence, ...] = ()
    is_met: bool = False
    at: Domain | None = None

    def within(self, window: Window) -> Limit:
        """The same in another window."""
        return replace(self, window=window)

    @property
    def domain(self) -> Domain:
        """Where it is: host, fabric, array, or the load itself."""
        return self.at or KINDS[self.kind][0]

    @property
    def is_harmless(self) -> bool:
        """Nothing is saturated or broken: the workload gets what it asks for."""
        return self.domain == "load" or self.kind == "bursts"

    @property
    def headline(self) -> str:
        """The title, with the time of a limit that does not hold for the whole run."""
        if self.window.is_whole or self.is_harmless:
            return self.title
        begin, end = (show_time(at) for at in (self.window.from_ps, self.window.to_ps))
        return f"From {begin} to {end}: {self.title}"

    @property
    def title(self) -> str:
        """The limit in one sentence, without a full stop."""
        if self.kind == "contention":
            return f"{self.workload} is {self.sentence}"
        if self.kind in ("outstanding", "offered_load", "stall", "no_path"):
            return f"{self.workload}: {self.sentence}"
        if not self.is_met:
            return f"{self.workload} is limited by {self.sentence}{self.shared}"
        share = show_percent(self.share)
        part = "" if "response time" in self.sentence else f": {share} of the response time"
        waits = f"they wait for {self.sentence}{part}{self.shared}"
        return f"{self.workload} gets all its I/Os, but {waits}"

    @property
    def shared(self) -> str:
        """The workloads that use the element, as the end of a sentence; empty without any."""
        if not self.culprits or self.kind in ("contention", "outstanding", "offered_load"):
            return ""
        names, is_one = _and(self.culprits), len(self.culprits) == 1
        if self.kind == "priority":
            return f"; {names} {'goes' if is_one else 'go'} first"
        return f"; {names} {'uses' if is_one else 'use'} it{'' if self.is_victim else ' too'}"


def domain_shares(stages: dict[str, float]) -> dict[Domain, float]:
    """Split response time among host, fabric and array; the shares sum to 1.

    >>> domain_shares({"host_cpu": 1.0, "wire": 1.0, "media": 2.0})
    {'host': 0.25, 'fabric': 0.25, 'array': 0.5}
    """
    total = sum(stages.values())
    if not total:
        return {}
    return {
        domain: sum(spent for stage, spent in stages.items() if DOMAINS[stage] == domain) / total
        for domain in ("host", "fabric", "array")
    }


def _and(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
