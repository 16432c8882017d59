"""Recovery: paths that failed, and frames that were lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.candidates.case import MATTERS, Candidate, port_evidence
from sanlab.words import show_count, show_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case
    from sanlab.explain.view import Row


def _is_cut(case: Case) -> bool:
    """Whether a cable that the workload's frames may take is cut before the end of the window."""
    by_link = {row["link"] for name, row in case.view.ports.items() if name in case.reach.ports}
    links = case.view.run.plan["links"]
    return any(
        outage["from_ps"] < case.view.window.to_ps
        for number in by_link
        for outage in (*links[number]["outages"], *links[number]["member_outages"])
    )


def _delayed(case: Case) -> int:
    """I/Os that completed in the window after they had waited during a fault."""
    view, name = case.view, case.workload
    rows = view.evidences.flow_rows.get(name, ())
    if not view.window.is_whole:
        rows = [
            row
            for row in view.evidences.flow_bins[name]
            if view.window.from_ps < row["time_ps"] <= view.window.to_ps
        ]
    return sum(row.get("delayed_count", 0) for row in rows)


def _lost_paths(case: Case) -> list[Row]:
    """Paths of the workload that were lost before the end of the window, longest first."""
    rows = case.view.run.rows("happenings") if "happenings" in case.view.run.tables else []
    lost = {row["place"] for row in rows if row["time_ps"] < case.view.window.to_ps}
    paths = [
        row
        for row in case.view.run.rows("paths")
        if (row["initiator"], row["target"]) in case.reach.pairs
        and row["losses_count"]
        and row["path"] in lost
    ]
    return sorted(paths, key=lambda row: (-row["lost_ps"], row["path"]))


def find(case: Case) -> Iterator[Candidate]:
    """Yield the cause of the time that I/Os spent in recovery, if any did."""
    share, delayed = case.share("recovery"), _delayed(case)
    if share < MATTERS or not delayed:
        return
    count = case.view.flow(case.workload).io_count
    cost = (
        f"{show_percent(share)} of the response time, in {show_count(delayed)} of"
        f" {show_count(count)} I/Os"
    )
    down = _lost_paths(case)
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
            f" commands are sent again, {cost}",
            "a clean cable or another transceiver there",
            evidence=(port_evidence(top, "tx_dropped_count"),),
        )
        return
    path = down[0]["path"] if down else ""
    yield Candidate(
        "fault",
        path,
        share,
        None,
        f"recovery from a fault{f' of the path {path}' if path else ''}: {cost}",
        "another path, or shorter time-outs",
    )
