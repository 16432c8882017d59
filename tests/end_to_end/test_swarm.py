"""Whatever is asked of a small SAN, the run keeps its laws and the report can be written."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from properties import examples

import sanlab
from sanlab.explain.findings import find
from sanlab.report.build import render

TWO_SWITCHES = (
    Path(__file__).parents[2] / "python" / "sanlab" / "cli" / "templates" / "two-switches.yaml"
)

ASKED = st.fixed_dictionaries(
    {
        "seed": st.integers(1, 2**32).map(str),
        "links[1].count": st.integers(1, 6).map(str),
        "links[1].bb_credit": st.integers(1, 64).map(str),
        "links[1].length": st.sampled_from(["1m", "1km", "20km", "100km"]),
        "workloads.scan.bs": st.sampled_from(["512", "4k", "64k", "1M"]),
        "workloads.scan.rw": st.sampled_from(["read", "write", "randrw"]),
        "workloads.scan.iodepth": st.integers(1, 128).map(str),
        "workloads.orders.rate_iops": st.integers(1, 50_000).map(str),
        "measure.duration": st.sampled_from(["1us", "1ms", "5ms"]),
        "measure.interval": st.sampled_from(["100us", "1ms"]),
    }
)


@pytest.mark.slow
@given(ASKED)
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_swarm(asked: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = sanlab.run(TWO_SWITCHES, overrides=asked, folder=Path(folder) / "run")
        assert all(check.is_ok for check in run.manifest.checks)
        for port in run.rows("ports"):
            assert 0 <= port["tx_utilisation"] <= 1
            assert port["tx_credit_max_in_use"] <= port["tx_bb_credit"]
            assert port["tx_credit_wait_ps"] <= run.manifest.simulated_ps
        for row in run.rows("workloads"):
            assert row["response_min_ps"] <= row["response_p50_ps"] <= row["response_max_ps"]
        assert "</html>" in render(run, find(run))
