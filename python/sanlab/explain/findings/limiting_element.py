"""The element that limits the run, or the busiest one if nothing is saturated."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING, Any

from sanlab.explain.findings.credit_limited import credit_limited
from sanlab.explain.findings.finding import Evidence, Finding, not_enough, pick
from sanlab.explain.findings.uneven_links import UNEVEN
from sanlab.quantities import counted
from sanlab.results.loops import frames_share, fullest, uses
from sanlab.results.ports import SATURATED, busiest, on_links, parallel_to
from sanlab.words import show_percent, show_time

if TYPE_CHECKING:
    from sanlab.results.loops import Use
    from sanlab.results.ports import Port
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Report the busiest link, loop or station."""
    elements = [_link_as_element(run, link) for link in busiest(run, 1)]
    elements += [_loop_as_element(run, use) for use in (fullest(run),) if use is not None]
    stations = sorted(run.rows("stations"), key=lambda row: -row["utilisation"])[:1]
    elements += [_station_as_element(run, station) for station in stations]
    if not elements:
        return [not_enough("limiting_element", "what limits the run", "ports and stations")]
    top = max(elements, key=lambda element: element.share)
    what, share, evidence = top.what, top.share, top.evidence
    if share >= SATURATED:
        return [
            Finding(
                "limiting_element",
                "problem",
                f"The {what} {top.limits}: {top.busy}{top.likewise}",
                top.remedy,
                share,
                evidence=(evidence,),
            )
        ]
    starved = credit_limited(run)
    if starved is not None:
        return [starved]
    detail = "Nothing is saturated."
    if _is_closed_loop(run):
        detail += (
            " The jobs keep a fixed number of I/Os open, so the throughput is that number divided"
            " by the response time: a shorter response time or a deeper queue would raise it."
        )
    title = f"The busiest element is the {what}: {show_percent(share)}"
    return [Finding("busiest_element", "notice", title, detail, share, evidence=(evidence,))]


def _is_closed_loop(run: Run) -> bool:
    return any(job["iodepth"] and job["arrivals"] is None for job in run.plan["jobs"])


_KINDS = {
    "cpu": "processor",
    "hba": "adapter",
    "bus": "I/O bus",
    "controller": "controller",
    "disk": "disk",
    "media": "storage medium",
}


@dataclass(frozen=True)
class _Element:
    """An element that may limit a run, with its texts for a finding."""

    what: str
    share: float
    busy: str
    likewise: str
    remedy: str
    evidence: Evidence
    limits: str = "limits the run"


def _link_as_element(run: Run, link: Port) -> _Element:
    share = link["tx_utilisation"]
    return _Element(
        f"link from {link['port']} to {link['peer']} ({link['speed']})",
        share,
        f"it is busy {show_percent(share)} of the time",
        _likewise([row["tx_utilisation"] for row in on_links(run)]),
        _more_bandwidth(run, link),
        Evidence(
            "ports", {"port": link["port"]}, pick(link, "tx_utilisation", "tx_bytes", "speed")
        ),
    )


def _station_as_element(run: Run, station: dict[str, Any]) -> _Element:
    name, share = station["station"], station["utilisation"]
    return _Element(
        f"{_KINDS.get(station['kind'], station['kind'])} {name}",
        share,
        f"it is busy {show_percent(share)} of the time",
        _likewise([row["utilisation"] for row in run.rows("stations")]),
        "More of them, or a shorter service time, would raise the throughput.",
        Evidence(
            "stations",
            {"station": name},
            pick(station, "utilisation", "mean_in_system", "servers"),
        ),
    )


def _loop_as_element(run: Run, use: Use) -> _Element:
    """A loop that its ports share, a string, or the ports of hosts on a switched loop."""
    likewise = _likewise([other.share for other in uses(run) if other.kind == use.kind])
    row, share = use.row, use.share
    if use.kind == "string":
        return _Element(
            f"string {use.name} of {counted(use.members, 'link')}",
            share,
            f"circuits hold its links {show_percent(share)} of the time",
            likewise,
            "More links in the string, or hosts plugged in nearer to the disks they drive, would"
            " raise the throughput.",
            Evidence(
                "strings",
                {"loop": row["loop"], "from": row["from"], "to": row["to"]},
                pick(row, "utilisation", "links_count", "circuits_count"),
            ),
        )
    evidence = Evidence(
        "loops",
        {"loop": use.name},
        pick(row, "owned_share", "arbitrating_share", "sending_share", "ports_count", "round_ps"),
    )
    if use.kind == "loop_ports":
        frames = min(share, row["sending_share"] / use.members)
        several = use.members > 1
        return _Element(
            f"{use.members} host ports on {use.name}" if several else f"host port on {use.name}",
            share,
            f"{'they are' if several else 'it is'} in a circuit {show_percent(share)} of the time"
            f"{' on average' if several else ''}, {show_percent(frames)} with frames",
            likewise,
            "More ports of hosts on the loop, larger requests or a higher speed would raise the"
            " throughput.",
            evidence,
            "limit the run" if several else "limits the run",
        )
    frames = min(share, frames_share(row))
    return _Element(
        f"loop {use.name}",
        share,
        f"it is in use {show_percent(share)} of the time, {show_percent(frames)} by frames, "
        f"{show_percent(row['arbitrating_share'])} by arbitration and the rest by opening"
        " and closing circuits and waiting in them for R_RDY",
        likewise,
        "Arbitration, opening and closing need words that pass around the loop, through"
        f" {use.members} ports in {show_time(row['round_ps'])}. Fewer ports on a loop, larger"
        " requests, a higher speed or an enclosure with a switch would raise the throughput.",
        evidence,
    )


def _likewise(shares: list[float]) -> str:
    """Return the number of other elements of that kind that are as busy, as text."""
    others = sum(share >= SATURATED for share in shares) - 1
    verb = "is" if others == 1 else "are"
    return f", and {others} more {verb} full too" if others > 0 else ""


def _more_bandwidth(run: Run, link: Port) -> str:
    """Return a remedy for a full link: its parallel links, if they have free capacity."""
    beside = parallel_to(run, link)
    usual = mean(row["tx_utilisation"] for row in beside) if beside else 1.0
    if usual >= link["tx_utilisation"] / UNEVEN:
        return "A faster or a second link there would raise the throughput."
    many = "the parallel link is" if len(beside) == 1 else f"the {len(beside)} parallel links are"
    return (
        f"There is free capacity: {many} busy {show_percent(usual)}"
        f"{' of the time' if len(beside) == 1 else ' on average'}. Routing that spreads the load"
        " over them (by exchange, or more pairs of ports) would raise the throughput."
    )
