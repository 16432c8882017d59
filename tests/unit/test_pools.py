"""Pools of SSDs: what the LUNs of an array share, and how service varies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.plan.compile import compile_plan
from sanlab.plan.schema import FlashMedia, MemoryMedia, RaidMedia, SsdDiskModel
from sanlab.plan.served import served
from sanlab.plan.ssds import amplification

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.plan.schema import ArrayPlan, Plan

TIB = 2**40
SCENARIO = """
title: A pool
hosts: [{{name: host1}}]
arrays:
  - {{name: dev1, {array}, luns: [{luns}]}}
links: [{{from: host1, to: dev1.p0}}]
workloads: [{{name: load, hosts: host1, targets: "dev1.*", rw: randread, bs: 4KiB}}]
measure: {{duration: 5ms}}
"""


def plan_of(folder: Path, array: str, luns: str) -> Plan:
    path = folder / "scenario.yaml"
    path.write_text(SCENARIO.format(array=array, luns=luns), encoding="utf-8")
    return compile_plan(sanlab.load_scenario(path))


def array_of(folder: Path, array: str, luns: str) -> ArrayPlan:
    return plan_of(folder, array, luns).arrays[0]


def test_luns_of_a_generic_array_share_its_ssds(tmp_path: Path) -> None:
    array = array_of(tmp_path, "ports: 1", '{name: "lun[1..3]"}, {name: big, size: 5TiB}')
    assert [disk.name for disk in array.disks[:2]] == ["dev1.ssd0", "dev1.ssd1"]
    assert len(array.disks) == 24
    assert all(isinstance(disk.model, SsdDiskModel) for disk in array.disks)
    assert [lun.bytes for lun in array.luns] == [TIB, TIB, TIB, 5 * TIB]
    media = [lun.media for lun in array.luns]
    starts = [it.start_bytes for it in media if isinstance(it, RaidMedia)]
    row = 24 * 65_536
    rows = -(-TIB // row)
    assert starts == [0, rows * row, 2 * rows * row, 3 * rows * row]
    # The SSDs are as large as the LUNs need.
    assert array.ssds[0].bytes * 24 >= 8 * TIB > (array.ssds[0].bytes - 4 * 65_536) * 24


def test_without_a_pool_each_lun_has_its_own_media(tmp_path: Path) -> None:
    array = array_of(tmp_path, "pool: off", '{name: "lun[1..3]"}')
    assert not array.disks
    assert not array.groups
    assert not array.ssds
    assert all(isinstance(lun.media, MemoryMedia) for lun in array.luns)


def test_a_lun_with_media_of_its_own_is_not_in_the_pool(tmp_path: Path) -> None:
    array = array_of(tmp_path, "ports: 1", "{name: lun1, memory: {service: 1ms}}")
    assert not array.disks
    assert not array.groups
    media = array.luns[0].media
    assert isinstance(media, MemoryMedia)
    assert (media.service_ps, media.variation) == (10**9, 180_000)


def test_groups_and_pools_of_named_ssds(tmp_path: Path) -> None:
    array = array_of(
        tmp_path,
        "groups: [{name: g1, raid: {level: 5, drives: 4}, ssd: flash-tlc, spares: 1},"
        " {name: g2, raid: {level: 1, drives: 2}}],"
        " pool: {raid: {level: 6, drives: 6}, ssd: {model: flash-tlc, size: 10TB}}",
        "{name: lun1, group: g1}, {name: lun2, group: g2}, {name: lun3}",
    )
    assert [group.name for group in array.groups] == ["dev1.g1", "dev1.g2", "dev1.pool"]
    names = [disk.name.removeprefix("dev1.") for disk in array.disks]
    assert names == [f"ssd{n}" for n in range(5)] + ["disk0", "disk1"] + [
        f"ssd{n}" for n in range(5, 11)
    ]
    assert [ssd.bytes for ssd in array.ssds] == [3_840_000_000_000, 10_000_000_000_000]
    assert all(isinstance(ssd.media, FlashMedia) for ssd in array.ssds)
    assert array.luns[0].bytes == 3 * (3_840_000_000_000 // 65_536 * 65_536)


def test_variation_comes_from_the_model_unless_another_way_is_given(tmp_path: Path) -> None:
    ways = {
        "{}": 180_000,
        "{variation: 0%}": 0,
        "{variation: 30%}": 300_000,
        "{distribution: constant}": 0,
        "{distribution: exponential}": 0,
        "{spread: 20%}": 0,
    }
    for memory, variation in ways.items():
        array = array_of(tmp_path, "ports: 1", f"{{name: lun1, memory: {memory}}}")
        media = array.luns[0].media
        assert isinstance(media, MemoryMedia)
        assert media.variation == variation, memory
    flash = array_of(tmp_path, "model: flash-tlc", "{name: lun1}").ssds[0].media
    assert isinstance(flash, FlashMedia)
    assert flash.variation == 180_000


@pytest.mark.parametrize(
    ("spare", "expected"),
    # Xiang and Kurkoski: 2.36 at 0.3. With all of the capacity spare little is moved.
    [(300_000, 2.36), (1_000_000, 1.255)],
)
def test_write_amplification_follows_from_spare_flash(
    tmp_path: Path, spare: int, expected: float
) -> None:
    assert amplification(spare) == pytest.approx(expected, abs=0.005)
    lun = f"{{name: lun1, flash: {{over_provisioning: {spare / 1e4:g}%}}}}"
    media = array_of(tmp_path, "model: flash-tlc", lun).luns[0].media
    assert isinstance(media, FlashMedia)
    assert media.amplification_ppm == pytest.approx(expected * 1e6, rel=0.003)


def test_amplification_is_the_fixed_point_of_greedy_collection() -> None:
    """Of a block that is collected the share u is valid: u = exp(-a (1 - u)), WA = 1 / (1 - u)."""
    for spare in (50_000, 70_000, 280_000):
        a = 1 + spare / 1e6
        valid = 1 - 1 / amplification(spare)
        assert valid == pytest.approx(math.exp(-a * (1 - valid)), rel=1e-9)


def test_a_sentence_says_how_many_devices_serve_what(tmp_path: Path) -> None:
    plan = plan_of(
        tmp_path, "ports: 1", '{name: "lun[1..3]"}, {name: fast, memory: {service: 1us}}'
    )
    assert served(plan, set()) == [
        "dev1.pool: 24 SSDs in RAID 0 serve 3 LUNs",
        "dev1: 1 LUN has media of its own",
    ]
    assert served(plan, {"dev1"}) == []
    found = CliRunner().invoke(app, ["check", str(tmp_path / "scenario.yaml")])
    assert "  dev1.pool: 24 SSDs in RAID 0 serve 3 LUNs\n" in found.output
    assert "24 SSDs" in found.output.splitlines()[0]


def test_more_luns_do_not_make_a_pool_faster(tmp_path: Path) -> None:
    """Two SSDs that serve one request in 100 us each: 20,000 a second, whatever the LUNs."""
    for luns in (1, 8):
        folder = tmp_path / str(luns)
        folder.mkdir()
        ssd = "{memory: {service: 100us, variation: 0%, servers: 1}}"
        array = f"pool: {{raid: {{level: 0, drives: 2}}, ssd: {ssd}}}"
        text = SCENARIO.format(array=array, luns=f'{{name: "lun[1..{luns}]"}}')
        path = folder / "scenario.yaml"
        path.write_text(text, encoding="utf-8")
        depth = {"workloads.load.iodepth": str(64 // luns), "measure.duration": "100ms"}
        run = sanlab.run(path, overrides=depth, folder=folder / "run")
        assert run.summary()["iops"] == pytest.approx(20_000, rel=0.02)
