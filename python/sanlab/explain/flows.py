"""What limits streams of plain frames, which have neither response time nor time line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sanlab.explain.candidates import links, loops, priority, qos, weight
from sanlab.explain.candidates.case import Case
from sanlab.explain.culprits import SPREADING, culprits_of, passes
from sanlab.explain.limit import Limit
from sanlab.explain.met import usual_missing
from sanlab.explain.window import LEAST_BINS, Window, bins, whole
from sanlab.words import show_percent, show_rate

if TYPE_CHECKING:
    from sanlab.explain.candidates import Candidate
    from sanlab.explain.view import Evidences, Row, View

#: Before a sentence about a stream without a rate for which no limit is found.
UNKNOWN: Final = "what limits it is not known: "
#: Bytes of a frame beside its payload: delimiters, header and CRC.
OVERHEAD: Final = 36
PS_PER_S: Final = 1e12


def window_of_flow(evidences: Evidences, stream: dict[str, Any]) -> Window:
    """Return the bins in which the port of a stream sends; the run if that is nearly all of it."""
    run = evidences.run
    source = run.plan["n_ports"][stream["source_n_port"]]["name"]
    ends = bins(run)
    if source not in evidences.port_names or not len(ends):
        return whole(run)
    sent = evidences.ports["tx_bytes"][:, evidences.port_names.index(source)]
    used = np.flatnonzero(sent)
    if len(used) < LEAST_BINS or len(used) > len(ends) - LEAST_BINS:
        return whole(run)
    first, last = int(used[0]), int(used[-1]) + 1
    return Window(int(ends[first - 1]) if first else 0, int(ends[last - 1]), "", first, last)


def limit_of_flow(view: View, stream: dict[str, Any]) -> Limit:
    """Return what limits a stream of plain frames over the whole run.

    Parameters
    ----------
    stream
        Its row of `traffic` in the plan.
    """
    name = stream["name"]
    row = view.evidences.flows[name]
    missing = _missing(view, stream, row)
    if missing is not None and missing <= 0:
        return _without(view, name, "nothing limits it, all frames that it asks for are delivered")
    case = Case(view, name, view.evidences.flow_reach[name], _shares(view, stream, row))
    found = [one for source in (links, loops, priority, qos) for one in source.find(case)]
    best = max(found, key=weight, default=None)
    if best is None:
        sentence = "no port on its way is full, without BB credit or held back by a limit"
        if not row["frames_count"]:
            sentence = "no frame of it arrived"
        is_curve = stream["load"] is not None
        return _without(view, name, f"{'' if is_curve else UNKNOWN}{sentence}")
    return _limited(view, case, best, missing, row)


def _limited(view: View, case: Case, best: Candidate, missing: float | None, row: Row) -> Limit:
    span = max(1, view.window.span_ps) / PS_PER_S
    rate = f"It delivers {show_rate(row['payload_bytes'] / span)} of payload."
    if missing is not None:
        rate = rate[:-1] + f", and {show_percent(missing)} of the frames it asks for are late."
    return Limit(
        case.workload,
        view.window,
        best.kind,
        best.element,
        best.share,
        best.utilisation,
        best.sentence,
        f"{rate} {best.detail}".strip(),
        best.remedy,
        culprits_of(view, case.workload, best),
        best.kind in SPREADING and not passes(case.reach, best),
        best.evidence,
    )


def _without(view: View, name: str, sentence: str) -> Limit:
    return Limit(name, view.window, "offered_load", "", 0.0, None, sentence)


def _missing(view: View, stream: dict[str, Any], row: Row) -> float | None:
    """Share of the frames asked for that did not arrive; at most 0 if no more than usual.

    None for a stream without a rate, which asks for all that it gets, and with a rate over time.
    """
    arrivals, total = stream["arrivals"], stream["frames"]
    end = view.run.manifest.simulated_ps
    if arrivals is None or stream["load"] is not None:
        return None
    asked = (end - stream["start_ps"]) / arrivals["interval_ps"]
    if total is not None:
        asked = min(asked, total)
    under_way = row["end_to_end_mean_ps"] / arrivals["interval_ps"]
    missing = asked - row["frames_count"]
    is_random = arrivals["distribution"] != "constant"
    usual = usual_missing(asked, under_way, is_random=is_random)
    return missing / asked if asked and missing > usual else 0.0


def _shares(view: View, stream: dict[str, Any], row: Row) -> dict[str, float]:
    """Shares of the time from a frame being ready to its arrival."""
    total = row["end_to_end_mean_ps"]
    if not total:
        return {"tx_queue": 1.0}
    link = view.ports.get(view.run.plan["n_ports"][stream["source_n_port"]]["name"])
    rate = view.run.plan["links"][link["link"]]["bytes_per_s"] if link is not None else 0
    wire = min(
        row["network_mean_ps"],
        (stream["payload_bytes"] + OVERHEAD) * PS_PER_S / rate if rate else 0.0,
    )
    return {
        "tx_queue": (total - row["network_mean_ps"]) / total,
        "switch": (row["network_mean_ps"] - wire) / total,
        "wire": wire / total,
    }
