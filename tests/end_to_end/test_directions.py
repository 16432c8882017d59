"""Reads and writes at once over one port: the two directions of a fibre are independent."""

from __future__ import annotations

import pytest

from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario
from sanlab.simulation.execute import simulate_here

TEXT = """\
title: Both directions at once
hosts: [{name: host1, hbas: {model: generic-4g, lun_queue_depth: 512}}]
switches: [{name: sw1, model: generic-4g}]
arrays:
  - name: dev1
    model: generic-4g
    ports: 1
    luns: [{name: "lun[1..2]", size: 1TiB, memory: {service: 10us, servers: 256}}]
links: [{from: host1, to: sw1}, {from: dev1.p0, to: sw1}]
workloads:
  - {name: reads, hosts: host1, targets: dev1.lun1, rw: read, bs: 256KiB, iodepth: DEPTH,
     ramp_time: 50ms}
  - {name: writes, hosts: host1, targets: dev1.lun2, rw: write, bs: 256KiB, iodepth: DEPTH,
     ramp_time: 50ms}
measure: {duration: 250ms}
"""
#: 4GFC carries 425 MB/s; 2048 bytes of payload take 2108 from frame to frame.
LIMIT_MB_PER_S = 2 * 425 * 2048 / (2048 + 36 + 24)


@pytest.mark.parametrize("depth", [4, 16, 64])
def test_both_directions_are_full_at_every_depth(depth: int) -> None:
    text = TEXT.replace("DEPTH", str(depth))
    outcome = simulate_here(compile_plan(parse_scenario(text)).to_json())
    moved = sum(row["bytes"] for row in outcome.tables["workloads"].to_pylist())
    assert moved / 0.2 / 1e6 == pytest.approx(LIMIT_MB_PER_S, rel=0.01)
