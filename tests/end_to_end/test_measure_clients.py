"""`sanlab measure --client`: hosts are machines with servers of fio, here on loopback."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.errors import SanlabError
from sanlab.measurement.clients import Client, parse_client
from sanlab.measurement.job import luns_of, sections_of
from sanlab.measurement.places import Places, Wanted
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAN = """
hosts: [{name: "host[1..2]"}]
switches: [{name: sw1}]
arrays: [{name: dev1, luns: [{name: "lun[1..2]", size: 10GiB}]}]
links: [{from: "host[1..2]", to: sw1}, {from: dev1, to: sw1}]
workloads:
  - {name: oltp, hosts: "host[1..2]", targets: "dev1.lun[1..2]", spread: pair, rw: randrw, bs: 8k,
     rate_iops: 100}
  - {name: scan, hosts: host2, targets: dev1.lun2, rw: read, bs: 64k, numjobs: 2, rate: 2MiB/s}
measure: {duration: 2s}
"""
READS = ["--set", "workloads.oltp.rw=randread"]


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Options that name a server for each host."""
    fio = shutil.which("fio")
    if fio is None:
        pytest.skip("fio is not installed")
    folder = tmp_path_factory.mktemp("servers")
    ports = [_free_port(), _free_port()]
    running = [
        subprocess.Popen(
            [fio, f"--server=127.0.0.1,{port}"],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for port in ports
    ]
    try:
        for port in ports:
            _wait_for(port)
        yield [
            word
            for number, port in enumerate(ports, start=1)
            for word in ("--client", f"host{number}=127.0.0.1:{port}")
        ]
    finally:
        for one in running:
            one.terminate()
            one.wait(20)


def _wait_for(port: int) -> None:
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"no server at port {port}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "san.yaml").write_text(SAN, encoding="utf-8")
    (tmp_path / "disk").mkdir()
    return tmp_path


def _measure(folder: Path, *args: str) -> tuple[int, str]:
    words = ["measure", str(folder / "san.yaml"), "-o", str(folder / "run"), *args]
    result = CliRunner().invoke(app, words)
    return result.exit_code, result.output


def test_the_jobs_of_each_host_run_on_its_machine(folder: Path, servers: list[str]) -> None:
    target = f"*={folder / 'disk'}/"
    code, output = _measure(folder, *servers, "--target", target, "--size", "16MiB", "--buffered")
    assert code == 0, output
    run = sanlab.Run.open(folder / "run")
    rates = {(row["workload"], row["op"]): row["iops"] for row in run.rows("workloads")}
    # Two hosts with a rate each, and two processes.
    assert rates["oltp", "read"] == pytest.approx(100, rel=0.15)
    assert rates["oltp", "write"] == pytest.approx(100, rel=0.15)
    assert rates["scan", "read"] == pytest.approx(64, rel=0.15)
    series = run.rows("workload_series")
    assert sum(row["io_count"] for row in series) == pytest.approx(2 * 264, rel=0.2)
    jobs = [(folder / "run" / f"job-host{number}.fio").read_text("utf-8") for number in (1, 2)]
    assert [job.count("filename=") for job in jobs] == [1, 3]
    assert all(f"host{number}-dev1.lun" in job for number, job in enumerate(jobs, start=1))
    assert not list((folder / "disk").iterdir())


def test_a_device_of_another_machine_is_read_in_percent_and_never_written(
    folder: Path, servers: list[str]
) -> None:
    disk = folder / "disk" / "big"
    disk.write_bytes(bytes(1 << 24))
    args = [*servers, "--target", f"*={disk}", "--buffered", "--runtime", "1s"]
    code, output = _measure(folder, *args)
    assert code == 2
    assert "on a device of another machine cannot be found out from here" in output
    code, output = _measure(folder, *args, *READS)
    assert code == 0, output
    job = (folder / "run" / "job-host2.fio").read_text("utf-8")
    assert "offset=50%\nsize=50%" in job
    assert disk.read_bytes() == bytes(1 << 24)


@pytest.mark.parametrize(
    ("clients", "words"),
    [
        (["host1=127.0.0.1"], "no machine for host2: add --client host2=ADDRESS"),
        (["host1=127.0.0.1", "host3=127.0.0.1"], "--client host3: no workload runs on that host"),
        (["host1=127.0.0.1:1", "host2=127.0.0.1:1"], "no server of fio answers at 127.0.0.1:1 for"),
        (["host1=-x"], "--client host1=-x: write HOST=ADDRESS"),
        (["host1=a,b"], "--client host1=a,b: write HOST=ADDRESS"),
        (["127.0.0.1"], "--client 127.0.0.1: write HOST=ADDRESS"),
    ],
)
def test_what_cannot_be_done_is_refused(folder: Path, clients: list[str], words: str) -> None:
    named = [word for one in clients for word in ("--client", one)]
    code, output = _measure(folder, *named, "--target", "*=/tmp/", "--runtime", "1s")
    assert code == 2
    assert words in output
    assert not (folder / "run").exists()


def test_iscsi_needs_a_relay_on_each_machine(folder: Path, servers: list[str]) -> None:
    target = "*=iscsi://127.0.0.1/iqn.2026-11.example.san:disk/1"
    code, output = _measure(folder, *servers, "--target", target, *READS)
    assert code == 2
    assert "needs a relay on each machine" in output


def test_a_failure_of_a_server_is_said(folder: Path, servers: list[str]) -> None:
    code, output = _measure(
        folder, *servers, "--target", "*=/proc/none/x", "--runtime", "1s", *READS
    )
    assert code == 1
    assert "fio failed: " in output
    assert not (folder / "run").exists()


@pytest.mark.parametrize("folder", ["/mnt/test/", "/mnt/a:b/"])
def test_the_last_job_on_a_file_removes_it(folder: str) -> None:
    scenario = parse_scenario(SAN)
    plan = compile_plan(scenario)
    clients = {"host1": Client("10.0.0.5"), "host2": Client("10.0.0.6")}
    places = Places(Wanted({"*": folder}, 1 << 24, (), clients), luns_of(plan, scenario))
    sections = sections_of(plan, scenario, places.by_lun, None)
    ends = [one.name for one in sections if "unlink=1" in one.text.splitlines()]
    by_file = {
        one.files: [each for each in sections if each.files == one.files] for one in sections
    }
    assert len(by_file) == len(ends) == 2
    for own in by_file.values():
        (last,) = (one for one in own if one.name in ends)
        assert last.end_ms == max(one.end_ms for one in own)


@pytest.mark.parametrize("text", ["host1=10.0.0.5:0", "host1=10.0.0.5:70000", "=10.0.0.5"])
def test_addresses_are_checked(text: str) -> None:
    with pytest.raises(SanlabError, match="write HOST=ADDRESS"):
        parse_client(text)
