"""Recovery: paths that failed, and frames that were lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.candidates.case import MATTERS, Candidate, port_evidence
from sanlab.words import show_count, show_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case


def _is_cut(case: Case) -> bool:
    """Whether a cable that the workload's frames may take is cut before the end of the window."""
    by_link = {row["link"] for name, row in case.view.ports.items() if name in case.reach.ports}
    links = case.view.run.plan["links"]
    return any(
        outage["from_ps"] < case.view.window.to_ps
        for number in by_link
        for outage in (*links[number]["outages"], *links[number]["member_outages"])
    )


def find(case: Case) -> Iterator[Candidate]:
    """Yield the cause of the time that I/Os spent in recovery."""
    share = case.share("recovery")
    if share < MATTERS:
        return
    down = [
        row
        for row in case.view.run.rows("paths")
        if (row["initiator"], row["target"]) in case.reach.pairs and row["losses_count"]
    ]
    losing = [
        row
        for name in case.reach.ports
        if (row := case.view.ports.get(name)) is not None and row["tx_dropped_count"]
    ]
    if losing and not down and not _is_cut(case):
        top = max(losing, key=lambda row: (row["tx_dropped_count"], row["port"]))
        lost = sum(row["tx_dropped_count"] for row in losing)
        yield Candidate(
            "lost_frames",
            top["port"],
            share,
            None,
            f"lost frames: {show_count(lost)} on its paths, most of them at {top['port']}; their"
            " commands are sent again",
            "a clean cable or another transceiver there",
            evidence=(port_evidence(top, "tx_dropped_count"),),
        )
        return
    path = max(down, key=lambda row: row["lost_ps"])["path"] if down else ""
    yield Candidate(
        "fault",
        path,
        share,
        None,
        f"recovery from a fault{f' of the path {path}' if path else ''}:"
        f" {show_percent(share)} of the response time",
        "another path, or shorter time-outs",
    )
