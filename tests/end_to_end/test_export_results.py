"""`sanlab export fio-results`: what fio's own tools and sanlab read again is the run."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.exporters.fio_results import RESULT, fio_results
from sanlab.measurement.job import Section
from sanlab.measurement.tables import tables_of

if TYPE_CHECKING:
    from pathlib import Path

SAN = """
title: Two loads
hosts: [{name: host1}]
arrays: [{name: dev1, ports: 1, luns: [{name: "lun[1..2]", size: 10GiB}]}]
links: [{from: host1, to: dev1}]
workloads:
  - {name: oltp, hosts: host1, targets: dev1.lun1, rw: randrw, bs: 8k, iodepth: 8}
  - {name: "scan", hosts: host1, targets: dev1.lun2, rw: read, bs: 256k, iodepth: 2}
measure: {duration: 400ms, interval: 700us}
"""
#: Widest bin of a histogram of the simulation, and of fio.
BIN = 0.04


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> sanlab.Run:
    folder = tmp_path_factory.mktemp("export")
    (folder / "san.yaml").write_text(SAN, encoding="utf-8")
    return sanlab.run(folder / "san.yaml", folder=folder / "run")


@pytest.fixture(scope="module")
def exported(run: sanlab.Run) -> Path:
    folder = run.folder.parent / "exported"
    result = CliRunner().invoke(app, ["export", "fio-results", str(run.folder), "-o", str(folder)])
    assert result.exit_code == 0, result.output
    assert "7 files written" in result.output
    return folder


def _tool(name: str) -> list[str]:
    """The command of a script of fio, which needs a Python with the package `six`."""
    script = shutil.which(name)
    if script is None:
        pytest.skip(f"{name} is not installed")
    for python in ("/usr/bin/python3", sys.executable):
        probe = [python, "-c", "import six"]
        is_there = shutil.which(python) is not None
        if is_there and not subprocess.run(probe, check=False, capture_output=True).returncode:
            return [python, script]
    pytest.skip(f"no Python here has the package six, which {name} needs")


def test_what_is_read_again_is_the_run(run: sanlab.Run, exported: Path) -> None:
    document = json.loads((exported / RESULT).read_text(encoding="utf-8"))
    sections = [Section(name, name, "host1", "", 0, 0, 400) for name in ("oltp", "scan")]
    tables = tables_of(document, sections, exported, 100)
    told = {(row["workload"], row["op"]): row for row in run.rows("workloads")}
    assert tables["workloads"].num_rows == len(told) == 3
    for row in tables["workloads"].to_pylist():
        mine = told[row["workload"], row["op"]]
        for column in ("io_count", "bytes", "iops", "throughput_bytes_per_s", "response_mean_ps"):
            assert row[column] == pytest.approx(mine[column], rel=1e-3), column
        for column in ("response_p50_ps", "response_p99_ps"):
            assert row[column] == pytest.approx(mine[column], rel=BIN), column
    counts = sum(row["io_count"] for row in tables["response_histogram"].to_pylist())
    assert counts == sum(row["io_count"] for row in run.rows("response_histogram"))
    options = {job["jobname"]: job["job options"] for job in document["jobs"]}
    assert options["oltp"]["rw"] == "randrw"
    assert options["oltp"]["iodepth"] == "8"


def test_logs_have_all_io_of_the_run(run: sanlab.Run, exported: Path) -> None:
    for name, op, direction in (
        ("oltp", "read", 0),
        ("oltp", "write", 1),
        ("scan", "read", 0),
    ):
        rows = [
            row for row in run.rows("workload_series") if (row["workload"], row["op"]) == (name, op)
        ]
        for kind, column, unit in (("iops", "io_count", 1), ("bw", "bytes", 1024)):
            text = (exported / f"{name}_{kind}.log").read_text(encoding="utf-8")
            lines = [[int(part) for part in line.split(",")] for line in text.splitlines()]
            own = [line for line in lines if line[2] == direction]
            assert all(len(line) == 5 for line in lines)
            assert [line[0] for line in own] == sorted({line[0] for line in own})
            begins = [0, *(line[0] for line in own)]
            found = sum(
                line[1] * unit * (line[0] - begin) / 1000
                for line, begin in zip(own, begins, strict=False)
            )
            # Times are whole milliseconds: what comes in the last part of one is not written.
            assert found == pytest.approx(sum(row[column] for row in rows), rel=0.01)


def test_fio_reads_the_histograms(run: sanlab.Run, exported: Path, tmp_path: Path) -> None:
    command = [*_tool("fio_jsonplus_clat2csv"), str(exported / RESULT), str(tmp_path / "out.csv")]
    subprocess.run(command, check=True, capture_output=True)
    for number, (name, op) in enumerate((("oltp", "write"), ("scan", "read"))):
        with (tmp_path / f"out_job{number}.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file, skipinitialspace=True))
        found = sum(int(row[f"{op}_clat_ns_count"] or 0) for row in rows)
        told = [
            row["io_count"]
            for row in run.rows("workloads")
            if (row["workload"], row["op"]) == (name, op)
        ]
        assert [found] == told


def test_fio_reads_the_logs(exported: Path, tmp_path: Path) -> None:
    for kind in ("bw", "iops"):
        command = [*_tool("fio2gnuplot"), "-p", f"*_{kind}.log", "-d", str(tmp_path / kind)]
        done = subprocess.run(
            command, cwd=exported, check=True, capture_output=True, text=True, timeout=60
        )
        assert "2 files Selected" in done.stdout
        assert list((tmp_path / kind).glob("*.average"))


def test_a_measured_run_is_written_too(tmp_path: Path, run: sanlab.Run) -> None:
    if shutil.which("fio") is None:
        pytest.skip("fio is not installed")
    words = ["--target", f"*={tmp_path}", "--size", "16MiB", "--buffered", "--runtime", "1s"]
    file = run.folder.parent / "san.yaml"
    result = CliRunner().invoke(
        app, ["measure", str(file), *words, "-o", str(tmp_path / "measured")]
    )
    assert result.exit_code == 0, result.output
    measured = sanlab.Run.open(tmp_path / "measured")
    files = fio_results(measured)
    assert len(files) == 7
    document = json.loads(files[RESULT])
    assert document["fio version"].startswith("fio-")
    # The bins of fio come back as they were.
    mine = {(row["workload"], row["op"]): row["io_count"] for row in measured.rows("workloads")}
    for job in document["jobs"]:
        for op in ("read", "write"):
            assert job[op]["lat_ns"]["N"] == mine.get((job["jobname"], op), 0)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["{run}"], "name a new folder for them with -o"),
        (["{run}", "-o", "{run}"], "exists and is not empty"),
        (["{run}", "-o", "{run}-new", "--set", "seed=2"], "remove --set"),
        (["{run}/nothing", "-o", "{run}-new"], "is not a run folder"),
    ],
)
def test_refusals(run: sanlab.Run, words: list[str], told: str) -> None:
    filled = [word.format(run=run.folder) for word in words]
    result = CliRunner().invoke(app, ["export", "fio-results", *filled])
    assert result.exit_code == 2
    assert told in result.output
