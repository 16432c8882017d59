"""An array holds hosts back: at a limit of a LUN or host, and while its cache is full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import sanlab
from sanlab.explain.findings import find

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.explain.findings import Finding
    from sanlab.results.run import Run

SCENARIO = """
title: an array holds hosts back
hosts: [{name: "host[1..2]"}]
switches: [{name: sw1}]
arrays:
  - name: dev1
    ARRAY
    luns: [{name: "lun[1..2]", size: 1GiB, memory: {service: 200us, servers: 1} LUN}]
links:
  - {from: "host[1..2]", to: sw1}
  - {from: dev1, to: sw1}
workloads:
  - {name: load, hosts: "host[1..2]", targets: "dev1.lun[1..2]", rw: RW, bs: 4k, iodepth: 4}
measure: {duration: 2s, interval: 100ms}
"""


def run_of(
    folder: Path, array: str = "ports: 1", lun: str = "", rw: str = "randread", **load: int
) -> Run:
    folder.mkdir(exist_ok=True)
    path = folder / "scenario.yaml"
    text = SCENARIO.replace("ARRAY", array).replace("LUN}", f"{lun}}}").replace("RW", rw)
    path.write_text(text, encoding="utf-8")
    overrides = {f"workloads.load.{key}": value for key, value in load.items()}
    return sanlab.run(path, folder=folder / "run", overrides=overrides)


def per_second(run: Run) -> float:
    return float(sum(row["iops"] for row in run.rows("workloads")))


def one(run: Run, kind: str) -> Finding:
    (found,) = (finding for finding in find(run) if finding.id == kind)
    return found


def share_of(run: Run, stage: str) -> float:
    rows = run.rows("stages")
    of_stage = sum(row["total_ps"] for row in rows if row["stage"] == stage)
    return float(of_stage / sum(row["total_ps"] for row in rows))


@pytest.mark.parametrize(
    ("array", "lun", "expected"),
    [
        ("ports: 1", ", limit: {iops: 500}", 1000),
        ("ports: 1", ", limit: {rate: 2048000B/s}", 1000),
        ("host_limits: [{hosts: 'host[1..2]', iops: 250}]", "", 500),
    ],
)
def test_the_rate_is_the_limit(tmp_path: Path, array: str, lun: str, expected: int) -> None:
    run = run_of(tmp_path, array, lun)
    # In two seconds the burst of a tenth of a second passes too.
    assert per_second(run) == pytest.approx(expected * 2.1 / 2, rel=0.01)
    assert share_of(run, "limit") > 0.8
    assert "commands waited for it" in one(run, "limit_array_limit").title


def test_a_high_limit_changes_nothing(tmp_path: Path) -> None:
    free = run_of(tmp_path / "free")
    limited = run_of(tmp_path / "limited", lun=", limit: {iops: 50000, rate: 10GB/s}")
    assert limited.manifest.fingerprint == free.manifest.fingerprint
    assert not [finding for finding in find(limited) if finding.id == "limit_array_limit"]


def cache_of(run: Run) -> dict[str, Any]:
    (row,) = run.rows("caches")
    return row


def test_a_full_cache_passes_what_the_media_store(tmp_path: Path) -> None:
    run = run_of(tmp_path, "cache: {access: 20us, dirty_limit: 256KiB}", rw="randwrite")
    assert per_second(run) == pytest.approx(2 * 5000, rel=0.02)
    cache = cache_of(run)
    assert cache["max_dirty_bytes"] <= 256 * 1024
    series = run.rows("cache_series")
    for column in ("full_ps", "room_waits_count"):
        assert sum(row[column] for row in series) == cache[column] > 0
    assert "waiting for room" in one(run, "limit_media").detail


def test_a_cache_destages_by_age(tmp_path: Path) -> None:
    dirty = []
    for name, keys in [("stays", ""), ("aged", ", destage_age: 200ms")]:
        array = f"cache: {{size: 64MiB{keys}}}"
        run = run_of(tmp_path / name, array, rw="randwrite", rate_iops=20)
        cache = cache_of(run)
        known = ("destaged_bytes", "overwritten_bytes", "lost_bytes", "dirty_bytes")
        assert cache["written_bytes"] == sum(cache[column] for column in known)
        dirty.append(cache["dirty_bytes"])
    # Two hosts write at 20 a second or more, and each write is dirty for 200 ms.
    assert dirty[1] < 30 * 4096 < dirty[0]
