"""`--set path=value`."""

from __future__ import annotations

import numpy as np
import pytest

from sanlab.errors import ScenarioError
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario
from sanlab.scenario.overrides import as_texts, parse_assignment

TEXT = """\
hosts:
  - name: host[1..3]
    cpu: {cores: 4}
switches:
  - name: sw1
arrays:
  - name: dev1
    luns:
      - name: lun[1..3]
        mirror: {to: "dev2.lun[1..3]"}
  - name: dev2
    luns:
      - name: lun[1..3]
links:
  - {from: "host[1..3]", to: sw1}
  - {from: [dev1, dev2], to: sw1}
workloads:
  - {name: writers, hosts: host*, targets: dev1.lun*, rw: write}
  - {name: readers, hosts: host*, targets: dev2.lun*}
"""


def cores_with(**overrides: str) -> list[int]:
    """Cores of each host; `__` stands for a dot."""
    changes = {path.replace("__", "."): value for path, value in overrides.items()}
    return [host.cores for host in compile_plan(parse_scenario(TEXT, overrides=changes)).hosts]


def test_one_member_of_a_group() -> None:
    assert cores_with(hosts__host2__cpu__cores="2") == [4, 2, 4]


def test_all_and_some() -> None:
    assert cores_with(**{"hosts.*.cpu.cores": "8"}) == [8, 8, 8]
    assert cores_with(**{"hosts.host[2..3].cpu.cores": "1"}) == [4, 1, 1]
    assert cores_with(**{"hosts[0].cpu.cores": "6"}) == [6, 6, 6]


def test_later_overrides_win() -> None:
    changes = {"hosts.*.cpu.cores": "8", "hosts.host1.cpu.cores": "1"}
    assert cores_with(**changes) == [1, 8, 8]


def test_values_with_units_and_keys_not_in_the_file() -> None:
    changes = {
        "workloads.writers.bs": "64k",
        "links[1].length": "50km",
        "measure.duration": "5ms",
        "hosts.host1.hbas.speed": "16GFC",
        "seed": "9",
    }
    plan = compile_plan(parse_scenario(TEXT, overrides=changes))
    assert {job.block_bytes for job in plan.jobs} == {65_536, 4096}
    assert plan.links[3].delay_ps == 250_000_000
    assert plan.end_ps == 5 * 10**9
    assert plan.seed == 9
    assert [link.speed for link in plan.links[:3]] == ["16GFC", "32GFC", "32GFC"]


def test_a_split_group_keeps_its_mirrors_apart() -> None:
    changes = {"arrays.dev1.luns.lun2.queue_depth": "5"}
    plan = compile_plan(parse_scenario(TEXT, overrides=changes))
    assert [lun.mirror.lun for lun in plan.arrays[0].luns if lun.mirror] == [0, 1, 2]
    assert [lun.queue_depth for lun in plan.arrays[0].luns] == [2048, 5, 2048]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("host.host1.cpu.cores", "Did you mean 'hosts'?"),
        ("hosts.host1.cpu.core", "Did you mean 'cores'?"),
        ("hosts.hots1.cpu.cores", "Did you mean 'host1'?"),
        ("links[7].length", "It has 2 items"),
        ("traffic.noise.rate", "not written in the file"),
        ("hosts..cpu", "empty step"),
        ("seed.more", "single value without keys"),
        ("measure.duration.more", "single value without keys"),
    ],
)
def test_wrong_paths(path: str, words: str) -> None:
    with pytest.raises(ScenarioError, match=words) as caught:
        parse_scenario(TEXT, "f.yaml", {path: "1"})
    assert str(caught.value).startswith(f"--set {path}=1: ")


def test_a_wrong_value_points_at_the_override() -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(TEXT, "f.yaml", {"workloads.writers.bs": "4KB"})
    (problem,) = caught.value.problems
    assert problem.file == "--set workloads.writers.bs=4KB"
    assert problem.line is None
    assert problem.key == "workloads[0].bs"


def test_assignments() -> None:
    assert parse_assignment("a.b = 3") == ("a.b", "3")
    assert parse_assignment("a=b=c") == ("a", "b=c")
    with pytest.raises(ScenarioError, match="has no '='"):
        parse_assignment("a.b")


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("workloads.0.iodepth", 64, "64"),
        ("workloads.writers.iodepth", np.int64(64), "64"),
        ("hosts.host1.hbas.loop_only", True, "true"),
        ("arrays.dev1.luns.lun1.initiators", ["host1", "host2"], '["host1", "host2"]'),
        ("links[1].from", ("dev1", "dev2"), '["dev1", "dev2"]'),
        ("faults", [{"kind": "bit-errors", "between": ["host1", "sw1"], "ber": 1e-9}], None),
        ("measure", {"duration": "5ms"}, '{"duration": "5ms"}'),
        ("hosts.host1.cpu.cores", np.array(2), "2"),
        ("title", "64k", "64k"),
        ("workloads.writers.io_size", None, "null"),
    ],
)
def test_values_of_python(path: str, value: object, text: str | None) -> None:
    scenario = parse_scenario(TEXT, overrides={path: value})
    assert text in {None, as_texts({path: value})[path]}
    assert scenario == parse_scenario(TEXT, overrides=as_texts({path: value}))


@pytest.mark.parametrize("value", [object(), {1, 2}, float("nan"), float("inf"), b"5", 1j, len])
def test_values_that_no_scenario_has(value: object) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(TEXT, overrides={"workloads.writers.iodepth": value})
    assert str(caught.value).startswith("--set workloads.writers.iodepth: A value of type '")
    assert "\n" not in str(caught.value)


def test_a_list_that_holds_itself() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(ScenarioError, match="A value of type 'list' cannot be in a scenario"):
        parse_scenario(TEXT, overrides={"hosts": endless})


def test_overrides_that_are_no_mapping() -> None:
    for wrong in (["a=1"], {1: 2}):
        with pytest.raises(ScenarioError, match=r"Overrides are paths|is not text"):
            as_texts(wrong)  # type: ignore[arg-type]
