"""What went wrong in a run, told in words."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec

from sanlab.plan.compile import compile_plan
from sanlab.results.happenings import happenings
from sanlab.scenario.load import load_scenario

EXAMPLES = Path(__file__).parents[2] / "examples"


def told(
    example: str, end_ps: int = 10**15, **tables: list[dict[str, object]]
) -> list[tuple[int, str]]:
    """Happenings of an example's plan, and of tables given."""
    plan = compile_plan(load_scenario(EXAMPLES / example / "scenario.yaml", {}))
    run = SimpleNamespace(
        plan=msgspec.to_builtins(plan),
        manifest=SimpleNamespace(simulated_ps=end_ps),
        tables=tables,
        rows=lambda name: tables[name],
    )
    return [(happening.at_ps, happening.what) for happening in happenings(cast("Any", run))]


def test_a_dark_enclosure_cuts_both_loops() -> None:
    second = 10**12
    assert told("dark-enclosure") == [
        (second, "stack.a is cut in two: 16 ports go dark"),
        (second, "stack.b is cut in two: 16 ports go dark"),
    ]


def test_a_noisy_disk_stops_a_jbod_and_leaves_an_sbod() -> None:
    found = told("noisy-disk")
    assert found[0] == (10**12, "jbod.a stops until 1.45s")
    assert (10**12, "sbod.disk5.a leaves") in found
    assert (4 * 10**12, "jbod.disk5.b leaves") in found
    assert told("noisy-disk", end_ps=10**12 - 1) == []


def test_a_failed_drive_and_its_rebuild() -> None:
    row = {"drive": "dev1.disk1", "is_begun": 1, "is_done": 0, "first_ps": 40, "last_ps": 0}
    found = told("raid5-rebuild", rebuilds=[row])
    assert found[0] == (40, "rebuild of dev1.disk1 begins")
    assert found[1][1] == "dev1.disk1 of dev1.g1 fails"


def test_a_drive_that_fails_as_a_fault_is_told_like_one_of_its_group(tmp_path: Path) -> None:
    text = (EXAMPLES / "raid5-rebuild" / "scenario.yaml").read_text(encoding="utf-8")
    as_fault = text.replace("        failed_drives: [{drive: 1, at: 20s}]\n", "").replace(
        "measure:",
        "faults: [{kind: drive-failure, array: dev1, group: g1, drive: 1, at: 20s}]\n\nmeasure:",
    )
    (tmp_path / "scenario.yaml").write_text(as_fault, encoding="utf-8")
    expected = [(20 * 10**12, "dev1.disk1 of dev1.g1 fails")]
    assert told("raid5-rebuild") == told(str(tmp_path)) == expected


def test_policies_that_change() -> None:
    pair = "host1.hba0.p0 and dev1.p0"
    assert told("quality-of-service") == [
        (10**11, f"{pair}: limit 4 of 7 slots"),
        (2 * 10**11, f"{pair}: limit lifted"),
    ]
