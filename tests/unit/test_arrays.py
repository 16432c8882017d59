"""RAID groups, caches, back ends, masking: what a scenario becomes in the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sanlab
from sanlab.plan.compile import compile_plan
from sanlab.plan.raid import data_units, level_number, survives
from sanlab.plan.schema import (
    FlashMedia,
    HostLimited,
    LunLimited,
    PagesCache,
    RaidMedia,
    RamMedia,
)
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.plan.schema import ArrayPlan, Plan

SCENARIO = """
hosts:
  - {{name: "host[1..2]", hbas: {{speed: 8GFC}}}}
switches:
  - {{name: sw1, speed: 8GFC}}
arrays:
  - name: dev1
    ports: 2
    disk: {{model: generic-10k, size: 2GB}}
    {array}
    luns:
      - {{name: "lun[1..2]", {lun}}}
links:
  - {{from: "host[1..2]", to: sw1}}
  - {{from: dev1, to: sw1}}
  - {{from: dev1, to: sw1}}
workloads:
  - {{name: load, hosts: host1, targets: dev1.lun1, iodepth: 4}}
measure: {{duration: 100ms}}
"""
GROUP = "groups: [{name: g1, raid: {level: 5, drives: 5}, failed_drives: [2], spares: 1, %s}]"


def plan_of(tmp_path: Path, array: str, lun: str) -> Plan:
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO.format(array=array, lun=lun), encoding="utf-8")
    return compile_plan(sanlab.load_scenario(path))


def array_of(tmp_path: Path, array: str, lun: str) -> ArrayPlan:
    return plan_of(tmp_path, array, lun).arrays[0]


def test_luns_share_their_group_in_whole_rows(tmp_path: Path) -> None:
    array = array_of(tmp_path, GROUP % "rebuild: {rate: 20MB/s}", "group: g1")
    (group,) = array.groups
    row = group.unit_bytes * data_units(level_number(group), len(group.disks))
    first, second = array.luns
    assert isinstance(first.media, RaidMedia)
    assert isinstance(second.media, RaidMedia)
    assert first.media.start_bytes == 0
    assert second.media.start_bytes == first.bytes
    assert first.bytes % row == 0
    assert first.bytes + second.bytes <= row * group.rows
    assert first.bytes + second.bytes > row * (group.rows - 2)
    assert [it.spare for it in group.rebuilds] == [5]
    assert len(array.disks) == 6


def failing(text: str) -> Plan:
    return compile_plan(parse_scenario(text))


def test_a_fault_of_a_drive_is_a_failed_drive_of_its_group() -> None:
    """The plan is the same, whichever way it is written."""
    group = "groups: [{name: g1, raid: {level: 6, drives: 6}, spares: 2, rebuild: {}%s}]"
    fault = "  - {kind: drive-failure, array: dev1, group: g1, drive: %d, at: %s}\n"
    in_group = SCENARIO.format(
        array=group % ", failed_drives: [{drive: 4, at: 5ms}, {drive: 0, at: 30ms}]",
        lun="group: g1",
    )
    as_faults = SCENARIO.format(array=group % "", lun="group: g1") + "faults:\n"
    as_faults += fault % (0, "30ms") + fault % (4, "5ms")
    mixed = SCENARIO.format(array=group % ", failed_drives: [{drive: 4, at: 5ms}]", lun="group: g1")
    mixed += "faults:\n" + fault % (0, "30ms")
    plan = failing(in_group)
    assert plan.to_json() == failing(as_faults).to_json() == failing(mixed).to_json()
    (found,) = plan.arrays[0].groups
    assert [(it.slot, it.at_ps) for it in found.failing] == [(4, 5 * 10**9), (0, 30 * 10**9)]
    assert [(it.slot, it.spare) for it in found.rebuilds] == [(4, 6), (0, 7)]


def test_a_drive_of_a_pool_fails() -> None:
    """Pools of disks and of SSDs, of a model, are the group called pool."""
    for model in ("midrange-hybrid", "midrange-flash"):
        text = SCENARIO.format(array=f"model: {model}", lun="size: 10GiB")
        text += "faults: [{kind: drive-failure, array: dev1, group: pool, drive: 1, at: 1ms}]\n"
        (pool,) = failing(text).arrays[0].groups
        assert (pool.name, [it.slot for it in pool.failing]) == ("dev1.pool", [1])


def test_a_fault_is_of_one_of_several_equal_groups() -> None:
    text = SCENARIO.format(
        array='groups: [{name: "g[1..3]", raid: {level: 5, drives: 5}, spares: 1, rebuild: {}}]',
        lun="group: g2",
    )
    text += "faults: [{kind: drive-failure, array: dev1, group: g2, drive: 3, at: 1ms}]\n"
    groups = failing(text).arrays[0].groups
    assert [[it.slot for it in group.failing] for group in groups] == [[], [3], []]
    assert [[it.spare for it in group.rebuilds] for group in groups] == [[], [11], []]


@pytest.mark.parametrize(
    ("cache", "expected"),
    [
        ("{size: 1MiB}", (256, 128, 32, 96)),
        ("{size: 1MiB, page: 16KiB, dirty_limit: 256KiB}", (64, 16, 4, 12)),
        ("{size: 1MiB, low_watermark: 50%, high_watermark: 50%}", (256, 128, 64, 64)),
    ],
)
def test_shares_of_a_cache_become_pages(
    tmp_path: Path, cache: str, expected: tuple[int, ...]
) -> None:
    pages = array_of(tmp_path, f"cache: {cache}", "size: 1GiB").cache
    assert isinstance(pages, PagesCache)
    assert (pages.pages, pages.dirty_pages, pages.low_pages, pages.high_pages) == expected


@pytest.mark.parametrize("kind", ["loop", "switched"])
def test_a_back_end_has_a_port_of_each_disk_on_each_loop(tmp_path: Path, kind: str) -> None:
    plan = plan_of(
        tmp_path, f"{GROUP % 'rebuild: {}'}\n    back_end: {{kind: {kind}, loops: 2}}", "group: g1"
    )
    back_end = plan.arrays[0].back_end
    assert back_end is not None
    assert len(plan.loops) == len(back_end.initiators) == 2
    for number, loop in enumerate(plan.loops):
        ports = [back_end.initiators[number], *(disk[number] for disk in back_end.disks)]
        assert [port.n_port for port in loop.ports] == ports
        assert loop.ports[0].al_pa < min(port.al_pa for port in loop.ports[1:])
    assert plan.n_ports[back_end.disks[3][1]].name == "dev1.disk3.1"


def test_initiators_are_ports_of_hosts(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "processors: 2", "initiators: [host1, host2.hba0.p0]")
    initiators = plan.arrays[0].luns[0].initiators
    assert initiators is not None
    assert [plan.n_ports[it].name for it in initiators] == ["host1.hba0.p0", "host2.hba0.p0"]


@pytest.mark.parametrize(
    ("model", "media"),
    [("ramsan-400", RamMedia), ("flash-mlc", FlashMedia), ("flash-tlc", FlashMedia)],
)
def test_the_catalog_has_solid_state(tmp_path: Path, model: str, media: type) -> None:
    array = array_of(tmp_path, f"model: {model}", "queue_depth: 64")
    holds = array.ssds[0] if array.ssds else array.luns[0]
    assert isinstance(holds.media, media)


def test_a_lun_changes_single_values_of_its_flash(tmp_path: Path) -> None:
    flash = array_of(tmp_path, "model: flash-mlc", "flash: {channels: 2}").luns[0].media
    assert isinstance(flash, FlashMedia)
    assert (flash.channels, flash.dies_per_channel, flash.page_bytes) == (2, 8, 8192)


def test_which_losses_data_survive() -> None:
    assert not survives(0, 4, {0})
    assert survives(1, 3, {0, 1})
    assert not survives(5, 5, {1, 2})
    assert survives(6, 6, {1, 2})
    assert not survives(6, 6, {0, 1, 2})


def test_a_run_reads_from_ram_at_the_rate_of_its_ports(tmp_path: Path) -> None:
    """One host port against one port of the array: two data frames and a response of 4GFC each."""
    path = tmp_path / "scenario.yaml"
    text = SCENARIO.format(array="model: ramsan-400", lun="ports: p0")
    path.write_text(text.replace("iodepth: 4", "rw: randread, bs: 4k, iodepth: 32"), "utf-8")
    run = sanlab.run(path, folder=tmp_path / "run")
    assert run.summary()["iops"] == pytest.approx(425e6 / (2 * 2108 + 84), rel=0.01)


def test_limits_are_of_luns_and_of_hosts(tmp_path: Path) -> None:
    array = array_of(
        tmp_path,
        "host_limits: [{hosts: 'host[1..2]', rate: 100MB/s, burst: 0s}]",
        "size: 1GiB, limit: {iops: 5000}",
    )
    names = [limit.name for limit in array.limits]
    assert names == ["dev1.lun1", "dev1.lun2", "host1 at dev1", "host2 at dev1"]
    of_lun, of_host = array.limits[1], array.limits[3]
    assert of_lun.of == LunLimited(lun=1)
    assert (of_lun.commands_per_s, of_lun.bytes_per_s, of_lun.burst_ps) == (5000, None, 10**11)
    assert isinstance(of_host.of, HostLimited)
    assert len(of_host.of.initiators) == 1
    assert (of_host.commands_per_s, of_host.bytes_per_s, of_host.burst_ps) == (None, 10**8, 0)


def test_destages_have_an_age_if_it_is_given(tmp_path: Path) -> None:
    for keys, age, rest in [("", None, None), (", destage_age: 10s, destage_rest: 2s", 10, 2)]:
        cache = array_of(tmp_path, f"cache: {{size: 1GiB{keys}}}", "size: 1GiB").cache
        assert isinstance(cache, PagesCache)
        times = [time and time // 10**12 for time in (cache.destage_age_ps, cache.destage_rest_ps)]
        assert times == [age, rest]
