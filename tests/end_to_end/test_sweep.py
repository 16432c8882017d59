"""Whole sweeps: killed, resumed, stopped, refused, and their results."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.errors import RunError
from sanlab.results.phases import phases
from sanlab.sweeps import pool as pools
from sanlab.sweeps.measure import measure_point
from sanlab.sweeps.store import read

KNEE = str(Path(__file__).parents[2] / "examples" / "queue-depth-knee" / "scenario.yaml")
DEPTH = "workloads.reads.iodepth"
SERVERS = "arrays.dev1.luns.lun1.memory.servers"


def invoke(*args: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["sweep", KNEE, *args])
    return result.exit_code, result.stdout, result.stderr


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "sanlab.cli", "sweep", KNEE, *args, "--no-report", "--json"]


def keys_in(folder: Path) -> list[str]:
    """Key of every point in the parts, as often as it is there."""
    found = []
    for path in sorted((folder / "points").glob("part-*.parquet")):
        rows = pq.ParquetFile(path).read(["point", "workload"]).to_pylist()
        found += [row["point"] for row in rows if row["workload"] is None]
    return found


def wait_for_lock(folder: Path, process: subprocess.Popen[str]) -> None:
    """Wait until the process holds the folder; a lock file may be left from one that was killed."""
    end = time.monotonic() + 30
    mine = f'"pid": {process.pid},'
    while process.poll() is None:
        with contextlib.suppress(FileNotFoundError):
            if mine in (folder / "lock").read_text(encoding="utf-8"):
                return
        assert time.monotonic() < end
        time.sleep(0.002)


@pytest.mark.parametrize("kills", [5, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_many_times_it_loses_and_repeats_nothing(kills: int, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    depths, servers, repeats = 10, 8, max(3, kills // 2)
    args = ["-p", f"{DEPTH}=1..{depths}", "-p", f"{SERVERS}=1..{servers}", "-o", str(folder)]
    args += ["--repeats", str(repeats)]
    stream = random.Random(20)
    seen: set[str] = set()
    advanced = 0
    for number in range(kills):
        with subprocess.Popen(command(*args), stdout=subprocess.PIPE, text=True) as process:
            wait_for_lock(folder, process)
            if number % 4:  # others are killed while they start
                wait_for_part(folder, process, newest(folder))
            time.sleep(stream.uniform(0, 0.25))
            process.kill()
            process.wait()
            assert process.returncode == -signal.SIGKILL  # or it was done, and no test at all
        now = set(keys_in(folder))
        assert seen <= now
        advanced += now > seen
        seen = now
    total = depths * servers * repeats
    assert advanced >= kills * 3 // 4
    assert 0 < len(seen) < total
    done = subprocess.run(command(*args), capture_output=True, text=True, check=True)
    points = json.loads(done.stdout)["points"]
    assert points["done"] == total
    assert points["found"] == len(seen)
    keys = keys_in(folder)
    assert len(keys) == len(set(keys)) == total
    # Parts are numbered as they are written: a part without a merge was one point, simulated once.
    numbers = [path.name.removesuffix(".parquet").split("-")[1:] for path in parts(folder)]
    written = max(int(number) for _, number in numbers) + 1
    assert written - sum(level != "0" for level, _ in numbers) == total


def newest(folder: Path) -> int:
    return max((int(path.stem.split("-")[2]) for path in parts(folder)), default=-1)


def wait_for_part(folder: Path, process: subprocess.Popen[str], after: int) -> None:
    end = time.monotonic() + 30
    while newest(folder) <= after and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.002)


def parts(folder: Path) -> list[Path]:
    return list((folder / "points").glob("part-*.parquet"))


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    args = ["-p", f"{DEPTH}=1..200", "-p", f"{SERVERS}=1..20", "-o", str(folder)]
    with subprocess.Popen(command(*args), stdout=subprocess.PIPE, text=True) as process:
        wait_for_lock(folder, process)
        while not parts(folder):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    document = json.loads(out)
    assert document["points"]["is_stopped"]
    assert document["points"]["done"] == len(keys_in(folder)) > 0
    assert document["points"]["failed"] == document["points"]["lost"] == 0


def test_two_sweeps_into_one_folder_clash(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    args = ["-p", f"{DEPTH}=1..200", "-p", f"{SERVERS}=1..20", "-o", str(folder)]
    with subprocess.Popen(command(*args), stdout=subprocess.PIPE, text=True) as process:
        wait_for_lock(folder, process)
        while not parts(folder):
            time.sleep(0.01)
        second = subprocess.run(command(*args), capture_output=True, text=True, check=False)
        process.kill()
    assert second.returncode == 2
    message = json.loads(second.stdout)["error"]["message"]
    assert f"in use: process {process.pid} on " in message


def plain(sweep: sanlab.Sweep) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if k != "wall_s"} for row in sweep.rows]


def test_a_point_depends_on_nothing_but_itself(tmp_path: Path) -> None:
    """Neither order, nor workers, nor what else is in the sweep changes a row."""
    parameters = {DEPTH: [1, 4], SERVERS: [2, 3]}
    one = sanlab.sweep(KNEE, parameters, repeats=2, folder=tmp_path / "1", workers=1)
    turned = {DEPTH: [4, 1], SERVERS: [3, 2]}
    two = sanlab.sweep(KNEE, turned, repeats=2, folder=tmp_path / "2", workers=3)
    assert plain(one) == plain(two)
    part = sanlab.sweep(KNEE, {DEPTH: [4], SERVERS: [3]}, folder=tmp_path / "3")
    assert [row for row in plain(one) if row["point"] == part.rows[0]["point"]] == plain(part)
    assert len({row["point"] for row in one.rows}) == 8


def test_the_first_repeat_is_what_sanlab_run_gives(tmp_path: Path) -> None:
    sweep = sanlab.sweep(KNEE, {DEPTH: [3, 16]}, warm_up="none", folder=tmp_path / "s")
    for row in sweep.rows:
        run = sanlab.run(
            KNEE, overrides={DEPTH: str(row[DEPTH])}, folder=tmp_path / str(row[DEPTH])
        )
        summary = run.summary()
        if row["workload"] is None:
            assert row["fingerprint"] == run.manifest.fingerprint
            assert row["iops"] == pytest.approx(summary["iops"], rel=0.01)
            assert row["response_p99_ps"] == pytest.approx(summary["response_p99_us"] * 1e6)
            assert row["io_count"] == summary["io_count"]
            assert row["limiting_element"] == "dev1.lun1"
        shutil.rmtree(tmp_path / str(row[DEPTH]))


def test_the_summary_has_means_and_intervals(tmp_path: Path) -> None:
    """Little's law at each setting, and the knee where the closed form says."""
    sweep = sanlab.sweep(KNEE, {DEPTH: "1,2,4,..,64"}, repeats=3, folder=tmp_path / "s")
    assert sweep.parameters == [DEPTH]
    summary = sweep.summary()
    assert [row[DEPTH] for row in summary] == [1, 2, 4, 8, 16, 32, 64]
    for row in summary:
        open_count = row["iops"] * row["response_mean_ps"] / 1e12
        assert open_count == pytest.approx(row[DEPTH], rel=0.02)
        assert row["repeats"] == 3
        assert row["iops_half_width"] is not None
    assert summary[-1]["iops"] == pytest.approx(80_000, rel=0.001)
    assert sweep.summary("reads", "read")[3]["iops"] == summary[3]["iops"]
    assert sweep.table().num_rows == 7 * 3 * 2


def test_a_failed_run_is_kept_with_its_reason_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = measure_point

    def overloaded(plan_json: str, *rest: Any) -> Any:  # noqa: ANN401
        if json.loads(plan_json)["jobs"][0]["iodepth"] == 4:
            message = "workload 'reads' has more than 10000000 I/Os open"
            raise RunError(message)
        return measure(plan_json, *rest)

    monkeypatch.setattr(pools, "measure_point", overloaded)
    args = ["-p", f"{DEPTH}=1,4,16", "-o", str(tmp_path / "s")]
    code, out, _ = invoke(*args)
    assert code == 1
    assert "2 points done, 1 failed" in out
    assert "more than 10000000 I/Os open" in out
    sweep = sanlab.Sweep.open(tmp_path / "s")
    (failed,) = sweep.failed()
    assert failed[DEPTH] == 4
    assert "more than 10000000" in failed["reason"]
    assert [row["failed"] for row in sweep.summary()] == [0, 1, 0]
    assert "more than 10000000" in (tmp_path / "s" / "sweep.html").read_text(encoding="utf-8")
    monkeypatch.undo()
    code, out, _ = invoke(*args)  # a failure is a result: it is not tried again
    assert code == 1
    assert "2 points done, 1 failed; 3 of these from an earlier command" in out


def test_a_fault_of_ours_is_no_result_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:  # noqa: ANN401
        message = "out of luck"
        raise ValueError(message)

    monkeypatch.setattr(pools, "measure_point", broken)
    code, out, _ = invoke("-p", f"{DEPTH}=1,2", "-o", str(tmp_path / "s"))
    assert code == 1
    assert "2 without a result" in out
    assert "ValueError: out of luck" in out
    monkeypatch.undo()
    assert invoke("-p", f"{DEPTH}=1,2", "-o", str(tmp_path / "s"))[0] == 0


def test_values_that_do_not_go_together_are_marked(tmp_path: Path) -> None:
    """Each is good by itself: a delayed start, and a short run."""
    args = ["-p", "measure.duration=100ms,15ms", "-p", "workloads.reads.ramp_time=10ms,20ms"]
    code, out, _ = invoke(*args, "-o", str(tmp_path / "s"))
    assert code == 0
    assert "3 points done, 1 impossible" in out
    sweep = sanlab.Sweep.open(tmp_path / "s")
    (impossible,) = sweep.impossible()
    assert "Counting starts at 20ms" in impossible["reason"]
    assert not sweep.failed()
    assert [row["is_impossible"] for row in sweep.summary()] == [False, True, False, False]
    assert "impossible" in (tmp_path / "s" / "sweep.html").read_text(encoding="utf-8")
    code, out, _ = invoke(*args, "-o", str(tmp_path / "s"))
    assert code == 0
    assert "3 points done, 1 impossible; 4 of these from an earlier command" in out


def test_a_random_design_has_impossible_points_too(tmp_path: Path) -> None:
    ranges = ["-p", "measure.duration=5ms..25ms", "-p", "workloads.reads.ramp_time=1ms..20ms"]
    code, out, _ = invoke(*ranges, "--random", "12", "-o", str(tmp_path / "s"))
    assert code == 0
    impossible = len(sanlab.Sweep.open(tmp_path / "s").impossible())
    assert 0 < impossible < 12
    assert f"{12 - impossible} points done, {impossible} impossible" in out


def test_listed_points_may_be_impossible(tmp_path: Path) -> None:
    """Each value is there once, and good beside those of another point."""
    duration, ramp = "measure.duration", "workloads.reads.ramp_time"
    path = tmp_path / "points.csv"
    path.write_text(f"{duration},{ramp}\n15ms,20ms\n100ms,10ms\n40ms,5ms\n", encoding="utf-8")
    zipped = ["-p", f"{duration}=15ms,100ms,40ms", "-p", f"{ramp}=20ms,10ms,5ms", "--zip"]
    for args in (["--points", str(path)], zipped):
        folder = tmp_path / args[0].strip("-")
        code, out, _ = invoke(*args, "-o", str(folder))
        assert code == 0
        assert "2 points done, 1 impossible" in out
        (impossible,) = sanlab.Sweep.open(folder).impossible()
        assert (impossible[duration], impossible[ramp]) == ("15ms", "20ms")
        assert "Counting starts at 20ms" in impossible["reason"]
    path.write_text(f"{duration},{ramp}\n15ms,never\n100ms,10ms\n", encoding="utf-8")
    code, _, err = invoke("--points", str(path), "-o", str(tmp_path / "no"))
    assert code == 2
    assert f"-p {ramp}=never" in err
    assert duration not in err
    assert not (tmp_path / "no").exists()


def test_phases_have_rows_of_their_own(tmp_path: Path) -> None:
    """They are those of the run; the headline and its resumption are as without phases."""
    day = Path(KNEE).parents[1] / "daily-load" / "scenario.yaml"
    args = ["sweep", str(day), "-p", "N=1,2", "--repeats", "2", "-o", str(tmp_path / "s")]
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 0
    assert "afternoon" in result.stdout
    sweep = sanlab.Sweep.open(tmp_path / "s")
    assert sweep.phases == ["night", "morning", "afternoon", "evening"]
    assert len(sweep.summary()) == 2
    assert len(keys_in(tmp_path / "s")) == 4 * (1 + 4)
    run = sanlab.run(day, folder=tmp_path / "run", overrides={"N": "2"})
    for figures in phases(run, "oltp"):
        (row,) = [
            row
            for row in sweep.rows
            if (row["N"], row["repeat"], row["phase"], row["op"]) == (2, 0, figures.phase, "read")
        ]
        assert row["iops"] == figures.iops
        assert row["response_p99_ps"] == figures.response_ps[99.0]
        assert row["limiting_element"] is None
    night, day_long = sweep.summary(phase="night")[1], sweep.summary()[1]
    assert night["repeats"] == 2
    assert night["iops"] < day_long["iops"]
    assert '<section id="phases">' in (tmp_path / "s" / "sweep.html").read_text(encoding="utf-8")
    again = CliRunner().invoke(app, [*args, "--json"])
    assert '"found": 4' in again.stdout
    assert len(json.loads(again.stdout)["phases"]) == 8
    plot = ["plot", str(tmp_path / "s"), "--out", str(tmp_path / "p.svg"), "--phase"]
    assert CliRunner().invoke(app, [*plot, "night"]).exit_code == 0
    refused = CliRunner().invoke(app, [*plot, "noon"])
    assert refused.exit_code == 2
    assert "Its phases are night, morning, afternoon, evening" in refused.stderr


def test_a_value_that_is_wrong_with_all_others_is_named(tmp_path: Path) -> None:
    size = "arrays.dev1.luns.lun1.size"
    code, _, err = invoke("-p", f"{size}=1GiB,1KiB", "-o", str(tmp_path / "s"))
    assert code == 2
    assert f"With -p {size}=1KiB: 'dev1.lun1' (1KiB) has no space" in err
    assert not (tmp_path / "s").exists()


def test_lengths_are_sorted_by_size(tmp_path: Path) -> None:
    lengths = ["-p", "links.*.length=10km,10m,50km", "--set", "measure.duration=20ms"]
    code, _, _ = invoke(*lengths, "-o", str(tmp_path / "s"))
    assert code == 0
    rows = sanlab.Sweep.open(tmp_path / "s").summary()
    assert [row["links.*.length"] for row in rows] == ["10m", "10km", "50km"]
    means = [row["response_mean_ps"] for row in rows]
    assert means == sorted(means)


def test_a_value_is_good_where_another_setting_has_room_for_it(tmp_path: Path) -> None:
    stack = Path(KNEE).parents[1] / "jbod-against-sbod" / "scenario.yaml"
    quick = ["--set", "measure.duration=20ms", "--set", "workloads.load.ramp_time=0s"]
    enclosures = ["-p", "stacks.rack.enclosures=1,2"]
    disks = ["-p", "stacks.rack.disks=16,32", "-o", str(tmp_path / "s")]
    result = CliRunner().invoke(app, ["sweep", str(stack), *quick, *disks, *enclosures])
    assert result.exit_code == 0
    assert "3 points done, 1 impossible" in result.stdout
    assert "1 enclosure of 16 bays hold 16 disks, not 32" in result.stdout
    disks = ["-p", "stacks.rack.disks=16,33", "-o", str(tmp_path / "t")]
    result = CliRunner().invoke(app, ["sweep", str(stack), *quick, *disks, *enclosures])
    assert result.exit_code == 2
    assert not (tmp_path / "t").exists()


def test_until_adds_repeats(tmp_path: Path) -> None:
    poisson = {"workloads.reads.thinktime": "100us", "measure.duration": "15ms"}
    loose = sanlab.sweep(KNEE, {DEPTH: [4]}, overrides=poisson, until=0.5, folder=tmp_path / "1")
    assert loose.summary()[0]["repeats"] == 3
    code, out, _ = invoke("-p", f"{DEPTH}=4", "--until", "2%", "-o", str(tmp_path / "2"), "--json")
    assert code == 0
    row = json.loads(out)["summary"][0]
    assert row["iops_half_width"] <= 0.02 * row["iops"]


def test_refine_finds_the_knee(tmp_path: Path) -> None:
    code, out, _ = invoke("-p", f"{DEPTH}=1,4,16,64", "--refine", "iops", "-o", str(tmp_path / "s"))
    assert code == 0
    assert "the sharpest turn of the curve" in out
    depths = [row[DEPTH] for row in sanlab.Sweep.open(tmp_path / "s").summary()]
    assert {8, 9, 10} <= set(depths)
    assert len(depths) < 20


def test_points_zip_and_random(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text(f"{DEPTH},{SERVERS}\n1,8\n8,2\n", encoding="utf-8")
    listed = sanlab.sweep(KNEE, points=path, folder=tmp_path / "1")
    zipped = sanlab.sweep(
        KNEE, {DEPTH: [1, 8], SERVERS: [8, 2]}, is_zipped=True, folder=tmp_path / "2"
    )
    assert plain(listed) == plain(zipped)
    drawn = sanlab.sweep(KNEE, {DEPTH: "1..256:log"}, random=6, folder=tmp_path / "3")
    again = sanlab.sweep(KNEE, {DEPTH: "1..256:log"}, random=6, folder=tmp_path / "4")
    assert plain(drawn) == plain(again)
    assert len(drawn.summary()) == 6


def test_an_earlier_sweep_grows(tmp_path: Path) -> None:
    folder = str(tmp_path / "s")
    assert invoke("-p", f"{DEPTH}=1,2", "-o", folder)[0] == 0
    code, _, err = invoke("-p", f"{DEPTH}=1,2,4", "-o", folder)
    assert code == 2
    assert "--extend" in err
    code, out, _ = invoke("-p", f"{DEPTH}=1,2,4", "-o", folder, "--extend")
    assert code == 0
    assert "3 points done; 2 of these from an earlier command" in out


def test_the_page_needs_no_network_and_names_its_rules(tmp_path: Path) -> None:
    args = ["-p", f"{DEPTH}=1,2,4,..,32", "-p", f"{SERVERS}=1,8", "--repeats", "2"]
    assert invoke(*args, "-o", str(tmp_path / "s"))[0] == 0
    page = (tmp_path / "s" / "sweep.html").read_text(encoding="utf-8")
    for words in ("Kleinrock", "MSER-5", "Student", "hockey_stick-0", "heat_iops-0", "dev1.lun1"):
        assert words in page
    body = page.split('<script type="application/json"')[0]
    assert "http" not in body
    assert 'src="' not in page.split("<main>")[1].split("</main>")[0]


@pytest.mark.parametrize(
    "args",
    [
        ["--y", "iops"],
        ["--x", "iops", "--y", "response_mean_ps"],
        ["--heat-map", "--y", "response_p99_ps"],
        ["--x", SERVERS, "--y", "throughput_bytes_per_s", "--facet", DEPTH],
    ],
)
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_plots_are_pictures(args: list[str], kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    sanlab.sweep(KNEE, {DEPTH: [1, 2, 16], SERVERS: [1, 8]}, folder=folder)
    out = tmp_path / f"plot.{kind}"
    result = CliRunner().invoke(app, ["plot", str(folder), *args, "-o", str(out)])
    assert (result.exit_code, result.stderr) == (0, "")
    head = out.read_bytes()[:8]
    assert head.startswith(b"<svg" if kind == "svg" else b"\x89PNG")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--x", "workloads.reads.bs"], "the sweep does not vary it"),
        (["--y", "iopz"], "no such metric"),
        (["--x", DEPTH, "--series", DEPTH], "used twice"),
        (["-o", "plot.pdf"], "SVG or PNG"),
        (["--x", "iops"], "goes with --y response_mean_ps"),
    ],
)
def test_plots_that_cannot_be(args: list[str], words: str, tmp_path: Path) -> None:
    sanlab.sweep(KNEE, {DEPTH: [1, 2]}, folder=tmp_path / "s")
    result = CliRunner().invoke(app, ["plot", str(tmp_path / "s"), *args])
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Any:  # noqa: ANN401
    """A file system of 256 KiB."""
    mount, umount = shutil.which("mount"), shutil.which("umount")
    folder = tmp_path / "small"
    folder.mkdir()
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if not made or made.returncode:
        pytest.skip("file systems may not be mounted here")
    yield folder
    assert umount
    subprocess.run([umount, str(folder)], check=True)


def test_a_full_disk(small_disk: Path) -> None:
    code, _, err = invoke("-p", f"{DEPTH}=1..60", "-o", str(small_disk / "s"), "--no-report")
    assert code == 1
    assert "No space left on device" in err
    assert "the same command goes on" in err
    assert 0 < len(keys_in(small_disk / "s")) < 60


def test_a_read_only_folder(small_disk: Path) -> None:
    mount = shutil.which("mount")
    assert mount
    subprocess.run([mount, "-o", "remount,ro", str(small_disk)], check=True)
    code, _, err = invoke("-p", f"{DEPTH}=1,2", "-o", str(small_disk / "s"))
    assert code == 2
    assert "Nothing can be written below" in err
    assert len(err.splitlines()) == 1


def test_a_folder_without_leave_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    code, _, err = invoke("-p", f"{DEPTH}=1,2", "-o", str(tmp_path / "s"))
    assert code == 2
    assert "permission denied" in err


def test_a_sweep_is_read_while_it_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    args = ["-p", f"{DEPTH}=1..40", "-p", f"{SERVERS}=1..5", "-o", str(folder)]
    with subprocess.Popen(command(*args), stdout=subprocess.DEVNULL, text=True) as process:
        wait_for_lock(folder, process)
        last = 0
        while process.poll() is None:
            if (folder / "sweep.json").exists():
                rows = read(folder)[1].num_rows
                assert rows >= last
                last = rows
    assert process.returncode == 0
    assert read(folder)[1].num_rows == 400
