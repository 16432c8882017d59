"""Counters of hosts and switches as workloads: the same rates over time, sizes and mix."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.errors import ScenarioError
from sanlab.importers import import_file
from sanlab.importers.traces import TraceOptions
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

SHARED = Path(__file__).parents[3] / "shared"
SAMPLES = Path(os.environ.get("SANLAB_SAMPLES", SHARED / "import" / "samples"))
PS = 10**12

#: A header and two devices; the first report is the mean since the start.
IOSTAT = """\
Linux 6.1.0 (db1) 	03/01/2026 	_x86_64_	(8 CPU)

{at0}
Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s  aqu-sz  %util
sda              1.00      4.00     0.00   0.00    1.00     4.00    1.00      4.00    0.01   1.00
dm-0             1.00      4.00     0.00   0.00    1.00     4.00    1.00      4.00    0.01   1.00

{at1}
Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s  aqu-sz  %util
sda            300.00   2400.00     0.00   0.00    1.00     8.00  100.00   1600.00    0.50  40.00
dm-0           300.00   2400.00     0.00   0.00    1.00     8.00  100.00   1600.00    0.50  40.00

{at2}
Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s  aqu-sz  %util
sda            600.00   4800.00     0.00   0.00    1.00     8.00  200.00   3200.00    1.50  80.00
dm-0           600.00   4800.00     0.00   0.00    1.00     8.00  200.00   3200.00    1.50  80.00
"""
TIMED = IOSTAT.format(
    at0="03/01/2026 11:59:50 PM", at1="03/02/2026 12:00:00 AM", at2="03/02/2026 12:00:20 AM"
)
UNTIMED = IOSTAT.format(at0="", at1="", at2="")
AS_JSON = json.dumps(
    {
        "sysstat": {
            "hosts": [
                {
                    "nodename": "db1",
                    "statistics": [
                        {
                            "timestamp": at,
                            "disk": [
                                {
                                    "disk_device": "sda",
                                    "r/s": 3 * rate,
                                    "w/s": rate,
                                    "rkB/s": 24 * rate,
                                    "wkB/s": 16 * rate,
                                    "await": 1.0,
                                    "aqu-sz": rate / 100,
                                }
                            ],
                        }
                        for at, rate in (
                            ("2026-03-01T23:59:50+0000", 1.0),
                            ("2026-03-02T00:00:00+0000", 100.0),
                            ("2026-03-02T00:00:20+0000", 200.0),
                        )
                    ],
                }
            ]
        }
    },
    indent=1,
)
SAR = """\
Linux 6.1.0 (db1) 	03/01/2026 	_x86_64_	(8 CPU)

11:59:50 PM    DEV       tps     rkB/s     wkB/s     dkB/s  areq-sz    aqu-sz    await    %util
12:00:00 AM    sda    400.00   2400.00    800.00      0.00     8.00      0.50     1.00    40.00

12:00:00 AM    DEV       tps     rkB/s     wkB/s     dkB/s  areq-sz    aqu-sz    await    %util
12:00:20 AM    sda    800.00   4800.00   1600.00      0.00     8.00      1.50     1.00    80.00
Average:       sda    666.67   4000.00   1333.33      0.00     8.00      1.17     1.00    66.67
"""
_NAMES = ("Reads/sec", "Writes/sec", "MBytes Read/sec", "MBytes Written/sec")
_DEVICE = r"\\esx1\Physical Disk SCSI Device(naa.6001)"
ESXTOP = "\n".join(
    ",".join(f'"{cell}"' for cell in row)
    for row in (
        (
            "(PDH-CSV 4.0) (UTC)(0)",
            *(rf"{_DEVICE}\{name}" for name in (*_NAMES, "Commands/sec")),
            *(rf"\\esx1\Physical Disk Adapter(vmhba1)\{name}" for name in _NAMES),
            r"\\esx1\Memory\Free MBytes",
        ),
        ("03/01/2026 23:59:50", "1", "1", "1", "1", "2", "1", "1", "1", "1", "9"),
        ("03/02/2026 00:00:00", "300", "100", "2.34375", "1.5625", "400", *"1111", "9"),
        ("03/02/2026 00:00:20", "600", "200", "4.6875", "3.125", "800", *"1111", "9"),
    )
)
_ITL = "20|0x320074|0x050021|000e-0000-0000-0000"
ANALYTICS = "\n".join(
    f"""\
{at}

+--------+------------------------------------------+----------------------+
|  PORT  |        VSAN|Initiator|Target|LUN         |{metric:^22}|
+--------+------------------------------------------+----------------------+
|        |                                          |    Read  |  Write    |
| fc1/33 | {_ITL} |{read:>9} |{write:>9}  |
+--------+------------------------------------------+----------------------+
"""
    for at, rows in (
        ("2026-03-02 00:00:00", ((300, 100), "IOPS")),
        ("2026-03-02 00:00:01", (("8.0 KB", "16.0 KB"), "IO SIZE")),
        ("2026-03-02 00:00:02", (("13.5 ms", "366.0 us"), "ECT")),
        ("2026-03-02 00:00:20", ((600, 200), "IOPS")),
        ("2026-03-02 00:00:21", (("8.0 KB", "16.0 KB"), "IO SIZE")),
    )
    for (read, write), metric in (rows,)
)


def imported(tmp_path: Path, text: str, options: TraceOptions | None = None) -> str:
    file = tmp_path / "counted.txt"
    file.write_text(text, encoding="utf-8")
    return import_file(file, str(tmp_path / "x.yaml"), {}, (), options).text


@pytest.mark.parametrize(
    ("text", "of_writes"),
    [(TIMED, 16), (AS_JSON, 16), (SAR, 8), (ESXTOP, 16), (ANALYTICS, 16)],
    ids=["iostat", "json", "sar", "esxtop", "analytics"],
)
def test_rates_sizes_and_mix_are_those_counted(tmp_path: Path, text: str, of_writes: int) -> None:
    """400 I/Os per second, three of four reads, then twice as many for twice as long."""
    scenario = parse_scenario(imported(tmp_path, text))
    (work,) = scenario.workloads
    assert (work.rate_iops, work.arrivals) == (800, "poisson")
    assert work.load is not None
    first, last = 10 * PS, 20 * PS
    if text is ANALYTICS:  # its first interval is taken as long as the second
        first = 20 * PS
    assert next(iter(work.load.table)) == (0, 500_000)
    assert (first, 1_000_000) in work.load.table
    assert work.runtime == first + last
    lines = {line.reads: line for line in work.access or ()}
    assert lines[1_000_000].size == 8192
    assert lines[0].size == of_writes * 1024
    assert lines[1_000_000].of_size == 750_000
    assert {line.random for line in lines.values()} == {1_000_000}
    compile_plan(scenario)


def test_the_simulated_rates_are_those_counted(tmp_path: Path) -> None:
    file = tmp_path / "san.yaml"
    file.write_text(imported(tmp_path, TIMED, TraceOptions(interval_ps=PS)), encoding="utf-8")
    run = sanlab.run(file, folder=tmp_path / "run")
    counts = {row["op"]: row["io_count"] for row in run.rows("workloads")}
    # 400 and 800 in a second each, three of four reads; four standard deviations.
    assert counts["read"] == pytest.approx(900, abs=4 * 900**0.5)
    assert counts["write"] == pytest.approx(300, abs=4 * 300**0.5)


def test_every_column_is_used_or_listed(tmp_path: Path) -> None:
    text = imported(tmp_path, TIMED)
    assert "rrqm/s, %rrqm: merges happen before the rates are counted." in text
    assert "r_await, %util: a time or a share that the simulation has as a result." in text
    assert "rareq-sz: it follows from the rates." in text
    assert "dm-0: it is not a disk, or its I/O is counted at its disks again." in text
    assert "Of sda 1.00 I/Os were open on average." in text
    assert "These are averages" in text
    listed = imported(tmp_path, ESXTOP)
    assert "Memory" in listed
    assert "Physical Disk Adapter" in listed


def test_a_layer_above_disks_is_imported_where_it_is_named(tmp_path: Path) -> None:
    scenario = parse_scenario(imported(tmp_path, TIMED, TraceOptions(luns={"dm-0": "data"})))
    assert [work.name for work in scenario.workloads] == ["dm-0"]
    assert scenario.workloads[0].targets == ["array1.data"]


def test_reports_without_times_need_an_interval(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="Add --interval 10s"):
        imported(tmp_path, UNTIMED)
    (work,) = parse_scenario(
        imported(tmp_path, UNTIMED, TraceOptions(interval_ps=5 * PS))
    ).workloads
    assert work.runtime == 10 * PS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            TIMED.replace("300.00   2400.00", "300,00   2400.00"),
            "counted.txt:10: r/s: '300,00' has",
        ),
        (TIMED.replace(" 0.50  40.00", " 0.50"), "counted.txt:10: The line has 9 values"),
        (TIMED.replace("%util", "%odd"), "counted.txt:4: %odd: The column '%odd' is not known"),
        (TIMED.replace(" r/s", "tps "), "r/s: The report has no column 'r/s'"),
        (
            TIMED.replace("03/02/2026 12:00:20", "03/01/2026 12:00:20"),
            "counted.txt:14: The time does not rise",
        ),
        (TIMED.replace("300.00", "-3.00"), "r/s: '-3.00' is not a rate"),
        (AS_JSON[:-40], "This is not JSON"),
        ('{"sysstat": {"disk": 1}}', "The JSON has no 'sysstat.hosts[].statistics[].disk[]'"),
        (SAR.replace("12:00:20 AM", "RESTART"), "counted.txt:7: The machine restarted"),
        (SAR.replace("12:00:20 AM", "noon"), "counted.txt:7: 'noon' is not a time"),
        (ESXTOP.replace("Reads", "Reeds"), "counted.txt:1: The header has no disk with Reads/sec"),
        (ESXTOP[:-5], "counted.txt:4: The line has 10 values, and the header 11 columns"),
        (ESXTOP.replace('"600"', '"6e9"'), "counted.txt:4: Reads/sec: '6e9' is not a rate"),
        (ESXTOP.replace("03/02/2026 00:00:20", "now"), "time: 'now' is not a time such as"),
        ("fc1/1 is up\n    80 frames input, 4096 bytes\n", "Counters of switch ports have bytes"),
        ("stat_wtx   12   4-byte words transmitted\n", "but no I/Os. Import counters of the hosts"),
        (ANALYTICS.replace("IOPS", "DAL "), "No table has the IOPS of a path together with"),
        (ANALYTICS.replace("8.0 KB", "8.0 XB"), "IO SIZE: '8.0 XB' is not a count or a size"),
    ],
)
def test_bad_captures_are_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        imported(tmp_path, text)
    assert words in str(caught.value)


def test_options_of_traces_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "io.txt"
    file.write_text(TIMED)
    for options, words in (
        (["--speed", "2"], "need the requests of a trace"),
        (["--lun", "sdz=a"], "The capture has no device 'sdz'. It has sda, dm-0."),
        (["--interval", "0s"], "--interval"),
        (["-D", "a=1"], "are for job files of fio"),
    ):
        result = CliRunner().invoke(app, ["import", str(file), *options])
        assert result.exit_code == 2, result.output
        assert words in result.output


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no samples")
def test_samples_are_imported_or_refused_with_a_reason(tmp_path: Path) -> None:
    found = [
        *SAMPLES.glob("host/iostat_x/*"),
        *SAMPLES.glob("synthetic/host/*/sar*"),
        *SAMPLES.glob("synthetic/load/esxtop*"),
        *SAMPLES.glob("load/cisco_san_analytics/*"),
        *SAMPLES.glob("load/vscsistats/*"),
    ]
    good = 0
    for path in found:
        try:
            text = import_file(path, str(tmp_path / "x.yaml"), {}).text
        except ScenarioError as error:
            (problem,) = error.problems
            assert problem.reason, path
            assert problem.remedy, path
            continue
        compile_plan(parse_scenario(text))
        good += 1
    assert good >= 6
