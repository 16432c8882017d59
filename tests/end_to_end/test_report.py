"""The report of a real run: whole, by itself, and safe."""

from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.report.build import build

if TYPE_CHECKING:
    from sanlab.results.run import Run

pytestmark = pytest.mark.xdist_group("report")
HELLO = Path(__file__).parents[2] / "examples" / "hello-san" / "scenario.yaml"
SECTIONS = (
    "findings", "topology", "response", "time", "stages", "ports", "credit", "frames", "stations",
    "checks", "scenario",
)  # fmt: skip


class Page(HTMLParser):
    """What a page loads, its sections, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.sections: list[str] = []
        self.links: list[str] = []
        self.scripts: list[str] = []
        self.charts: list[str] = []
        self._is_script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in {"link", "iframe", "object", "embed", "base"}:
            self.loads.append(tag)
        self.loads += [f"{tag} {name}" for name in ("src", "srcset") if name in values]
        if tag == "section":
            self.sections.append(values.get("id") or "")
        if tag == "a":
            self.links.append(values.get("href") or "")
        if "data-chart" in values:
            self.charts.append(values["data-chart"] or "")
        self._is_script = tag == "script"

    def handle_data(self, data: str) -> None:
        if self._is_script:
            self.scripts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._is_script = self._is_script and tag != "script"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    done = sanlab.run(HELLO, folder=tmp_path_factory.mktemp("runs") / "hello")
    build(done)
    return done


@pytest.fixture(scope="module")
def page(run: Run) -> Page:
    return Page((run.folder / "report.html").read_text(encoding="utf-8"))


def test_every_section_is_there(page: Page) -> None:
    assert tuple(page.sections) == SECTIONS
    assert page.links == [f"#{name}" for name in SECTIONS]


def test_it_loads_nothing(page: Page, run: Run) -> None:
    assert page.loads == []
    own = (run.folder / "report.html").read_text(encoding="utf-8")
    for script in page.scripts:
        if len(script) > 100_000:
            own = own.replace(script, "")  # the plotting library names its home in comments
    assert not re.search(r"""(?:url\(|@import|href=["']https?:|src=["'])""", own)
    addresses = set(re.findall(r"https?://[^\s\"'<>)]+", own))
    names_only = ("http://www.w3.org/2000/svg", "https://vega.github.io/schema/")
    assert all(address.startswith(names_only) for address in addresses)


def test_every_chart_has_a_place_and_data(page: Page) -> None:
    charts = json.loads(next(text for text in page.scripts if text.startswith("{")))
    assert set(page.charts) == set(charts)
    assert {"response_percentiles", "response_distribution", "stages", "frame_latencies"} <= set(
        charts
    )
    for spec in charts.values():
        assert all(layer["data"]["values"] for layer in spec.get("layer", [spec]))


def test_findings_lie_beside_it(run: Run) -> None:
    document = json.loads((run.folder / "findings.json").read_text(encoding="utf-8"))
    assert {"limit_outstanding", "credit_wait", "steady"} & {
        finding["id"] for finding in document["findings"]
    }


def test_text_of_the_scenario_stays_text(tmp_path: Path) -> None:
    nasty = "<script>alert(1)</script></script><!--"
    text = HELLO.read_text(encoding="utf-8").replace("Hello, SAN", f"'{nasty}'")
    file = tmp_path / "nasty.yaml"
    file.write_text(f"{text}\n# </pre>{nasty}\n", encoding="utf-8")
    done = sanlab.run(file, folder=tmp_path / "nasty")
    html = build(done).read_text(encoding="utf-8")
    assert "alert(1)" in html
    assert "<script>alert" not in html
    assert tuple(Page(html).sections) == SECTIONS


def test_a_run_of_plain_frames_has_a_report_too(tmp_path: Path) -> None:
    file = tmp_path / "frames.yaml"
    file.write_text(
        """
title: Frames only
hosts: [{name: "host[1..2]"}]
switches: [{name: sw1}]
links: [{from: "host[1..2]", to: sw1}]
traffic: [{name: stream, from: host1, to: host2, frames: 100, payload: 2048, saturate: true}]
measure: {duration: 1ms, interval: 100us}
""",
        encoding="utf-8",
    )
    html = build(sanlab.run(file, folder=tmp_path / "frames")).read_text(encoding="utf-8")
    # No response times, no stages: their sections are left out, not empty.
    shown = tuple(name for name in SECTIONS if name not in ("response", "stages"))
    assert tuple(Page(html).sections) == shown
    assert "Frames delivered" in html
    assert "stream is limited by the link from" in html
    assert 'data-chart="streams_over_time"' in html
    for absent in ("there are no response times", "no stages to show", "kept no time line"):
        assert absent not in html


def test_faults_have_a_section_with_what_they_cost(tmp_path: Path) -> None:
    example = HELLO.parents[1] / "path-failover" / "scenario.yaml"
    run = sanlab.run(example, folder=tmp_path / "run")
    build(run)
    text = run.folder.joinpath("report.html").read_text(encoding="utf-8")
    assert Page(text).sections.count("faults") == 1
    section = text[text.index('<section id="faults">') :]
    section = re.sub(r"<[^>]+>", " ", section[: section.index("</section>")])
    lost = [row for row in run.rows("paths") if row["losses_count"]]
    assert lost
    for row in lost:
        assert row["path"] in section
    for heading in ("first I/O on another path at", "delayed", "retried", "failed"):
        assert heading in section
    dropped = [row["port"] for row in run.rows("ports") if row["tx_dropped_count"]]
    assert dropped
    assert all(port in section for port in dropped)


def test_the_command_writes_figures_and_tables(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "figures"
    result = CliRunner().invoke(app, ["report", str(run.folder), "--figures", str(out), "--json"])
    assert result.exit_code == 0, result.output
    assert {Path(file).name for file in json.loads(result.stdout)["figures"]} == {
        path.name for path in out.iterdir()
    }
    assert (out / "stages.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (out / "stages.png").read_bytes().startswith(b"\x89PNG")
    with (out / "ports.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["port"] for row in rows] == run.table("ports")["port"].to_pylist()


def test_no_run_folder_is_bad_input(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["report", str(tmp_path), "--json"])
    assert result.exit_code == 2
    assert "manifest.json" in json.loads(result.stdout)["error"]["message"]


def test_pictures_stand_in_for_plots_without_javascript(tmp_path: Path) -> None:
    run = sanlab.run("examples/hello-san/scenario.yaml", folder=tmp_path / "run")
    page = build(run).read_text(encoding="utf-8")
    assert "--pictures" in page.split("<noscript>")[2]
    page = build(run, with_pictures=True).read_text(encoding="utf-8")
    parts = [part.split("</noscript>")[0] for part in page.split("<noscript>")[2:]]
    assert parts
    assert all("<svg" in part for part in parts)
