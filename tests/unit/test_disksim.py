"""Drive files of DiskSim: what each value means, on made-up drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app
from sanlab.drive.disksim import LoadedDrive, read_disksim
from sanlab.drive.replay import capacity_of, replay
from sanlab.drive.trace import read_trace

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.plan.schema import DrivePlan

SPECS = """\
disksim_disk SMALL {{
  Model = source small.model,
  Number of buffer segments = 4,
  Segment size (in blks) = 64,
  Enable caching in buffer = 1,
  {disk}
}}
"""
MODEL = """\
dm_disk SMALL_model {{
  Number of data surfaces = 2,
  Number of cylinders = {cylinders},
  Mechanical Model = dm_mech_g1 {{
    Seek type = extracted,
    Full seek curve = small.seek,
    Head switch time = 0.5,
    Add. write settling delay = {settle},
    Rotation speed (in rpms) = 6000
  }},
  Layout Model = dm_layout_g1 {{
    LBN-to-PBN mapping scheme = 0,
    Sparing scheme used = 0,
    Zones = [
      dm_layout_g1_zone {{
        First cylinder number = 0,
        Last cylinder number = 9,
        Blocks per track = 50,
        {zone}
      }},
      dm_layout_g1_zone {{
        First cylinder number = {second},
        Last cylinder number = {last},
        Blocks per track = 40
      }}
    ]
  }}
}}
"""
PARV = """\
disksim_global Global {{ Init Seed = 42 }}
disksim_bus BUS0 {{ type = 1, Arbitration time = 0.01, Read block transfer time = 0.0,
  Write block transfer time = 0.0 }}
disksim_bus BUS1 {{ type = 1, Arbitration time = 0.02, Read block transfer time = {read},
  Write block transfer time = {write} }}
disksim_ctlr CTLR0 {{ type = 1, Scale for delays = 0.0, Bulk sector transfer time = 0.03 }}
source {source}
topology disksim_iodriver driver0 [ disksim_bus bus0 [ disksim_ctlr ctlr0 [] ] ]
"""
SEEK = "Seek distances measured: 3\n0, 0.3\n4, 2.0\n19, 9.0\n"
MS = 10**9


def drive(
    folder: Path, disk: str = "", parv: str | None = None, **values: float | str
) -> LoadedDrive:
    defaults: dict[str, float | str] = {
        "cylinders": 20,
        "settle": 0.5,
        "zone": "Number of spares = 0",
        "second": 10,
        "last": 19,
    }
    values = defaults | values
    (folder / "small.diskspecs").write_text(SPECS.format(disk=disk or "Print stats = 1"))
    (folder / "small.model").write_text(MODEL.format(**values))
    (folder / "small.seek").write_text(str(values.get("seek", SEEK)))
    if parv is not None:
        (folder / parv).write_text(PARV.format(read=0.1, write=0.2, source="small.diskspecs"))
    return read_disksim(folder / "small.diskspecs")


def mean_ms(folder: Path, loaded: LoadedDrive, trace: str) -> float:
    (folder / "trace.txt").write_text(trace)
    commands = read_trace(folder / "trace.txt", capacity_of(loaded.plan))
    return float(replay(loaded.plan, commands).response_ms.mean())


def test_cylinders_between_zones_are_spare(tmp_path: Path) -> None:
    loaded = drive(tmp_path, second=13, last=17)
    assert capacity_of(loaded.plan) == 10 * 2 * 50 + 5 * 2 * 40
    assert [zone.first_cylinder for zone in loaded.plan.zones] == [0, 13]


@pytest.mark.parametrize("cylinders", [18, 25])
def test_another_number_of_cylinders_is_a_note(tmp_path: Path, cylinders: int) -> None:
    notes = drive(tmp_path, cylinders=cylinders).notes
    assert notes[0] == (
        f"The last zone ends on cylinder 19, and 'Number of cylinders' is {cylinders}; "
        "the zones count"
    )


@pytest.mark.parametrize(
    ("level", "read_ahead"),
    [(0, "off"), (1, "track"), (2, "cylinder"), (3, "segment"), (4, "two_tracks")],
)
def test_each_level_of_continuous_read(tmp_path: Path, level: int, read_ahead: str) -> None:
    buffer = drive(tmp_path, f"Buffer continuous read = {level}").plan.buffer
    assert buffer.read_ahead == read_ahead


def test_each_read_ahead_serves_the_reads_it_should(tmp_path: Path) -> None:
    """A read, a long pause, and a read further on: which of them comes from the buffer.

    Tracks have 50 blocks, cylinders 100, segments 64.
    """
    hits = {}
    for level in range(5):
        disk = f"Buffer continuous read = {level}, Bulk sector transfer time = 0.01"
        loaded = drive(tmp_path, disk)
        for first, then in ((0, 40), (0, 55), (80, 105), (30, 120)):
            (tmp_path / "trace.txt").write_text(f"R {first} 8 100ms\nR {then} 8 0\n")
            trace = read_trace(tmp_path / "trace.txt", capacity_of(loaded.plan))
            hits[level, first, then] = bool(replay(loaded.plan, trace).is_hit[1])
    expected = {
        (0, 40): {1, 2, 3, 4},
        (0, 55): {2, 3},
        (80, 105): {3},
        (30, 120): set(),
    }
    found = {case: {level for level in range(5) if hits[level, *case]} for case in expected}
    assert found == expected


@pytest.mark.parametrize("level", [1, 2])
def test_both_fast_write_levels_acknowledge_each_write(tmp_path: Path, level: int) -> None:
    loaded = drive(
        tmp_path,
        f"Fast write level = {level}, Write hit over. after read = 0.5, "
        "Write hit over. after write = 0.5, Bulk sector transfer time = 0.01",
    )
    trace = "W 0 10 100ms\nW 700 10 100ms\nW 300 10 0\n"
    assert mean_ms(tmp_path, loaded, trace) == pytest.approx(0.6)


def test_a_negative_write_settle_shortens_movements(tmp_path: Path) -> None:
    loaded = drive(tmp_path, settle=-0.3)
    assert loaded.plan.write_settle_ps == -3 * MS // 10
    seconds = {}
    for settle in (-0.3, 0.0, 0.3):
        loaded = drive(tmp_path, settle=settle, disk="Bulk sector transfer time = 0.001")
        (tmp_path / "trace.txt").write_text("W 0 1 0\nW 900 1 0\n")
        trace = read_trace(tmp_path / "trace.txt", capacity_of(loaded.plan))
        seconds[settle] = replay(loaded.plan, trace).parts_ms["seek"][1]
    assert seconds[-0.3] == pytest.approx(seconds[0.0] - 0.3)
    assert seconds[0.3] == pytest.approx(seconds[0.0] + 0.3)


@pytest.mark.parametrize("name", ["small.parv", "other.parv"])
def test_the_parv_beside_the_drive_carries_the_bus(tmp_path: Path, name: str) -> None:
    loaded = drive(tmp_path, "Bulk sector transfer time = 0.15", parv=name)
    assert loaded.is_bus_known
    assert loaded.plan.block_transfer_ps == (15 * MS // 100, 20 * MS // 100)
    assert loaded.plan.overheads.request_ps == 3 * MS // 100
    assert loaded.plan.overheads.reselect_ps == 3 * MS // 100
    reads = mean_ms(tmp_path, loaded, "R 0 10 0\n")
    through = read_disksim(tmp_path / "small.diskspecs", block_transfer_ps=0)
    assert through.is_bus_known
    assert mean_ms(tmp_path, through, "R 0 10 0\n") < reads


def test_a_negative_transfer_time_of_the_drive_is_none(tmp_path: Path) -> None:
    """DiskSim takes the slower of bus and drive."""
    loaded = drive(tmp_path, "Bulk sector transfer time = -0.015", parv="drive.parv")
    plain = drive(tmp_path, "Bulk sector transfer time = 0.0", parv="drive.parv")
    assert loaded.plan.block_transfer_ps == plain.plan.block_transfer_ps


def test_the_parv_itself_names_the_drive(tmp_path: Path) -> None:
    drive(tmp_path, parv="small.parv")
    assert read_disksim(tmp_path / "small.parv").plan.block_transfer_ps == (MS // 10, MS // 5)


def test_the_parv_of_another_drive_is_left_alone(tmp_path: Path) -> None:
    loaded = drive(tmp_path)
    (tmp_path / "other.parv").write_text(PARV.format(read=0.1, write=0.2, source="its.diskspecs"))
    assert not read_disksim(tmp_path / "small.diskspecs").is_bus_known
    assert loaded.notes[-1].startswith("No .parv beside small.diskspecs gives the bus, ")


def test_without_a_bus_the_command_says_how_much_depends_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive(tmp_path)
    (tmp_path / "trace.txt").write_text("R 0 10 0\n")
    monkeypatch.chdir(tmp_path)
    run = ["drive", "small.diskspecs", "--trace", "trace.txt"]
    told = CliRunner().invoke(app, run).stderr
    # Ten sectors of 0.2 ms, and the last block; twice the time is longer than a sector.
    assert "the mean is 2.146 ms, 2.000 ms if a block took no time on it, 3.110 ms if" in told
    assert CliRunner().invoke(app, [*run, "--block-transfer", "0.1ms"]).stderr == ""


def test_skews_have_a_sign_and_no_fraction(tmp_path: Path) -> None:
    zone = (
        "Offset of first block = -2.7, Skew for track switch = 3.9, "
        "Skew for cylinder switch = 0.25, Skew units = {}"
    )
    revolution = 10 * MS
    first = drive(tmp_path, zone=zone.format("sectors")).plan.zones[0]
    assert first.first_angle_ps == revolution - 2 * revolution // 50
    assert (first.track_skew_ps, first.cylinder_skew_ps) == (3 * revolution // 50, 0)
    first = drive(tmp_path, zone=zone.format("revolutions")).plan.zones[0]
    assert first.cylinder_skew_ps == revolution // 4


def test_seek_tables_as_disksim_reads_them(tmp_path: Path) -> None:
    """Distance 0 is passed over; a line from zero to the first distance; a cut file is a note."""
    loaded = drive(tmp_path, "Bulk sector transfer time = 0.001")
    (tmp_path / "trace.txt").write_text("R 0 1 0\nR 200 1 0\n")
    trace = read_trace(tmp_path / "trace.txt", capacity_of(loaded.plan))
    assert replay(loaded.plan, trace).parts_ms["seek"][1] == pytest.approx(1.0)
    cut = drive(tmp_path, seek=SEEK.replace("19, 9.0\n", "")).notes
    assert "announces 3 distances and has 2; it may have been cut off" in cut[0]


def test_the_interface_and_the_arm(tmp_path: Path) -> None:
    def read(disk: str) -> DrivePlan:
        return drive(tmp_path, disk).plan

    assert read("").buffer.interface == "released"
    assert read("Hold bus entire read xfer = 1").buffer.interface == "held_in_transfer"
    assert read("Never disconnect = 1").buffer.interface == "held"
    extra = "Extra write disconnect = 1, Extradisc 2nd disconnect overhead = 0.2"
    assert read(extra).overheads.extra_disconnect_ps == [0, 0, 0, 0, MS // 5, 0]
    assert read(f"{extra}, Never disconnect = 1").overheads.extra_disconnect_ps is None
    levels = [read(f"Preseeking level = {level}").buffer.departure for level in range(3)]
    assert levels == ["after_status", "with_status", "after_media"]
    kept = [read(f"Read-ahead over requested = {n}").buffer.requested for n in (0, 1, -1)]
    assert kept == ["kept", "replaced", "dropped"]
    assert read("Immed transfer partial hit = 0").buffer.partial_hits_wait
    scaled = "Time scale for overheads = 2, Minimum seek delay = 1, Write disconnect overhead = 1"
    overheads = read(scaled).overheads
    assert (overheads.least_write_seek_ps, overheads.write_disconnect_ps) == (MS, 2 * MS)


def test_read_ahead_follows_disksim_where_values_contradict_each_other(tmp_path: Path) -> None:
    both = "Minimum read-ahead (blks) = 20, Maximum read-ahead (blks) = 9"
    off = drive(tmp_path, f"Buffer continuous read = 0, {both}").plan.buffer
    assert off.least_read_ahead == 0
    on = drive(tmp_path, f"Buffer continuous read = 3, {both}").plan.buffer
    assert (on.least_read_ahead, on.most_read_ahead) == (20, 20)


def test_what_is_ignored_is_named(tmp_path: Path) -> None:
    notes = drive(tmp_path, "Hold bus entire write xfer = 1").notes
    assert "'Hold bus entire write xfer' is ignored: it matters for writes larger than" in notes[-1]


def test_made_up_drives_replay_with_every_policy(tmp_path: Path) -> None:
    """Parts sum to responses, and Little's law holds, whatever the firmware does."""
    draws = np.random.default_rng(5)
    lines = [
        f"{draws.choice(['R', 'W'])} {draws.integers(0, 1550)} {draws.integers(1, 90)} "
        f"{draws.integers(0, 20_000)}"
        for _ in range(300)
    ]
    (tmp_path / "trace.txt").write_text("\n".join(lines))
    keys = {
        "Buffer continuous read": 5,
        "Fast write level": 3,
        "Preseeking level": 3,
        "Never disconnect": 2,
        "Hold bus entire read xfer": 2,
        "Extra write disconnect": 2,
        "Use separate write segment": 2,
        "Immed transfer partial hit": 2,
        "Read any free blocks": 2,
        "Immediate buffer read": 2,
        "Immediate buffer write": 2,
        "Allow almost read hits": 2,
        "Stop prefetch in sector": 2,
        "Read-ahead on idle hit": 2,
        "Allow read hits on write data": 2,
        "Combine seq writes": 2,
        "Minimum read-ahead (blks)": 30,
        "High (read) water mark": 2,
        "First reselect overhead": 2,
        "Read disconnect afterread": 2,
        "Write disconnect overhead": 2,
        "Minimum seek delay": 3,
    }
    for _ in range(40):
        disk = ", ".join(f"{key} = {draws.integers(0, n)}" for key, n in keys.items())
        loaded = drive(tmp_path, disk, second=12, last=19, settle=-0.4)
        trace = read_trace(tmp_path / "trace.txt", capacity_of(loaded.plan))
        result = replay(loaded.plan, trace)
        assert np.allclose(sum(result.parts_ms.values()), result.response_ms)
        assert result.response_ms.max() < 200
