"""Frames of a higher priority that go first at an output that the workload shares with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.explain.candidates.case import Candidate, port_evidence
from sanlab.explain.candidates.links import WAITS_FOR_LINK, own_share
from sanlab.explain.credit import is_full
from sanlab.explain.evidence import Evidence
from sanlab.scenario.qos import PRIORITIES, SHARED_CLASS
from sanlab.words import show_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case
    from sanlab.explain.reach import Reach
    from sanlab.explain.view import Row


def find(case: Case) -> Iterator[Candidate]:
    """Yield the full output at which others with a higher priority send more than the workload."""
    policies = _policies(case)
    if not policies:
        return
    found = [
        (row, before)
        for name in case.reach.ports
        if (row := case.view.ports.get(name)) is not None
        and is_full(row)
        and (before := _before(case, row, policies))
    ]
    if not found:
        return
    top, before = max(found, key=lambda one: (one[0]["tx_utilisation"], one[0]["port"]))
    own = PRIORITIES[_class(case.reach, top, policies)]
    ranks = sorted({rank for rank, _ in before.values()})
    above = " and ".join(PRIORITIES[rank] for rank in ranks)
    culprits = sorted(before, key=lambda name: (-before[name][1], name))
    busy = show_percent(top["tx_utilisation"])
    yield Candidate(
        "priority",
        top["port"],
        case.share(*WAITS_FOR_LINK) + case.share("wire") * own_share(case, top),
        top["tx_utilisation"],
        f"the priority of others at {top['port']}, busy {busy} of the time: their frames have"
        f" {above} priority, its own {own}",
        "the same priority for all, or more bandwidth there",
        evidence=(
            port_evidence(top, "tx_utilisation", "tx_queue_mean_frames"),
            Evidence(
                "pairs", {"port": top["port"]}, {name: before[name][1] for name in culprits[:4]}
            ),
        ),
        culprits=tuple(culprits),
    )


def _policies(case: Case) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Priorities in force at the end of the window by pair of N_Ports, in the order of time."""
    plan = case.view.run.plan
    names = case.view.evidences.n_ports
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for change in plan["qos"]:
        policy = change["policy"]
        if policy["kind"] == "priority" and change["at_ps"] < case.view.window.to_ps:
            pair = names[policy["source"]], names[policy["destination"]]
            switch = policy["switch"]
            name = None if switch is None else plan["switches"][switch]["name"]
            found.setdefault(pair, []).append({"class": policy["class_id"], "switch": name})
    return found


def _before(
    case: Case, port: Row, policies: dict[tuple[str, str], list[dict[str, Any]]]
) -> dict[str, tuple[int, int]]:
    """Workloads that go first at a port and send more by it: their class and their bytes."""
    view = case.view
    switches = view.run.plan["switches"]
    switch = next((one for one in switches if one["name"] == port["node"]), None)
    if switch is None or switch["classes"] is None:
        return {}
    classes = switch["classes"]["classes"]
    own = _class(case.reach, port, policies)
    sent = view.flow(case.workload, _op(case.reach, port)).bytes
    found = {}
    for name, reach in (view.evidences.flow_reach | view.evidences.reach).items():
        if name == case.workload or port["port"] not in reach.ports:
            continue
        rank = _class(reach, port, policies)
        others = view.flow(name, _op(reach, port)).bytes
        if others > sent and _goes_first(classes[rank], classes[own]):
            found[name] = rank, others
    return found


def _goes_first(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if one["level"] != other["level"]:
        return bool(one["level"] < other["level"])
    return bool(one["weight"] > other["weight"])


def _op(reach: Reach, port: Row) -> str:
    return "write" if port["port"] in reach.toward_targets else "read"


def _class(reach: Reach, port: Row, policies: dict[tuple[str, str], list[dict[str, Any]]]) -> int:
    """The highest class of the pairs of a workload at a port."""
    from_host = port["port"] in reach.toward_targets
    starts = reach.initiators if from_host else reach.targets
    found = []
    for pair in reach.pairs:
        if pair[0] in starts:
            own = [
                one["class"]
                for one in policies.get(pair, ())
                if one["switch"] in (None, port["node"])
            ]
            found.append(own[-1] if own else SHARED_CLASS)
    return min(found, default=SHARED_CLASS)
