"""Service of a drive, unloaded and loaded, and the gain of its queue."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest
from typer.testing import CliRunner

from sanlab.catalog import names_of
from sanlab.cli.main import app
from sanlab.drive.file import load_drive
from sanlab.drive.service import DEPTHS, Service, service_of
from sanlab.errors import ScenarioError

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.plan.schema import SchedulingPlan

#: Exit code of input that is refused.
BAD_INPUT = 2


def exactly(name: str, order: SchedulingPlan) -> Service:
    drive = msgspec.structs.replace(
        load_drive(name).plan, scheduling=order, position_margin_ps=0, ageing_ppm=0
    )
    return service_of(drive, depths=(1, 32))


@pytest.mark.parametrize("name", names_of("disks"))
def test_every_drive_gains_what_real_ones_gain(name: str) -> None:
    found = service_of(load_drive(name).plan, depths=(1, 32))
    assert 1.6 < found.gain(found.depths[-1]) < 2.2
    exact = exactly(name, "sptf")
    assert exact.gain(exact.depths[-1]) > 2.5


@pytest.mark.parametrize("name", ["cheetah-10k6", "savvio-10k1", "nearline-8tb"])
def test_the_parts_make_the_service_and_the_service_the_rate(name: str) -> None:
    drive = load_drive(name).plan
    found = service_of(drive)
    assert [one.depth for one in found.depths] == list(DEPTHS)
    alone, *loaded = found.depths
    assert alone.overhead_ms == pytest.approx(drive.overheads.read_miss_ps[0] / 1e9)
    assert alone.rotation_ms == pytest.approx(drive.revolution_ps / 2e9, rel=0.03)
    for one in found.depths:
        # One drive serves one read at a time, and Little's law gives the response.
        assert one.iops * one.service_ms == pytest.approx(1000, rel=0.01)
        assert one.iops * one.response_ms == pytest.approx(1000 * one.depth, rel=0.02)
    # The overhead of a read that waits runs while others are served.
    assert all(one.overhead_ms < 0.001 for one in loaded)


def test_order_of_arrival_gains_only_the_overhead() -> None:
    found = exactly("cheetah-10k6", "fifo")
    alone, loaded = found.depths
    gone_ms = alone.service_ms - loaded.service_ms
    assert gone_ms == pytest.approx(alone.overhead_ms, abs=0.02 * alone.service_ms)


def test_the_command_shows_and_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(app, ["drive", "cheetah-10k6", "--out", "service"])
    assert shown.exit_code == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert lines[1].startswith("unloaded service ")
    assert [line.split()[0] for line in lines[-6:]] == [str(depth) for depth in DEPTHS]
    document = json.loads(CliRunner().invoke(app, ["drive", "cheetah-10k6", "--json"]).stdout)
    assert [row["depth"] for row in document["depths"]] == list(DEPTHS)
    assert json.loads((tmp_path / "service" / "service.json").read_text()) == document
    table = (tmp_path / "service" / "service.csv").read_text().splitlines()
    assert len(table) == 1 + len(DEPTHS)


def test_keys_of_a_disk_reach_the_drive(tmp_path: Path) -> None:
    file = tmp_path / "drive.yaml"
    file.write_text("{model: generic-10k, order: sstf, position_margin: 1ms, ageing: 0.5%}\n")
    drive = load_drive(str(file)).plan
    values = (drive.scheduling, drive.position_margin_ps, drive.ageing_ppm)
    assert values == ("sstf", 10**9, 5000)


@pytest.mark.parametrize("model", ["model: cheetah-10k6, ", ""])
def test_a_disk_has_a_number_of_zones(model: str, tmp_path: Path) -> None:
    file = tmp_path / "drive.yaml"
    file.write_text(f"{{{model}zones: 8}}\n")
    assert len(load_drive(str(file)).plan.zones) == 8


def test_a_disk_of_the_catalog_has_no_list_of_zones(tmp_path: Path) -> None:
    file = tmp_path / "drive.yaml"
    file.write_text("model: cheetah-10k6\nzones: [{first_cylinder: 0}]\n")
    with pytest.raises(ScenarioError) as refused:
        load_drive(str(file))
    assert [(problem.line, problem.key) for problem in refused.value.problems] == [(2, "zones")]


def test_drives_of_the_catalog_order_commands_alike() -> None:
    plans = [load_drive(name).plan for name in names_of("disks")]
    orders = {(plan.scheduling, plan.position_margin_ps, plan.ageing_ppm) for plan in plans}
    assert orders == {("sptf", 2 * 10**9, 6000)}


def test_a_drive_smaller_than_a_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.yaml").write_text(
        "rpm: 10000\nsurfaces: 1\nseek: {constant: 1ms}\n"
        "zones:\n  - {first_cylinder: 0, last_cylinder: 0, blocks_per_track: 7}\n"
    )
    result = CliRunner().invoke(app, ["drive", "tiny.yaml"])
    assert (result.stdout, result.exit_code) == ("", BAD_INPUT)
    words = "The drive has 7 blocks of 512 bytes, less than one read. Give it 4096 bytes or more."
    assert words in result.stderr
