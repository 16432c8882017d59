"""Mirrors over distance: protocols, journals and lag, as a user meets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sanlab
from sanlab.explain.findings import find

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.results.run import Run

SCENARIO = """
title: Mirror over distance
seed: 1
hosts:
  - {{name: host1}}
switches:
  - {{name: sw1, speed: 16GFC}}
  - {{name: sw2, speed: 16GFC}}
arrays:
  - name: near
    model: generic-16g
    luns: [{{name: lun1, size: 1GiB, mirror: {{to: far.lun1, {mirror}}}}}]
  - name: far
    model: generic-16g
    luns: [{{name: lun1, size: 1GiB}}]
links:
  - {{from: host1, to: sw1}}
  - {{from: near.p0, to: sw1}}
  - {{from: far.p0, to: sw2}}
  - {{from: sw1, to: sw2, length: {km}km, bb_credit: 10000}}
workloads:
  - {{name: log, hosts: host1, targets: near.lun1, rw: write, bs: 32KiB, iodepth: {depth}}}
measure: {{duration: 60ms, interval: 2ms}}
"""


def simulated(folder: Path, mirror: str, *, km: int = 100, depth: int = 1) -> Run:
    """Run the scenario with these keys of the mirror."""
    path = folder / "mirror.yaml"
    path.write_text(SCENARIO.format(mirror=mirror, km=km, depth=depth), encoding="utf-8")
    return sanlab.run(path, folder=folder / f"run-{len(list(folder.iterdir()))}")


def test_a_protocol_says_how_many_round_trips_a_write_needs(tmp_path: Path) -> None:
    times = {
        protocol: simulated(tmp_path, f"protocol: {protocol}").summary()["response_mean_us"]
        for protocol in ("fcp-write", "single-round-trip", "emc-srdf-sirt", "hp-scsi-fcp")
    }
    assert times["fcp-write"] - times["single-round-trip"] == pytest.approx(1000, rel=0.02)
    assert times["emc-srdf-sirt"] == times["single-round-trip"]
    assert times["hp-scsi-fcp"] == times["fcp-write"]


def test_the_worst_recovery_point_is_shown(tmp_path: Path) -> None:
    run = simulated(tmp_path, "mode: asynchronous, journal: 1GiB", depth=4)
    (row,) = run.rows("mirrors")
    summary = run.summary()
    assert summary["worst_mirror"] == "near.lun1"
    assert summary["worst_mirror_lag_us"] == row["max_lag_ps"] / 1e6 > 1900
    series = run.rows("mirror_series")
    assert max(point["max_lag_ps"] for point in series) == row["max_lag_ps"]
    assert series[-1]["end_lag_bytes"] == row["end_lag_bytes"] > 0
    (finding,) = [finding for finding in find(run) if finding.id == "mirror_lag"]
    assert finding.severity == "notice"
    assert finding.number == row["max_lag_ps"] / 1e12


def test_a_synchronous_mirror_has_no_lag_to_show(tmp_path: Path) -> None:
    run = simulated(tmp_path, "mode: synchronous")
    assert run.summary()["worst_mirror"] is None
    assert "mirror_lag" not in {finding.id for finding in find(run)}


def test_a_full_journal_suspends_or_delays(tmp_path: Path) -> None:
    keys = "mode: asynchronous, journal: 256KiB, max_outstanding: 2"
    suspended = simulated(tmp_path, keys, depth=4)
    (row,) = suspended.rows("mirrors")
    assert row["suspended_ps"] > 0
    assert row["lost_count"] > 0
    (finding,) = [finding for finding in find(suspended) if finding.id == "mirror_lag"]
    assert finding.severity == "problem"
    assert "suspended: near.lun1" in finding.detail
    waiting = simulated(tmp_path, f"{keys}, when_full: wait", depth=4)
    (row,) = waiting.rows("mirrors")
    assert (row["suspended_ps"], row["lost_count"]) == (0, 0)
    assert row["max_held_bytes"] <= 256 * 1024
    assert row["waits_count"] > 0
    assert waiting.summary()["iops"] < suspended.summary()["iops"] / 2


def test_a_suspended_mirror_resumes(tmp_path: Path) -> None:
    keys = "mode: asynchronous, journal: 256KiB, max_outstanding: 2, resume_after: 20ms"
    run = simulated(tmp_path, f"{keys}, region: 32KiB, resync_rate: 10MB/s", depth=4)
    (row,) = run.rows("mirrors")
    assert row["suspensions_count"] >= 1
    assert row["resync_bytes"] > 0
    assert row["resync_bytes"] <= 1e7 * row["resync_ps"] / 1e12 + 2 * 32 * 1024
    assert {point["resynchronises"] for point in run.rows("mirror_series")} <= {0, 1}
    (finding,) = [finding for finding in find(run) if finding.id == "mirror_lag"]
    assert "it copied the regions they had marked" in finding.detail
