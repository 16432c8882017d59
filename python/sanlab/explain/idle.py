"""Why a workload completes no I/O: no path, a stall, or others that go first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.candidates import Case, links, priority, qos
from sanlab.explain.culprits import culprits_of
from sanlab.explain.limit import Limit
from sanlab.explain.stalls import stalls
from sanlab.explain.window import bins
from sanlab.words import show_count, show_time

if TYPE_CHECKING:
    from sanlab.explain.reach import Reach
    from sanlab.explain.view import View

#: Share of the response time that is most of it.
MOST = 0.5
#: Bins after a stall in which the I/Os complete that it held back.
AFTER_STALL = 3
#: Share of a window without I/O from which the stall is what limits the workload in it.
STALLED = 0.3


def without_io(view: View, workload: str, reach: Reach, errors: int) -> Limit | None:
    """Say why no I/O of a workload completed in a window; None if it has ended."""
    reasons = _apart(view, reach)
    failed = f": {show_count(errors)} I/Os failed, none completed" if errors else ""
    if reasons:
        sentence = f"no path to its LUNs, {reasons[0]}{failed}"
    elif errors:
        sentence = f"no path that works{failed}"
    else:
        return stalled_in(view, workload) or _starved(view, workload, reach)
    return Limit(workload, view.window, "no_path", "", 1.0, None, sentence)


def stalled_in(view: View, workload: str, least: float = STALLED) -> Limit | None:
    """The stall that takes much of a window, if there is one."""
    window = view.window
    inside = [
        (stall.part * (min(stall.to_ps, window.to_ps) - max(stall.from_ps, window.from_ps)), stall)
        for stall in stalls(view.run)
        if stall.workload == workload
    ]
    lost = sum(span for span, _ in inside if span > 0)
    if lost <= 0 or lost < least * window.span_ps:
        return None
    _, longest = max(inside, key=lambda pair: pair[0])
    last = f", after: {longest.event}" if longest.event else ""
    return Limit(
        workload,
        window,
        "stall",
        "",
        lost / window.span_ps,
        None,
        f"a stall, no I/O completed{longest.where} for {show_time(longest.span_ps)} from"
        f" {show_time(longest.from_ps)} on{last}",
        remedy="another path that works, or shorter time-outs",
    )


def held_back(view: View, workload: str, response_ps: float) -> Limit | None:
    """The stall behind which the I/Os of a rate queued up, if that is most of the response time."""
    ends = bins(view.run)
    after = AFTER_STALL * int(ends[0]) if len(ends) else 0
    own = [stall for stall in stalls(view.run) if stall.workload == workload]
    held = sum(
        row["response_sum_ps"]
        for row in view.evidences.flow_bins[workload]
        if any(stall.from_ps < row["time_ps"] <= stall.to_ps + after for stall in own)
    )
    return stalled_in(view, workload, least=0.0) if own and held >= MOST * response_ps else None


def _starved(view: View, workload: str, reach: Reach) -> Limit | None:
    """A workload that completes nothing in all of its time; None in a part of the run."""
    if view.evidences.flow_rows.get(workload) or view.window.first:
        return None
    case = Case(view, workload, reach, {})
    full = [*priority.find(case), *links.find(case), *qos.find(case)]
    one = max(full, key=lambda one: one.utilisation or 0.0, default=None)
    sentence = "no I/O completed, though it asks for them all the time"
    if one is None:
        return Limit(workload, view.window, "stall", "", 1.0, None, sentence)
    return Limit(
        workload,
        view.window,
        one.kind,
        one.element,
        1.0,
        one.utilisation,
        f"{one.sentence}; {sentence}",
        one.detail,
        one.remedy,
        culprits_of(view, workload, one),
        evidence=one.evidence,
    )


def _apart(view: View, reach: Reach) -> list[str]:
    """Why the fabric keeps the ports of a workload apart at the end of a window, and for good."""
    services = view.run.plan["services"] or {"apart": []}
    ports = view.evidences.n_ports
    last: dict[tuple[int, int], tuple[int, str | None]] = {}
    for row in sorted(services["apart"], key=lambda row: row["at_ps"]):
        if (ports[row["a"]], ports[row["b"]]) in reach.pairs:
            last[row["a"], row["b"]] = row["at_ps"], row["reason"]
    return [why for at_ps, why in last.values() if why and at_ps < view.window.to_ps]
