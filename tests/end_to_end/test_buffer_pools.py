"""Traffic over a distance with buffers that a port borrows from the pool of its chip."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sanlab
from sanlab.plan.buffers import credit_for_distance
from sanlab.plan.compile import compile_plan
from sanlab.scenario.fabric import LongDistance
from sanlab.scenario.load import load_scenario

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.plan.schema import LinkPlan, SwitchPlan

#: SOF, header, CRC and EOF; SOF and header; a primitive: bytes (FC-FS).
FRAME, HEADER, WORD = 36, 28, 4
PAYLOAD = 2112
KM = 50
SCENARIO = """
hosts: [{name: host1}]
switches: [{name: "sw[1..2]", buffer_pool: {frames: 700, ports: 24, reserved: 8}}]
arrays: [{name: dev1, luns: [{name: lun0, size: 1GiB}]}]
links:
  - {from: host1, to: sw1.0, speed: 8GFC}
  - {from: dev1, to: sw2.0, speed: 8GFC}
  - {from: sw1.1, to: sw2.1, speed: 8GFC, length: 50km%s}
traffic: [{name: flow, from: host1, to: dev1, payload: 2112, saturate: true}]
measure: {duration: 100ms}
"""


def cycle_ps(isl: LinkPlan, switch: SwitchPlan) -> float:
    """Time from the first bit of a frame until its buffer at the far switch can be used again.

    Cut-through forwards on the header, and the buffer is free when the last bit has left.
    """
    sending = (PAYLOAD + FRAME) / isl.bytes_per_s * 1e12
    words = (HEADER + WORD) / isl.bytes_per_s * 1e12
    return sending + words + switch.forwarding_ps + 2 * isl.delay_ps


@pytest.mark.parametrize(
    ("key", "borrowed_for_km"),
    [
        ("", None),
        (", long_distance: {distance: 10km}", 10),
        (", long_distance: {distance: 25km}", 25),
    ],
)
def test_throughput_over_a_distance_is_that_of_the_buffers_borrowed(
    tmp_path: Path, key: str, borrowed_for_km: int | None
) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO % key, encoding="utf-8")
    plan = compile_plan(load_scenario(path, {}))
    isl = plan.links[2]
    credit = 8
    if borrowed_for_km is not None:
        distance = LongDistance.model_validate({"distance": f"{borrowed_for_km}km"})
        credit = credit_for_distance(distance, KM * 1_000_000, 5_000_000, "8GFC")
    assert isl.credit_a_to_b == credit
    run = sanlab.run(path, folder=tmp_path / "run")
    row = next(row for row in run.rows("ports") if row["port"] == "sw1.e1")
    cycle = cycle_ps(isl, plan.switches[0])
    expected = credit * PAYLOAD / cycle * 1e12
    assert row["tx_payload_bytes"] / 0.1 == pytest.approx(expected, rel=0.005)
    # All of them are away at once, and the port waits for credit the rest of the time.
    assert row["tx_credit_max_in_use"] == credit
    waits = 1 - credit * (PAYLOAD + FRAME + isl.gap_bytes) / isl.bytes_per_s * 1e12 / cycle
    assert row["tx_credit_wait_ps"] / 1e11 == pytest.approx(waits, abs=0.01)


def test_the_buffers_of_the_whole_distance_fill_the_link(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO % ", long_distance: true", encoding="utf-8")
    run = sanlab.run(path, folder=tmp_path / "run")
    row = next(row for row in run.rows("ports") if row["port"] == "sw1.e1")
    assert row["tx_bb_credit"] == 206
    assert row["tx_utilisation"] > 0.995
    assert row["tx_credit_wait_ps"] == 0
