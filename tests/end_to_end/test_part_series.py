"""Time lines of loops, strings, limits, pairs, caches and file systems: bins make up the totals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import sanlab
from sanlab.explain.parts import KINDS
from sanlab.simulation.tables import numbers, texts

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.results.run import Run

LOOPS = """
hosts: [{name: "host[1..2]", hbas: [{model: qla2342}]}]
stacks:
  - {name: rack, model: rs-1600-sbod, enclosures: 2, disks: 32, disk: cheetah-10k6, loops: 1,
     strings: 1, paths: [{via: [host1.hba0.p0, host2.hba0.p0]}]}
links: [{from: host1.hba0.p0, to: rack.a.top}, {from: host2.hba0.p0, to: rack.a.top}]
workloads:
  - {name: load, hosts: "host[1..2]", targets: "rack.disk[17..32]", spread: paths, rw: read,
     bs: 64KiB, iodepth: 1}
measure: {duration: 130ms, interval: 20ms}
"""
ARRAY = """
hosts: [{name: host1, hbas: [{model: generic-8g}]}]
switches: [{name: sw1, model: generic-8g}]
arrays:
  - name: dev1
    model: generic-8g
    ports: 1
    cache: {size: 64MiB, write_back: false}
    luns: [{name: lun1, size: 10GiB, limit: {iops: 1000}}]
links: [{from: host1, to: sw1}, {from: dev1, to: sw1}]
filesystems: [{name: fs1, "on": dev1.lun1, kind: cxfs}]
qos: [{from: host1, to: dev1, limit: 40MB/s}]
workloads:
  - {name: load, hosts: host1, targets: fs1, first_write: true, rw: write, bs: 16KiB, iodepth: 8}
measure: {duration: 130ms, interval: INTERVAL}
"""


def _run(text: str, tmp_path: Path) -> Run:
    file = tmp_path / "scenario.yaml"
    file.write_text(text, encoding="utf-8")
    return sanlab.run(file, folder=tmp_path / "run")


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        (LOOPS, ("loops", "strings")),
        (ARRAY.replace("INTERVAL", "20ms"), ("limits", "pairs", "caches", "file_systems")),
        # More than 1024 intervals: neighbours are merged.
        (ARRAY.replace("INTERVAL", "50us"), ("limits", "pairs", "caches", "file_systems")),
    ],
    ids=["loops", "array", "merged"],
)
def test_bins_make_up_the_totals(text: str, tables: tuple[str, ...], tmp_path: Path) -> None:
    run = _run(text, tmp_path)
    for name in tables:
        kind, total = KINDS[name], run.table(name)
        series = run.table(kind.series)
        assert total.num_rows, name
        ends = numbers(series, "time_ps").reshape(-1, total.num_rows)
        assert ends[-1, 0] == run.manifest.simulated_ps
        spans = np.diff(ends[:, 0].astype(np.float64), prepend=0)
        for key in kind.keys:
            assert texts(series, key)[: total.num_rows].tolist() == texts(total, key).tolist()
        sums: list[float] = []
        for column in kind.sums:
            bins = numbers(series, column).reshape(-1, total.num_rows).sum(axis=0)
            if column == "wait_ps":
                means = numbers(total, "mean_wait_ps") * numbers(total, "delayed_count")
                assert bins == pytest.approx(means)
            else:
                assert bins.tolist() == numbers(total, column).tolist(), (name, column)
            sums.append(float(bins.sum()))
        assert any(sums), name
        for column in kind.means:
            bins = numbers(series, column).reshape(-1, total.num_rows)
            mean = (bins * spans[:, None]).sum(axis=0) / spans.sum()
            assert mean == pytest.approx(numbers(total, column), rel=1e-9), (name, column)
