from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sanlab.results.latency import Histogram, merged_histogram, percentile, response_percentiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from sanlab.results.run import Run


def exact(values: list[int]) -> Histogram:
    """A histogram with a bin for each value."""
    lows, counts = np.unique(np.array(values, dtype=np.uint64), return_counts=True)
    return Histogram(lows, lows + np.uint64(1), counts.astype(np.uint64))


@given(
    st.lists(st.integers(0, 10**12), min_size=1, max_size=200),
    st.sampled_from([50.0, 90.0, 99.0, 99.9, 99.99]),
)
def test_a_percentile_is_the_least_value_that_so_many_do_not_exceed(
    values: list[int], percent: float
) -> None:
    found = percentile(exact(values), percent)
    assert found is not None
    assert found in values
    assert sum(value <= found for value in values) >= len(values) * percent / 100 - 1e-6
    assert sum(value < found for value in values) < len(values) * percent / 100 + 1e-6


def test_nothing_has_no_percentile() -> None:
    assert percentile(exact([1]).__class__(*(np.zeros(0, dtype=np.uint64),) * 3), 50) is None


def bins(workload: str, op: str, counts: dict[int, int]) -> list[dict[str, object]]:
    return [
        {"workload": workload, "op": op, "low_ps": low, "high_ps": low + 10, "io_count": count}
        for low, count in counts.items()
    ]


def test_histograms_of_workloads_add_up(make_run: Callable[..., Run]) -> None:
    rows = bins("a", "read", {10: 5, 20: 1}) + bins("b", "write", {20: 2, 40: 1})
    run = make_run({"response_histogram": rows})
    whole = merged_histogram(run)
    assert dict(zip(whole.low_ps.tolist(), whole.count.tolist(), strict=True)) == {
        10: 5,
        20: 3,
        40: 1,
    }
    assert merged_histogram(run, workload="a").total == 6
    assert merged_histogram(run, op="write").total == 3
    assert merged_histogram(run, "a", "write").total == 0


def test_a_tail_that_too_few_tell_is_left_out(make_run: Callable[..., Run]) -> None:
    run = make_run({"response_histogram": bins("a", "read", {10: 150})})
    assert set(response_percentiles(run)) == {50, 90, 95, 99}
