"""Access specifications, presets and SPC-1-like loads in whole runs.

A run that breaks a law (stages that do not sum to the response time, Little's law) fails, so that
each run here is a test of them too.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import sanlab
from sanlab.catalog import names_of
from sanlab.plan.compile import compile_plan
from sanlab.plan.schema import SequentialAddress
from sanlab.plan.spc1 import SMIX, STREAMS, asu_of
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.plan.schema import JobPlan
    from sanlab.results.run import Run

SAN = """
seed: {seed}
hosts:
  - {{name: "host[1..2]", hbas: {{ports: 2, execution_throttle: 4096, lun_queue_depth: 1024}}}}
switches: [{{name: sw1}}]
arrays:
  - name: dev1
    ports: 2
    luns: [{{name: "lun[1..4]", size: 16GiB, memory: {{service: 100us, servers: 64}}}}]
links:
  - {{from: host1.hba0.p0, to: sw1}}
  - {{from: host1.hba0.p1, to: sw1}}
  - {{from: host2.hba0.p0, to: sw1}}
  - {{from: host2.hba0.p1, to: sw1}}
  - {{from: dev1.p0, to: sw1}}
  - {{from: dev1.p1, to: sw1}}
workloads:
  - {{name: load, hosts: "{hosts}", targets: "dev1.lun[1..4]", {keys}}}
measure: {{duration: {duration}}}
"""


def san(keys: str, *, hosts: str = "host1", duration: str = "1s", seed: int = 1) -> str:
    return SAN.format(keys=keys, hosts=hosts, duration=duration, seed=seed)


def simulated(folder: Path, text: str) -> Run:
    path = folder / "scenario.yaml"
    path.write_text(text, encoding="utf-8")
    return sanlab.run(path, folder=folder / f"run-{len(list(folder.iterdir()))}")


def jobs(run: Run) -> list[dict[str, Any]]:
    return run.rows("jobs")


def test_the_streams_are_the_published_mix() -> None:
    """SPC-1 as its open implementation has it: 39.4 % reads, 61.4 % random, 8.0 KiB on average."""
    whole = sum(stream.intensity_milli for stream in STREAMS)
    assert whole == 1000
    reads = sum(stream.intensity_milli * stream.read_ppm for stream in STREAMS) / 1e9
    assert reads == pytest.approx(0.3944, abs=1e-4)
    random = sum(stream.intensity_milli for stream in STREAMS if stream.kind != "runs")
    assert random == 614
    smix = sum(size * share for size, share in SMIX.items()) / 1e6
    assert smix == pytest.approx(3.6 * 4096)
    mean = (random * 4096 + (1000 - random) * smix) / 1000
    assert mean / 1024 == pytest.approx(8.0, abs=0.02)


def test_the_units_are_45_45_and_10_percent() -> None:
    whole = 1000 * 4096
    assert [asu_of(whole, number) for number in (1, 2, 3)] == [
        (0, 450 * 4096),
        (450 * 4096, 450 * 4096),
        (900 * 4096, 100 * 4096),
    ]


@pytest.mark.parametrize("layout", ["layout: concatenated", "layout: striped, stripe: 256KiB"])
def test_a_run_has_the_mix_of_its_streams(tmp_path: Path, layout: str) -> None:
    """400 BSUs for a second: 20 000 I/Os, each stream's share within five standard deviations."""
    run = simulated(tmp_path, san(f"spc1: {{bsus: 400, {layout}}}"))
    counts: Counter[str] = Counter()
    by_op: Counter[str] = Counter()
    for row in jobs(run):
        counts[row["job"].rsplit("/", 1)[1]] += row["io_count"]
        by_op[row["op"]] += row["io_count"]
    # A request over the end of a stripe is two I/Os: 14.4 KiB of 256 KiB, at most 6 % of the runs.
    cut = 0.06 if "striped" in layout else 0.0
    for stream in STREAMS:
        expected = 20 * stream.intensity_milli
        slack = 5 * expected**0.5 + (cut * expected if stream.kind == "runs" else 0)
        assert counts[stream.name] == pytest.approx(expected, abs=slack), stream.name
    whole = sum(counts.values())
    random = sum(counts[stream.name] for stream in STREAMS if stream.kind != "runs")
    assert by_op["read"] / whole == pytest.approx(0.394, abs=0.015)
    assert random / whole == pytest.approx(0.614, abs=0.015)
    mean = sum(row["bytes"] for row in jobs(run)) / whole
    assert mean / 1024 == pytest.approx(8.0, rel=0.03)


@pytest.mark.parametrize(("bsus", "hosts"), [(20, "host1"), (200, "host1"), (201, "host[1..2]")])
def test_the_rate_is_50_ios_per_second_for_each_unit(tmp_path: Path, bsus: int, hosts: str) -> None:
    run = simulated(tmp_path, san(f"spc1: {{bsus: {bsus}}}", hosts=hosts))
    expected = 50 * bsus
    assert sum(row["io_count"] for row in jobs(run)) == pytest.approx(
        expected, abs=5 * expected**0.5
    )


def interval_ps(job: JobPlan) -> int:
    """Mean time between arrivals of an open loop."""
    assert job.arrivals is not None
    return job.arrivals.interval_ps


def test_units_are_dealt_to_hosts() -> None:
    text = san("spc1: {bsus: 3, iops_per_bsu: 5}", hosts="host[1..2]")
    plan = compile_plan(parse_scenario(text))
    walkers = {job.name: job for job in plan.jobs if job.name.endswith("asu1-2")}
    first, second = (interval_ps(walkers[f"load/{host}/asu1-2"]) for host in ("host1", "host2"))
    assert 2 * first == pytest.approx(second, abs=2)
    # 5 I/Os per second of one unit, 28.1 % from this stream.
    assert second == pytest.approx(10**12 / (5 * 0.281), rel=1e-6)
    one = compile_plan(parse_scenario(san("spc1: {bsus: 1}", hosts="host[1..2]")))
    assert {job.host for job in one.jobs} == {0}


def test_every_lun_is_reached_by_its_own_path() -> None:
    plan = compile_plan(parse_scenario(san("spc1: {bsus: 10}")))
    targets = plan.jobs[0].targets
    assert [target.lun for target in targets] == [0, 1, 2, 3]
    assert [path.adapter for target in targets for path in target.paths] == [0, 1, 0, 1]


def test_the_same_seed_is_the_same_run(tmp_path: Path) -> None:
    text = san("spc1: {bsus: 40}", duration="200ms")
    first, second = simulated(tmp_path, text), simulated(tmp_path, text)
    assert first.summary()["fingerprint"] == second.summary()["fingerprint"]
    other = simulated(tmp_path, san("spc1: {bsus: 40}", duration="200ms", seed=2))
    assert first.summary()["fingerprint"] != other.summary()["fingerprint"]


@pytest.mark.parametrize("name", names_of("workloads"))
def test_every_preset_runs(tmp_path: Path, name: str) -> None:
    run = simulated(tmp_path, san(f"preset: {name}", duration="100ms"))
    assert run.summary()["iops"] > 100


def plan_of(keys: str) -> list[JobPlan]:
    return compile_plan(parse_scenario(san(keys))).jobs


def test_lmdd_is_one_process_that_waits_for_each_request(tmp_path: Path) -> None:
    keys = "preset: lmdd, target_port: p0"
    found = plan_of(keys)
    assert [job.name for job in found] == [f"load/host1/dev1.lun{number}" for number in range(1, 5)]
    assert all(isinstance(job.addresses, SequentialAddress) for job in found)
    assert {(job.read_ppm, job.iodepth) for job in found} == {(10**6, 1)}
    where = {(job.block_bytes, job.offset_bytes, job.total_bytes) for job in found}
    assert where == {(8192, 0, None)}
    one = san(keys, duration="100ms").replace("dev1.lun[1..4]", "dev1.lun1")
    summary = simulated(tmp_path, one).summary()
    # Its rate is the block over the response time; the last request is still open at the end.
    rate = 8192 / (summary["response_mean_us"] / 1e6)
    assert summary["throughput_bytes_per_s"] == pytest.approx(rate, rel=0.002)


def test_xdd_makes_passes_over_the_same_span(tmp_path: Path) -> None:
    found = plan_of("preset: xdd")
    assert all(isinstance(job.addresses, SequentialAddress) for job in found)
    assert {(job.block_bytes, job.iodepth) for job in found} == {(131_072, 4)}
    assert {(job.span_bytes, job.total_bytes) for job in found} == {(2**28, 3 * 2**28)}
    small = san("preset: xdd, size: 1MiB, loops: 5").replace("measure: {duration: 1s}", "")
    rows = jobs(simulated(tmp_path, small))
    assert {(row["io_count"], row["bytes"]) for row in rows} == {(40, 5 * 2**20)}


def test_processes_of_pioraw_have_a_region_each() -> None:
    found = [job for job in plan_of("preset: pioraw, size: 1GiB") if "/dev1.lun2/" in job.name]
    assert [job.offset_bytes for job in found] == [number * 2**30 for number in range(4)]
    assert {(job.block_bytes, job.iodepth, job.span_bytes) for job in found} == {(2**20, 1, 2**30)}
    whole = [job for job in plan_of("preset: pioraw, numjobs: 2") if "/dev1.lun2/" in job.name]
    assert [job.offset_bytes for job in whole] == [0, 8 * 2**30]


@pytest.mark.parametrize("loops", [1, 2, 7])
def test_loops_repeat_the_size_and_keep_the_span(loops: int) -> None:
    found = plan_of(f"rw: write, bs: 64KiB, size: 1000KiB, numjobs: 2, loops: {loops}")
    # Whole blocks only, as without loops.
    assert {job.span_bytes for job in found} == {960 * 1024}
    assert {job.total_bytes for job in found} == {loops * 960 * 1024}
    assert {job.offset_bytes for job in found} == {0, 960 * 1024}


def test_a_loop_reads_what_the_one_before_has_read(tmp_path: Path) -> None:
    """Of three passes over data that fit into the cache, the last two find all of them there."""
    cached = san("rw: read, bs: 64KiB, size: 4MiB, loops: 3").replace(
        "    ports: 2\n    luns", "    ports: 2\n    cache: {size: 64MiB, prefetch: 0}\n    luns"
    )
    run = simulated(tmp_path, cached.replace("measure: {duration: 1s}", ""))
    (cache,) = run.rows("caches")
    assert cache["hits_count"] == 2 * cache["misses_count"]
    assert cache["misses_count"] == 4 * 64


def test_a_key_beside_a_preset_goes_first() -> None:
    plan = compile_plan(parse_scenario(san("preset: oltp, iodepth: 3, numjobs: 2")))
    assert [(job.name, job.iodepth) for job in plan.jobs] == [
        ("load/host1/0", 3),
        ("load/host1/1", 3),
    ]
    usual = compile_plan(parse_scenario(san("preset: oltp")))
    assert usual.jobs[0].iodepth == 16


def test_the_closed_loop_has_the_mix_of_spc_1(tmp_path: Path) -> None:
    run = simulated(tmp_path, san("preset: spc1-closed, iodepth: 2", duration="500ms"))
    counts = {row["op"]: row["io_count"] for row in jobs(run)}
    moved = sum(row["bytes"] for row in jobs(run))
    whole = sum(counts.values())
    assert whole > 20_000
    assert counts["read"] / whole == pytest.approx(0.3944, abs=0.015)
    assert moved / whole / 1024 == pytest.approx(8.0, rel=0.03)


def test_outstanding_ios_are_those_of_each_target_and_worker(tmp_path: Path) -> None:
    """Little's law, from outside: two workers, three I/Os on each of four LUNs are 24 open."""
    keys = "access: {size: 4KiB, reads: 100%, random: 100%}, iodepth: 3, numjobs: 2"
    run = simulated(tmp_path, san(keys, duration="200ms"))
    summary = run.summary()
    open_count = summary["iops"] * summary["response_mean_us"] / 1e6
    assert open_count == pytest.approx(24, rel=0.01)
