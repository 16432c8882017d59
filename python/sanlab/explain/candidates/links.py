"""Links that are full, and transmitters that wait for credit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.candidates.case import MATTERS, Candidate, port_evidence
from sanlab.explain.candidates.stations import REMEDIES
from sanlab.explain.credit import (
    cause_of_waiting,
    is_full,
    is_held_back,
    say_enough,
    say_shortage,
)
from sanlab.explain.evidence import Evidence
from sanlab.explain.saturation import SATURATED
from sanlab.quantities import counted
from sanlab.results.ports import WAITS, busy_while_waiting
from sanlab.words import show_percent, show_rate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case
    from sanlab.explain.credit import Cause
    from sanlab.explain.view import Row, Use

#: Stages in which frames wait for a link.
WAITS_FOR_LINK = ("tx_queue", "switch", "credit_wait")
#: Ratio of the busiest of parallel links to the mean from which the load is uneven.
UNEVEN = 1.3


def find(case: Case) -> Iterator[Candidate]:
    """Yield the fullest link of the workload, and the cause of its waits for credit."""
    causes = list(_credit(case))
    yield from causes
    yield from _links(case, may_be_held_back=not causes)


def _links(case: Case, *, may_be_held_back: bool) -> Iterator[Candidate]:
    ports = case.view.ports
    full = [
        ports[name]
        for name in case.reach.ports
        if name in ports
        and is_full(ports[name])
        and (may_be_held_back or not is_held_back(case.view, ports[name]))
    ]
    if not full:
        return
    # Links of one speed in a row are as full as each other: frames wait for the first of them.
    top = max(
        full,
        key=lambda row: (
            row["port"] in case.prefer,
            round(row["tx_utilisation"], 2),
            row["tx_queue_mean_frames"],
            row["port"],
        ),
    )
    share = top["tx_utilisation"]
    yield Candidate(
        "link",
        top["port"],
        case.share(*WAITS_FOR_LINK)
        + (0.0 if case.is_met else case.share("wire") * own_share(case, top)),
        share,
        f"the link from {top['port']} to {top['peer']} ({top['speed']}), busy"
        f" {show_percent(share)} of the time",
        _more_bandwidth(case, top),
        evidence=(port_evidence(top, "tx_utilisation", "tx_queue_mean_frames"),),
    )


def own_share(case: Case, link: Row) -> float:
    """Share of the data over a link that is the workload's own, at most 1.

    Only for its own data is the time on the fibre a matter of how full it is.
    """
    op = "write" if link["port"] in case.reach.toward_targets else "read"
    own = case.view.flow(case.workload, op).bytes
    return min(1.0, own / max(1.0, float(link["tx_payload_bytes"])))


def _more_bandwidth(case: Case, link: Row) -> str:
    """Say what may help a full link: other paths of the host, or its parallel links, with room."""
    rests = _resting(case, link)
    if rests is not None:
        use = show_percent(max(rests["tx_utilisation"], _peer_use(case, rests)))
        return f"a path policy that also uses {rests['port']}, busy {use}"
    node_of = {row["port"]: row["node"] for row in case.view.ports.values()}
    beside = [
        row
        for row in case.view.ports.values()
        if row["kind"] == link["kind"] == "e_port"
        and row["port"] != link["port"]
        and row["node"] == link["node"]
        and node_of.get(row["peer"]) == node_of.get(link["peer"])
    ]
    usual = sum(row["tx_utilisation"] for row in beside) / len(beside) if beside else 1.0
    if beside and usual < link["tx_utilisation"] / UNEVEN:
        many = counted(len(beside), "parallel link")
        return f"routing that also loads {many} with {show_percent(usual)} of use"
    return "a faster link, or another one beside it"


def _resting(case: Case, link: Row) -> Row | None:
    """The port of another path that rests, if the full link is that of a host with several."""
    plan = case.view.run.plan
    jobs = [one.job for one in case.view.evidences.asking.get(case.workload, ())]
    several = any(len(target["paths"]) > 1 for job in jobs for target in job["targets"])
    if not several or not any(plan["hosts"][job["host"]]["multipath"] for job in jobs):
        return None
    for names in (case.reach.initiators, case.reach.targets):
        if not names & {link["port"], link["peer"]}:
            continue
        others = [
            row
            for name in sorted(names - {link["port"], link["peer"]})
            if (row := case.view.ports.get(name)) is not None
            and max(row["tx_utilisation"], _peer_use(case, row)) < link["tx_utilisation"] / UNEVEN
        ]
        if others:
            return min(others, key=lambda row: (row["tx_utilisation"], row["port"]))
    return None


def _peer_use(case: Case, row: Row) -> float:
    """Use of the other end of a link."""
    peer = case.view.ports.get(row["peer"])
    return float(peer["tx_utilisation"]) if peer else 0.0


def _credit(case: Case) -> Iterator[Candidate]:
    """Why transmitters on the path wait for credit."""
    view = case.view
    if case.share("credit_wait", "tx_queue", "switch") < MATTERS:
        return
    waiting = [
        row
        for name in case.reach.ports
        if (row := view.ports.get(name)) is not None and view.credit_wait_share(row) >= WAITS
    ]
    if waiting:
        top = max(waiting, key=lambda row: (row["tx_credit_wait_ps"], row["port"]))
        yield from _from_cause(case, top, cause_of_waiting(view, top))


def _from_cause(case: Case, waiting: Row, cause: Cause) -> Iterator[Candidate]:
    view = case.view
    row = view.ports.get(cause.port, waiting)
    busy = show_percent(row["tx_utilisation"])
    if cause.kind == "slow":
        kind = "slow_receiver"
        sentence = f"{cause.port}, which takes only {show_rate(view.slow[cause.port])}"
        remedy = "a repair of that device, or a rate limit for its traffic"
    elif cause.station is not None:
        yield _behind(case, cause, cause.station)
        return
    elif cause.kind == "lost":
        kind = "credit_loss"
        sentence = f"the BB credit that {cause.port} has lost"
        remedy = "a link reset, or BB_SC recovery"
    elif cause.kind == "distance":
        kind = "credit"
        sentence = f"the BB credit of {cause.port}: it has {say_shortage(view.run.plan, row)}"
        remedy = say_enough(view.run.plan, row)
    elif cause.kind == "saturated" and cause.port not in case.reach.ports:
        kind = "congestion"
        sentence = f"frames for {cause.port} (busy {busy}) that fill the buffers on the path"
        remedy = "more bandwidth there, or less load through it"
    elif cause.kind == "queued":
        while_waiting = busy_while_waiting(view.run, cause.port, waiting["port"]) or 0.0
        fills = view.window.is_whole and while_waiting >= SATURATED
        kind = "congestion" if fills else "bursts"
        sentence = f"bursts: frames wait for {cause.port}, which is busy {busy} of the time"
        if fills:
            sentence = (
                f"frames for {cause.port}, busy {show_percent(while_waiting)} of the time that"
                " others wait for it, that fill the buffers on the path"
            )
        remedy = "more bandwidth there, or less load through it"
    else:
        return  # a full link of its own is a candidate already
    share = view.credit_wait_share(waiting)
    way = " > ".join(dict.fromkeys((*cause.path, cause.port)))
    yield Candidate(
        kind,
        cause.port,
        case.share("credit_wait", "tx_queue", "switch"),
        row["tx_utilisation"],
        sentence,
        remedy,
        f"{waiting['port']} has frames to send and no BB credit {show_percent(share)} of the time."
        f" Path to the cause: {way}.",
        (
            port_evidence(waiting, "tx_credit_wait_ps", "tx_bb_credit"),
            port_evidence(row, "tx_utilisation", "tx_queue_mean_frames"),
        ),
    )


def _behind(case: Case, cause: Cause, use: Use) -> Candidate:
    """A port of a host whose I/O bus is busy: its own, or that of another host."""
    share = case.share("credit_wait", "tx_queue", "switch", use.kind)
    busy = show_percent(use.utilisation)
    evidence = (Evidence("stations", {"station": use.name}, {"utilisation": use.utilisation}),)
    if (use.kind, use.name) in case.reach.stations:
        return Candidate(
            "bus",
            use.name,
            share,
            use.utilisation,
            f"I/O bus {use.name}, busy {busy} of the time, so that frames wait for the buffers of"
            f" {cause.port}",
            REMEDIES[use.kind],
            evidence=evidence,
        )
    return Candidate(
        "slow_receiver",
        cause.port,
        share,
        use.utilisation,
        f"{cause.port}, which returns credit late, as {use.name} behind it is busy {busy} of the"
        " time",
        f"{REMEDIES[use.kind]} there, or a rate limit for its traffic",
        f"Path to the cause: {' > '.join(dict.fromkeys((*cause.path, cause.port)))}.",
        evidence,
    )
