"""The catalog: every entry is whole, sourced, and can be used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import sanlab
from sanlab.catalog import KINDS, UnknownEntryError, entries_of, entry, names_of, search
from sanlab.catalog.entries import ArrayEntry, BusEntry, DiskEntry, HbaEntry, SwitchEntry
from sanlab.catalog.load import written
from sanlab.plan.compile import compile_plan
from sanlab.plan.drives import contradictions, drive_from_sheet
from sanlab.quantities import PS_PER_S, SPEEDS
from sanlab.results.throughput import totals
from sanlab.scenario.fabric import MAX_SWITCH_PORTS
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from pathlib import Path

EVERY = [(kind, name) for kind in KINDS for name in names_of(kind)]


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_entries_say_what_they_are_and_where_from(kind: str, name: str) -> None:
    item = entry(kind, name)
    assert item.about
    assert item.source
    assert set(item.uncertain) <= set(type(item).model_fields)


@pytest.mark.parametrize("kind", ["hbas", "switches", "arrays"])
def test_there_is_a_generic_one_for_every_speed(kind: str) -> None:
    for speed in SPEEDS:
        item = entry(kind, f"generic-{speed.removesuffix('GFC')}g")
        assert speed in item.speeds  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("hbas", "qla2340 qla2342 qla2462 qle2462"),
        ("hbas", "qle2562 qle2672 qle2692 qle2742 qle2772 qle2872"),
        ("hbas", "lpe12002 lpe16002 lpe31002 lpe32002 lpe35002 lpe36002 lpe37102 lpe38102"),
        ("switches", "brocade-300 brocade-5100 brocade-6505 brocade-6510 brocade-6520"),
        ("switches", "brocade-g610 brocade-g620 brocade-g630 brocade-g720 brocade-g730"),
        ("switches", "brocade-dcx brocade-dcx8510-8 brocade-x6-8 brocade-x7-8"),
        ("switches", "mds-9148 mds-9148s mds-9148t mds-9132t mds-9396s mds-9396t mds-9220i"),
        ("switches", "mds-9513 mds-9710-16g mds-9710-32g mds-9710-64g"),
        ("switches", "sanbox2-64 shadow-14000 sanbox-5602 silkworm-2400"),
        ("disks", "cheetah-10k6 cheetah-10k7 cheetah-15k4 barracuda-50 ultrastar-146z10"),
        ("disks", "savvio-10k1 cheetah-15k7 constellation-es-2tb constellation-es3-4tb exos-x16"),
        ("arrays", "nvme-p3700 nvme-p4500 sas-ssd sata-ssd optane-p4800x"),
        ("arrays", "midrange-disk midrange-flash enterprise-disk enterprise-flash"),
        ("arrays", "s2a-8500 gsx-2400 ramsan-400 rf7000 hds-9900v simsans-device"),
    ],
)
def test_the_hardware_people_ask_for_is_there(kind: str, names: str) -> None:
    assert set(names.split()) <= set(names_of(kind))


def test_values_of_the_sources() -> None:
    qla2340 = entry("hbas", "qla2340")
    assert isinstance(qla2340, HbaEntry)
    assert qla2340.submit + qla2340.complete == 28_400_000
    sanbox = entry("switches", "sanbox2-64")
    assert isinstance(sanbox, SwitchEntry)
    assert (sanbox.bb_credit, sanbox.latency) == (12, 400_000)


def test_an_unknown_model_names_the_nearest() -> None:
    with pytest.raises(UnknownEntryError) as caught:
        entry("disks", "cheetah10k6")
    assert "'cheetah-10k6'" in caught.value.remedy


@pytest.mark.parametrize("name", names_of("arrays"))
def test_every_array_works_in_a_scenario(name: str) -> None:
    speed = entry("arrays", name).speeds[-1]  # type: ignore[attr-defined]
    text = f"""
hosts: [{{name: host1, hbas: {{speed: {speed}}}}}]
switches: [{{name: sw1, speed: {speed}}}]
arrays: [{{name: dev1, model: {name}, luns: [{{name: lun1, size: 1GiB}}]}}]
links: [{{from: [host1, dev1], to: sw1}}]
workloads: [{{name: load, hosts: host1, targets: dev1.lun1}}]
"""
    plan = compile_plan(parse_scenario(text))
    assert plan.links[0].speed == speed


#: What a text says about the rate of an adapter, and the ports it says it for.
CLAIM = re.compile(
    r"(?P<number>\d[\d,.]*) (?P<million>million )?(?:commands/s|reads/s|I/Os per second)"
    r"(?:[^.;:]*? on (?P<ports>one|two|four|each|a) ports?\b)?"
)
PORTS = {None: 1, "one": 1, "a": 1, "each": 1, "two": 2, "four": 4}


def claims(text: str) -> list[float]:
    """Rates of one port that a text states, in commands per second."""
    return [
        float(found["number"].replace(",", ""))
        * (1_000_000 if found["million"] else 1)
        / PORTS[found["ports"]]
        for found in CLAIM.finditer(text)
    ]


def test_claims_are_found() -> None:
    assert claims("about 1 million I/Os per second on one port, and") == [1_000_000]
    assert claims("35,180 reads/s of 1 KiB on one port") == [35_180]
    assert claims("1.2 million I/Os per second on two ports") == [600_000]


@pytest.mark.parametrize("name", names_of("hbas"))
def test_the_rate_an_adapter_claims_is_that_of_its_engine(name: str) -> None:
    """1 / (submit + complete) is the rate in the text, and `commands_per_s` if it is given."""
    item = entry("hbas", name)
    assert isinstance(item, HbaEntry)
    time = item.submit + item.complete
    if item.commands_per_s is not None:
        assert PS_PER_S / time == pytest.approx(item.commands_per_s, rel=1e-6)
    for claim in claims(item.source):
        assert PS_PER_S / time == pytest.approx(claim, rel=0.01)


def test_some_adapters_claim_a_rate() -> None:
    """Otherwise the test above would compare nothing."""
    stated = [name for name, item in entries_of("hbas").items() if claims(item.source)]
    assert {"qla2340", "qla2462", "qle2672", "lpe16002", "lpe35002"} <= set(stated)


def test_the_engine_time_is_written_once() -> None:
    for name, item in entries_of("hbas").items():
        assert isinstance(item, HbaEntry)
        given = written("hbas", name)
        assert ("commands_per_s" in given) != ("submit" in given), name
        assert ("submit" in given) == ("complete" in given), name
        assert set(item.computed).isdisjoint(given), name


@pytest.mark.parametrize("name", names_of("hbas"))
def test_the_slot_of_an_adapter_carries_all_its_ports_both_ways(name: str) -> None:
    """So a scenario that names no bus leaves out nothing that would limit it."""
    item = entry("hbas", name)
    assert isinstance(item, HbaEntry)
    if item.bus is None:
        return
    bus = entry("buses", item.bus)
    assert isinstance(bus, BusEntry)
    payload = item.ports * SPEEDS[item.speeds[-1]] * 2048 / 2108
    fetch, store = (
        bus.burst / bus.rate + overhead / PS_PER_S
        for overhead in (bus.fetch_overhead, bus.store_overhead)
    )
    busy = max(fetch, store) if bus.full_duplex else fetch + store
    assert payload * busy / bus.burst < 1


@pytest.mark.parametrize("name", [name for name in names_of("buses") if name.startswith("pcie")])
def test_a_packet_of_pci_express_costs_the_same_bytes_on_any_bus(name: str) -> None:
    bus = entry("buses", name)
    assert isinstance(bus, BusEntry)
    generation, lanes = re.findall(r"\d+", name)
    payload, around = (128, 24) if int(generation) < 3 else (256, 26)
    assert bus.burst == payload
    for overhead in (bus.fetch_overhead, bus.store_overhead):
        assert overhead * bus.rate / PS_PER_S == pytest.approx(around, rel=0.01)
    lane = {
        1: 250e6,
        2: 500e6,
        3: 8e9 / 8 * 128 / 130,
        4: 16e9 / 8 * 128 / 130,
        5: 32e9 / 8 * 128 / 130,
    }
    assert bus.rate == pytest.approx(lane[int(generation)] * int(lanes), rel=0.001)


@pytest.mark.parametrize("name", names_of("switches"))
def test_every_switch_works_in_a_scenario(name: str) -> None:
    item = entry("switches", name)
    assert isinstance(item, SwitchEntry)
    assert item.ports <= MAX_SWITCH_PORTS
    assert item.sold_ports is None or item.sold_ports > item.ports == MAX_SWITCH_PORTS
    speed = item.speeds[-1]
    text = f"""
hosts: [{{name: host1, hbas: {{speed: {speed}}}}}]
switches: [{{name: sw1, model: {name}}}]
arrays: [{{name: dev1, speed: {speed}, luns: [{{name: lun1, size: 1GiB}}]}}]
links: [{{from: [host1, dev1], to: sw1}}]
workloads: [{{name: load, hosts: host1, targets: dev1.lun1}}]
"""
    assert compile_plan(parse_scenario(text)).links[0].speed == speed


def test_switches_of_a_maker_have_what_links_between_them_take() -> None:
    for name, item in entries_of("switches").items():
        assert isinstance(item, SwitchEntry)
        if name.startswith("brocade"):
            assert item.trunk_width == 8
            assert item.virtual_channels is not None
        if name.startswith("mds"):
            assert item.port_channel_width == 16
            assert item.zoning_rules == "qlogic"


def test_a_pool_holds_what_its_ports_grant() -> None:
    values = entry("switches", "brocade-300").model_dump() | {"bb_credit": 40}
    with pytest.raises(ValueError, match="24 ports grant 960 of 676 buffers"):
        SwitchEntry.model_validate(
            {key: values[key] for key in ("about", "source", "ports", "speeds", "forwarding")}
            | {"routing": "exchange", "latency": "1us"}
            | {key: values[key] for key in ("bb_credit", "buffers", "pool_ports")}
        )


def test_a_rate_replaces_the_times_of_the_entry_it_is_like() -> None:
    both = {"commands_per_s": 1000, "submit": "1us", "complete": "1us"}
    values = written("hbas", "qla2340") | both
    with pytest.raises(ValueError, match="'commands_per_s' is given together with"):
        HbaEntry.model_validate(values)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["qle", "16g"], ["qle2672", "qle2670", "qle2692", "qle2690"]),
        (["QLE", "16GFC", "one"], ["qle2670", "qle2690"]),
        (["director", "64gfc", "brocade"], ["brocade-x7-8", "brocade-x7-4"]),
        (["frame buffers", "g610"], ["brocade-g610"]),
        (["no-such-thing"], []),
    ],
)
def test_a_search_finds_entries_with_all_words(words: list[str], found: list[str]) -> None:
    names = [name for of_kind in search(words).values() for name in of_kind]
    assert [name for name in names if not name.startswith("generic")] == found


def test_a_number_is_not_found_at_the_end_of_another() -> None:
    assert "generic-128g" in search(["128gfc"])["hbas"]
    assert "generic-128g" not in search(["8gfc"])["hbas"]


@pytest.mark.parametrize(
    ("kind", "name"), [("hbas", "25gbe"), ("switches", "fcoe"), ("hbas", "iscsi")]
)
def test_another_transport_is_named_as_not_simulated(kind: str, name: str) -> None:
    with pytest.raises(UnknownEntryError) as caught:
        entry(kind, name)
    assert "is not simulated" in caught.value.reason
    assert "Did you mean" not in caught.value.remedy


#: SPC-1 (lpabon/spc1, its eight streams): I/Os on drives in RAID 1+0 for each I/O of a host if no
#: read hits: 29 % random reads, 32 % random writes on two drives, 11 % and 28 % sequential ones of
#: which the cache joins eight to one.
DRIVE_IOS_OF_SPC1 = 0.29 + 2 * 0.32 + (0.11 + 2 * 0.28) / 8
#: I/Os per second a drive adds to an SPC-1 result (Silverton Consulting, January 2012).
SPC1_IOPS_OF_A_DRIVE = 186.18


#: Entries that are one solid-state drive.
DRIVES = ("nvme-p3700", "nvme-p4500", "sas-ssd", "sata-ssd", "optane-p4800x")


def drive_iops(disk: DiskEntry) -> float:
    """Random I/Os per second of a drive with one command at a time."""
    time = disk.overhead + disk.seek_average + 30 * PS_PER_S // disk.rpm
    return PS_PER_S / time


@pytest.mark.parametrize("name", names_of("arrays"))
def test_an_array_reaches_the_benchmarks_of_its_class(name: str) -> None:
    """Bounds are not below a published result, and controllers at most twice above it.

    Compared are bounds in closed form, not runs of the benchmark: controllers for I/Os, ports for
    bytes, drives for both. A class is one that has this product, not a model of it.
    """
    item = entry("arrays", name)
    assert isinstance(item, ArrayEntry)
    results = [result.iops for result in item.benchmarks if result.iops is not None]
    if results:
        keys = ["processors_iops"]
        if name in DRIVES:  # a pool of one SSD is all of it
            keys += ["pool_iops", "pool_read_iops"]
        bound = min(int(item.computed[key]) for key in keys if key in item.computed)
        assert max(results) * 0.99 <= bound <= 2 * max(results)
    for result in item.benchmarks:
        if result.rate is not None:
            assert item.ports * SPEEDS[item.speeds[-1]] >= result.rate
        if result.drives is not None and result.iops is not None and item.media == "raid":
            disk = entry("disks", item.disk)
            assert isinstance(disk, DiskEntry)
            reached = result.drives * drive_iops(disk) / DRIVE_IOS_OF_SPC1
            assert reached == pytest.approx(result.iops, rel=0.3)


@pytest.mark.parametrize("name", ["midrange-disk", "enterprise-disk"])
def test_a_drive_of_a_disk_array_adds_what_it_adds_to_spc1_results(name: str) -> None:
    """Within 30 %: queues that are sorted and reads that hit are not in the closed form."""
    array = entry("arrays", name)
    assert isinstance(array, ArrayEntry)
    disk = entry("disks", array.disk)
    assert isinstance(disk, DiskEntry)
    assert drive_iops(disk) / DRIVE_IOS_OF_SPC1 == pytest.approx(SPC1_IOPS_OF_A_DRIVE, rel=0.3)


@pytest.mark.parametrize(
    ("name", "reads", "writes", "rate", "alone_us"),
    [
        ("nvme-p3700", 450_000, 90_000, 2.8e9, 77.9),
        ("nvme-p4500", 645_000, 62_500, 3.2e9, 115.0),
        ("sas-ssd", 110_000, 40_000, 0.8e9, None),
        ("sata-ssd", 75_000, 36_000, 0.5e9, None),
    ],
)
def test_flash_drives_have_the_rates_of_their_data_sheets(
    name: str, reads: int, writes: int, rate: float, alone_us: float | None
) -> None:
    item = entry("arrays", name)
    assert isinstance(item, ArrayEntry)
    flash = item.flash
    assert flash.channels and flash.channel_rate and flash.dies_per_channel  # noqa: PT018
    bounds = item.computed
    assert min(bounds["processors_iops"], bounds["pool_read_iops"]) == pytest.approx(
        reads, rel=0.03
    )
    assert bounds["pool_write_iops"] == pytest.approx(writes, rel=0.03)
    assert flash.channels * flash.channel_rate == pytest.approx(rate, rel=0.03)
    if alone_us is not None:
        transfer = 4096 * PS_PER_S / flash.channel_rate
        time = item.command_cost + (flash.latency or 0) + (flash.read or 0) + transfer
        assert time / 1e6 == pytest.approx(alone_us, rel=0.01)


def test_optane_takes_the_time_of_its_review() -> None:
    item = entry("arrays", "optane-p4800x")
    assert isinstance(item, ArrayEntry)
    assert item.memory.service is not None
    assert item.command_cost + item.memory.service == 8_900_000


@pytest.mark.parametrize(("name", "bound"), [("nvme-p4500", 645_161), ("optane-p4800x", 571_428)])
def test_the_bound_of_a_drive_is_what_a_run_reaches(tmp_path: Path, name: str, bound: int) -> None:
    """Random reads of 4 KiB from four hosts with deep queues, each on its own port."""
    text = f"""
hosts:
  - name: host[1..4]
    hbas: {{speed: 32GFC, submit: 0, complete: 0}}
    cpu: {{cost_per_io: 0}}
arrays: [{{name: dev1, model: {name}, luns: [{{name: lun1, size: 100GB}}]}}]
links: [{{from: "host[1..4]", to: dev1}}]
workloads:
  - name: load
    hosts: host[1..4]
    targets: dev1.lun1
    rw: randread
    bs: 4KiB
    iodepth: 64
    ramp_time: 1ms
measure: {{duration: 4ms}}
"""
    path = tmp_path / "scenario.yaml"
    path.write_text(text, encoding="utf-8")
    run = sanlab.run(path, folder=tmp_path / "run")
    reached = totals(run).iops
    assert reached is not None
    assert bound * 0.97 < reached < bound * 1.03


@pytest.mark.parametrize("name", names_of("disks"))
def test_every_disk_has_its_capacity_and_rates_as_a_drive(name: str) -> None:
    disk = entry("disks", name)
    assert isinstance(disk, DiskEntry)
    assert contradictions(disk) == []
    drive = drive_from_sheet(name, disk)
    blocks = sum(
        (zone.last_cylinder - zone.first_cylinder + 1) * drive.surfaces * zone.blocks_per_track
        - zone.spares
        for zone in drive.zones
    )
    assert blocks == disk.size // 512
    assert drive.revolution_ps * disk.rpm == pytest.approx(60 * PS_PER_S, rel=1e-6)
    outer = drive.zones[0]
    cylinder = (
        drive.surfaces * drive.revolution_ps
        + (drive.surfaces - 1) * outer.track_skew_ps
        + outer.cylinder_skew_ps
    )
    rate = outer.blocks_per_track * drive.surfaces * 512 * PS_PER_S / cylinder
    assert rate == pytest.approx(disk.outer_rate, rel=1e-3)
