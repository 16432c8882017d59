"""Histograms of vscsiStats as workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sanlab.errors import ScenarioError
from sanlab.importers import import_file
from sanlab.importers.traces import TraceOptions
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from pathlib import Path

DISK = "virtual machine worldGroupID,1001,virtual disk handleID,8194 (scsi0:0)"


def histogram(title: str, rows: list[tuple[int, int]], numbers: dict[str, int]) -> str:
    return "\n".join(
        [
            f"Histogram: {title},{DISK}",
            *(f"{name},{value}" for name, value in numbers.items()),
            "Frequency,Histogram Bucket Limit",
            *(f"{count},{limit}" for count, limit in rows),
            "",
        ]
    )


LENGTHS = histogram(
    "IO lengths of Read commands",
    [(0, 512), (10, 4095), (50, 4096), (0, 524288), (15, 524288)],
    {"min": 2048, "max": 1048576, "mean": 1, "count": 75},
) + histogram("IO lengths of Write commands", [(25, 8192)], {"max": 8192, "count": 25})
CAPTURE = (
    LENGTHS
    + histogram(
        "distance (in LBNs) between successive Read commands", [(5, -1), (60, 1), (10, 500)], {}
    )
    + histogram(
        "number of outstanding IOs when a new IO is issued", [(90, 1), (10, 32)], {"mean": 7}
    )
    + histogram("latency of IOs in Microseconds (us)", [(100, 500)], {"mean": 400})
    + histogram("latency of IO interarrival time in Microseconds (us)", [(100, 500)], {"mean": 250})
)


def imported(tmp_path: Path, text: str, options: TraceOptions | None = None) -> str:
    file = tmp_path / "stats.csv"
    file.write_text(text, encoding="utf-8")
    return import_file(file, str(tmp_path / "x.yaml"), {}, (), options).text


def test_sizes_mix_order_and_depth_are_those_of_the_histograms(tmp_path: Path) -> None:
    text = imported(tmp_path, CAPTURE)
    scenario = parse_scenario(text)
    (work,) = scenario.workloads
    assert work.name == "disk-1001-scsi0-0"
    assert work.iodepth == 7
    lines = {(line.reads == 1_000_000, line.size): line for line in work.access or ()}
    # A bucket below a sector's multiple is that multiple; the last one has the largest request.
    shares = {key: line.of_size for key, line in lines.items()}
    assert shares == {
        (True, 3584): 100_000,
        (True, 4096): 500_000,
        (True, 2**20): 150_000,
        (False, 8192): 250_000,
    }
    assert {line.random for (is_read, _), line in lines.items() if is_read} == {200_000}
    assert lines[False, 8192].random == 1_000_000
    assert "rate_iops: 4000" in text
    assert "latency of IOs in Microseconds (us): response times are a result" in text
    compile_plan(scenario)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CAPTURE + LENGTHS, "'IO lengths of Read commands' of the disk 1001.scsi0:0 comes twice"),
        (CAPTURE.replace("50,4096", "50;4096"), "stats.csv:9: '50;4096' is not a row"),
        (CAPTURE.replace("50,4096", "x,4096"), "stats.csv:9: 'x' is not a frequency"),
        (CAPTURE.replace(f",{DISK}", "", 1), "stats.csv:1: The title does not name"),
        (CAPTURE.replace("IO lengths of Read", "odd", 1), "The histogram 'odd commands' is not"),
        (
            CAPTURE.replace("IO lengths of", "latency of x"),
            "has no lengths of its reads and writes",
        ),
    ],
)
def test_bad_histograms_are_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        imported(tmp_path, text)
    assert words in str(caught.value)


def test_a_disk_may_be_chosen(tmp_path: Path) -> None:
    text = imported(tmp_path, CAPTURE, TraceOptions(luns={"1001.scsi0:0": "data"}))
    assert parse_scenario(text).workloads[0].targets == ["array1.data"]
    with pytest.raises(ScenarioError, match=r"It has 1001\.scsi0:0"):
        imported(tmp_path, CAPTURE, TraceOptions(luns={"2.scsi0:0": "data"}))
