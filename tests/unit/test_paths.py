"""The paths of messages and those of `--set` are one language."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sanlab.errors import ScenarioError
from sanlab.plan.compile import compile_plan
from sanlab.scenario.document import path_text, read_document
from sanlab.scenario.load import check_document, parse_scenario
from sanlab.scenario.overrides import apply_overrides

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.scenario.document import MarkedMap

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*/scenario.yaml"))
MARKER = "marker"
#: Values that hardly any place takes.
WRONG = ("-1", "x", "'5'", "[1]", "{a: 1}", "true", "null", "1e30", "[[x]]", "[{a: b}]", "*")
SHORT = """\
hosts:
  - {name: host1, os: windows-2003, hbas: {model: generic-8g, ports: 2}, multipath: {failback: 1s}}
switches: [{name: sw1}, {name: sw2}]
arrays:
  - name: dev1
    cache: off
    disk: cheetah-10k6
    groups: [{name: g1, raid: {level: 5, drives: 4}, failed_drives: [1]}]
    luns: [{name: lun1, group: g1}]
zoning: {zones: {z1: [host1, dev1]}, sets: {s1: z1}, active: s1}
links:
  - {from: [host1, host1, dev1.p0], to: sw1}
  - {from: sw1, to: sw2, virtual_channels: 4}
workloads:
  - {name: load, hosts: host1, targets: dev1.lun1, access: {size: 4KiB, reads: 50%, random: 50%}}
measure: {duration: 1ms}
"""


def places(
    value: Any,  # noqa: ANN401  any part of a document
    at: tuple[str | int, ...] = (),
) -> Iterator[tuple[str | int, ...]]:
    """Yield the place of every value below the top."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*at, key)
        if isinstance(item, dict | list):
            yield from places(item, (*at, key))


def value_at(node: Any, path: tuple[str | int, ...]) -> object:  # noqa: ANN401
    """Return the value at a place."""
    for step in path:
        node = node[step]
    return node


def document(file: Path) -> MarkedMap:
    """Read an example."""
    return read_document(file.read_text(encoding="utf-8"), str(file))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.parent.name)
def test_every_path_sets_the_value_it_names(file: Path) -> None:
    whole = document(file)
    for path in places(whole):
        changed = copy.deepcopy(whole)
        apply_overrides(changed, {path_text(path): MARKER})
        assert value_at(changed, path) == MARKER
        # What is before it in the file stays, and so does what is behind.
        assert [it for it in places(changed) if it[: len(path)] != path] == [
            it for it in places(whole) if it[: len(path)] != path
        ]


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.parent.name)
def test_the_path_of_every_problem_can_be_set(file: Path) -> None:
    draws = random.Random(file.parent.name)
    whole = document(file)
    everywhere = list(places(whole))
    for path in draws.sample(everywhere, min(20, len(everywhere))):
        changed = copy.deepcopy(whole)
        apply_overrides(changed, {path_text(path): draws.choice(WRONG[:-1])})
        assert_paths_can_be_set(changed)


def assert_paths_can_be_set(changed: MarkedMap) -> None:
    """Check a document; each path that a problem names can be set."""
    try:
        compile_plan(check_document(changed))
    except ScenarioError as error:
        for problem in error.problems:
            if problem.key:
                apply_overrides(copy.deepcopy(changed), {problem.key: MARKER})


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ("hosts[0].hbas[0]", "{ports: x}", "hosts[0].hbas[0].ports"),
        ("hosts[0].hbas[0].model", "x", "hosts[0].hbas[0].model"),
        ("hosts[0].os.max_request", "x", "hosts[0].os.max_request"),
        ("hosts[0].multipath.failback", "[1]", "hosts[0].multipath.failback"),
        ("arrays[0].disk.model", "x", "arrays[0].disk.model"),
        ("arrays[0].cache.size", "x", "arrays[0].cache.size"),
        (
            "arrays[0].groups[0].failed_drives[0].drive",
            "x",
            "arrays[0].groups[0].failed_drives[0].drive",
        ),
        ("zoning[0].zones.z1[1]", "dev9", "zoning[0].zones.z1"),
        ("links[0].from[2]", "dev1.p9", "links[0].from"),
        ("links[1].virtual_channels.shared", "x", "links[1].virtual_channels.shared"),
        ("workloads[0].targets[0]", "dev1.lun9", "workloads[0].targets"),
        ("workloads[0].access[0].size", "x", "workloads[0].access[0].size"),
        ("workloads.0.access.0.size", "x", "workloads[0].access[0].size"),
        ("faults[0].kind", "x", "faults[0].kind"),
    ],
)
def test_paths_lead_below_short_forms(path: str, value: str, key: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        compile_plan(parse_scenario(SHORT, overrides={path: value}))
    assert key in [problem.key for problem in caught.value.problems]


def test_a_short_form_keeps_what_it_says() -> None:
    scenario = parse_scenario(SHORT, overrides={"hosts[0].os.max_request": "128k"})
    assert scenario.hosts[0].os is not None
    assert scenario.hosts[0].os.model == "windows-2003"
    assert compile_plan(scenario).hosts[0].max_request_bytes == 128 * 1024


def test_keys_with_dots_are_in_quotes() -> None:
    text = SHORT.replace("z1: [host1, dev1]", "z1: [host1, dev1], a.b: [host1]")
    with pytest.raises(ScenarioError) as caught:
        compile_plan(parse_scenario(text))
    (problem,) = caught.value.problems
    assert problem.key == "zoning[0].zones['a.b']"
    with pytest.raises(ScenarioError, match="is not a list"):
        parse_scenario(text, overrides={problem.key: "5"})


@pytest.mark.parametrize("key", ["a.b", "it's", "a]b", "[1]", "x[1..2].y", "a b", "''", "=", "["])
def test_any_key_has_a_path(key: str) -> None:
    whole = read_document("zoning: {zones: {z1: [host1]}}", "f.yaml")
    whole["zoning"]["zones"].put(key, "old", whole.mark, whole.mark)
    apply_overrides(whole, {path_text(("zoning", "zones", key)): MARKER})
    assert whole["zoning"]["zones"] == {"z1": ["host1"], key: MARKER}
