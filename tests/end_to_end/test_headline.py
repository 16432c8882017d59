"""Headline figures: each interval is of the time that its figure is of, and that time is said."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.compare.figures import figures
from sanlab.explain.findings import find
from sanlab.report.build import render
from sanlab.results.steady import half_widths, steady
from sanlab.words import show_half_width

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.results.run import Run

#: Writes that a cache takes at first, then at the rate of the disks; reads count only after that.
BURST = """
title: A burst, then a steady state
hosts: [{name: h1, hbas: [{model: generic-8g}]}, {name: h2, hbas: [{model: generic-8g}]}]
switches: [{name: sw1, model: generic-8g}]
arrays:
  - name: dev1
    model: generic-8g
    ports: 1
    cache: {access: 50us, size: 512MiB, dirty_limit: 256MiB}
    disk: {model: generic-10k, size: 20GB}
    groups: [{name: g1, raid: {level: 10, drives: 4}}]
    luns: [{name: l1, group: g1}]
  - {name: dev2, model: generic-8g, ports: 1, luns: [{name: l2, size: 10GiB}]}
links: [{from: h1, to: sw1}, {from: h2, to: sw1}, {from: dev1, to: sw1}, {from: dev2, to: sw1}]
workloads:
  - {name: burst, hosts: h1, targets: dev1.l1, rw: randwrite, bs: 8KiB, iodepth: 4}
  - {name: late, hosts: h2, targets: dev2.l2, rw: randread, bs: 8KiB, iodepth: 1, ramp_time: 2s}
measure: {duration: 4s, interval: 50ms}
"""


@pytest.fixture(scope="module")
def burst(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("burst")
    (folder / "scenario.yaml").write_text(BURST, encoding="utf-8")
    return sanlab.run(folder / "scenario.yaml", folder=folder / "run")


def test_the_interval_of_all_workloads_is_of_the_times_they_count_in(burst: Run) -> None:
    own = [half_widths(burst, name) for name in ("burst", "late")]
    found = half_widths(burst)
    assert all(one.iops is not None for one in own)
    assert found.iops == pytest.approx(sum(one.iops or 0.0 for one in own))
    common = steady(burst, rule="none")
    assert common is not None
    assert common.from_ps == 2 * 10**12
    # The time that both count in is without the burst, so its interval is far too narrow.
    assert found.iops is not None
    assert found.iops > 3 * (common.iops.half_width or 0.0)
    assert figures(burst, None)["iops"].half_width == found.iops
    total = burst.summary()["iops"]
    assert abs(total - common.iops.mean) > (common.iops.half_width or 0.0)


def test_one_workload_has_the_interval_of_its_own_time(burst: Run) -> None:
    judged = steady(burst, "late", rule="none")
    assert judged is not None
    assert half_widths(burst, "late").iops == judged.iops.half_width


def test_text_report_and_json_say_which_time_the_figures_are_of(burst: Run) -> None:
    note = (
        "each workload measured in its own time, rates added: burst from 0 s to 4.00 s, late from"
    )
    assert burst.summary()["span_note"].startswith(note)
    runner = CliRunner()
    command = ["run", str(burst.folder / "scenario.yaml"), "--out", f"{burst.folder}-2"]
    text = runner.invoke(app, command).output
    assert note in text
    said = json.loads(runner.invoke(app, [*command[:-1], f"{burst.folder}-3", "--json"]).output)
    assert said["span_note"].startswith(note)
    page = render(burst, find(burst))
    assert note in page
    share = figures(burst, None)["iops"]
    assert share.half_width is not None
    shown = escape(f"{show_half_width(share.half_width / share.value)}, ")
    assert shown in page.split("I/Os per second")[1]


def test_a_run_that_counts_from_its_beginning_needs_no_note(tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(BURST.replace(", ramp_time: 2s", ""), encoding="utf-8")
    done = sanlab.run(tmp_path / "scenario.yaml", folder=tmp_path / "run")
    assert done.summary()["span_note"] is None
    judged = steady(done, rule="none")
    assert judged is not None
    assert half_widths(done).iops == judged.iops.half_width
