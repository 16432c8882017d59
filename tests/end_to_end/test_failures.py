"""`sanlab failures`: every single failure, what it does, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app

if TYPE_CHECKING:
    from pathlib import Path

# The matrix is simulated once for all of them.
pytestmark = pytest.mark.xdist_group("failures")

SAN = """
title: One host on two fabrics, one on one
hosts:
  - {name: safe, hbas: [{ports: 1}, {ports: 1}], multipath: {policy: round-robin, ios: 1}}
  - {name: bare, hbas: {ports: 1, command_timeout: 5s}}
switches: [{name: fabric-a}, {name: fabric-b}]
arrays: [{name: dev1, ports: 2, luns: [{name: "lun[1..2]", size: 100GiB}]}]
links:
  - {from: safe.hba0.p0, to: fabric-a}
  - {from: safe.hba1.p0, to: fabric-b}
  - {from: bare.hba0.p0, to: fabric-b}
  - {from: dev1.p0, to: fabric-a}
  - {from: dev1.p1, to: fabric-b}
workloads:
  - {name: oltp, hosts: safe, targets: dev1.lun1, rw: randread, bs: 8k, rate_iops: 500}
  - {name: mail, hosts: bare, targets: dev1.lun2, rw: randread, bs: 8k, rate_iops: 500}
measure: {duration: 100s, interval: 500ms}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("failures")
    (folder / "san.yaml").write_text(SAN, encoding="utf-8")
    return folder


def invoke(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["failures", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def matrix(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    code, output = invoke(folder / "san.yaml", "-o", folder / "kept", "--json")
    assert code == 0, output
    return {(row["kind"], row["part"]): row for row in json.loads(output)["failures"]}


def of(row: dict[str, Any], workload: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = [one for one in row["workloads"] if one["workload"] == workload]
    assert len(found) == 1
    return found[0]


def test_every_part_fails_once(matrix: dict[tuple[str, str], dict[str, Any]]) -> None:
    kinds = [kind for kind, _ in matrix]
    assert {kind: kinds.count(kind) for kind in kinds} == {"link": 5, "switch": 2, "hba": 3}


def test_two_paths_survive_what_one_does_not(
    matrix: dict[tuple[str, str], dict[str, Any]],
) -> None:
    row = matrix["switch", "fabric-b"]
    oltp, mail = of(row, "oltp"), of(row, "mail")
    assert (oltp["state"], oltp["error_count"]) == ("as before", 0)
    assert oltp["after"] == pytest.approx(500 * 8192, rel=0.02)
    # The path is given up after its time-out; then the other carries all I/Os.
    assert 0 < oltp["stall_ps"] <= oltp["recovered_ps"] < 40e12
    assert mail["state"] == "down"
    assert mail["error_count"] > 0
    assert row["is_survived"] is False


def test_who_does_not_use_a_part_does_not_notice(
    matrix: dict[tuple[str, str], dict[str, Any]],
) -> None:
    mail = of(matrix["switch", "fabric-a"], "mail")
    assert (mail["stall_ps"], mail["error_count"], mail["recovered_ps"]) == (0, 0, 0)
    assert matrix["switch", "fabric-a"]["is_survived"] is True


def test_results_are_kept_and_used_again(
    folder: Path, matrix: dict[tuple[str, str], dict[str, Any]]
) -> None:
    kept = sorted((folder / "kept").glob("*.json"))
    assert len(kept) == len(matrix)
    before = [file.stat().st_mtime_ns for file in kept]
    code, output = invoke(folder / "san.yaml", "-o", folder / "kept", "--kind", "switch")
    assert code == 0
    assert [file.stat().st_mtime_ns for file in kept] == before
    assert "not survived: switch fabric-b" in output
    assert "survived, with no failed I/O and no host down: 1 of 2" in output


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("faults: [{kind: switch-down, switch: fabric-a, at: 1s}]\n", "it has faults already"),
        (None, "jobs end by themselves"),
    ],
)
def test_what_has_no_before_and_after_is_refused(
    tmp_path: Path, change: str | None, words: str
) -> None:
    text = SAN + change if change else SAN.replace("rate_iops: 500}", "loops: 1, size: 1MiB}")
    file = tmp_path / "san.yaml"
    file.write_text(text, encoding="utf-8")
    code, output = invoke(file, "-o", tmp_path / "kept")
    assert code == 2
    assert words in output
    code, output = invoke(file, "--kind", "weather")
    assert code == 2
    assert "there is no kind of failure 'weather'" in output


def test_pairs_are_of_failures_that_are_survived_alone(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "failures.html"
    arguments = ["--kind", "switch", "--kind", "hba", "--pairs", "--html", page]
    code, output = invoke(folder / "san.yaml", "-o", folder / "kept", *arguments, "--json")
    assert code == 0, output
    rows = {row["part"]: row for row in json.loads(output)["failures"] if row["kind"] == "pair"}
    # Alone, fabric-a and both adapters of 'safe' are survived; two that leave no path are not.
    assert {name: row["is_survived"] for name, row in rows.items()} == {
        "switch fabric-a and hba safe.hba0": True,
        "switch fabric-a and hba safe.hba1": False,
        "hba safe.hba0 and hba safe.hba1": False,
    }
    text = page.read_text(encoding="utf-8")
    assert "Two failures at once" in text
    assert "switch fabric-a and hba safe.hba1" in text
    assert 'class="state down"' in text


MODULES = """
hosts: [{name: host1}]
switches: [{name: core, modules: {count: 2, takeover: 1s}}, {name: edge}]
arrays: [{name: dev1, ports: 1, luns: [{name: lun1, size: 1GiB}]}]
links:
  - {from: host1, to: edge}
  - {from: edge, to: core, count: 2, trunk: true}
  - {from: dev1, to: core}
workloads: [{name: load, hosts: host1, targets: dev1.lun1, rw: randread, bs: 4k, rate_iops: 500}]
measure: {duration: 20s, interval: 100ms}
"""


def test_modules_and_cables_of_trunks_fail_as_well(tmp_path: Path) -> None:
    (tmp_path / "san.yaml").write_text(MODULES, encoding="utf-8")
    arguments = ["--kind", "module", "--kind", "member", "--json"]
    code, output = invoke(tmp_path / "san.yaml", "-o", tmp_path / "kept", *arguments)
    assert code == 0, output
    member, module = json.loads(output)["failures"]
    assert (member["kind"], module["kind"]) == ("member", "module")
    assert of(member, "load")["state"] == "as before"
    assert of(module, "load")["stall_ps"] == pytest.approx(1.1e12, abs=0.15e12)
    assert module["is_survived"]


def test_a_group_with_a_rebuild_is_rebuilt_only_when_its_drive_fails(tmp_path: Path) -> None:
    group = "{name: g1, raid: {level: 5, drives: 4}, spares: 1, rebuild: {rate: 20MB/s}}"
    old = 'luns: [{name: "lun[1..2]", size: 100GiB}]'
    luns = '[{name: "lun[1..2]", size: 10GiB, group: g1}]'
    new = f"disk: generic-10k, groups: [{group}], luns: {luns}"
    text = SAN.replace(old, new).replace("rate_iops: 500", "rate_iops: 50")
    assert old not in text
    (tmp_path / "san.yaml").write_text(text, encoding="utf-8")
    code, output = invoke(
        tmp_path / "san.yaml", "--kind", "drive", "-o", tmp_path / "kept", "--json"
    )
    assert code == 0, output
    (row,) = json.loads(output)["failures"]
    assert row["is_survived"]
    assert row["refusal"] == ""


MANY = """
title: Four hosts on two fabrics, one on one
hosts:
  - name: "safe[1..4]"
    hbas: [&hba {ports: 1, fast_io_fail: 1s, dev_loss: 5s, command_timeout: 2s}, *hba]
    multipath: {policy: round-robin, ios: 1}
  - {name: bare, hbas: {ports: 1, command_timeout: 60s, dev_loss: 100s}}
switches: [{name: fabric-a}, {name: fabric-b}]
arrays: [{name: dev1, ports: 2, luns: [{name: lun1, size: 100GiB}]}]
links:
  - {from: "safe[1..4].hba0.p0", to: fabric-a}
  - {from: "safe[1..4].hba1.p0", to: fabric-b}
  - {from: bare.hba0.p0, to: fabric-b}
  - {from: dev1.p0, to: fabric-a}
  - {from: dev1.p1, to: fabric-b}
workloads:
  - {name: oltp, hosts: ["safe[1..4]", bare], targets: dev1.lun1, rw: randrw, bs: 8k, rate_iops: 99}
measure: {duration: 20s, interval: 200ms}
"""


def test_the_host_that_stands_still_is_named_though_the_others_go_on(tmp_path: Path) -> None:
    file, page = tmp_path / "many.yaml", tmp_path / "page.html"
    file.write_text(MANY, encoding="utf-8")
    command = (file, "--kind", "hba", "-o", tmp_path / "kept", "--html", page)
    code, output = invoke(*command, "--json")
    assert code == 0, output
    rows = {row["part"]: row for row in json.loads(output)["failures"]}
    bare = of(rows["bare.hba0"], "oltp")
    assert (bare["worst_host"], bare["hosts_down"], bare["stall_ps"]) == ("bare", 1, 0)
    assert bare["host_stall_ps"] / 1e12 == pytest.approx(14, abs=0.5)
    assert not rows["bare.hba0"]["is_survived"]
    safe = of(rows["safe3.hba0"], "oltp")
    assert (safe["worst_host"], safe["hosts_down"]) == ("safe3", 0)
    assert safe["host_stall_ps"] / 1e12 == pytest.approx(1, abs=0.5)
    assert rows["safe3.hba0"]["is_survived"]
    _, text = invoke(*command)
    assert "bare 14.0 s, 1 host down at the end" in text
    assert "not survived: hba bare.hba0" in text
    assert "worst host bare 14.0 s" in page.read_text(encoding="utf-8")
