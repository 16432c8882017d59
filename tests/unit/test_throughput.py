from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from sanlab.results.throughput import note_on_open, over_time, totals

if TYPE_CHECKING:
    from collections.abc import Callable

    from sanlab.results.run import Run


def test_totals_weigh_the_mean_by_io(make_run: Callable[..., Run]) -> None:
    columns = ("io_count", "iops", "throughput_bytes_per_s", "response_mean_ps", "bytes")
    rows = [(30, 30.0, 300.0, 1.0, 300), (10, 10.0, 100.0, 5.0, 100)]
    run = make_run({"workloads": [dict(zip(columns, row, strict=True)) for row in rows]})
    total = totals(run)
    assert (total.io_count, total.iops, total.throughput_bytes_per_s) == (40, 40.0, 400.0)
    assert total.response_mean_ps == pytest.approx(2.0)


@pytest.mark.parametrize(("still_open", "notes"), [(0, 0), (8, 0), (9, 1)])
def test_more_than_2_percent_of_open_bytes_are_noted(
    make_run: Callable[..., Run], still_open: int, notes: int
) -> None:
    row = {"io_count": 4, "iops": 4.0, "throughput_bytes_per_s": 4.0, "response_mean_ps": 1.0}
    rows = [row | {"bytes": 100, "open_bytes": still_open}, row | {"bytes": 300, "open_bytes": 0}]
    run = make_run({"workloads": rows})
    assert totals(run).open_share == pytest.approx(still_open / 400)
    assert [note_on_open(totals(run).open_share) is not None].count(True) == notes


def test_no_io_has_no_rate(make_run: Callable[..., Run]) -> None:
    total = totals(make_run({}))
    assert (total.io_count, total.iops, total.response_mean_ps) == (0, None, None)


def test_bins_of_workloads_add_up(make_run: Callable[..., Run]) -> None:
    half = 5 * 10**11

    def row(workload: str, end: int, count: int) -> dict[str, object]:
        return {
            "workload": workload, "op": "read", "time_ps": end, "io_count": count,
            "bytes": count * 512, "response_sum_ps": count * 7, "response_max_ps": 9,
        }  # fmt: skip

    run = make_run(
        {"workload_series": [row("a", half, 10), row("a", 2 * half, 0), row("b", half, 20)]}
    )
    series = over_time(run)
    assert series.time_ps.tolist() == [half, 2 * half]
    assert series.iops.tolist() == [60.0, 0.0]
    assert series.bytes_per_s.tolist() == [60.0 * 512, 0.0]
    assert series.response_mean_ps[0] == 7
    assert np.isnan(series.response_mean_ps[1])
    assert over_time(run, "b").iops.tolist() == [40.0]
