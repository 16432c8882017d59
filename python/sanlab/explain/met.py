"""Whether a workload with a rate gets the I/Os it asks for."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sanlab.explain.asking import Asking
    from sanlab.explain.view import View

#: Share of the I/Os or frames of a rate that may be missing at the end without a limit.
MISSING: Final = 0.02
#: The same in standard deviations of a Poisson stream.
DEVIATIONS: Final = 4.0


def usual_missing(asked: float, under_way: float, *, is_random: bool) -> float:
    """Return how many of the I/Os asked for may be missing without anything being wrong.

    Parameters
    ----------
    under_way
        How many are open at a time, by their mean response time.
    is_random
        Whether they come at random times.
    """
    usual = MISSING * asked + under_way
    return usual + DEVIATIONS * sqrt(max(0.0, asked)) if is_random else usual


def is_met(view: View, workload: str) -> bool:
    """Whether a workload with constant rates completes in a window what it asks for in it.

    False where that is not known: rates that change, traces, and jobs without a rate. If I/Os take
    a good part of the window, a queue may still grow.
    """
    flow = view.flow(workload)
    span_ps = max((_span_ps(view, one) for one in _own(view, workload)), default=0)
    if not span_ps or flow.response_ps > MISSING * span_ps * flow.io_count:
        return False
    if any(_interval_ps(one) is None for one in _own(view, workload)):
        return False
    return not missing(view, workload)


def missing(view: View, workload: str) -> float:
    """Return how many of the I/Os asked for in a window are not done, if more than usual; else 0.

    0 also where it is not known.
    """
    own = _own(view, workload)
    if not own or any(_interval_ps(one) is None for one in own):
        return 0.0
    asked = sum(_span_ps(view, one) / (_interval_ps(one) or 1) for one in own)
    flow = view.flow(workload)
    span_ps = max(_span_ps(view, one) for one in own)
    under_way = flow.response_ps / max(1, span_ps)
    is_random = any(one.job["arrivals"]["distribution"] != "constant" for one in own)
    short = asked - flow.io_count - flow.error_count
    return short if short > usual_missing(asked, under_way, is_random=is_random) else 0.0


def _own(view: View, workload: str) -> list[Asking]:
    return view.evidences.asking.get(workload, [])


def _interval_ps(one: Asking) -> int | None:
    """Mean time between the I/Os of a job; None without a constant rate."""
    arrivals = one.job["arrivals"]
    if arrivals is None or one.job["load"] is not None:
        return None
    interval: int = arrivals["interval_ps"]
    return interval


def _span_ps(view: View, one: Asking) -> int:
    """How long a job asks in a window, without its ramp, whose I/Os the whole run omits."""
    window = view.window
    begin = one.start_ps + (one.job["ramp_ps"] if window.is_whole else 0)
    end = window.to_ps if one.stop_ps is None else min(window.to_ps, one.stop_ps)
    return max(0, end - max(window.from_ps, begin))
