"""`sanlab measure`: fio runs the workloads, the run folder is like a simulated one, and what is not
written stays as it is."""

from __future__ import annotations

import json
import re
import shutil
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.errors import SanlabError
from sanlab.measurement import places
from sanlab.measurement.tables import _COLUMNS

if TYPE_CHECKING:
    from pathlib import Path

has_fio = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")

SAN = """
title: One disk
hosts: [{name: host1}]
arrays: [{name: dev1, ports: 1, luns: [{name: "lun[1..2]", size: 10GiB}]}]
links: [{from: host1, to: dev1}]
workloads:
  - {name: oltp, hosts: host1, targets: dev1.lun1, rw: randrw, bs: 8k, iodepth: 2, rate_iops: 200,
     ramp_time: 500ms}
  - {name: scan, hosts: host1, targets: dev1.lun2, rw: read, bs: 64k, iodepth: 2, rate: 10MiB/s,
     start_delay: 200ms}
measure: {duration: 3s}
"""


#: `scan` waits for `oltp`.
AFTER = ["--set", "workloads.oltp.runtime=1s", "--set", "workloads.scan.after=oltp"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("measure")
    (folder / "san.yaml").write_text(SAN, encoding="utf-8")
    (folder / "disk").mkdir()
    return folder


def _invoke(*args: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["measure", *map(str, args)])
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def measured(folder: Path) -> dict[str, Any]:
    if shutil.which("fio") is None:
        pytest.skip("fio is not installed")
    args = ["--target", f"*={folder / 'disk'}", "--size", "16MiB", "--buffered"]
    code, output = _invoke(folder / "san.yaml", *args, "-o", folder / "run", "--json")
    assert code == 0, output
    document: dict[str, Any] = json.loads(output)
    return document


def test_rates_are_those_that_were_asked_for(measured: dict[str, Any]) -> None:
    flows = {(one["workload"], one["op"]): one for one in measured["workloads"]}
    # The rate of a mixed load is shared by its directions.
    assert flows["oltp", "read"]["iops"]["value"] == pytest.approx(100, rel=0.1)
    assert flows["oltp", "write"]["iops"]["value"] == pytest.approx(100, rel=0.1)
    assert flows["scan", "read"]["throughput"]["value"] == pytest.approx(10 * 2**20, rel=0.1)
    assert all(one["mean"]["value"] > 0 for one in flows.values())


def test_tables_are_those_of_a_simulated_run(folder: Path, measured: dict[str, Any]) -> None:
    real = sanlab.Run.open(measured["folder"])
    simulated = sanlab.run(folder / "san.yaml", folder=folder / "simulated")
    assert real.tables == ["response_histogram", "workload_series", "workloads"]
    for name in real.tables:
        mine, theirs = real.table(name).schema, simulated.table(name).schema
        assert mine.names == theirs.names == list(_COLUMNS[name])
        assert mine.types == theirs.types
    for row in real.rows("workloads"):
        key = row["workload"], row["op"]
        assert row["io_count"] == sum(
            one["io_count"]
            for one in real.rows("response_histogram")
            if (one["workload"], one["op"]) == key
        )
        series = [
            one for one in real.rows("workload_series") if (one["workload"], one["op"]) == key
        ]
        assert sum(one["io_count"] for one in series) == pytest.approx(row["io_count"], rel=0.1)
        spent = sum(one["response_sum_ps"] for one in series)
        mean = spent / max(1, sum(one["io_count"] for one in series))
        assert mean == pytest.approx(row["response_mean_ps"], rel=0.25)
        assert row["response_min_ps"] <= row["response_p50_ps"] <= row["response_max_ps"]


def test_it_stands_beside_a_simulated_run(folder: Path, measured: dict[str, Any]) -> None:
    real = sanlab.Run.open(measured["folder"])
    simulated = sanlab.run(folder / "san.yaml", folder=folder / "beside")
    lines = {(one.workload, one.metric): one for one in simulated.compare(real).lines}
    assert abs(lines["scan", "throughput"].difference or 0.0) < 0.1
    assert "measured with fio" in real.report().read_text(encoding="utf-8")
    result = CliRunner().invoke(app, ["explain", str(real.folder)])
    assert result.exit_code == 2
    assert "is a measurement" in result.output


def test_files_that_it_made_are_gone(folder: Path, measured: dict[str, Any]) -> None:
    assert measured["io_count"]
    assert not list((folder / "disk").iterdir())


@has_fio
@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--target", "dev1.lun1={disk}"], "no place for dev1.lun2"),
        (["--target", "dev1.lun9={disk}"], "the workloads use no such LUN"),
        (["--target", "*={file}"], "would be overwritten"),
        (["--target", "*={disk}/nothing"], "No such file"),
        (["--target", "*=/dev/null"], "neither a folder"),
        (["--target", "lun1"], "write LUN=PATH"),
        (["--target", "*={disk}", "--target", "*={disk}"], "--target * is given twice"),
        (["--target", "*=/dev/tty"], "neither a folder"),
        (["--target", "*=iscsi://127.0.0.1/1"], "is not the address of a LUN"),
        (["--target", "*=ftp://127.0.0.1/x"], "is not the address of an export"),
        (["--target", "*={disk}", "--runtime", "10ms"], "at least a second"),
        (["--target", "*={disk}", "--runtime", "10"], "--runtime 10:"),
        (["--target", "*={disk}", "--size", "4KiB"], "less than 1 MiB"),
        (["--target", "*={disk}", "--size", "900PiB"], "too little room"),
        (
            ["--target", "*={disk}", "--set", "measure.duration=900ms"],
            "too short for a measurement",
        ),
        (
            ["--target", "*={disk}", *AFTER],
            "it waits for another workload",
        ),
    ],
)
def test_refusals(folder: Path, tmp_path: Path, args: list[str], words: str) -> None:
    file = tmp_path / "precious"
    file.write_bytes(b"precious" * 1000)
    filled = [arg.format(disk=folder / "disk", file=file) for arg in args]
    code, output = _invoke(folder / "san.yaml", *filled, "-o", tmp_path / "run")
    assert code == 2, output
    assert words in output
    assert file.read_bytes() == b"precious" * 1000
    assert not (tmp_path / "run").exists()
    assert not list((folder / "disk").iterdir())


@has_fio
def test_a_file_that_is_named_twice_is_written(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "scratch"
    file.write_bytes(bytes(1 << 20))
    args = ["--target", f"*={file}", "--destructive", file, "--buffered", "--runtime", "1s"]
    code, output = _invoke(folder / "san.yaml", *args, "-o", tmp_path / "run")
    assert code == 0, output
    assert file.exists()
    assert re.search(r"filename=.*scratch", (tmp_path / "run" / "job.fio").read_text("utf-8"))


@pytest.mark.parametrize(
    ("program", "words"),
    [("no-such-fio", "is not installed"), ("true", "which is not a version of fio")],
)
def test_a_machine_without_fio(
    folder: Path, program: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANLAB_FIO", program)
    code, output = _invoke(folder / "san.yaml", "--target", f"*={folder / 'disk'}")
    assert code == 2
    assert words in output


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"name": "sdz", "mountpoints": ["/data"]}], "is mounted at /data"),
        ([{"name": "sdz", "fstype": "ext4", "mountpoints": [None]}], "holds ext4"),
        ([{"name": "sdz", "pttype": "gpt"}], "has a partition table"),
        (
            [{"name": "sdz", "children": [{"name": "sdz1", "mountpoints": ["/boot"]}]}],
            "sdz1 is mounted at /boot",
        ),
        ([{"name": "sdz", "children": [{"name": "md0", "fstype": "LVM2_member"}]}], "md0 holds"),
    ],
)
def test_devices_in_use_are_never_written(
    rows: list[dict[str, Any]], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "lsblk"
    listing = json.dumps({"blockdevices": rows})
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{listing}\nEND\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    device = tmp_path / "sdz"
    device.touch()
    with pytest.raises(SanlabError, match=words):
        places.refuse_in_use(device)


def test_the_doctor_says_what_is_there_and_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = CliRunner().invoke(app, ["doctor", "--json"])
    found = {one["what"]: one for one in json.loads(result.output)["checks"]}
    assert found["fio"]["is_there"] == (result.exit_code == 0)
    assert all(one["found"] or one["remedy"] for one in found.values())
    monkeypatch.setenv("SANLAB_FIO", "no-such-fio")
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "sudo apt-get install fio" in result.output


def _sections(job: str) -> list[dict[str, str]]:
    """Options of each section of a job file but the global one."""
    parts = re.split(r"^\[.*\]\n", job, flags=re.MULTILINE)[2:]
    return [dict(line.split("=", 1) for line in part.splitlines() if "=" in line) for part in parts]


@has_fio
@pytest.mark.parametrize(
    ("preset", "block", "open_requests", "processes"),
    [("pioraw", "1024k", "1", 4), ("lmdd", "8k", "1", 1), ("xdd", "128k", "4", 1)],
)
def test_presets_are_measured_by_each_host_with_each_of_its_processes(
    tmp_path: Path, preset: str, block: str, open_requests: str, processes: int
) -> None:
    text = re.sub(r"(?s)workloads:.*", "", SAN).replace("host1}", '"host[1..2]"}')
    text = text.replace("from: host1, to: dev1", 'from: "host[1..2]", to: dev1')
    text = text.replace("links:", "switches: [{name: sw1}]\nlinks:").replace(
        '"host[1..2]", to: dev1}', '"host[1..2]", to: sw1}, {from: dev1, to: sw1}'
    )
    load = f"""
workloads:
  - {{name: load, hosts: "host[1..2]", targets: "dev1.lun[1..2]", spread: pair, preset: {preset}}}
measure: {{duration: 1s}}
"""
    (tmp_path / "san.yaml").write_text(text + load, encoding="utf-8")
    (tmp_path / "disk").mkdir()
    args = ["--target", f"*={tmp_path / 'disk'}", "--size", "8MiB", "--buffered"]
    code, output = _invoke(tmp_path / "san.yaml", *args, "-o", tmp_path / "run")
    assert code == 0, output
    sections = _sections((tmp_path / "run" / "job.fio").read_text(encoding="utf-8"))
    assert len(sections) == 2 * processes
    assert {(one["rw"], one["bs"], one["iodepth"]) for one in sections} == {
        ("read", block, open_requests)
    }
    for lun in ("lun1", "lun2"):
        own = [one for one in sections if f"dev1.{lun}" in one["filename"]]
        regions = sorted((int(one["offset"]), int(one["size"])) for one in own)
        assert len(regions) == processes
        assert all(end == begin + size for (begin, size), (end, _) in pairwise(regions))
    assert sanlab.Run.open(tmp_path / "run").summary()["io_count"] > 0
