"""Block traces as synthetic loads: the same rates, sizes, mix and share of sequential requests."""

from __future__ import annotations

import os
import random
import struct
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.errors import ScenarioError
from sanlab.importers import import_file
from sanlab.importers.traces import TraceOptions, load_of_trace
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario
from sanlab.traces.formats import requests_of, trace_kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.scenario import Scenario
    from sanlab.scenario.workload import Workload
    from sanlab.traces.formats import TraceRequest

SHARED = Path(__file__).parents[3] / "shared"
SAMPLES = Path(os.environ.get("SANLAB_SAMPLES", SHARED / "import" / "samples"))
DATA = Path(os.environ.get("SANLAB_DATA", SHARED / "data"))
PS = 10**12

MSR = """\
128166372003061629,usr,0,Write,7014609920,4096,41286
128166372003076863,usr,1,Read,7014634496,24576,41383
128166372003092097,usr,0,Read,7014659072,24576,41480
"""
SPC = "0,20941264,4096,R,0.5\n1,20941272,8192,w,0.75\n"
BLKPARSE = """\
  8,16   0        1     0.000000000  2201  Q  WS 6291456 + 8 [fio]
  8,16   1        2     0.000410000  2202  D  WS 6291456 + 8 [kworker/2:1H]
  8,16   1        3     0.000420000  2202  Q  D 6291456 + 64 [fstrim]
  8,16   3        4     0.001230000  2201  Q  R 6291520 + 16 [fio]

CPU0 (sdb):
 Reads Queued:           1,        8KiB
"""
IOLOG = "fio version {} iolog\n{}t.dat add\n{}t.dat read 4096 8192\n{}t.dat write 0 512\n"


def record(at: int, opcode: int, block: int, length: int, version: int = 1) -> bytes:
    return struct.pack("<IIIHHQQ", 1, length, 1, opcode, version << 8, block, at)


FORMATS: dict[str, tuple[str, bytes, list[tuple[str, int, bool, int, int]]]] = {
    "msr": (
        "a.csv",
        MSR.encode(),
        [
            ("usr.0", 0, False, 7_014_609_920, 4096),
            ("usr.1", 15_234 * 10**5, True, 7_014_634_496, 24_576),
            ("usr.0", 30_468 * 10**5, True, 7_014_659_072, 24_576),
        ],
    ),
    "spc": (
        "a.spc",
        SPC.replace("\n", "\r\n").encode(),
        [
            ("asu0", 0, True, 20_941_264 * 512, 4096),
            ("asu1", PS // 4, False, 20_941_272 * 512, 8192),
        ],
    ),
    "blkparse": (
        "a.txt",
        BLKPARSE.encode(),
        [
            ("8,16", 0, False, 6_291_456 * 512, 4096),
            ("8,16", 1230 * 10**6, True, 6_291_520 * 512, 8192),
        ],
    ),
    "iolog-v3": (
        "a.log",
        IOLOG.format(3, "5 ", "10 ", "25 ").encode(),
        [("t.dat", 0, True, 4096, 8192), ("t.dat", 15 * 10**6, False, 0, 512)],
    ),
    "vscsi": (
        "a.vscsi",
        record(7, 0x28, 8, 4096) + record(8, 0x12, 0, 36) + record(9, 0x8A, 16, 512),
        [("disk", 0, True, 4096, 4096), ("disk", 2 * 10**6, False, 8192, 512)],
    ),
}


def rows(found: Iterable[TraceRequest]) -> list[tuple[str, int, bool, int, int]]:
    all_of = list(found)
    start = all_of[0].at_ps or 0
    return [
        (one.device, (one.at_ps or 0) - start, one.is_read, one.offset, one.bytes) for one in all_of
    ]


@pytest.mark.parametrize("kind", FORMATS)
def test_formats(kind: str, tmp_path: Path) -> None:
    name, data, told = FORMATS[kind]
    path = tmp_path / name
    path.write_bytes(data)
    found = trace_kind_of(data, path)
    assert found == kind
    assert rows(requests_of(path, found, None)) == told


@pytest.mark.parametrize(
    ("name", "data", "others"),
    [
        ("a.txt", BLKPARSE + "  8,16 0 5 0.002 9 Q FWS [jbd2]\n", {"discards": 3, "flushes": 8}),
        (
            "a.log",
            "fio version 3 iolog\n1 f add\n2 f read 0 512\n3 f trim 0 512\n4 f sync 0 0\n",
            {"discards": 4, "flushes": 5},
        ),
        (
            "a.vscsi",
            record(7, 0x28, 8, 4096) + record(8, 0x12, 0, 36),
            {"other commands": 2},
        ),
    ],
)
def test_what_is_neither_a_read_nor_a_write_is_listed(
    name: str, data: str | bytes, others: dict[str, int], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    left = import_file(path, "load.yaml", {}).left_out
    assert {one.key: one.line for one in left} == others
    assert all(one.reason.startswith("1 in the trace") for one in left)


def scenario(data: bytes | str, folder: Path, name: str = "a.csv", **options: object) -> Scenario:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    trace = TraceOptions(**options)  # type: ignore[arg-type]
    found = parse_scenario(import_file(path, "load.yaml", {}, (), trace).text)
    compile_plan(found)
    return found


def spc_lines(count: int, seconds: Fraction) -> str:
    """Requests of 4 and 64 KiB, a quarter writes, at random times; each fourth one sequential."""
    draws = random.Random(1)
    times = sorted(draws.random() * float(seconds) for _ in range(count))
    lines, end = [], 0
    for number, at in enumerate(times):
        size = draws.choice([4096, 65536])
        block = end if number % 4 == 0 else draws.randrange(10**6) * 8
        end = block + size // 512
        lines.append(f"0,{block},{size},{'W' if number % 4 == 3 else 'R'},{at:.9f}\n")
    return "".join(lines)


def expected_ios(work: Workload) -> float:
    """I/Os that the rate over time asks for."""
    assert work.load is not None
    assert work.rate_iops is not None
    assert work.runtime is not None
    points = [(point.at, point.share) for point in work.load.points]
    ends = [*(at for at, _ in points[1:]), work.runtime]
    return sum(
        work.rate_iops * share / 10**6 * (end - at) / PS
        for (at, share), end in zip(points, ends, strict=True)
    )


@pytest.mark.parametrize("count", [10, 1000, 20_000])
@pytest.mark.parametrize("speed", [1, 10])
def test_the_load_has_the_figures_of_the_trace(tmp_path: Path, count: int, speed: int) -> None:
    (work,) = scenario(spc_lines(count, Fraction(3)), tmp_path, speed=speed).workloads
    assert work.access is not None
    assert expected_ios(work) == pytest.approx(count, rel=0.02)
    lines = work.access
    writes = sum(line.of_size for line in lines if not line.reads)
    assert writes == pytest.approx(250_000, abs=60_000)
    assert {line.size for line in lines} == {4096, 65536}
    # One request in four continues where the last one ended.
    random_share = sum(line.of_size * line.random for line in lines) / 10**6
    assert random_share == pytest.approx(750_000, abs=60_000)
    assert sum(line.of_size for line in lines) == 10**6
    assert work.runtime is not None
    assert work.runtime <= 3 * PS // speed


def test_a_run_has_the_requests_of_the_trace(tmp_path: Path) -> None:
    found = import_text(tmp_path, spc_lines(5000, Fraction(1)))
    run = sanlab.run(found, folder=tmp_path / "run")
    total = sum(row["io_count"] for row in run.rows("workloads"))
    # A Poisson process: four standard deviations of 5000.
    assert abs(total - 5000) < 4 * 5000**0.5


def import_text(folder: Path, text: str) -> Path:
    path = folder / "a.spc"
    path.write_text(text, encoding="utf-8")
    out = folder / "load.yaml"
    assert CliRunner().invoke(app, ["import", str(path), "-o", str(out)]).exit_code == 0
    return out


def test_devices_become_luns(tmp_path: Path) -> None:
    found = scenario(MSR, tmp_path)
    assert [work.name for work in found.workloads] == ["usr-0", "usr-1"]
    found = scenario(MSR, tmp_path, luns={"usr.1": "data"})
    (work,) = found.workloads
    assert work.targets == ["array1.data"]


def test_a_closed_loop_of_the_recorded_depth(tmp_path: Path) -> None:
    """Requests of 40 ms, one begun every 10 ms: four are open."""
    text = "".join(f"{100_000 * at},h,0,Read,{4096 * at},4096,400000\n" for at in range(100))
    (work,) = scenario(text, tmp_path, depth=0).workloads
    assert (work.iodepth, work.io_size, work.rate_iops) == (4, 100 * 4096, None)
    (work,) = scenario(text, tmp_path, depth=9).workloads
    assert work.iodepth == 9


def test_a_trace_without_times(tmp_path: Path) -> None:
    text = IOLOG.format(2, "", "", "")
    (work,) = scenario(text, tmp_path, "a.log", depth=2).workloads
    assert (work.iodepth, work.io_size) == (2, 8704)


def test_memory_does_not_grow_with_the_trace(tmp_path: Path) -> None:
    peaks = []
    for count in (20_000, 100_000):
        path = tmp_path / "a.spc"
        with path.open("w", encoding="utf-8") as file:
            for at in range(count):
                file.write(f"0,{at * 7919 % 10**6},{512 * (at % 5000 + 1)},R,{at / 100}\n")
        tracemalloc.start()
        load_of_trace(path, "spc", TraceOptions())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0] < 3 * 2**20


REFUSED = {
    "times run backwards": (SPC.replace("0.75", "0.25"), "a.spc:2: time: The time runs backwards"),
    "cut off": (MSR[:-30], "a.csv:3: The line has 3 columns"),
    "operation": (MSR.replace("Read,7014659072", "Trim,7014659072"), "a.csv:3: operation: 'Trim'"),
    "offset": (MSR.replace("7014659072", "far"), "a.csv:3: offset: 'far' is not a whole number"),
    "time": (SPC.replace("0.75", "soon"), "a.spc:2: time: 'soon' is not a time"),
    "not a number": (SPC.replace("0.75", "nan"), "a.spc:2: time: 'nan' is not a time"),
    "too large": (SPC.replace("8192", "99999999999"), "a.spc:2: length: A request of 99999999999"),
    "binary": (f"{SPC}\0\0\n", "a.spc:3: The line is not text"),
    "long line": (f"{SPC}{'x' * 5000}\n", "a.spc:3: The line is not text, or is longer"),
    "no requests": (IOLOG.format(3, "1 ", "2 ", "3 ")[:31], "a.log:1: The trace has no read"),
    "no times": (IOLOG.format(2, "", "", ""), "a.log:1: The trace has no times"),
    "iolog action": (
        IOLOG.format(3, "1 ", "2 ", "3 ").replace("read", "look"),
        "a.log:3: operation: 'look' is neither",
    ),
    "iolog cut off": (
        IOLOG.format(3, "1 ", "2 ", "3 ")[:-5],
        "a.log:4: '3 t.dat write 0' is not 'file action offset length'",
    ),
    "events": (BLKPARSE.replace(" Q ", " C "), "a.txt:1: The trace has no read and no write"),
    "event cut off": (
        BLKPARSE.replace("6291520 + 16 [fio]", "6291520"),
        "a.txt:4: '8,16   3        4     0.001230000  2201  Q  R 6291520' has no 'sector + count'",
    ),
    "histograms": ("Histogram: IO lengths of commands\nmin,512\n", "a.csv:1: The title does not"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_trace_that_is_refused(case: str, tmp_path: Path) -> None:
    """One error with line and remedy, exit code 2, nothing written."""
    text, words = REFUSED[case]
    name = words.partition(":")[0]
    (tmp_path / name).write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["import", str(tmp_path / name)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"{tmp_path}/{words}")
    assert len(result.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (record(1, 0x28, 8, 512)[:-4], "record 1 has 28 bytes of 32"),
        (record(1, 0x28, 8, 512, version=2), "version 2, not 1"),
        (record(9, 0x28, 8, 512) + record(8, 0x28, 8, 512), ":2: time: The time runs backwards"),
        (record(9, 0x12, 8, 512), "no read and no write"),
    ],
)
def test_binary_traces_that_are_refused(tmp_path: Path, data: bytes, words: str) -> None:
    with pytest.raises(ScenarioError, match=words):
        scenario(data, tmp_path, "a.vscsi")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--time-unit", "weeks"], "--time-unit: 'weeks' is not a unit of time"),
        (["--depth", "deep"], "--depth: 'deep' is not a depth"),
        (["--depth", "recorded"], "does not say how long its requests were open"),
        (["--lun", "asu7=data"], "The trace has no device 'asu7'. It has asu0, asu1"),
        (["--lun", "asu7"], "--lun: 'asu7' defines nothing"),
        (["-D", "A=1"], "-D and --job are for job files of fio"),
    ],
)
def test_options_that_do_not_fit(tmp_path: Path, options: list[str], words: str) -> None:
    (tmp_path / "a.spc").write_text(SPC, encoding="utf-8")
    result = CliRunner().invoke(app, ["import", str(tmp_path / "a.spc"), *options])
    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.skipif(not DATA.is_dir(), reason="real traces are kept beside the project")
def test_a_real_trace(tmp_path: Path) -> None:
    """Two hours of a virtual machine: 113,872 requests, 46,974 of them reads, 36.9 KB each."""
    path = DATA / "block-trace" / "cloudPhysicsIO.vscsi"
    text = import_file(path, "load.yaml", {}, (), TraceOptions(speed=100)).text
    (work,) = parse_scenario(text).workloads
    assert work.access is not None
    assert expected_ios(work) == pytest.approx(113_872, rel=0.01)
    reads = sum(line.of_size for line in work.access if line.reads)
    assert reads == pytest.approx(46_974 / 113_872 * 10**6, rel=0.001)
    mean = sum(line.of_size * line.size for line in work.access) / 10**6
    assert mean == pytest.approx(36_900, rel=0.01)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="real traces are kept beside the project")
def test_samples_of_traces() -> None:
    closed = TraceOptions(depth=4)
    for name in ("load/fio_iolog/01.v2.log", "load/fio_iolog/02.v3.log"):
        compile_plan(parse_scenario(import_file(SAMPLES / name, "a", {}, (), closed).text))
    for name in ("msr_cambridge.csv", "spc_trace.spc", "blkparse.txt"):
        path = SAMPLES / "synthetic" / "load" / name
        compile_plan(parse_scenario(import_file(path, "a", {}).text))
