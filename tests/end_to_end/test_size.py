"""`sanlab size`: the edge of goals that closed forms know, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app
from sanlab.sizing.search import search

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SAN = """
title: Readers of one device
counts: {N: 2}
hosts: [{name: "host[1..N]", model: generic}]
switches: [{name: sw1, model: generic-32g, ports: 96}]
arrays:
  - name: dev1
    model: generic-32g
    ports: 1
    luns: [{name: lun1, size: 100GiB, memory: {service: 1ms, servers: 4, variation: 0%}}]
links: [{from: "host[1..N]", to: sw1}, {from: dev1, to: sw1}]
workloads:
  - {name: oltp, hosts: "host[1..N]", targets: dev1.lun1, spread: all, rw: randread, bs: 4KiB,
     rate_iops: 100, arrivals: poisson, ramp_time: 200ms}
measure: {duration: 2200ms}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("size")
    (folder / "san.yaml").write_text(SAN, encoding="utf-8")
    return folder


def _invoke(folder: Path, *args: str) -> tuple[int, str]:
    command = ["size", str(folder / "san.yaml"), "-o", str(folder / "trials"), *args]
    result = CliRunner().invoke(app, command)
    return result.exit_code, result.output


def _edge(folder: Path, *args: str) -> dict[str, Any]:
    code, output = _invoke(folder, *args, "--json")
    assert code == 0, output
    edge: dict[str, Any] = json.loads(output)["edges"][0]
    return edge


def test_most_hosts_of_a_device_with_a_known_rate(folder: Path) -> None:
    # Four servers of 1 ms each do 4000 IO/s, which 40 hosts with 100 IO/s ask for.
    edge = _edge(folder, "--goal", "oltp.mean < 4ms", "--vary", "N=1..64")
    assert edge["is_upward"]
    assert int(edge["last"]) in range(37, 41)
    assert int(edge["beyond"]) == int(edge["last"]) + 1
    beyond = [one for one in edge["points"] if one["setting"] == {"N": edge["beyond"]}]
    assert "the media of dev1.lun1" in beyond[0]["limits"][0]


def test_fewest_servers_for_a_rate(folder: Path) -> None:
    # 50 hosts ask for 5000 IO/s: five servers of 1 ms, and none to spare.
    edge = _edge(
        folder,
        *("--set", "N=50", "--goal", "oltp.mean < 4ms", "--goal", "iops >= 4800"),
        *("--vary", "arrays.dev1.luns.lun1.memory.servers=1..16"),
    )
    assert not edge["is_upward"]
    assert int(edge["last"]) in (5, 6)
    assert int(edge["beyond"]) == int(edge["last"]) - 1


def test_words_that_meet_a_goal_are_neither_low_nor_high(folder: Path) -> None:
    vary = "workloads.oltp.arrivals=constant,poisson"
    args = ("--set", "counts.N=36", "--goal", "oltp.mean < 3ms", "--vary", vary)
    code, output = _invoke(folder, *args)
    assert code == 0, output
    assert "met with: workloads.oltp.arrivals=poisson" in output, output
    assert "lowest" not in output
    assert "highest" not in output


def test_frontier_of_hosts_and_servers_is_a_straight_line(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "size.html"
    code, output = _invoke(
        folder,
        *("--goal", "oltp.mean < 4ms", "--vary", "arrays.dev1.luns.lun1.memory.servers=2,4,6"),
        *("--vary", "N=1..64", "--html", str(page), "--json"),
    )
    assert code == 0, output
    edges = json.loads(output)["edges"]
    for edge in edges:
        assert int(edge["last"]) == pytest.approx(10 * int(edge["fixed"]), abs=2)
    text = page.read_text(encoding="utf-8")
    assert "Frontier" in text
    assert "the media of dev1.lun1" in text


def test_values_that_the_scenario_does_not_allow_are_missed(folder: Path) -> None:
    edge = _edge(folder, "--goal", "oltp.mean < 2s", "--vary", "N=1..200", "--set", "seed=3")
    assert edge["last"] == "95"
    beyond = next(one for one in edge["points"] if one["setting"] == {"N": "96"})
    assert "port" in beyond["refusal"]


def test_what_was_simulated_is_kept(folder: Path) -> None:
    args = ("--goal", "oltp.mean < 2ms", "--vary", "N=4..8")
    first = _edge(folder, *args)
    kept = {file: file.stat().st_mtime_ns for file in (folder / "trials").iterdir()}
    assert _edge(folder, *args) == first
    assert {file: file.stat().st_mtime_ns for file in (folder / "trials").iterdir()} == kept


def test_goals_met_in_turns_are_said() -> None:
    found = search(64, list, lambda place: place < 20 or place == 42, 2)
    assert found.last == 19
    assert found.odd == (42,)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--goal", "oltp.p98 < 1ms", "--vary", "N=1..4"), "no figure 'p98'"),
        (("--goal", "olap.p99 < 1ms", "--vary", "N=1..4"), "its workloads are oltp"),
        (("--goal", "oltp.p99 < 1", "--vary", "N=1..4"), "which unit of time"),
        (("--goal", "oltp.p99 = 1ms", "--vary", "N=1..4"), "is not a comparison"),
        (("--goal", "oltp.cpu < 50%", "--vary", "N=1..4"), "a figure of the whole SAN"),
        (("--goal", "iops > many", "--vary", "N=1..4"), "'many' is not a number"),
        (("--goal", "iops > 1", "--vary", "N=4"), "this is one value"),
        (("--goal", "iops > 1", "--vary", "N"), "Write a range"),
        (("--goal", "iops > 1", "--vary", "hosts=1..4"), "'counts: {N: "),
        (("--goal", "iops > 1", *("--vary", "N=1..4") * 3), "one or two --vary"),
        (("--goal", "iops > 1", "--vary", "nothing.there=1..4"), "nothing"),
    ],
)
def test_refusals(folder: Path, args: tuple[str, ...], words: str) -> None:
    code, output = _invoke(folder, *args)
    assert code == 2, output
    assert words in output


def test_settings_that_are_not_possible_say_nothing_about_their_neighbours() -> None:
    def is_even(at: int) -> bool:
        return at % 2 == 0

    for fewest in range(2, 40, 2):

        def is_met(at: int, fewest: int = fewest) -> bool:
            return is_even(at) and at >= fewest

        found = search(41, list, is_met, 2, is_even)
        assert (found.last, found.beyond, found.odd) == (fewest, fewest - 2, ())


def test_settings_that_are_not_possible_beyond_a_bound_are_missed() -> None:
    for most in range(40):
        calls: list[int] = []

        def look(at: Sequence[int], calls: list[int] = calls) -> list[int]:
            calls.extend(at)
            return list(at)

        def fits(at: int, most: int = most) -> bool:
            return at <= most

        found = search(41, look, fits, 2, fits)
        assert (found.last, found.beyond, found.odd) == (most, most + 1, ())
        assert len(calls) < 25


def test_fewest_drives_of_a_raid_10_are_even(tmp_path: Path) -> None:
    file = tmp_path / "raid10.yaml"
    ssd = "{size: 10GiB, memory: {service: 5ms, servers: 1}}"
    group = f"{{name: g1, raid: {{level: 10, drives: 4}}, ssd: {ssd}}}"
    lun = "{name: lun1, size: 100GiB, memory: {service: 1ms, servers: 4, variation: 0%}}"
    text = SAN.replace(
        f"luns: [{lun}]", f"groups: [{group}]\n    luns: [{{name: lun1, group: g1}}]"
    )
    file.write_text(text, encoding="utf-8")
    command = ["size", str(file), "-o", str(tmp_path / "trials"), "--json", "--set", "N=20"]
    command += ["--goal", "oltp.mean < 15ms", "--vary", "arrays.dev1.groups.g1.raid.drives=4..28"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    edge = json.loads(result.output)["edges"][0]
    assert int(edge["beyond"]) == int(edge["last"]) - 2
