"""`sanlab export`: cables, a drawing, fio jobs and zoning commands."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app

if TYPE_CHECKING:
    from pathlib import Path

SAN = """
title: A SAN to hand over
hosts: [{name: "host[1..2]"}]
switches: [{name: sw1, domain: 1}, {name: sw2, domain: 2}]
arrays: [{name: dev1, ports: 2, luns: [{name: "lun[1..2]", size: 10GiB}]}]
links:
  - {from: "host[1..2]", to: sw1, length: 25m}
  - {from: sw1, to: sw2, length: 10km, count: 2, trunk: true}
  - {from: "dev1.p[0..1]", to: sw2}
zoning:
  aliases: {store: "dev1.p[0..1]"}
  zones: {one: [host1, store], two: ["1,1", "10:00:00:00:c9:12:34:56", dev1.p1]}
  sets: {all: [one, two]}
  active: all
workloads:
  - {name: oltp, hosts: "host[1..2]", targets: "dev1.lun[1..2]", rw: randrw, rwmixread: 70,
     bs: 8k, rate_iops: 500, arrivals: poisson, ramp_time: 1s, runtime: 9s}
  - {name: copy, hosts: host1, targets: dev1.lun1, rw: write, bs: 1MiB, size: 1GiB, iodepth: 4,
     after: oltp}
measure: {duration: 20s}
"""


@pytest.fixture
def san(tmp_path: Path) -> Path:
    file = tmp_path / "san.yaml"
    file.write_text(SAN, encoding="utf-8")
    return file


def _invoke(*args: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["export", *map(str, args)])
    return result.exit_code, result.output


def test_every_cable_has_a_row(san: Path) -> None:
    code, output = _invoke("cabling", san)
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(output)))
    assert [(row["from_box"], row["to_box"]) for row in rows] == [
        *[("host1", "sw1"), ("host2", "sw1"), ("sw1", "sw2"), ("dev1", "sw2"), ("dev1", "sw2")]
    ]
    trunk = rows[2]
    assert (trunk["length_m"], trunk["cables"], trunk["note"]) == ("10000", "2", "trunk")
    assert rows[0]["length_m"] == "25"


def test_the_drawing_names_each_box(san: Path, tmp_path: Path) -> None:
    picture = tmp_path / "san.svg"
    code, output = _invoke("drawing", san, "-o", picture)
    assert code == 0
    assert str(picture) in output
    text = picture.read_text(encoding="utf-8")
    assert text.startswith("<svg")
    for name in ("host1", "sw1", "sw2", "dev1"):
        assert name in text
    code, output = _invoke("drawing", san, "-o", picture)
    assert code == 2
    assert "--force" in output


def test_a_preset_is_a_job_with_its_values_and_regions(tmp_path: Path) -> None:
    (tmp_path / "san.yaml").write_text(
        """
hosts: [{name: host1}]
arrays: [{name: dev1, ports: 1, luns: [{name: lun1, size: 10GiB}]}]
links: [{from: host1, to: dev1}]
workloads: [{name: load, hosts: host1, targets: dev1.lun1, preset: pioraw}]
measure: {duration: 1ms}
""",
        encoding="utf-8",
    )
    code, output = _invoke("fio", tmp_path / "san.yaml")
    assert code == 0, output
    options = ("bs=1024k", "iodepth=1", "numjobs=4", "offset_increment=25%", "size=25%")
    assert all(option in output.splitlines() for option in options), output


def test_workloads_become_jobs_of_fio(san: Path) -> None:
    code, output = _invoke("fio", san)
    assert code == 0
    jobs = dict(re.findall(r"\[(\w+)\]\n(.*?)\n\n", output + "\n\n", re.DOTALL))
    oltp = dict(line.split("=", 1) for line in jobs["oltp"].splitlines())
    assert oltp == {
        "filename": "${DEV1_LUN1}:${DEV1_LUN2}", "rw": "randrw", "bs": "8k", "iodepth": "1024",
        "rate_iops": "350,150", "runtime": "9000000us", "ramp_time": "1000000us", "time_based": "1",
        "rwmixread": "70", "rate_process": "poisson",
    }  # fmt: skip
    assert "on each host with its own LUN alone" in output
    assert "wait_for=oltp" in jobs["copy"]
    assert "size=1048576k" in jobs["copy"]


def test_zoning_becomes_commands_of_both_makers(san: Path) -> None:
    code, brocade = _invoke("zoning-brocade", san)
    assert code == 0
    code, cisco = _invoke("zoning-cisco", san)
    assert code == 0
    numbers = {
        name: re.search(rf'alicreate "{name}", "([0-9a-f:]+)"', brocade) for name in
        ("host1_hba0_p0", "dev1_p0", "dev1_p1")
    }  # fmt: skip
    assert all(numbers.values())
    for name, match in numbers.items():
        assert match is not None
        assert f"device-alias name {name} pwwn {match[1]}" in cisco
    assert 'zonecreate "one", "host1_hba0_p0; dev1_p0; dev1_p1"' in brocade
    assert 'zonecreate "two", "1,1; 10:00:00:00:c9:12:34:56; dev1_p1"' in brocade
    assert "member domain-id 1 port-number 1" in cisco
    assert "member pwwn 10:00:00:00:c9:12:34:56" in cisco
    # What changes a fabric is left to the person.
    for text, sign in ((brocade, "#"), (cisco, "!")):
        for line in text.splitlines():
            if re.search("cfgenable|cfgsave|activate|commit|default", line):
                assert line.startswith(sign)
        assert "made up by sanlab" in text


@pytest.mark.parametrize(
    ("kind", "changes", "words"),
    [
        ("zoning-cisco", ["zoning=null"], "no zone set is active"),
        (
            "fio",
            ["workloads=[{name: a, hosts: host1, targets: dev1.lun1, spc1: {bsus: 1}}]"],
            "SPC-1 streams have no option of fio",
        ),
        ("picture", [], "'picture'"),
    ],
)
def test_what_cannot_be_written_is_refused(
    san: Path, kind: str, changes: list[str], words: str
) -> None:
    sets = [word for change in changes for word in ("--set", change)]
    code, output = _invoke(kind, san, *sets)
    assert code == 2
    assert words in output
