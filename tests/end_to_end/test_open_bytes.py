"""A short run says how much of its throughput is of I/Os that were open at the end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from sanlab.cli.main import app

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """
hosts: [{name: host1}]
switches: [{name: sw1}]
arrays: [{name: dev1, luns: [{name: lun1, size: 10GiB}]}]
links: [{from: host1, to: sw1}, {from: dev1.p0, to: sw1}]
workloads: [{name: reads, hosts: host1, targets: dev1.lun1, rw: read, bs: 16MiB, iodepth: 8}]
measure: {duration: 20ms}
"""


def test_the_note_is_in_text_json_and_report(tmp_path: Path) -> None:
    file = tmp_path / "short.yaml"
    file.write_text(SCENARIO, encoding="utf-8")

    def run(name: str, *more: str) -> str:
        folder = str(tmp_path / name)
        done = CliRunner().invoke(app, ["run", str(file), "-o", folder, *more])
        assert done.exit_code == 0, done.output
        return done.stdout

    shown = run("text")
    found = json.loads(run("json", "--json"))
    assert found["open_share"] > 0.02
    assert f"note         {found['throughput_note']}" in shown
    page = (tmp_path / "text" / "report.html").read_text(encoding="utf-8")
    assert found["throughput_note"] in page
    longer = json.loads(run("longer", "--json", "--set", "workloads.reads.bs=4KiB"))
    assert longer["open_share"] < 0.02
    assert longer["throughput_note"] is None
