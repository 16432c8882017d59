"""A class of arrays in the catalog beside a published result of a product; nothing is fitted."""

from __future__ import annotations

from pathlib import Path

import pytest

import sanlab

SCENARIO = Path(__file__).parents[1] / "support/spc1-midrange-flash.yaml"
#: NetApp EF560, SPC-1, January 2015, as remembered: I/Os per second, and their mean response.
IOPS, RESPONSE_PS = 245_011, 930_000_000


@pytest.mark.slow
def test_midrange_flash_carries_the_spc1_load_of_its_class(tmp_path: Path) -> None:
    """It takes the published load and answers as soon, but not in less than a quarter of the time.

    The product is at its limit there, and the class at three quarters of the time of its
    processors, so its queues are shorter.
    """
    run = sanlab.run(
        SCENARIO, overrides={"workloads.spc1.spc1.bsus": 4900}, folder=tmp_path / "run"
    )
    rows = run.rows("workloads")
    count = sum(row["io_count"] for row in rows)
    mean = sum(row["io_count"] * row["response_mean_ps"] for row in rows) / count
    assert sum(row["iops"] for row in rows) == pytest.approx(IOPS, rel=0.02)
    assert RESPONSE_PS / 4 <= mean <= RESPONSE_PS
