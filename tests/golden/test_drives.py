"""Two real drives, replayed from their files alone: means and distributions as measured.

The files are those of DiskSim's validation, which are not part of this project:
`$SANLAB_DATA/drives` says where they are. Without them these tests are skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from sanlab.drive.file import load_drive
from sanlab.drive.replay import Result, capacity_of, replay
from sanlab.drive.trace import read_trace

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SANLAB_DATA", ROOT.parent / "shared" / "data")) / "drives"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="no measured drives here")


def result_of(name: str) -> Result:
    drive = load_drive(str(DATA / f"{name}.diskspecs")).plan
    return replay(drive, read_trace(DATA / f"{name}.trace", capacity_of(drive)))


#: The last column is DiskSim's own RMS distance.
@needs_data
@pytest.mark.parametrize(
    ("name", "measured_mean", "rms"), [("atlas10k", 3.893, 0.268), ("hp_c3323a", 15.765, 0.306)]
)
def test_replays_as_measured(name: str, measured_mean: float, rms: float) -> None:
    groups = {group.name: group for group in result_of(name).groups}
    everything = groups["all"]
    assert everything.measured_ms["mean"] == pytest.approx(measured_mean, abs=0.001)
    assert everything.simulated_ms["mean"] == pytest.approx(measured_mean, rel=0.05)
    assert everything.rms_ms is not None
    assert everything.rms_ms <= rms
    far = groups["far random reads"]
    assert far.simulated_ms["mean"] == pytest.approx(far.measured_ms["mean"], rel=0.05)


@needs_data
def test_what_was_measured_does_not_enter(tmp_path: Path) -> None:
    drive = load_drive(str(DATA / "hp_c3323a.diskspecs")).plan
    capacity = capacity_of(drive)
    lines = (DATA / "hp_c3323a.trace").read_text().splitlines()[:500]
    (tmp_path / "as-is").write_text("\n".join(lines))
    forged = [line.split() for line in lines]
    (tmp_path / "forged").write_text(
        "\n".join(f"{c[0]} Miss {c[2]} {c[3]} 1.0 {c[5]}" for c in forged)
    )
    one, other = (
        replay(drive, read_trace(tmp_path / name, capacity)) for name in ("as-is", "forged")
    )
    assert np.array_equal(one.response_ms, other.response_ms)
    assert one.measured_ms is not None
    assert other.measured_ms is not None
    assert not np.array_equal(one.measured_ms, other.measured_ms)


def test_the_parts_of_each_response_sum_to_it() -> None:
    example = ROOT / "examples" / "drive-replay"
    for name in (str(example / "drive.yaml"), "cheetah-15k4", "simsans-disk"):
        drive = load_drive(name).plan
        result = replay(drive, read_trace(example / "trace.txt", capacity_of(drive)))
        assert np.allclose(sum(result.parts_ms.values()), result.response_ms)


def test_a_drive_from_its_data_sheet_has_its_capacity_and_rate() -> None:
    drive = load_drive("cheetah-10k6").plan
    assert capacity_of(drive) == 146_800_000_000 // 512
    assert drive.surfaces == 8
    for zone, rate in ((drive.zones[0], 69e6), (drive.zones[-1], 38e6)):
        turning = drive.surfaces * drive.revolution_ps + (drive.surfaces - 1) * zone.track_skew_ps
        seconds = (turning + zone.cylinder_skew_ps) / 1e12
        held = 512 * drive.surfaces * zone.blocks_per_track
        assert held / seconds == pytest.approx(rate, rel=1e-9)
        assert zone.cylinder_skew_ps >= drive.head_switch_ps + drive.write_settle_ps
