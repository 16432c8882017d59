"""Processors, adapters, buses, controllers, disks and media that are busy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sanlab.explain.candidates.case import MATTERS, Candidate
from sanlab.explain.evidence import Evidence
from sanlab.explain.reach import CONTROLLERS
from sanlab.explain.rebuilds import rebuilds_in
from sanlab.explain.straddling import straddling
from sanlab.words import show_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case
    from sanlab.explain.rebuilds import Rebuild
    from sanlab.explain.view import Use

#: The part of the stage `cache` in which writes wait for room.
ROOM = "room"
#: The part of the stage `cache` in which reads wait for data that are read ahead.
AHEAD = "ahead"
#: Of each kind of station: kind of limit, stages of its waits, name in a sentence, remedy.
_KINDS: Final[dict[str, tuple[str, tuple[str, ...], str, str]]] = {
    "cpu": (
        "cpu",
        ("host_cpu",),
        "the processors of",
        "more cores, or less processor time for each I/O",
    ),
    "hba": ("adapter", ("hba",), "adapter", "a faster adapter, or a second one"),
    "bus": ("bus", ("bus",), "I/O bus", "a faster bus, or adapters on another bus"),
    "controller": (
        "controller",
        ("controller",),
        "controller",
        "more or faster processors, or fewer commands",
    ),
    "forwarding": (
        "controller",
        ("controller",),
        "the forwarding of commands by",
        "paths to the controller that owns the LUN",
    ),
    "partner": (
        "partner",
        ("cache",),
        "the copies of writes from",
        "a faster link between the controllers",
    ),
    "disk": (
        "disk",
        ("disk_queue", "seek", "rotation", "transfer", "parity", ROOM, AHEAD),
        "disk",
        "more or faster disks, or fewer disk operations for each I/O",
    ),
    "ssd": (
        "media",
        ("media", "parity", ROOM, AHEAD),
        "SSD",
        "more or faster SSDs, or fewer operations for each I/O",
    ),
    "media": (
        "media",
        ("media", "parity", ROOM, AHEAD),
        "the media of",
        "more or faster devices",
    ),
    "parity": (
        "parity",
        ("parity", ROOM),
        "the computation of parity in",
        "another RAID level, or writes of whole stripes",
    ),
}

#: Remedies by the kind of station.
REMEDIES: Final[dict[str, str]] = {kind: words[-1] for kind, words in _KINDS.items()}
#: Utilisation from which a controller works: one that has failed is idle.
WORKS = 0.02
#: Utilisation from which a station with a queue is named if nothing is saturated.
NEARLY = 0.7
#: Share of the response time that it has to explain.
MOST = 0.5
#: Ratio of use up to which another controller has time for the LUNs of a busy one.
HALF = 0.5


def find(case: Case) -> Iterator[Candidate]:
    """Yield the busiest saturated station of each kind that the workload passes."""
    reached = list(_serving(case))
    for kind, (limit, stages, words, remedy) in _KINDS.items():
        busy = [use for use in reached if use.kind == kind and use.is_saturated]
        if not busy:
            continue
        busy.sort(key=lambda use: (use.name not in case.prefer, -use.utilisation, use.name))
        top = busy[0]
        others = len(busy) - 1
        verb = "is" if others == 1 else "are"
        likewise = f", and so {verb} {others} more" if others else ""
        yield Candidate(
            limit,
            top.name,
            _share(case, stages) * (_waiting(top) if case.is_met else 1.0),
            top.utilisation,
            f"{words} {top.name}, busy {show_percent(top.utilisation)} of the time{likewise}"
            f"{_rebuilt(case, top)}",
            _remedy(case, top) or remedy,
            _beside(case, top),
            evidence=tuple(_evidence(use) for use in busy[:4]),
        )


def _waiting(use: Use) -> float:
    """Share of the time at a station that is waiting for others, not service."""
    present = max(use.mean_in_system, use.utilisation * use.servers)
    return 1.0 - use.utilisation * use.servers / present if present else 0.0


def _serving(case: Case) -> Iterator[Use]:
    """Stations that the workload passes; of controllers those that own its LUNs, if they work."""
    reached = case.view.stations_of(case.reach)
    owners = [use for use in reached if use.kind == "controller" and use.name in case.reach.owners]
    work = any(use.utilisation >= WORKS for use in owners)
    for use in reached:
        if use.kind not in CONTROLLERS or not work or use.name in case.reach.owners:
            yield use


def uses_of_stage(case: Case, stage: str) -> list[Use]:
    """Return the stations of a workload at which the time of a stage passes."""
    kinds = {kind for kind, (_, stages, _, _) in _KINDS.items() if stage in stages}
    return [use for use in _serving(case) if use.kind in kinds]


def nearly(case: Case) -> Candidate | None:
    """Return a station that is nearly saturated and takes most of the response time.

    With few I/Os open they may wait for each other at a station that still has gaps.
    """
    for kind, (limit, stages, words, remedy) in _KINDS.items():
        share = _share(case, stages)
        used = [
            use
            for use in case.view.stations_of(case.reach)
            if use.kind == kind and use.utilisation >= NEARLY and use.mean_in_system > use.servers
        ]
        if not used or share < MOST:
            continue
        top = max(used, key=lambda use: (use.utilisation, use.name))
        return Candidate(
            limit,
            top.name,
            share,
            top.utilisation,
            f"{words} {top.name}, busy {show_percent(top.utilisation)} of the time with"
            f" {top.mean_in_system:.1f} requests on average{_rebuilt(case, top)}",
            _remedy(case, top) or remedy,
            _beside(case, top),
            evidence=(_evidence(top),),
        )
    return None


def _share(case: Case, stages: tuple[str, ...]) -> float:
    """Share of the response time in stages, waits in the cache for room and for data among them."""
    room = case.room if ROOM in stages else 0.0
    return case.share(*stages) + room + (case.ahead if AHEAD in stages else 0.0)


def _rebuild(case: Case, use: Use) -> Rebuild | None:
    """The rebuild that uses a disk too."""
    rebuilds = rebuilds_in(case.view) if use.kind in ("disk", "ssd") else []
    return next((one for one in rebuilds if use.name in one.disks), None)


def _rebuilt(case: Case, use: Use) -> str:
    """Name the rebuild that uses a disk too."""
    rebuild = _rebuild(case, use)
    return f", which the rebuild of {rebuild.group} uses too" if rebuild else ""


def _beside(case: Case, use: Use) -> str:
    """What is to be known beside busy media: a full cache before them, a rebuild, straddling."""
    if use.kind not in ("disk", "ssd", "media"):
        return ""
    rebuild = _rebuild(case, use)
    straddled = straddling(case.view, case.workload, use.name)
    parts = (_in_front(case), rebuild and rebuild.words, straddled and straddled.words)
    return " ".join(part for part in parts if part)


def _remedy(case: Case, use: Use) -> str:
    """Say what may help a station whose kind alone does not tell."""
    if use.kind == "controller":
        return _idle_partner(case, use)
    if use.kind == "hba":
        return _of_adapter(case, use)
    if _rebuild(case, use) is not None:
        return f"a slower or later rebuild, {REMEDIES[use.kind]}"
    if use.kind in ("disk", "ssd") and straddling(case.view, case.workload, use.name):
        return f"a region that begins at a unit of its RAID group, {REMEDIES[use.kind]}"
    return ""


def _idle_partner(case: Case, use: Use) -> str:
    """Name a controller of the same array that has time, where one is busy."""
    for array in case.view.run.plan["arrays"]:
        names = [one["name"] for one in array["controllers"]]
        if use.name not in names:
            continue
        found = {name: case.view.stations.get(("controller", name)) for name in names}
        used = {
            name: 0.0 if one is None else one.utilisation
            for name, one in found.items()
            if name != use.name
        }
        name = min(used, key=used.__getitem__, default="")
        if name and used[name] < HALF * use.utilisation:
            return (
                f"LUNs that {name} owns, which is busy {show_percent(used[name])};"
                f" {REMEDIES[use.kind]}"
            )
    return ""


def _of_adapter(case: Case, use: Use) -> str:
    """Say what may help an adapter that is busy with commands rather than data."""
    plan = case.view.run.plan
    counts = {row["port"]: row["command_count"] for row in case.view.run.rows("adapters")}
    spent = sum(
        counts.get(plan["n_ports"][adapter["n_port"]]["name"], 0)
        * (adapter["submit_ps"] + adapter["complete_ps"])
        for host in plan["hosts"]
        for adapter in host["adapters"]
        if host["engines"][adapter["engine"]]["name"] == use.name
    )
    if spent < MOST * use.utilisation * case.view.run.manifest.simulated_ps:
        return ""
    return "larger requests, or a second adapter"


def _in_front(case: Case) -> str:
    """Say that a full cache is a queue in front of the media."""
    share = case.room
    if case.behind(share) < MATTERS:
        return ""
    where = ", and commands queue in the host before it" if case.front >= MATTERS else ""
    return (
        f"The cache in front of it is full: {show_percent(share)} of the response time is waiting"
        f" for room{where}. A larger cache only delays it."
    )


def _evidence(use: Use) -> Evidence:
    values: dict[str, float | int | str] = {
        "utilisation": use.utilisation,
        "mean_in_system": use.mean_in_system,
        "servers": use.servers,
    }
    return Evidence("stations", {"station": use.name, "kind": use.kind}, values)
