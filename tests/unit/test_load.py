"""Reading a scenario: shape, groups, positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanlab.errors import ScenarioError
from sanlab.scenario.groups import GroupError, expand, expand_names
from sanlab.scenario.load import load_scenario, parse_scenario

if TYPE_CHECKING:
    from pathlib import Path

SMALL = """\
hosts:
  - name: host1
    cpu:
      cores: 4
      cost_per_io: 20us
arrays:
  - name: dev1
    cache: off
    luns:
      - name: lun1
        size: 10GiB
links:
  - from: host1
    to: [dev1]
    length: 3km
workloads:
  - name: load
    hosts: host1
    targets: dev1.lun1
    rwmixread: 70
    rw: randrw
    random_distribution: zipf:1.2
"""


def problems_of(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, "file.yaml")
    return [(problem.line, problem.key) for problem in caught.value.problems]


def test_values_become_integers() -> None:
    scenario = parse_scenario(SMALL)
    assert scenario.hosts[0].cpu is not None
    assert scenario.hosts[0].cpu.cost_per_io == 20_000_000
    assert scenario.arrays[0].luns[0].size == 10 * 2**30
    assert scenario.links[0].length == 3_000_000
    assert scenario.links[0].from_ == ["host1"]
    assert scenario.workloads[0].read_ppm == 700_000
    assert scenario.workloads[0].random_distribution == 1200


def test_scenarios_do_not_change() -> None:
    scenario = parse_scenario(SMALL)
    with pytest.raises(ValueError, match="frozen"):
        scenario.seed = 3  # type: ignore[misc]


def test_all_problems_come_at_once_in_the_order_of_the_file() -> None:
    text = SMALL.replace("cores: 4", "cores: four").replace("length: 3km", "length: 3")
    text = text.replace("rw: randrw", "rw: sideways")
    assert problems_of(text) == [
        (4, "hosts[0].cpu.cores"),
        (15, "links[0].length"),
        (21, "workloads[0].rw"),
    ]


def test_problem_text_has_place_reason_and_remedy() -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(SMALL.replace("length: 3km", "length: 3"), "file.yaml")
    assert str(caught.value) == (
        "file.yaml:15: links[0].length: '3' does not say which unit of length it is in. "
        "Write '3m' (metres) or '3km' (kilometres)."
    )


def test_a_mapping_where_a_list_of_one_is_meant_keeps_its_line() -> None:
    text = SMALL.replace("    cpu:", "    hbas:\n      speed: 3GFC\n    cpu:")
    assert problems_of(text) == [(4, "hosts[0].hbas[0].speed")]


def test_aliases_are_read_and_bombs_are_not() -> None:
    text = SMALL.replace("size: 10GiB", "size: &size 10GiB") + "    size: *size\n"
    assert parse_scenario(text).workloads[0].size == 10 * 2**30
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in range(1, 9):
        bomb += f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n"
    with pytest.raises(ScenarioError, match="beyond"):
        parse_scenario(bomb)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read"):
        load_scenario(tmp_path / "missing.yaml")


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "binary.yaml"
    path.write_bytes(b"\xff\xfe\x00hosts")
    with pytest.raises(ScenarioError, match="UTF-8"):
        load_scenario(path)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_any_text_is_refused_in_our_words(text: str) -> None:
    try:
        parse_scenario(text)
    except ScenarioError as error:
        refusal = error
    else:
        return
    assert refusal.problems


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("host1", ["host1"]),
        ("host[1..3]", ["host1", "host2", "host3"]),
        ("host[08..10]", ["host08", "host09", "host10"]),
        ("h[1,4..5]", ["h1", "h4", "h5"]),
        ("d[1..2].l[1..2]", ["d1.l1", "d1.l2", "d2.l1", "d2.l2"]),
    ],
)
def test_groups(pattern: str, names: list[str]) -> None:
    assert expand(pattern) == names


@pytest.mark.parametrize("pattern", ["a[", "a]", "a[]", "a[1-2]", "a[2..1]", "a[1..]", "a[[1]]"])
def test_malformed_groups(pattern: str) -> None:
    with pytest.raises(GroupError):
        expand(pattern)


@pytest.mark.parametrize("name", ["1host", "", "a b", "a.b", "ä1"])
def test_names_are_words(name: str) -> None:
    with pytest.raises(GroupError):
        expand_names(name)


@pytest.mark.parametrize(
    ("place", "number", "words"),
    [
        ("measure: {duration: NUMBER}", '"NUMBER"', "has more than 40 digits"),
        ("measure: {duration: NUMBER}", "NUMBERs", "has more than 40 digits"),
        ("seed: NUMBER", "NUMBER", "has more than 40 digits"),
        ("seed: NUMBER", "-NUMBER", "has more than 40 digits"),
        ("seed: NUMBER", "NUMBER.5", "is not"),
        ("hosts: [{name: h, cpu: {cores: NUMBER}}]", "NUMBER", "has more than 40 digits"),
        ('hosts: [{name: "h[1..NUMBER]"}]', "NUMBER", "is not a group of numbers"),
        ("links: [{from: a, to: b, length: NUMBER}]", "NUMBERkm", "has more than 40 digits"),
        (
            "stacks: [{name: s,model: m,paths: [{via: h,enclosures: NUMBER}]}]",
            "NUMBER",
            "names no",
        ),
    ],
)
def test_a_number_of_thousands_of_digits(place: str, number: str, words: str) -> None:
    text = place.replace("NUMBER", number.replace("NUMBER", "9" * 5000))
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, "f.yaml")
    message = str(caught.value.problems[0])
    assert words in message
    assert len(message) < 400
    assert "_digits()" not in message
