"""Metrics over time: what a bin says agrees with what the whole run says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sanlab.errors import SanlabError
from sanlab.results.run import Run, run
from sanlab.results.series import listed, series

HELLO = Path(__file__).parents[2] / "examples" / "hello-san" / "scenario.yaml"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(
        HELLO,
        folder=tmp_path_factory.mktemp("series") / "run",
        overrides={"measure.duration": "40ms", "measure.interval": "10ms"},
    )


def test_everything_listed_has_values(finished: Run) -> None:
    found = listed(finished)
    assert {"workload", "host", "port", "lun"} <= {kind for kind, _, _ in found}
    for kind, name, metrics in found:
        for metric in metrics:
            one = series(finished, kind, name, metric)
            assert one.at_s.shape == one.values.shape
            assert one.values.size


def test_percentiles_of_bins_are_near_those_of_the_run(finished: Run) -> None:
    (row,) = finished.rows("workloads")
    for percent in (50, 99):
        values = series(finished, "workload", row["workload"], f"p{percent}_{row['op']}").values
        whole = row[f"response_p{percent}_ps"]
        assert np.allclose(values, whole, rtol=0.1), (values / whole).tolist()


def test_metrics_of_an_operation_that_is_not_done_are_left_out(finished: Run) -> None:
    (metrics,) = [names for kind, _, names in listed(finished) if kind == "workload"]
    assert "p99_read" in metrics
    assert "p99_write" not in metrics
    name = finished.rows("workloads")[0]["workload"]
    assert np.isnan(series(finished, "workload", name, "p99_write").values).all()
    with pytest.raises(SanlabError, match="has no metric 'p98_read'"):
        series(finished, "workload", name, "p98_read")


def test_luns_carry_what_workloads_do(finished: Run) -> None:
    names = [name for kind, name, _ in listed(finished) if kind == "lun"]
    total = sum(
        float((one.values * np.diff(one.at_s, prepend=0.0)).sum())
        for one in (series(finished, "lun", name, "throughput") for name in names)
    )
    done = sum(row["bytes"] for row in finished.rows("workloads"))
    assert total == pytest.approx(done, rel=0.01)
    for name in names:
        response = series(finished, "lun", name, "mean").values
        assert (response > 0).all()
