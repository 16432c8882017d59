"""A sweep on a cluster: scheduler and workers on one machine, started with Dask's own commands."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("distributed")
pytestmark = pytest.mark.xdist_group("ports")

KNEE = str(Path(__file__).parents[2] / "examples" / "queue-depth-knee" / "scenario.yaml")
DEPTH = "workloads.reads.iodepth"
#: Longest wait for what takes seconds where nothing else runs.
PATIENCE_S = 240
DASK = str(Path(sys.executable).parent / "dask")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(*args: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([DASK, *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Two workers of one thread, and the scheduler, which is the last of the processes."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    with ExitStack() as stack:
        scheduler = ["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
        leader = stack.enter_context(running(*scheduler))
        wait_for_port(port)
        options = ["--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard", "--no-nanny"]
        workers = [
            stack.enter_context(
                running(
                    "worker", address, *options, "--local-directory", str(folder / f"w{number}")
                )
            )
            for number in range(2)
        ]
        yield address, [*workers, leader]


def wait_for_port(port: int) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the scheduler did not start")


def rows(folder: Path) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in row.items() if name != "wall_s"}
        for row in sanlab.Sweep.open(folder).rows
    ]


def test_a_worker_that_dies_loses_nothing(tmp_path: Path) -> None:
    """Two workers, one of them killed in the middle; the rows are those of threads here."""
    args = [
        "-p",
        f"{DEPTH}=1..24",
        "--set",
        "measure.duration=500ms",
        "--repeats",
        "2",
        "--no-report",
    ]
    with cluster(tmp_path) as (address, workers):
        where = ["--cluster", address, "-o", str(tmp_path / "far"), "--json"]
        command = [sys.executable, "-m", "sanlab.cli", "sweep", KNEE, *args, *where]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            end = time.monotonic() + PATIENCE_S
            while len(list((tmp_path / "far" / "points").glob("part-*"))) < 5:
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.02)
            workers[0].kill()
            out, _ = process.communicate(timeout=PATIENCE_S)
    points = json.loads(out)["points"]
    assert process.returncode == 0
    assert points["done"] == 48
    assert points["lost"] == points["failed"] == 0
    code = CliRunner().invoke(app, ["sweep", KNEE, *args, "-o", str(tmp_path / "here")]).exit_code
    assert code == 0
    assert rows(tmp_path / "far") == rows(tmp_path / "here")


def test_a_scheduler_that_dies_is_one_line(tmp_path: Path) -> None:
    """What was finished is kept, and nothing of Dask's own reaches the terminal."""
    args = ["-p", f"{DEPTH}=1..64", "--set", "measure.duration=500ms", "--no-report"]
    with cluster(tmp_path) as (address, processes):
        command = [sys.executable, "-m", "sanlab.cli", "sweep", KNEE, *args]
        command += ["--cluster", address, "-o", str(tmp_path / "far")]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            end = time.monotonic() + PATIENCE_S
            while not list((tmp_path / "far" / "points").glob("part-*")):
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.02)
            processes[-1].kill()
            _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert err.startswith(f"The scheduler at {address} is gone. ")
    assert err.count("\n") == 1
    assert rows(tmp_path / "far")


def refused(address: str, tmp_path: Path) -> tuple[int, str, float]:
    begin = time.monotonic()
    args = ["sweep", KNEE, "-p", f"{DEPTH}=1,2", "-o", str(tmp_path / "s"), "--cluster", address]
    result = CliRunner().invoke(app, args)
    return result.exit_code, result.stderr, time.monotonic() - begin


@pytest.mark.filterwarnings("ignore")
def test_nobody_answers(tmp_path: Path) -> None:
    code, err, took = refused(f"tcp://127.0.0.1:{free_port()}", tmp_path)
    assert code == 2
    assert "no scheduler answers within 5 s" in err
    assert took < 12


@pytest.mark.filterwarnings("ignore")
def test_somebody_else_answers(tmp_path: Path) -> None:
    """A port that takes connections and never says a word."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        code, err, took = refused(f"tcp://127.0.0.1:{deaf.getsockname()[1]}", tmp_path)
    assert code == 2
    assert "no scheduler answers within 5 s" in err
    assert took < 12


def test_dask_is_asked_for_only_with_a_cluster() -> None:
    code = "import sanlab.sweeps.execute, sys; sys.exit('distributed' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


SAN = """\
title: Two fabrics
hosts: [{name: db, hbas: [{ports: 1}, {ports: 1}], multipath: {policy: round-robin, ios: 1}}]
switches: [{name: a}, {name: b}]
arrays: [{name: dev1, ports: 2, luns: [{name: lun1, size: 10GiB}]}]
links:
  - {from: db.hba0.p0, to: a}
  - {from: db.hba1.p0, to: b}
  - {from: dev1.p0, to: a}
  - {from: dev1.p1, to: b}
workloads: [{name: oltp, hosts: db, targets: dev1.lun1, rw: randread, bs: 8k, rate_iops: 500}]
measure: {duration: 40s, interval: 500ms}
"""


def test_failures_and_sizes_are_the_same_on_a_cluster(tmp_path: Path) -> None:
    """What a worker answers is what a thread here does; a second call takes it from the folder."""
    file = tmp_path / "san.yaml"
    file.write_text(SAN, encoding="utf-8")
    size = ["size", KNEE, "--goal", "reads.p99 < 300us", "--vary", f"{DEPTH}=1..32", "--json"]
    for number, args in enumerate((["failures", str(file), "--json"], size)):
        here = CliRunner().invoke(app, [*args, "-o", str(tmp_path / f"here{number}")])
        assert here.exit_code == 0, here.output
        far = tmp_path / f"far{number}"
        with cluster(tmp_path / f"c{number}") as (address, _):
            there = CliRunner().invoke(app, [*args, "-o", str(far), "--cluster", address])
        assert there.exit_code == 0, there.output
        assert json.loads(there.stdout) == json.loads(here.stdout)
        kept = {path.name for path in far.iterdir()}
        assert kept == {path.name for path in (tmp_path / f"here{number}").iterdir()}


@pytest.mark.parametrize("command", ["failures", "size"])
def test_a_cluster_that_is_not_there_is_bad_input(command: str, tmp_path: Path) -> None:
    more = ["--goal", "iops > 1", "--vary", f"{DEPTH}=1..2"] if command == "size" else []
    address = f"tcp://127.0.0.1:{free_port()}"
    where = ["--cluster", address, "-o", str(tmp_path / "x")]
    done = CliRunner().invoke(app, [command, KNEE, *more, *where])
    assert done.exit_code == 2
    assert "no scheduler answers" in done.output
