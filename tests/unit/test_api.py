"""The public `Run` and what a notebook shows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sanlab
from sanlab.errors import SanlabError

if TYPE_CHECKING:
    from pathlib import Path

SAN = """
title: <Readers> & writers
hosts: [{name: "host[1..2]"}]
arrays: [{name: dev1, ports: 2, luns: [{name: "lun[1..2]", size: 1GiB}]}]
switches: [{name: sw1}]
links: [{from: "host[1..2]", to: sw1}, {from: "dev1.p[0..1]", to: sw1}]
workloads:
  - {name: reads, hosts: host1, targets: dev1.lun1, rw: randread, bs: 8k, iodepth: 4}
  - {name: mixed, hosts: host2, targets: dev1.lun2, rw: randrw, bs: 8k, iodepth: 4}
measure: {duration: 20ms}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> sanlab.Run:
    folder = tmp_path_factory.mktemp("api")
    (folder / "san.yaml").write_text(SAN, encoding="utf-8")
    return sanlab.run(folder / "san.yaml", folder=folder / "run")


def test_a_run_answers_what_the_commands_answer(run: sanlab.Run) -> None:
    assert [one.workload for one in run.explain()] == ["reads", "mixed"]
    assert all(one.severity != "problem" for one in run.findings())
    steady = run.steady("reads")
    assert steady is not None
    assert steady.iops.half_width
    assert run.compare(sanlab.Run.open(run.folder)).verdict == "same"
    assert run.report() == run.folder / "report.html"


def test_a_notebook_shows_each_workload_and_no_markup_of_names(run: sanlab.Run) -> None:
    html = run._repr_html_()
    assert "&lt;Readers&gt; &amp; writers" in html
    assert html.count("<tr>") == 3
    assert "±" in html


def test_opening_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SanlabError, match="not a run folder"):
        sanlab.Run.open(tmp_path)
