"""The catalog: every entry is whole, sourced, and can be used."""

from __future__ import annotations

import pytest

from sanlab.catalog import KINDS, UnknownEntryError, entry, names_of
from sanlab.catalog.entries import HbaEntry, SwitchEntry
from sanlab.plan.compile import compile_plan
from sanlab.quantities import SPEEDS
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
        ("switches", "sanbox2-64 shadow-14000 sanbox-5602 silkworm-2400"),
        ("disks", "cheetah-10k6 cheetah-10k7 cheetah-15k4 barracuda-50 ultrastar-146z10"),
        ("arrays", "s2a-8500 gsx-2400 ramsan-400 rf7000 hds-9900v simsans-device"),
    ],
)
def test_the_hardware_of_the_published_studies_is_there(kind: str, names: str) -> None:
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
