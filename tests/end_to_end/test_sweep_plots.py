"""Plots of a sweep with more parameters than axes, and with points that are impossible."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.errors import SanlabError
from sanlab.sweeps.figures import Axes, along


def test_a_plot_draws_what_there_is_or_says_what_it_held(tmp_path: Path) -> None:
    """Twenty hosts have no room at a switch of 16 ports, so they are drawn for another."""
    scenario = """
counts: {N: 1}
hosts: [{name: "host[1..N]"}]
switches: [{name: sw1}]
arrays: [{name: dev1, luns: [{name: lun1, size: 1GiB}]}]
links: [{from: "host[1..N]", to: sw1}, {from: dev1.p0, to: sw1}]
workloads: [{name: w, hosts: "host*", targets: dev1.lun1, rw: randread, bs: 4k}]
measure: {duration: 1ms}
"""
    (tmp_path / "s.yaml").write_text(scenario, encoding="utf-8")
    folder, out = str(tmp_path / "s"), tmp_path / "p.svg"
    varied = ("N=1,20", "switches.0.ports=16,64", "workloads.w.iodepth=1,2", "workloads.w.bs=4k,8k")
    options = [text for value in varied for text in ("-p", value)]
    made = CliRunner().invoke(
        app, ["sweep", str(tmp_path / "s.yaml"), *options, "--no-report", "--out", folder]
    )
    assert made.exit_code == 0, made.stderr

    def plotted(*args: str) -> tuple[str, dict[str, Any], str]:
        plot = ["plot", folder, "--out", str(out), *args]
        text, document = (CliRunner().invoke(app, [*plot, *more]) for more in ([], ["--json"]))
        assert text.exit_code == document.exit_code == 0, text.stderr
        return text.stderr, json.loads(document.stdout)["held"], out.read_text(encoding="utf-8")

    note, held, picture = plotted("--x", "N", "--series", "ports", "--facet", "iodepth")
    assert (note, held) == (
        "Only points with workloads.w.bs = 4k are drawn.\n",
        {"workloads.w.bs": "4k"},
    )
    assert ">20<" in picture
    _, held, picture = plotted("--x", "N")  # of the others, two are series and facet
    assert list(held) == ["workloads.w.bs"]
    assert ">20<" in picture
    drawn = sanlab.plot(sanlab.Sweep.open(folder), x="N").to_svg()
    assert sanlab.plot(folder, x="N").to_svg() == drawn
    assert sanlab.plot(Path(folder), x="N").to_svg() == drawn


def test_what_is_no_sweep_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SanlabError, match="sweep"):
        sanlab.plot(tmp_path)
    with pytest.raises(SanlabError, match="not a list"):
        sanlab.plot([1])  # type: ignore[arg-type]


def test_times_have_one_unit_in_all_facets_and_later_facets_are_folded(tmp_path: Path) -> None:
    """Media of 1 ms and of 9 ms: microseconds would fit the fast ones alone."""
    scenario = """
hosts: [{name: host1}]
switches: [{name: sw1}]
arrays: [{name: dev1, luns: [{name: lun1, size: 1GiB, memory: {service: 9ms, servers: 1}}]}]
links: [{from: host1, to: sw1}, {from: dev1.p0, to: sw1}]
workloads: [{name: w, hosts: host1, targets: dev1.lun1, rw: randread, bs: 4k}]
measure: {duration: 300ms}
"""
    (tmp_path / "s.yaml").write_text(scenario, encoding="utf-8")
    varied = (
        "workloads.w.iodepth=1,2,4,8",
        "workloads.w.bs=4k,8k",
        "arrays.dev1.luns.lun1.memory.service=1ms,3ms,9ms",
    )
    options = [text for value in varied for text in ("-p", value)]
    folder = str(tmp_path / "s")
    made = CliRunner().invoke(app, ["sweep", str(tmp_path / "s.yaml"), *options, "--out", folder])
    assert made.exit_code == 0, made.stderr
    page = (tmp_path / "s" / "sweep.html").read_text(encoding="utf-8")
    for name in ("response", "hockey_stick"):
        assert f'"{name}-2"' in page
    assert "response time (ms)" in page
    assert "response time (µs)" not in page
    assert page.count("<details><summary>") == 1  # the third facet
    assert page.count("<h3>") == 2


def test_every_value_along_an_axis_is_written_as_it_is() -> None:
    """350 between 300 and 400 was written as a second 400."""
    values = (200, 300, 350, 400, 900)
    rows = [{"rate_iops": value, "iops": value, "iops_half_width": None} for value in values]
    chart = along(rows, Axes("rate_iops"), ["iops"])
    assert chart is not None
    (labels,) = [
        re.findall(r">([^<]+)</text>", group)
        for group in re.findall(r'role-axis-label".*?</g>', chart.to_svg(), re.DOTALL)[:1]
    ]
    assert labels == [str(value) for value in values]
