"""The catalog: every entry is whole, sourced, and can be used."""

from __future__ import annotations

import re

import pytest

from sanlab.catalog import KINDS, UnknownEntryError, entries_of, entry, names_of, search
from sanlab.catalog.entries import BusEntry, HbaEntry, SwitchEntry
from sanlab.catalog.load import written
from sanlab.plan.compile import compile_plan
from sanlab.quantities import PS_PER_S, SPEEDS
from sanlab.scenario.fabric import MAX_SWITCH_PORTS
from sanlab.scenario.load import parse_scenario

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
def test_adapters_sit_on_a_known_bus_that_carries_a_port(name: str) -> None:
    item = entry("hbas", name)
    assert isinstance(item, HbaEntry)
    if item.bus is None:
        return
    bus = entry("buses", item.bus)
    assert isinstance(bus, BusEntry)
    burst = bus.burst / (bus.burst * PS_PER_S / bus.rate + bus.store_overhead) * PS_PER_S
    assert burst > SPEEDS[item.speeds[-1]]


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
