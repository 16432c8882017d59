"""Findings: one number each, with the evidence for it.

A finding never guesses. Where the tables do not carry what it needs, it says so.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from statistics import mean
from typing import TYPE_CHECKING, Any, Literal

from sanlab.quantities import counted
from sanlab.report.words import show_count, show_percent, show_time
from sanlab.results.columns import STAGES
from sanlab.results.happenings import happenings
from sanlab.results.loops import frames_share, fullest, uses
from sanlab.results.ports import (
    SATURATED,
    WAITS,
    busiest,
    busy_while_waiting,
    cause_of_waiting,
    credit_wait_share,
    credits_to_fill,
    on_links,
    parallel_to,
    queueing,
    waiting_for_credit,
)
from sanlab.results.throughput import over_time
from sanlab.simulation.folder import write_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sanlab.results.loops import Use
    from sanlab.results.ports import Cause, Port
    from sanlab.results.run import Run

Severity = Literal["problem", "notice", "good"]

#: Share of the response time from which a stage that waits is worth a notice.
WAIT_SHARE = 0.1
#: Difference between the first and the last third of the measured time that counts as a drift.
DRIFT = 0.05
#: Ratio of p99 to median from which the tail is long.
LONG_TAIL = 10
#: Ratio of the busiest to the mean of parallel links from which they are uneven.
UNEVEN = 1.3
#: Utilisation of the busiest of them from which that matters.
UNEVEN_FROM = 0.3
#: Share of the run, sending and waiting for credit together, from which credit sets a port's rate.
STARVED = 0.95
#: Faults and failures told in one finding.
HAPPENINGS_SHOWN = 8
#: Rows shown as evidence of one finding.
EVIDENCE_SHOWN = 20


@dataclass(frozen=True)
class Evidence:
    """Where the number comes from: a table of the run folder, a row of it, and values there."""

    table: str
    where: dict[str, str]
    values: dict[str, float | int | str]


@dataclass(frozen=True)
class Finding:
    """One thing that the run shows.

    Attributes
    ----------
    id
        What kind of finding it is; stable, for scripts.
    severity
        `problem` costs performance or trust, `notice` is worth knowing, `good` is as it should be.
    title
        The finding in one sentence, with its number.
    detail
        What it means, and what would change it.
    number, unit
        The number by itself; None where there is not enough data.
    """

    id: str
    severity: Severity
    title: str
    detail: str = ""
    number: float | None = None
    unit: str = "1"
    evidence: tuple[Evidence, ...] = field(default_factory=tuple)


def find(run: Run) -> list[Finding]:
    """All findings of a run, the most important first."""
    makers: tuple[Callable[[Run], list[Finding]], ...] = (
        _checks,
        _stopped_early,
        _errors,
        _happened,
        _degraded,
        _limiting_element,
        _credit_waits,
        _loop_wait,
        _queue_depth,
        _task_set_full,
        _largest_stage,
        _long_tail,
        _uneven_links,
        _warm_up,
    )
    found = [finding for make in makers for finding in make(run)]
    rank = {"problem": 0, "notice": 1, "good": 2}
    return sorted(found, key=lambda finding: rank[finding.severity])


def write(run: Run, findings: list[Finding]) -> None:
    """Write `findings.json` into the run folder."""
    document = {"findings": [asdict(finding) for finding in findings]}
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    write_file(run.folder / "findings.json", text)


def _checks(run: Run) -> list[Finding]:
    failed = [check.name for check in run.manifest.checks if not check.is_ok]
    if not failed:
        return []
    return [
        Finding(
            "check_failed",
            "problem",
            f"The engine's own check failed: {', '.join(failed)}",
            "Do not use the numbers of this run. Please report it with the run folder.",
            float(len(failed)),
        )
    ]


def _stopped_early(run: Run) -> list[Finding]:
    if run.manifest.is_complete:
        return []
    return [
        Finding(
            "stopped_early",
            "problem",
            f"The run was stopped after {show_time(run.manifest.simulated_ps)} of simulated time",
            "Its numbers cover the part until then.",
            run.manifest.simulated_ps / 1e12,
            "s",
        )
    ]


def _errors(run: Run) -> list[Finding]:
    rows = [row for row in run.rows("workloads") if row.get("error_count")]
    if not rows:
        return []
    rows.sort(key=lambda row: (-row["error_count"], row["workload"], row["op"]))
    failed = sum(row["error_count"] for row in rows)
    worst = rows[0]
    ios = f"{show_count(failed)} {'I/O' if failed == 1 else 'I/Os'}"
    title = f"{ios} of {worst['workload']} failed"
    if len(rows) > 1:
        most = show_count(worst["error_count"])
        title = f"{ios} failed, {most} of them of {worst['workload']}"
    return [
        Finding(
            "errors",
            "problem",
            title,
            "No answer came within the time-out of the HBA. Response times and rates are those of"
            " the I/Os that completed, so they look better than what the applications saw.",
            failed,
            evidence=tuple(
                _workload_evidence(row, "error_count", "io_count") for row in rows[:EVIDENCE_SHOWN]
            ),
        )
    ]


def _limiting_element(run: Run) -> list[Finding]:
    found = [_as_element(run, it) for it in busiest(run, 1)]
    found += [_loop_as_element(run, it) for it in (fullest(run),) if it is not None]
    stations = sorted(run.rows("stations"), key=lambda row: -row["utilisation"])[:1]
    found += [_station_as_element(run, it) for it in stations]
    if not found:
        return [_not_enough("limiting_element", "what limits the run", "ports and stations")]
    top = max(found, key=lambda element: element.share)
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
    starved = _starved(run)
    if starved is not None:
        return [starved]
    detail = "Nothing is saturated."
    if _is_closed_loop(run):
        detail += (
            " The jobs keep a fixed number of I/Os open, so the throughput is that number over the"
            " response time: a shorter response time or a deeper queue would raise it."
        )
    title = f"The busiest element is the {what}: {show_percent(share)}"
    return [Finding("busiest_element", "notice", title, detail, share, evidence=(evidence,))]


@dataclass(frozen=True)
class _Element:
    """What may limit a run, in the words a finding needs."""

    what: str
    share: float
    busy: str
    likewise: str
    remedy: str
    evidence: Evidence
    limits: str = "limits the run"


def _as_element(run: Run, link: Port) -> _Element:
    share = link["tx_utilisation"]
    return _Element(
        f"link from {link['port']} to {link['peer']} ({link['speed']})",
        share,
        f"it is busy {show_percent(share)} of the time",
        _likewise([row["tx_utilisation"] for row in on_links(run)]),
        _more_bandwidth(run, link),
        Evidence(
            "ports", {"port": link["port"]}, _pick(link, "tx_utilisation", "tx_bytes", "speed")
        ),
    )


def _station_as_element(run: Run, station: dict[str, Any]) -> _Element:
    name, share = station["station"], station["utilisation"]
    return _Element(
        f"{_KINDS.get(station['kind'], station['kind'])} {name}",
        share,
        f"it is busy {show_percent(share)} of the time",
        _likewise([row["utilisation"] for row in run.rows("stations")]),
        "More of them, or a shorter time in each, would raise the throughput.",
        Evidence(
            "stations",
            {"station": name},
            _pick(station, "utilisation", "mean_in_system", "servers"),
        ),
    )


def _loop_as_element(run: Run, use: Use) -> _Element:
    """A loop that its ports share, a string, or the ports of hosts on a switched loop."""
    likewise = _likewise([it.share for it in uses(run) if it.kind == use.kind])
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
                _pick(row, "utilisation", "links_count", "circuits_count"),
            ),
        )
    evidence = Evidence(
        "loops",
        {"loop": use.name},
        _pick(row, "owned_share", "arbitrating_share", "sending_share", "ports_count", "round_ps"),
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
        f"it is taken {show_percent(share)} of the time, {show_percent(frames)} by frames, "
        f"{show_percent(row['arbitrating_share'])} by arbitration and the rest by opening"
        " and closing circuits and waiting in them for R_RDY",
        likewise,
        "To arbitrate, open and close takes words that go all the way round, through"
        f" {use.members} ports in {show_time(row['round_ps'])}. Fewer ports on a loop, larger"
        " requests, a higher speed or an enclosure with a switch would raise the throughput.",
        evidence,
    )


def _likewise(shares: list[float]) -> str:
    """How many others of that kind are as full."""
    others = sum(share >= SATURATED for share in shares) - 1
    verb = "is" if others == 1 else "are"
    return f", and {others} more {verb} full too" if others > 0 else ""


def _loop_wait(run: Run) -> list[Finding]:
    """I/Os that spend their time before loops."""
    rows = [
        row for row in run.rows("stages") if row["stage"] == "loop" and row["share"] >= WAIT_SHARE
    ]
    if not rows:
        return []
    rows.sort(key=lambda row: -row["share"])
    worst = rows[0]
    return [
        Finding(
            "loop_wait",
            "notice",
            f"{worst['workload']}: {show_percent(worst['share'])} of the {worst['op']} time is"
            f" waiting for a loop{_and_more(rows)}",
            "Every command, transfer and status needs a circuit of its own, and waits for the"
            " circuits of others. The section on loops shows which are full.",
            worst["share"],
            evidence=tuple(_stage_evidence(row) for row in rows[:EVIDENCE_SHOWN]),
        )
    ]


def _more_bandwidth(run: Run, link: Port) -> str:
    """What would relieve a full link: the links beside it, where they have room."""
    beside = parallel_to(run, link)
    usual = mean(row["tx_utilisation"] for row in beside) if beside else 1.0
    if usual >= link["tx_utilisation"] / UNEVEN:
        return "A faster or a second link there would raise the throughput."
    many = "the link beside it is" if len(beside) == 1 else f"the {len(beside)} links beside it are"
    return (
        f"There is room: {many} busy {show_percent(usual)}"
        f"{' of the time' if len(beside) == 1 else ' on average'}. Routing that spreads the load"
        " over them (by exchange, or more pairs of ports) would raise the throughput."
    )


def _starved(run: Run) -> Finding | None:
    """The transmitter that always has a frame and sends only as fast as credit comes back."""
    rows = [(row["tx_utilisation"] + credit_wait_share(run, row), row) for row in on_links(run)]
    rows = [(together, row) for together, row in rows if together >= STARVED]
    if not rows:
        return None
    rows.sort(key=lambda pair: -pair[0])
    causes = [(row, cause_of_waiting(run, row)) for _, row in rows[:EVIDENCE_SHOWN]]
    own = [row for row, cause in causes if cause.kind == "distance" and cause.port == row["port"]]
    port = own[0] if own else rows[0][1]
    waits = credit_wait_share(run, port)
    evidence = Evidence(
        "ports", {"port": port["port"]}, _pick(port, "tx_utilisation", "tx_credit_wait_ps")
    )
    others = "" if own or len(rows) == 1 else f" (as do {len(rows) - 1} more)"
    return Finding(
        "credit_limited",
        "problem",
        f"The credit of {port['port']} limits the run: it sends"
        f" {show_percent(port['tx_utilisation'])} of the time and waits for BB credit the other"
        f" {show_percent(waits)}{others}",
        "Its fibre is not full, yet there is always a frame to send. What keeps the credit away is"
        " in the finding on credit.",
        waits,
        evidence=(evidence,),
    )


_KINDS = {
    "cpu": "processor",
    "hba": "adapter",
    "bus": "I/O bus",
    "controller": "controller",
    "disk": "disk",
    "media": "storage medium",
}


def _credit_waits(run: Run) -> list[Finding]:
    ports = on_links(run)
    if not ports and run.rows("ports"):
        return []  # credit on loops lives within a circuit
    if not ports:
        return [_not_enough("credit_wait", "waits for credit", "ports")]
    waiting = waiting_for_credit(run)
    if not waiting:
        longest = max(ports, key=lambda row: row["tx_credit_wait_ps"])
        share = credit_wait_share(run, longest)
        title = "No port waited for BB credit" + (
            "" if share == 0 else f" for longer than {show_percent(WAITS)} of the run"
        )
        return [Finding("credit_wait", "good", title, number=share)]
    by_cause: dict[tuple[str, str], list[tuple[Port, Cause]]] = {}
    for port in waiting:
        cause = cause_of_waiting(run, port)
        # Short waits of one kind are told together: a large fabric has hundreds that look alike.
        is_minor = credit_wait_share(run, port) < WAIT_SHARE
        key = (cause.kind, "" if is_minor or cause.kind == "unknown" else cause.port)
        by_cause.setdefault(key, []).append((port, cause))
    return [_credit_finding(run, pairs) for pairs in by_cause.values()]


def _credit_finding(run: Run, pairs: list[tuple[Port, Cause]]) -> Finding:
    worst, cause = pairs[0]
    share = credit_wait_share(run, worst)
    others = len(pairs) - 1
    who = worst["port"] + (f" and {others} more" if others else "")
    because, remedy = _say_cause(run, worst, cause)
    evidence = tuple(
        Evidence(
            "ports",
            {"port": port["port"]},
            _pick(port, "tx_credit_wait_ps", "tx_credit_wait_count", "tx_bb_credit")
            | {"caused_by": why.port, "path": " > ".join(why.path)},
        )
        for port, why in pairs[:EVIDENCE_SHOWN]
    )
    return Finding(
        "credit_wait",
        "problem" if share >= WAIT_SHARE else "notice",
        f"{who} had frames to send and no BB credit for {show_percent(share)} of the run,"
        f" {because}",
        remedy,
        share,
        evidence=evidence,
    )


def _say_cause(run: Run, worst: Port, cause: Cause) -> tuple[str, str]:
    ends = cause.path if cause.path[-1] == cause.port else (*cause.path, cause.port)
    way = " > ".join(ends) if len(ends) > 2 else ""
    along = f" The way there: {way}." if way else ""
    if cause.kind == "slow":
        return (
            f"because {cause.port} empties its buffers slowly",
            "Mend or rate-limit that device: adding credit or links only moves the queue." + along,
        )
    if cause.kind == "saturated":
        return (
            f"because {cause.port} downstream is saturated",
            "More bandwidth there, or less load through it, ends the waiting." + along,
        )
    if cause.kind == "distance":
        port = next(row for row in run.rows("ports") if row["port"] == cause.port)
        needed = credits_to_fill(run, port)
        return (
            (
                f"because {cause.port} has {port['tx_bb_credit']} credits and its link needs"
                f" {needed:.0f} to stay full"
            ),
            f"Grant {cause.port} at least {needed:.0f} credits for frames of this size." + along,
        )
    if cause.kind == "queued":
        return _say_queued(run, worst, cause, along)
    receiver = next(row for row in run.rows("ports") if row["port"] == worst["peer"])
    outputs = [row for row in run.rows("ports") if row["node"] == receiver["node"]]
    top = max(outputs, key=lambda row: row["tx_utilisation"])
    return (
        f"because {worst['peer']} returned credit late",
        f"Over the whole run no output downstream is saturated; the busiest of {top['node']} is"
        f" {top['port']} with {show_percent(top['tx_utilisation'])}. Bursts that fill an output for"
        " a short time do this, and so does a load that grew: see the time lines." + along,
    )


def _say_queued(run: Run, worst: Port, cause: Cause, along: str) -> tuple[str, str]:
    output = next(row for row in run.rows("ports") if row["port"] == cause.port)
    others = len(queueing(run, output["node"])) - 1
    more = f" and {others} more outputs of {output['node']}" if others else ""
    while_waiting = busy_while_waiting(run, cause.port, worst["port"])
    busy = f"{cause.port} is busy {show_percent(output['tx_utilisation'])} of the run"
    if while_waiting is not None and while_waiting >= SATURATED:
        meaning = (
            f"{busy}, but {show_percent(while_waiting)} while {worst['port']} waited: it is"
            " saturated for that time. More bandwidth there, or less load through it, ends the"
            " waiting."
        )
    else:
        meaning = (
            f"{busy}, so its rate would do; bursts come faster than it sends, and what has to wait"
            f" keeps the buffers of {output['node']}. More buffers there, a faster link, or smaller"
            " bursts (block size, queue depth, a rate limit) shorten the wait."
        )
    frames = output["tx_queue_mean_frames"]
    return (
        f"because frames queue at {cause.port} ({frames:.1f} on average){more}",
        meaning + along,
    )


def _queue_depth(run: Run) -> list[Finding]:
    rows = [
        row
        for row in run.rows("stages")
        if row["stage"] == "lun_queue" and row["share"] >= WAIT_SHARE
    ]
    if not rows:
        return []
    rows.sort(key=lambda row: -row["share"])
    worst = rows[0]
    return [
        Finding(
            "queue_depth",
            "notice",
            f"{worst['workload']}: {show_percent(worst['share'])} of the {worst['op']} time"
            f" is waiting for the queue depth of the LUN or the adapter{_and_more(rows)}",
            "The host holds these I/Os back. The array does not see them, so its own response time"
            " looks better. A deeper queue helps only while the array is not saturated.",
            worst["share"],
            evidence=tuple(_stage_evidence(row) for row in rows[:EVIDENCE_SHOWN]),
        )
    ]


def _task_set_full(run: Run) -> list[Finding]:
    rows = [row for row in run.rows("workloads") if row["queue_full_count"]]
    if not rows:
        return []
    rows.sort(key=lambda row: -row["queue_full_count"])
    total = sum(row["queue_full_count"] for row in rows)
    return [
        Finding(
            "task_set_full",
            "notice",
            f"{show_count(total)} commands were answered with TASK SET FULL, most of them"
            f" {rows[0]['op']}s of {rows[0]['workload']}",
            "The hosts together open more commands than the array accepts. Lower the queue depth on"
            " the hosts, or spread the load over more LUNs or array ports.",
            float(total),
            evidence=tuple(
                _workload_evidence(row, "queue_full_count", "io_count")
                for row in rows[:EVIDENCE_SHOWN]
            ),
        )
    ]


def _largest_stage(run: Run) -> list[Finding]:
    totals: dict[str, int] = {}
    for row in run.rows("stages"):
        totals[row["stage"]] = totals.get(row["stage"], 0) + row["total_ps"]
    whole = sum(totals.values())
    if not whole:
        return []
    stage = max(totals, key=lambda name: totals[name])
    share = totals[stage] / whole
    return [
        Finding(
            "largest_stage",
            "notice",
            f"The largest part of the response time, {show_percent(share)}, is spent in {stage}",
            f"That is: {STAGES.get(stage, stage)}.",
            share,
            evidence=(Evidence("stages", {"stage": stage}, {"total_ps": totals[stage]}),),
        )
    ]


def _long_tail(run: Run) -> list[Finding]:
    rows = [
        (row["response_p99_ps"] / row["response_p50_ps"], row)
        for row in run.rows("workloads")
        if row["response_p50_ps"] and row["io_count"] >= 1000
    ]
    rows = [(ratio, row) for ratio, row in rows if ratio >= LONG_TAIL]
    if not rows:
        return []
    rows.sort(key=lambda pair: -pair[0])
    ratio, worst = rows[0]
    return [
        Finding(
            "long_tail",
            "notice",
            f"{worst['workload']}: one {worst['op']} in a hundred takes {ratio:.0f} times the"
            f" median or longer ({show_time(worst['response_p99_ps'])}){_and_more(rows)}",
            "The mean hides this. The time lines tell a burst from a queue that is always full.",
            ratio,
            evidence=tuple(
                _workload_evidence(row, "response_p50_ps", "response_p99_ps")
                for _, row in rows[:EVIDENCE_SHOWN]
            ),
        )
    ]


def _uneven_links(run: Run) -> list[Finding]:
    parallel: dict[tuple[str, str], list[Port]] = {}
    nodes = {row["port"]: row["node"] for row in run.rows("ports")}
    for row in run.rows("ports"):
        if row["kind"] == "e_port":
            parallel.setdefault((row["node"], nodes[row["peer"]]), []).append(row)
    uneven = []
    for (here, there), rows in sorted(parallel.items()):
        usual = mean(row["tx_utilisation"] for row in rows)
        top = max(rows, key=lambda row: row["tx_utilisation"])
        if len(rows) > 1 and top["tx_utilisation"] >= max(UNEVEN_FROM, UNEVEN * usual):
            uneven.append((top["tx_utilisation"], usual, top, here, there, rows))
    if not uneven:
        return []
    uneven.sort(key=lambda found: (-found[0], found[3], found[4]))
    most, usual, top, here, there, rows = uneven[0]
    more = f"; so do {len(uneven) - 1} more pairs of switches" if len(uneven) > 1 else ""
    return [
        Finding(
            "uneven_links",
            "notice",
            f"The {len(rows)} links from {here} to {there} share the load unevenly:"
            f" {show_percent(most)} on {top['port']}, {show_percent(usual)} on average{more}",
            "Routing by exchange spreads it most evenly; by source and destination it depends on"
            " who talks to whom.",
            most / usual,
            evidence=tuple(
                Evidence("ports", {"port": row["port"]}, _pick(row, "tx_utilisation"))
                for found in uneven[:EVIDENCE_SHOWN]
                for row in found[5]
            ),
        )
    ]


def _happened(run: Run) -> list[Finding]:
    """Faults and failures of the run, told where they come."""
    found = happenings(run)
    if not found:
        return []
    told = [f"{it.what} at {show_time(it.at_ps)}" for it in found]
    shown = "; ".join(told[:HAPPENINGS_SHOWN])
    more = len(told) - HAPPENINGS_SHOWN
    detail = shown + (f"; and {more} more" if more > 0 else "") + ". The time lines mark each."
    title = f"Faults: {counted(len(told), 'event')} in this run"
    return [Finding("happenings", "notice", title, detail, float(len(told)))]


def _degraded(run: Run) -> list[Finding]:
    """Ports that do not come up, and pairs that are kept apart, with the reason."""
    services = run.plan.get("services") or {}
    end = run.manifest.simulated_ps
    meant = ("online", "no light", "initialising")
    switches = [switch["name"] for switch in run.plan["switches"]]
    ports = [port["name"] for port in run.plan["n_ports"]]
    told = {
        f"{switches[it['switch']]} port {it['port']} is {it['state']}: {it['reason']}"
        for it in services.get("ports", [])
        if it["state"] not in meant and it["at_ps"] <= end
    }
    apart = {
        f"{ports[it['a']]} does not see {ports[it['b']]}: {it['reason']}"
        for it in services.get("apart", [])
        if it["reason"] and it["at_ps"] <= end
    }
    if not told and not apart:
        return []
    shown = [*sorted(told)[:HAPPENINGS_SHOWN], *sorted(apart)[:HAPPENINGS_SHOWN]]
    more = len(told) + len(apart) - len(shown)
    detail = "; ".join(shown) + (f"; and {more} more" if more > 0 else "")
    title = "The fabric came up degraded, or became so"
    where = ". The section on the fabric has all with their times."
    return [Finding("degraded", "problem", title, detail + where, float(len(told) + len(apart)))]


def _warm_up(run: Run) -> list[Finding]:
    if "workload_series" not in run.tables or not run.rows("workloads"):
        return [_not_enough("steady", "whether the warm-up was long enough", "a time line")]
    jobs = run.plan["jobs"]
    begin = max((job["start_ps"] + job["ramp_ps"] for job in jobs), default=0)
    series = over_time(run)
    kept = (series.time_ps > begin) & (series.iops > 0)
    values = series.iops[kept]
    # The last bin may be shorter, and jobs with an end of their own fade out: leave it out.
    values = values[:-1]
    if len(values) < 9:
        return [_not_enough("steady", "whether the warm-up was long enough", "nine bins of time")]
    third = len(values) // 3
    first, last = float(values[:third].mean()), float(values[-third:].mean())
    drift = (last - first) / first
    noise = float(values.std() / values.mean()) / third**0.5
    evidence = Evidence("workload_series", {}, {"first_third_iops": first, "last_third_iops": last})
    grew = "rose" if drift > 0 else "fell"
    by = f"{grew} by {show_percent(abs(drift))}" if abs(drift) >= 0.001 else "did not change"
    said = f"I/Os per second {by} from the first to the last third"
    if abs(drift) <= DRIFT:
        title = f"The run was steady: {said} of the measured time"
        return [Finding("steady", "good", title, number=drift, evidence=(evidence,))]
    if abs(drift) <= 3 * noise:
        title = f"{said} of the measured time, which may be chance"
        detail = "The bins differ as much among themselves. A longer run would tell."
        return [Finding("steady", "notice", title, detail, drift, evidence=(evidence,))]
    title = f"The run was not steady: {said} of the measured time"
    if happenings(run):
        detail = "What went wrong in it is on the time lines; the headline numbers cover all of it."
        return [Finding("steady", "notice", title, detail, drift, evidence=(evidence,))]
    detail = "A longer ramp, or a longer run, gives numbers that describe one state."
    if drift < 0 and any(job["total_bytes"] for job in jobs):
        detail = (
            "Jobs have a size and end one after the other, so what is left has the SAN for itself."
            " The headline numbers cover all of it; compare runs by the time a job takes."
        )
    return [Finding("steady", "problem", title, detail, drift, evidence=(evidence,))]


def _not_enough(kind: str, what: str, missing: str) -> Finding:
    return Finding(kind, "notice", f"Not enough data to say {what}", f"It needs {missing}.")


def _is_closed_loop(run: Run) -> bool:
    return any(job["iodepth"] > 0 and job["interval_ps"] == 0 for job in run.plan["jobs"])


def _and_more(rows: Sequence[object]) -> str:
    others = len(rows) - 1
    return f"; likewise {others} more" if others else ""


def _workload_evidence(row: dict[str, Any], *columns: str) -> Evidence:
    where = {"workload": row["workload"], "op": row["op"]}
    return Evidence("workloads", where, _pick(row, *columns))


def _stage_evidence(row: dict[str, Any]) -> Evidence:
    where = {"workload": row["workload"], "op": row["op"], "stage": row["stage"]}
    return Evidence("stages", where, _pick(row, "mean_ps", "share"))


def _pick(row: dict[str, Any], *columns: str) -> dict[str, float | int | str]:
    return {column: row[column] for column in columns}
