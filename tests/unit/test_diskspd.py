"""Profiles and command lines of diskspd: the same load in both forms."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sanlab.errors import ScenarioError
from sanlab.importers import import_file
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from sanlab.scenario import Scenario

ROOT = Path(__file__).parents[2]
SAMPLES = Path(os.environ.get("SANLAB_SAMPLES", ROOT.parent / "shared" / "import" / "samples"))
PS = 10**12


def scenario(text: str, folder: Path) -> Scenario:
    path = folder / "load.txt"
    path.write_text(text, encoding="utf-8")
    found = parse_scenario(import_file(path, "load.yaml", {}).text)
    compile_plan(found)
    return found


def profile(target: str, span: str = "") -> str:
    return (
        f"<Profile><TimeSpans><TimeSpan>{span}<Targets><Target><Path>#1</Path>{target}</Target>"
        "</Targets></TimeSpan></TimeSpans></Profile>"
    )


def test_a_profile_and_its_command_line_are_the_same_load(tmp_path: Path) -> None:
    line = "diskspd -b8K -d2 -W1 -o32 -t4 -r -w30 -z7 -B1M -Sh #1"
    xml = profile(
        "<BlockSize>8192</BlockSize><RandomAccess>true</RandomAccess><WriteRatio>30</WriteRatio>"
        "<RequestCount>32</RequestCount><ThreadsPerFile>4</ThreadsPerFile>"
        "<BaseFileOffset>1048576</BaseFileOffset><DisableAllCache>true</DisableAllCache>",
        "<Duration>2</Duration><Warmup>1</Warmup><RandSeed>7</RandSeed>",
    )
    one, other = scenario(line, tmp_path), scenario(xml, tmp_path)
    assert one.workloads == other.workloads
    assert one.seed == other.seed == 7
    (work,) = one.workloads
    assert (work.rw, work.bs, work.iodepth, work.numjobs) == ("randrw", 8192, 32, 4)
    assert (work.rwmixread, work.offset) == (700_000, 2**20)
    assert (work.ramp_time, work.runtime) == (PS, 2 * PS)


def test_defaults(tmp_path: Path) -> None:
    (work,) = scenario("diskspd x.dat", tmp_path).workloads
    assert (work.rw, work.bs, work.iodepth, work.numjobs) == ("read", 65536, 2, 1)
    assert (work.ramp_time, work.runtime) == (5 * PS, 10 * PS)


def test_requests_of_a_thread_are_those_on_all_its_targets(tmp_path: Path) -> None:
    """`-O` is for each thread, whatever the number of targets; `-o` is for each target."""
    works = scenario("diskspd -F4 -O16 -r4K -b4K -Sh a.dat b.dat", tmp_path).workloads
    assert [(work.numjobs, work.iodepth) for work in works] == [(4, 8), (4, 8)]
    works = scenario("diskspd -F4 -o16 -r4K -b4K -Sh a.dat b.dat", tmp_path).workloads
    assert [(work.numjobs, work.iodepth) for work in works] == [(4, 16), (4, 16)]
    (work,) = scenario("diskspd -F4 -O16 -r4K -b4K -Sh a.dat", tmp_path).workloads
    assert work.iodepth == 16


def test_sequential_threads(tmp_path: Path) -> None:
    """From the same block, a stride apart, or with one stream for all."""
    apart = scenario("diskspd -t3 -T1G x.dat", tmp_path).workloads
    assert [work.offset for work in apart] == [0, 2**30, 2**31]
    plan = compile_plan(scenario("diskspd -t3 x.dat", tmp_path))
    assert [job.offset_bytes for job in plan.jobs] == [0, 0, 0]
    (work,) = scenario("diskspd -t3 -o4 -si x.dat", tmp_path).workloads
    assert (work.iodepth, work.numjobs) == (12, 1)


def test_rates_are_of_a_thread(tmp_path: Path) -> None:
    (work,) = scenario("diskspd -b64K -g60 -r -t2 x.dat", tmp_path).workloads
    assert (work.rate, work.numjobs) == (60_000, 2)
    (work,) = scenario("diskspd -g100i -r x.dat", tmp_path).workloads
    assert work.rate_iops == 100


def test_alignment_ratio_bursts_and_pauses(tmp_path: Path) -> None:
    (work,) = scenario("diskspd -b8K -r4K -w25 -i4 -j5 x.dat", tmp_path).workloads
    assert work.access is not None
    (line,) = work.access
    assert (line.size, line.align, line.reads, line.random) == (8192, 4096, 750_000, 10**6)
    assert (line.delay, line.burst) == (PS // 200, 4)
    (work,) = scenario("diskspd -b8K -rs70 x.dat", tmp_path).workloads
    assert work.access is not None
    assert work.access[0].random == 700_000


def test_command_lines_run_one_after_another(tmp_path: Path) -> None:
    text = "@echo off\r\ndiskspd -r -d1 a.dat\r\ncd x\r\nC:\\bin\\DISKSPD.EXE -d1 a.dat b.dat\r\n"
    works = scenario(text, tmp_path).workloads
    assert [(work.name, work.after) for work in works] == [
        ("a-dat", None),
        ("a-dat-2", ["a-dat"]),
        ("b-dat", ["a-dat"]),
    ]
    assert [work.targets for work in works] == [["array1.lun1"], ["array1.lun1"], ["array1.lun2"]]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="real files are kept beside the project")
def test_real_profiles() -> None:
    """Those of a parser's tests have blocks of 100 bytes or no path; a result has its profile."""
    refused = {}
    for path in sorted((SAMPLES / "load" / "diskspd_profile").glob("*.xml")):
        with pytest.raises(ScenarioError) as error:
            import_file(path, "load.yaml", {})
        refused[path.name] = error.value.problems[0].key
    assert refused == {
        "01.xml": "BlockSize",
        "02.xml": "Path",
        "03.xml": "Path",
        "04.xml": "Path",
    }
    result = SAMPLES / "load" / "diskspd_result" / "01.xml"
    (work,) = parse_scenario(import_file(result, "load.yaml", {}).text).workloads
    assert (work.rw, work.bs, work.iodepth, work.rate_iops) == ("read", 65536, 2, 1000)
