"""A sweep that was run: its rows, and means with confidence intervals for each setting."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sanlab.stats.interval import Interval, mean_interval
from sanlab.sweeps.options import SweepOptions, takes_fields_of
from sanlab.sweeps.store import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    import pyarrow as pa

    from sanlab.sweeps.tally import Tally

Row = dict[str, Any]
Value = int | float | str
#: Where a value stands among the others of its parameter.
Place = tuple[int, float, str]

#: Columns that a summary gives means of.
METRICS = (
    "iops",
    "throughput_bytes_per_s",
    "response_mean_ps",
    "response_p50_ps",
    "response_p95_ps",
    "response_p99_ps",
    "limiting_utilisation",
)


class Sweep:
    """The folder of a sweep, finished or not.

    Examples
    --------
    >>> sweep = Sweep.open("sweeps/queue-depth-knee")  # doctest: +SKIP
    >>> sweep.parameters  # doctest: +SKIP
    ['workloads.reads.iodepth']
    >>> [row["iops"] for row in sweep.summary()]  # doctest: +SKIP
    """

    def __init__(self, folder: Path, request: dict[str, Any], table: pa.Table) -> None:
        self.folder = folder
        self.request = request
        self._table = table
        #: Outcomes of the points in the call that made this; None for a folder that was opened.
        self.tally: Tally | None = None

    def __repr__(self) -> str:
        return f"Sweep({str(self.folder)!r})"

    @classmethod
    def open(cls, folder: str | Path) -> Sweep:
        """Open the folder of a sweep.

        Raises
        ------
        SanlabError
            It is not a sweep, or it is one of a newer sanlab.
        """
        return cls(Path(folder), *read(Path(folder)))

    @property
    def parameters(self) -> list[str]:
        """Paths that are varied, in the order they were given."""
        return list(self.request["types"])

    def table(self) -> pa.Table:
        """All rows as Arrow columns: one for each point, repeat, phase, workload and operation."""
        return self._table

    def frame(self) -> pd.DataFrame:
        """All rows as a pandas frame; needs pandas (`pip install sanlab[notebook]`)."""
        return self._table.to_pandas()

    @cached_property
    def rows(self) -> list[Row]:
        """All rows as plain data, in the order of the parameters' values."""
        rows: list[Row] = self._table.to_pylist()
        turn = {phase: number for number, phase in enumerate(self.phases)}
        return sorted(
            rows,
            key=lambda row: (
                self.place(row),
                row["repeat"],
                turn.get(row["phase"], -1),
                row["workload"] or "",
                row["op"] or "",
            ),
        )

    @cached_property
    def phases(self) -> list[str]:
        """Phases of the scenario that points have rows of, in the order of time."""
        found = dict.fromkeys(self._table.column("phase").to_pylist())
        return [phase for phase in found if phase is not None]

    @cached_property
    def _orders(self) -> dict[str, dict[Value, Place]]:
        """Places of the values of each parameter."""
        return {
            path: order_of(set(self._table.column(path).to_pylist())) for path in self.parameters
        }

    def place(self, row: Mapping[str, Any]) -> tuple[Place, ...]:
        """Where a setting stands among the others: by magnitude, words in alphabetic order."""
        return tuple(self._orders[path][row[path]] for path in self.parameters)

    def failed(self) -> list[Row]:
        """Points whose run failed, each with its `reason`."""
        return [row for row in self.rows if row["status"] == "failed"]

    def impossible(self) -> list[Row]:
        """Settings that the scenario does not allow, each with its `reason`."""
        return [row for row in self.rows if row["status"] == "impossible"]

    def summary(
        self, workload: str | None = None, op: str | None = None, phase: str | None = None
    ) -> list[Row]:
        """One row for each setting, of all I/Os or of one workload, operation or phase.

        Besides the parameters it has the mean of each metric over the repeats, half the width of
        its 95 % interval as `NAME_half_width` (over repeats; of a single one within the run, where
        its series allows), the number of `repeats`, how many of them `failed`, whether the scenario
        does not allow the setting (`is_impossible`), and the `limiting_element` of the first.
        """
        groups: dict[tuple[Value, ...], list[Row]] = {}
        for row in self.rows:
            flow = (row["workload"], row["op"], row["phase"])
            if row["status"] != "done" or flow == (workload, op, phase):
                groups.setdefault(tuple(row[path] for path in self.parameters), []).append(row)
        return [self._summary_of(rows) for rows in groups.values()]

    def _summary_of(self, rows: list[Row]) -> Row:
        good = [row for row in rows if row["status"] == "done"]
        summary: Row = {path: rows[0][path] for path in self.parameters}
        summary |= {
            "repeats": len(good),
            "failed": sum(row["status"] == "failed" for row in rows),
            "is_impossible": any(row["status"] == "impossible" for row in rows),
        }
        for metric in METRICS:
            interval = _interval(good, metric)
            summary[metric] = interval and interval.mean
            summary[f"{metric}_half_width"] = interval and interval.half_width
        for column in ("limiting_element", "limiting_kind", "warm_up_rule", "is_settled"):
            summary[column] = good[0][column] if good else None
        return summary


def _interval(rows: Sequence[Row], metric: str) -> Interval | None:
    values = [row[metric] for row in rows if row[metric] is not None]
    if not values or len(values) < len(rows):
        return None
    if len(values) == 1:
        return Interval(values[0], rows[0].get(f"{metric}_half_width"), 1)
    return mean_interval(values)


def order_of(values: Iterable[Value]) -> dict[Value, Place]:
    """Place of each value of a parameter: by size if all are of one kind, else by alphabet.

    >>> ordered(["10km", "10m", "50km"]), ordered(["write", "read"])
    (['10m', '10km', '50km'], ['read', 'write'])
    """
    from sanlab.sweeps.syntax import amounts

    listed = list(dict.fromkeys(values))
    sizes = amounts([str(value) for value in listed])
    if sizes is None:
        return {value: (1, 0.0, str(value)) for value in listed}
    return {value: (0, size, "") for value, size in zip(listed, sizes, strict=True)}


def ordered(values: Iterable[Value]) -> list[Value]:
    """Values of a parameter in their order, each once."""
    places = order_of(values)
    return sorted(places, key=places.__getitem__)


def are_sizes(values: Iterable[Value]) -> bool:
    """Whether the values of a parameter are of one kind that has sizes."""
    return all(place[0] == 0 for place in order_of(values).values())


@takes_fields_of(SweepOptions)
def sweep(source: str | Path, options: SweepOptions) -> Sweep:
    """Simulate a scenario many times, with parameters varied, and open the data set.

    Public as `sanlab.sweep(source, parameters, ...)`; `SweepOptions` and `Rules` say what each
    argument means. Points that are there already are not simulated again.

    Examples
    --------
    >>> import sanlab
    >>> sweep = sanlab.sweep(
    ...     "examples/queue-depth-knee/scenario.yaml",
    ...     {"workloads.reads.iodepth": [1, 2, 4, 8, 16]},
    ... )  # doctest: +SKIP
    >>> [row["iops"] for row in sweep.summary()]  # doctest: +SKIP
    """
    from sanlab.sweeps.design import check_list
    from sanlab.sweeps.execute import execute
    from sanlab.sweeps.syntax import parse_parameter

    parameters = [
        parse_parameter(f"{path}={values}") if isinstance(values, str) else check_list(path, values)
        for path, values in (options.parameters or {}).items()
    ]
    folder, tally = execute(Path(source), parameters, options)
    result = Sweep.open(folder)
    result.tally = tally
    return result
