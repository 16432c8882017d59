"""The load of every link over time: what colours a map at any instant of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from sanlab.simulation.tables import numbers, texts

if TYPE_CHECKING:
    import numpy.typing as npt

    from sanlab.results.record import Record

Metric = Literal["utilisation", "credit_wait", "errors"]

#: What a map can be coloured by: the column of `port_series` with it.
METRICS: dict[Metric, str] = {
    "utilisation": "tx_utilisation",
    "credit_wait": "tx_credit_wait_ps",
    "errors": "tx_dropped_count",
}
#: Most instants; neighbouring bins are put together beyond it.
MAX_INSTANTS = 300


@dataclass(frozen=True, slots=True)
class Colours:
    """Figures of links over time.

    Attributes
    ----------
    at_ps
        Ends of the bins, in ps.
    links
        Index of each link in the plan.
    values
        For each link and bin, of its busier direction: the share of the bin in which it carried
        frames (`utilisation`), the share in which a frame waited for credit (`credit_wait`), or
        frames lost in both directions (`errors`).
    """

    metric: Metric
    at_ps: tuple[int, ...]
    links: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]


def colours_of(run: Record, metric: Metric = "utilisation") -> Colours:
    """Return the figures of all links over time; empty where the run kept no time series."""
    if "port_series" not in run.tables:
        return Colours(metric, (), (), ())
    table = run.table("port_series")
    names = texts(table, "port")
    link_of = {row["port"]: row["link"] for row in run.rows("ports")}
    ports, codes = np.unique(names, return_inverse=True)
    times, bins = np.unique(numbers(table, "time_ps"), return_inverse=True)
    column = numbers(table, METRICS[metric]).astype(float)
    if metric == "credit_wait":
        spans = np.diff(times.astype(float), prepend=0.0)
        column /= np.maximum(spans[bins], 1.0)
    links = sorted(set(link_of.values()))
    row_of = {link: row for row, link in enumerate(links)}
    rows = np.array([row_of[link_of[str(port)]] for port in ports])[codes]
    grid = np.zeros((len(links), len(times)))
    if metric == "errors":
        np.add.at(grid, (rows, bins), column)
    else:
        np.maximum.at(grid, (rows, bins), column)
    grid, ends = _put_together(grid, times, is_sum=metric == "errors")
    values = tuple(tuple(row) for row in np.round(grid, 4).tolist())
    return Colours(metric, tuple(ends.tolist()), tuple(links), values)


def _put_together(
    grid: npt.NDArray[np.float64], times: npt.NDArray[np.uint64], *, is_sum: bool
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint64]]:
    """Put neighbouring bins together until there are few enough: means, or sums."""
    together = -(-len(times) // MAX_INSTANTS)
    if together <= 1:
        return grid, times
    begins = np.arange(0, len(times), together)
    sums = np.add.reduceat(grid, begins, axis=1)
    counts = np.diff(np.append(begins, len(times)))
    ends = times[np.append(begins[1:], len(times)) - 1]
    return (sums if is_sum else sums / counts), ends
