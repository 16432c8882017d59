"""Counts: `host[1..N]`."""

from __future__ import annotations

import pytest

import sanlab
from sanlab.errors import ScenarioError
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

TEXT = """\
title: N hosts, host[1..N]
counts: {N: 2}
hosts:
  - {name: "host[1..N]", cpu: {cores: 4}}
switches:
  - {name: sw1, ports: 48}
arrays:
  - {name: dev1, luns: [{name: "lun[1..2*N]", size: 1GiB}]}
links:
  - {from: "host[1..N]", to: "sw1.[0..N-1]"}
  - {from: dev1, to: sw1}
zoning:
  zones: {all: ["host[1..N]", dev1]}
  sets: {day: all}
  active: day
workloads:
  - {name: reads, hosts: "host[1..N]", targets: "dev1.lun[1..2*N]", spread: all}
"""


def hosts_and_links(**counts: object) -> tuple[int, int, int, int]:
    plan = compile_plan(parse_scenario(TEXT, overrides=counts))
    return len(plan.hosts), len(plan.links), len(plan.arrays[0].luns), len(plan.jobs)


@pytest.mark.parametrize("number", [1, 2, 8, 20])
def test_everything_that_is_written_with_it_follows(number: int) -> None:
    expected = (number, number + 1, 2 * number, 2 * number * number)
    assert hosts_and_links(N=number) == expected
    assert hosts_and_links(**{"counts.N": str(number)}) == expected


def test_without_an_override_the_file_has_its_own() -> None:
    assert hosts_and_links() == (2, 3, 4, 8)
    assert parse_scenario(TEXT).title == "N hosts, host[1..N]"


def test_a_count_may_be_given_from_outside_alone() -> None:
    text = TEXT.replace("counts: {N: 2}\n", "")
    assert len(parse_scenario(text, overrides={"N": 3}).hosts[0].name) > 0
    assert len(compile_plan(parse_scenario(text, overrides={"N": 3})).hosts) == 3
    with pytest.raises(ScenarioError, match="with 'counts"):
        parse_scenario(text)


def test_members_can_have_values_of_their_own() -> None:
    overrides = {"hosts.host3.cpu.cores": 1, "N": 4, "hosts.host[1..N-2].cpu.cores": 2}
    plan = compile_plan(parse_scenario(TEXT, overrides=overrides))
    assert [host.cores for host in plan.hosts] == [2, 2, 1, 4]


def test_a_value_may_be_written_with_it() -> None:
    scenario = parse_scenario(TEXT, overrides={"workloads.reads.hosts": "host[N]"})
    assert scenario.workloads[0].hosts == ["host[2]"]


@pytest.mark.parametrize("value", [0, -1, 1.5, "x", 10**9, True, "[1, 2]"])
def test_a_wrong_number_is_one_error(value: object) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(TEXT, overrides={"N": value})
    (problem,) = caught.value.problems
    assert problem.key == "counts.N"
    assert problem.file.startswith("--set N=")
    assert "is not a whole number from 1 to 100000" in problem.reason


def test_plain_data_may_have_counts() -> None:
    scenario = sanlab.Scenario.model_validate(
        {
            "counts": {"N": 3},
            "hosts": [{"name": "host[1..N]"}],
            "arrays": [{"name": "dev1", "ports": 3, "luns": [{"name": "lun1", "size": "1GiB"}]}],
            "links": [{"from": "host[1..N]", "to": "dev1.p[0..N-1]"}],
            "workloads": [{"name": "reads", "hosts": "host[1..N]", "targets": "dev1.lun1"}],
        }
    )
    assert len(sanlab.compile_plan(scenario).hosts) == 3
