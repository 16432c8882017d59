"""Parts of one run side by side: before, during and after a fault or a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sanlab.compare.figures import Figure
from sanlab.errors import SanlabError
from sanlab.explain.explanation import limit_of
from sanlab.explain.view import Evidences
from sanlab.explain.window import changes, cut_at
from sanlab.results.steady import LEAST_BINS
from sanlab.results.throughput import over_time
from sanlab.stats.interval import batch_means
from sanlab.words import show_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanlab.explain.window import Window
    from sanlab.results.record import Record
    from sanlab.results.throughput import Series

#: Figures of a part, in their order.
PART_METRICS = ("throughput", "iops", "mean", "worst", "errors")


@dataclass(frozen=True)
class Part:
    """One workload in one part of a run.

    Attributes
    ----------
    figures
        By metric, with intervals where there are 20 bins or more; no `mean` and `worst` without
        I/O.
    limit
        What limits the workload there, in words; empty where it asks for nothing.
    """

    window: Window
    figures: dict[str, Figure]
    limit: str


@dataclass(frozen=True)
class PartsOfWorkload:
    """One workload in all parts, in the order of time."""

    workload: str
    parts: list[Part]


def parts(run: Record, cuts: Sequence[int] = ()) -> list[PartsOfWorkload]:
    """Return the figures of each workload in each part of a run.

    Parameters
    ----------
    cuts
        Simulated time at which parts begin, in picoseconds. Without them parts begin with faults
        and their ends, jobs, phases and full caches.

    Raises
    ------
    SanlabError
        Nothing changes in the run, or it is too short to be cut there.
    """
    instants = [(at, f"from {show_time(at)}") for at in cuts] or changes(run)
    windows = cut_at(run, instants)
    if len(windows) < 2:
        reason = "nothing changes in this run; say where parts begin, --at 10s"
        if cuts:
            reason = "the run has fewer than three bins before or after that time"
        raise SanlabError(reason)
    evidences = Evidences(run)
    names = [row["name"] for row in run.plan["workloads"] if row["file_system"] is None]
    found = []
    for name in names:
        series = over_time(run, name)
        own = []
        for window in windows:
            limit = limit_of(evidences.view(window), name)
            own.append(
                Part(
                    window,
                    figures_in(series, slice(window.first, window.last)),
                    limit.sentence if limit else "",
                )
            )
        found.append(PartsOfWorkload(name, own))
    return found


def figures_in(series: Series, keep: slice) -> dict[str, Figure]:
    """Return the figures of some bins, with intervals where there are 20 of them or more."""
    spans = np.diff(series.time_ps, prepend=0)[keep] / 1e12
    counts = series.iops[keep] * spans
    seconds = float(spans.sum())
    is_long = len(spans) >= LEAST_BINS
    found = {
        "throughput": Figure(
            float((series.bytes_per_s[keep] * spans).sum()) / seconds,
            batch_means(series.bytes_per_s[keep]).half_width if is_long else None,
        ),
        "iops": Figure(
            float(counts.sum()) / seconds,
            batch_means(series.iops[keep]).half_width if is_long else None,
        ),
        "errors": Figure(float(series.error_count[keep].sum()), 0.0),
    }
    if counts.sum():
        means = np.nan_to_num(series.response_mean_ps[keep])
        is_dense = int((counts > 0).sum()) >= LEAST_BINS
        half = batch_means(means, weights=counts).half_width if is_dense else None
        found["mean"] = Figure(float(means @ counts) / float(counts.sum()), half)
        found["worst"] = Figure(float(series.response_max_ps[keep].max()))
    return found
