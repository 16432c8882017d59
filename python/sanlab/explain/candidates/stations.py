"""Processors, adapters, buses, controllers, disks and media that are busy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sanlab.explain.candidates.case import MATTERS, Candidate
from sanlab.explain.credit import SATURATED
from sanlab.explain.evidence import Evidence
from sanlab.words import show_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case
    from sanlab.explain.view import Use

#: Of each kind of station: kind of limit, stages of its waits, name in a sentence, remedy.
_KINDS: Final[dict[str, tuple[str, tuple[str, ...], str, str]]] = {
    "cpu": (
        "cpu",
        ("host_cpu",),
        "the processors of",
        "more cores, or less processor time for each I/O",
    ),
    "hba": ("adapter", ("hba",), "adapter", "larger requests, or a second adapter"),
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
        "the forwarding of commands to",
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
        ("disk_queue", "seek", "rotation", "transfer", "cache", "parity"),
        "disk",
        "more or faster disks, or fewer disk operations for each I/O",
    ),
    "media": (
        "media",
        ("media", "cache", "parity"),
        "the media of",
        "more or faster devices",
    ),
    "parity": (
        "parity",
        ("parity", "cache"),
        "the computation of parity in",
        "another RAID level, or writes of whole stripes",
    ),
}


def find(case: Case) -> Iterator[Candidate]:
    """Yield the busiest saturated station of each kind that the workload passes."""
    reached = [use for key, use in case.view.stations.items() if key in case.reach.stations]
    for kind, (limit, stages, words, remedy) in _KINDS.items():
        busy = [use for use in reached if use.kind == kind and use.utilisation >= SATURATED]
        if not busy:
            continue
        busy.sort(key=lambda use: (use.name != case.prefer, -use.utilisation, use.name))
        top = busy[0]
        likewise = f", and so are {len(busy) - 1} more" if len(busy) > 1 else ""
        yield Candidate(
            limit,
            top.name,
            case.share(*stages),
            top.utilisation,
            f"{words} {top.name}, busy {show_percent(top.utilisation)} of the time{likewise}",
            remedy,
            _in_front(case) if kind in ("disk", "media") else "",
            evidence=tuple(_evidence(use) for use in busy[:4]),
        )


def _in_front(case: Case) -> str:
    """Say that a full cache is a queue in front of the media."""
    share = case.share("cache")
    if share < MATTERS:
        return ""
    return (
        f"The cache in front of it is full: {show_percent(share)} of the response time is waiting"
        " for room, which a larger cache only delays."
    )


def _evidence(use: Use) -> Evidence:
    values: dict[str, float | int | str] = {
        "utilisation": use.utilisation,
        "mean_in_system": use.mean_in_system,
        "servers": use.servers,
    }
    return Evidence("stations", {"station": use.name, "kind": use.kind}, values)
