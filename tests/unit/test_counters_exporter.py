"""Scrapes of node_exporter as workloads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from sanlab.cli.main import app
from sanlab.errors import ScenarioError
from sanlab.importers import import_file
from sanlab.importers.traces import TraceOptions
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

PS = 10**12
START = 1_700_000_000.0


def scrape(seconds: float, *, has_time: bool = True, device: str = "sda", at: str = "") -> str:
    """A scrape so long after the first one: 300 reads of 8 KiB, 100 writes of 16 KiB a second."""
    counts = {
        "reads_completed_total": 1e6 + 300 * seconds,
        "read_bytes_total": 5e9 + 300 * 8192 * seconds,
        "writes_completed_total": 2e6 + 100 * seconds,
        "written_bytes_total": 7e9 + 100 * 16384 * seconds,
        "io_time_weighted_seconds_total": 40 + 2.5 * seconds,
    }
    text = "# HELP go_goroutines Number of goroutines that currently exist.\ngo_goroutines 8\n"
    for name, value in counts.items():
        text += f"# TYPE node_disk_{name} counter\n"
        text += f'node_disk_{name}{{device="{device}"}} {value:.9e}{at}\n'
        text += f'node_disk_{name}{{device="dm-0"}} {value:.9e}{at}\n'
    if has_time:
        text += f"node_boot_time_seconds {START - 1000:.9e}\nnode_time_seconds {START + seconds}\n"
    return text


def read(tmp_path: Path, text: str, interval_ps: int | None = None) -> tuple[dict[str, Any], str]:
    """Import a text, and return its only workload and the scenario."""
    file = tmp_path / "scrapes.prom"
    file.write_text(text, encoding="utf-8")
    found = import_file(file, "a.yaml", {}, trace=TraceOptions(interval_ps=interval_ps))
    compile_plan(parse_scenario(found.text, "a.yaml"))
    (work,) = yaml.safe_load(found.text)["workloads"]
    return work, found.text


def sizes(work: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(line["size"], line["of_size"], line["reads"]) for line in work["access"]]


def test_two_scrapes_give_rates(tmp_path: Path) -> None:
    work, text = read(tmp_path, scrape(0) + scrape(60))
    assert (work["rate_iops"], work["runtime"]) == (400, "60s")
    assert sizes(work) == [("8KiB", "75%", "100%"), ("16KiB", "25%", "0%")]
    assert "Of sda 2.50 I/Os were open on average" in text
    assert "dm-0" in text  # listed as left out


def test_three_scrapes_give_steps(tmp_path: Path) -> None:
    work, _ = read(tmp_path, scrape(0) + scrape(10) + scrape(30))
    assert work["runtime"] == "30s"
    assert work["rate_iops"] == 400


def test_the_interval_is_given_where_the_scrapes_have_no_times(tmp_path: Path) -> None:
    texts = [scrape(0, has_time=False), scrape(60, has_time=False)]
    with pytest.raises(ScenarioError, match=r"no times.*Add --interval 60s"):
        read(tmp_path, "".join(texts))
    work, _ = read(tmp_path, "".join(texts), interval_ps=60 * PS)
    assert (work["rate_iops"], work["runtime"]) == (400, "60s")
    twice, _ = read(tmp_path, "".join(texts), interval_ps=30 * PS)
    assert (twice["rate_iops"], twice["runtime"]) == (800, "30s")


def test_times_of_samples(tmp_path: Path) -> None:
    texts = [scrape(t, has_time=False, at=f" {int(START + t) * 1000}") for t in (0, 60)]
    work, _ = read(tmp_path, "".join(texts))
    assert (work["rate_iops"], work["runtime"]) == (400, "60s")


def test_names_of_before_version_0_16(tmp_path: Path) -> None:
    text = scrape(0) + scrape(60)
    for new, old in (
        ("reads_completed_total", "reads_completed"),
        ("read_bytes_total", "bytes_read"),
        ("writes_completed_total", "writes_completed"),
        ("written_bytes_total", "bytes_written"),
        ("node_time_seconds", "node_time"),
    ):
        text = text.replace(new, old)
    assert read(tmp_path, text)[0]["rate_iops"] == 400


def test_one_scrape_is_the_mean_since_the_start(tmp_path: Path) -> None:
    work, text = read(tmp_path, scrape(0))
    assert work["rate_iops"] == 3000  # 3,000,000 I/Os in 1000 s
    assert "mean since the machine started" in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (scrape(0, has_time=False), "One scrape has counters, and rates need two"),
        (scrape(60) + scrape(0), "The scrape is not later than the one before"),
        (scrape(60) + scrape(0).replace(f"{START}", f"{START + 70}"), "it began anew"),
        (scrape(0) + scrape(9).replace("e+06", "x"), "is not a count"),
        ("# HELP go_goroutines Number\ngo_goroutines 8\n", "No scrape has node_disk_reads"),
        (scrape(0) + 'node_disk_reads_completed_total{device="sd', "The line is cut off"),
    ],
)
def test_scrapes_that_give_no_rates(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ScenarioError, match=words) as caught:
        read(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = [scrape(0, has_time=False), scrape(60, has_time=False)]
    Path("scrapes.prom").write_text("".join(texts), encoding="utf-8")
    runner = CliRunner()
    found = runner.invoke(app, ["import", "scrapes.prom", "--interval", "1min", "--lun", "sda=db"])
    assert found.exit_code == 0, found.output
    assert "rate_iops: 400" in Path("scrapes.yaml").read_text(encoding="utf-8")
    refused = runner.invoke(app, ["import", "scrapes.prom", "--interval", "60", "--force"])
    assert refused.exit_code == 2
    assert "--interval" in refused.output
