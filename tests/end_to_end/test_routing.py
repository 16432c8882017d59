"""Paths of plain frames between switches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sanlab

if TYPE_CHECKING:
    from pathlib import Path

FRAMES = 400
SAN = """\
hosts: [{name: host1}]
switches: [{name: "sw[1..2]", routing: ROUTING}]
arrays: [{name: dev1, luns: [{name: lun1}]}]
links:
  - {from: host1, to: sw1}
  - {from: dev1.p0, to: sw2}
  - {from: sw1, to: sw2, count: 2}
traffic: [{name: plain, from: host1, to: dev1.p0, frames: 400, saturate: true}]
"""


@pytest.mark.parametrize(
    ("routing", "links_used"),
    [("exchange", 2), ("source-destination", 1), ("destination", 1), ("one-path", 1)],
)
def test_a_plain_frame_is_an_exchange_of_its_own(
    tmp_path: Path, routing: str, links_used: int
) -> None:
    """Only routing by exchange spreads one stream, and it spreads it evenly."""
    path = tmp_path / "scenario.yaml"
    path.write_text(SAN.replace("ROUTING", routing), encoding="utf-8")
    run = sanlab.run(path, folder=tmp_path / "run")
    sent = [row["tx_frames_count"] for row in run.rows("ports") if row["port"].startswith("sw1.e")]
    assert sum(sent) == FRAMES
    used = [count for count in sent if count]
    assert len(used) == links_used
    assert min(used) > FRAMES // links_used * 0.8
