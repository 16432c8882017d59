"""Job files of fio: each key used, left out with a reason, or refused; nothing is ever run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sanlab.cli.main import app
from sanlab.errors import ScenarioError
from sanlab.exporters.fio_job import fio_job
from sanlab.importers import import_file
from sanlab.importers.fio_file import FioKey
from sanlab.importers.fio_keys import REFUSED, SAME_KEY, USED, WITHOUT_MEANING
from sanlab.importers.fio_values import Values
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from sanlab.plan.schema import Plan
    from sanlab.scenario import Scenario
    from sanlab.scenario.workload import Workload

PS = 10**12
ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "fio-import" / "oltp.fio"
SAMPLES = (
    Path(os.environ.get("SANLAB_SAMPLES", ROOT.parent / "shared" / "import" / "samples")) / "load"
)
#: What real job files name and a machine or a command line defines.
GIVEN = {
    "mb_memory": "4096",
    "IOENGINE": "libaio",
    "BLK_SIZE": "4k",
    "RW": "randrw",
    "MIX": "70",
    "IODEPTH": "8",
    "RUNTIME": "10",
    "FTL_JSON_CONF": "ftl.json",
    "FTL_BDEV_NAME": "ftl0",
}


def scenario(job: str, folder: Path, **defined: str) -> Scenario:
    """The scenario of a job file."""
    path = folder / "job.fio"
    path.write_text(job, encoding="utf-8")
    return parse_scenario(import_file(path, "job.yaml", defined).text)


def one(keys: str, folder: Path) -> Workload:
    """The one workload of a job with these keys."""
    (work,) = scenario(f"[job]\nfilename=/dev/sdb\ndirect=1\n{keys}", folder).workloads
    return work


def given_keys(work: Workload) -> dict[str, object]:
    """What the scenario says of it beyond its place."""
    keys = work.model_fields_set - {"name", "hosts", "targets", "size"}
    return {key: getattr(work, key) for key in sorted(keys)}


def key(value: str) -> FioKey:
    return FioKey("size", value, "job.fio", 1)


def test_every_key_has_one_place() -> None:
    assert not WITHOUT_MEANING.keys() & REFUSED.keys()
    assert not USED & REFUSED.keys()
    assert not USED & WITHOUT_MEANING.keys()
    assert set(SAME_KEY) | set(SAME_KEY.values()) <= USED
    assert all(reason and remedy for reason, remedy in REFUSED.values())


@pytest.mark.parametrize(
    ("text", "base", "number"),
    [
        ("4k", 1024, 4096),
        ("4kB", 1024, 4096),
        ("4KiB", 1024, 4000),
        ("4k", 1000, 4000),
        ("4KiB", 1000, 4096),
        ("1.5m", 1024, 3 * 2**19),
        ("0x200", 1024, 512),
        ("10*10*1000*4096", 1024, 409_600_000),
        ("(4k+4)*2-8/4", 1024, 8198),
    ],
)
def test_sizes(text: str, base: int, number: int) -> None:
    assert Values({}, base).size(key(text)) == number


@given(st.integers(0, 2**40), st.sampled_from(["", "k", "m", "g"]))
def test_sizes_have_the_powers_of_the_base(number: int, suffix: str) -> None:
    power = ["", "k", "m", "g"].index(suffix)
    if number * 1024**power < 2**63:
        assert Values({}).size(key(f"{number}{suffix}")) == number * 1024**power


@pytest.mark.parametrize(
    ("text", "unit", "us"),
    [("10", "s", 10**7), ("2ms", "s", 2000), ("2000", "us", 2000), ("1h", "s", 3_600_000_000)],
)
def test_times(text: str, unit: str, us: int) -> None:
    assert Values({}).time_us(key(text), unit) == us


def test_a_plain_job(tmp_path: Path) -> None:
    work = one(
        "rw=randrw\nrwmixwrite=30\nbs=8k\niodepth=16\nioengine=libaio\nsize=1g\n"
        "time_based\nruntime=1m\nramp_time=5\nstartdelay=2s\noffset=1m\n"
        "random_distribution=zipf:1.1",
        tmp_path,
    )
    assert given_keys(work) == {
        "bs": 8192,
        "iodepth": 16,
        "offset": 2**20,
        "ramp_time": 5 * PS,
        "random_distribution": 1100,
        "runtime": 60 * PS,
        "rw": "randrw",
        "rwmixread": 700_000,
        "start_delay": 2 * PS,
        "time_based": True,
    }
    assert work.size == 2**30


def test_sizes_in_shares_become_lines(tmp_path: Path) -> None:
    work = one("rw=randrw\nrwmixread=70\nbssplit=4k/20:8k/60:64k/", tmp_path)
    assert work.access is not None
    assert [(line.size, line.of_size, line.reads, line.random) for line in work.access] == [
        (4096, 200_000, 700_000, 10**6),
        (8192, 600_000, 700_000, 10**6),
        (65536, 200_000, 700_000, 10**6),
    ]
    # fio aligns addresses to the least size.
    assert {line.align for line in work.access} == {4096}


def test_reads_and_writes_of_their_own_sizes(tmp_path: Path) -> None:
    work = one("rw=rw\nrwmixread=75\nbs=4k,64k", tmp_path)
    assert work.access is not None
    assert [(line.size, line.of_size, line.reads, line.random) for line in work.access] == [
        (4096, 750_000, 10**6, 0),
        (65536, 250_000, 0, 0),
    ]


def test_a_range_has_each_multiple_as_often(tmp_path: Path) -> None:
    work = one("rw=randread\nbsrange=4k-12k\npercentage_random=40", tmp_path)
    assert work.access is not None
    assert [line.size for line in work.access] == [4096, 8192, 12288]
    assert sum(line.of_size for line in work.access) == 10**6
    assert {line.random for line in work.access} == {400_000}


@given(st.lists(st.integers(1, 64), min_size=2, max_size=20, unique=True))
def test_shares_are_the_whole(tmp_path_factory: pytest.TempPathFactory, sizes: list[int]) -> None:
    split = ":".join(f"{512 * size}" for size in sizes)
    work = one(f"rw=randwrite\nbssplit={split}", tmp_path_factory.mktemp("split"))
    assert work.access is not None
    assert sum(line.of_size for line in work.access) == 10**6


@pytest.mark.parametrize(
    ("keys", "iops", "reads"),
    [
        ("rw=randread\nrate_iops=100", 100, None),
        ("rw=randwrite\nrate_iops=,200", 200, None),
        ("rw=randrw\nrate_iops=300,100", 400, 750_000),
        ("rw=randrw\nrwmixread=80\nrate_iops=100", 200, 500_000),
        ("rw=randrw\nrate_iops=300,100\nbssplit=4k/50:8k/50", 400, None),
        ("rw=randrw\nrate=300k,100k\nbs=4k,8k", 88, None),
    ],
)
def test_rates_hold_for_each_direction(
    tmp_path: Path, keys: str, iops: int, reads: int | None
) -> None:
    work = one(keys, tmp_path)
    assert (work.rate_iops, work.rwmixread) == (iops, reads)


def test_two_rates_give_the_mix_of_lines(tmp_path: Path) -> None:
    work = one("rw=randrw\nrate_iops=300,100\nbssplit=4k/50:8k/50", tmp_path)
    assert work.access is not None
    assert {line.reads for line in work.access} == {750_000}


def test_lines_on_several_files_are_one_job(tmp_path: Path) -> None:
    job = "[a]\nfilename=x:y\nrw=randread\nbssplit=4k/50:8k/50\nsize=2m\nrate_iops=100"
    (work,) = scenario(job, tmp_path).workloads
    assert (work.rate_iops, work.io_size, work.size) == (100, 2**21, 2**20)


def test_poisson_arrivals_are_an_open_loop(tmp_path: Path) -> None:
    work = one("rw=randread\nrate_iops=500\nrate_process=poisson\niodepth=8", tmp_path)
    assert (work.arrivals, work.rate_iops) == ("poisson", 500)
    assert "iodepth" not in work.model_fields_set


def test_a_pause_is_in_microseconds(tmp_path: Path) -> None:
    assert one("thinktime=2000", tmp_path).thinktime == 2 * PS // 1000
    work = one("thinktime=2ms\nthinktime_blocks=8", tmp_path)
    assert work.access is not None
    assert [(line.delay, line.burst) for line in work.access] == [(2 * PS // 1000, 8)]


def test_a_synchronous_engine_has_one_request_open(tmp_path: Path) -> None:
    assert one("ioengine=psync\niodepth=64", tmp_path).iodepth == 1
    assert one("ioengine=libaio\niodepth=64", tmp_path).iodepth == 64


def test_stonewall_waits_for_the_jobs_since_the_last(tmp_path: Path) -> None:
    jobs = "".join(
        f"[{name}]\nfilename=x\nsize=1m\n{wall}\n"
        for name, wall in (
            ("a", "stonewall"),
            ("b", ""),
            ("c", "stonewall"),
            ("d", "wait_for=a"),
            ("e", "stonewall"),
            ("f", ""),
        )
    )
    after = {work.name: work.after for work in scenario(jobs, tmp_path).workloads}
    assert after == {
        "a": None,
        "b": None,
        "c": ["a", "b"],
        "d": ["a", "b"],
        "e": ["c", "d"],
        "f": ["c", "d"],
    }


def plan_of(jobs: str, folder: Path) -> Plan:
    return compile_plan(scenario(jobs, folder))


def test_jobs_on_one_file_read_the_same_blocks(tmp_path: Path) -> None:
    """Sequential ones all begin at the first block, as those of fio do."""
    plan = plan_of("[a]\nfilename=x\nrw=read\nsize=1m\nnumjobs=3", tmp_path)
    assert [(job.offset_bytes, job.span_bytes) for job in plan.jobs] == [(0, 2**20)] * 3
    plan = plan_of("[a]\nfilename=x\nrw=read\nsize=1m\nnumjobs=3\noffset_increment=2m", tmp_path)
    assert [job.offset_bytes for job in plan.jobs] == [0, 2**21, 2**22]


def test_waiting_for_jobs_on_one_file(tmp_path: Path) -> None:
    jobs = "[a]\nfilename=x\nrw=read\nsize=1m\nnumjobs=3\n[b]\nstonewall\nfilename=x\nsize=1m"
    plan = plan_of(jobs, tmp_path)
    assert plan.workloads[3].after == [0, 1, 2]


def test_jobs_with_files_of_their_own_do_not_share_blocks(tmp_path: Path) -> None:
    plan = plan_of("[a]\ndirectory=/data\nrw=read\nsize=1m\nnumjobs=3", tmp_path)
    assert [job.offset_bytes for job in plan.jobs] == [0, 2**20, 2**21]
    plan = plan_of("[a]\ndirectory=/data\nrw=randread\nsize=1m\nnumjobs=3", tmp_path)
    assert {(job.offset_bytes, job.span_bytes) for job in plan.jobs} == {(0, 3 * 2**20)}
    assert {job.total_bytes for job in plan.jobs} == {2**20}


def test_files_of_a_job_share_its_depth(tmp_path: Path) -> None:
    plan = plan_of("[a]\nfilename=x:y\nrw=randread\nsize=2m\niodepth=8\nioengine=libaio", tmp_path)
    assert [(job.iodepth, job.span_bytes) for job in plan.jobs] == [(4, 2**20)] * 2


def test_what_a_job_moves(tmp_path: Path) -> None:
    assert one("size=1m\nloops=3", tmp_path).loops == 3
    assert one("size=1m\nio_size=8m", tmp_path).io_size == 2**23
    assert one("size=1m\nbs=4k\nnumber_ios=10", tmp_path).io_size == 40_960
    work = one("filesize=8m\nsize=1m", tmp_path)
    assert (work.size, work.io_size) == (2**23, 2**20)


def test_line_ends_byte_order_marks_and_comments(tmp_path: Path) -> None:
    text = "; first\n[a] # job\nfilename=x ; where\nbs=8k\nsize=1m\n"
    path = tmp_path / "job.fio"
    found = []
    for data in (
        text.encode(),
        text.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + text.encode(),
        text.encode("utf-16"),
    ):
        path.write_bytes(data)
        found.append(import_file(path, "job.yaml", {}).text)
    assert len(set(found)) == 1


def test_include_files_are_relative_to_their_own(tmp_path: Path) -> None:
    inner = tmp_path / "parts"
    inner.mkdir()
    (inner / "common.fio").write_text("include size.fio\nrw=write\n", encoding="utf-8")
    (inner / "size.fio").write_text("bs=64k\nsize=1m\n", encoding="utf-8")
    work = one("include parts/common.fio", tmp_path)
    assert (work.rw, work.bs) == ("write", 65536)


def test_include_files_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a.fio").write_text("[a]\ninclude a.fio\n", encoding="utf-8")
    with pytest.raises(ScenarioError, match="include each other more than 16 times"):
        import_file(tmp_path / "a.fio", "a.yaml", {})


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"[a]\nbs=4k\n\0\0", ":3: Byte 0x00 is not text"),
        (b"\x7fELF\x02\x01\x01\0", ":1: Byte 0x02 is not text"),
        (b"\xff\xfe[\0a", "cut off within a character"),
        (b"", "has no job"),
    ],
)
def test_no_text(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / "a.fio").write_bytes(data)
    result = CliRunner().invoke(app, ["import", str(tmp_path / "a.fio")])
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.fio"]


def test_a_variable_is_given_or_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = "[a]\nfilename=x\nsize=1m\nbs=${BLOCK}"
    monkeypatch.setenv("BLOCK", "16k")
    assert scenario(job, tmp_path).workloads[0].bs == 16384
    assert scenario(job, tmp_path, BLOCK="32k").workloads[0].bs == 32768


def test_one_job_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "two.fio"
    path.write_text("[a]\nrw=trim\n[b]\nsize=1m\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["import", str(path), "--job", "b", "--json"])
    assert result.exit_code == 0, result.output
    works = parse_scenario((tmp_path / "two.yaml").read_text(encoding="utf-8")).workloads
    assert [work.name for work in works] == ["b"]
    result = CliRunner().invoke(app, ["import", str(path), "--job", "c", "--force"])
    assert (result.exit_code, "has no job 'c'" in result.stderr) == (2, True)


def test_what_is_left_out_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.fio"
    path.write_text("[a]\nsize=1m\nrefill_buffers\nfsync=8\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["import", str(path), "--json"])
    rows = json.loads(result.stdout)["left_out"]
    assert [(row["line"], row["key"]) for row in rows] == [(3, "refill_buffers"), (4, "fsync")]
    text = (tmp_path / "a.yaml").read_text(encoding="utf-8")
    assert all(row["reason"].split()[0] in text for row in rows)


def test_the_example_runs(tmp_path: Path) -> None:
    out = tmp_path / "load.yaml"
    arguments = ["import", str(EXAMPLE), "-D", "SECONDS=1", "-o", str(out)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    result = CliRunner().invoke(app, ["run", str(out), "--out", str(tmp_path / "run"), "--json"])
    assert result.exit_code == 0, result.output


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="real files are kept beside the project")
def test_real_job_files() -> None:
    """Each is a scenario whose plan is complete, or is refused in one sentence with its place."""
    files = sorted(SAMPLES.glob("fio_*/*.fio"))
    assert len(files) >= 22
    read = []
    for path in files:
        try:
            compile_plan(parse_scenario(import_file(path, "load.yaml", GIVEN).text))
        except ScenarioError as error:
            (problem,) = error.problems
            assert problem.file == str(path)
            assert problem.line is not None
            assert problem.reason
            assert ". " not in problem.reason
            assert problem.remedy
        else:
            read.append(path.name)
    refused = {path.name for path in files} - set(read)
    templates = {"02.fio", "04.fio", "05.fio"}
    without_their_parts = {"19.fio", "22.fio", "23.fio"}
    parts = {path.name for path in files if "include" in path.stem} | {"20.fio"}
    # A zoned device, a normal distribution, trims, and sizes with Zipf's addresses.
    not_here = {"10.fio", "14.fio", "17.fio", "32.fio"}
    assert refused == templates | without_their_parts | parts | not_here


def test_an_exported_job_file_comes_back(tmp_path: Path) -> None:
    """`sanlab export` writes job files, and this reads them: the same workloads."""
    jobs = """\
[fill]
filename=/dev/sdb
rw=write
bs=1m
iodepth=4
ioengine=libaio
size=256m
[random]
stonewall
filename=/dev/sdb
ioengine=libaio
rw=randread
bs=8k
iodepth=16
numjobs=2
time_based
runtime=2
ramp_time=1
random_distribution=zipf:1.2
[log]
filename=/dev/sdc
wait_for=fill
rw=write
bs=16k
rate_iops=500
rate_process=poisson
runtime=2
time_based
[slow]
filename=/dev/sdc
rw=read
offset=1m
size=64m
thinktime=2ms
"""
    first = scenario(jobs, tmp_path)
    names = {"ARRAY1_LUN1": "/dev/sdb", "ARRAY1_LUN2": "/dev/sdc"}
    again = scenario(fio_job(first), tmp_path, **names)
    assert again.workloads == first.workloads


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ("filename=/dev/sdb\nnrfiles=4", "names"),
        ("ioengine=nbd\nuri=nbd://server/disk\nnrfiles=4", "names"),
        ("size=1g\nnr_files=4", "lie behind each other"),
        ("filename=/dev/sdb:/dev/sdc\nopenfiles=2", "opening"),
        ("filename=/dev/sdb:/dev/sdc\nfile_service_type=random", "its part"),
        ("filename=/dev/sdb\nfile_service_type=zipf:1.2", "its part"),
    ],
)
def test_a_number_or_an_order_of_files_is_listed(keys: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "job.fio"
    path.write_text(f"[job]\nrw=read\nbs=64k\ndirect=1\n{keys}\n", encoding="utf-8")
    (row,) = [row for row in import_file(path, "job.yaml", {}).left_out if "file" in row.key]
    assert row.line == len(path.read_text(encoding="utf-8").splitlines())
    assert reason in row.reason


def test_a_number_of_files_of_one_size_counts(tmp_path: Path) -> None:
    path = tmp_path / "job.fio"
    path.write_text("[job]\nrw=read\nfilesize=1g\nnrfiles=4\n", encoding="utf-8")
    imported = import_file(path, "job.yaml", {})
    assert not imported.left_out
    (work,) = parse_scenario(imported.text).workloads
    assert work.size == 4 * 2**30


def test_a_device_that_names_a_lun_is_not_left_out(tmp_path: Path) -> None:
    path = tmp_path / "job.fio"
    text = "[job]\nioengine=rbd\npool=rbd\nrbdname=image\nrw=read\ndirect=1\n"
    path.write_text(text, encoding="utf-8")
    imported = import_file(path, "job.yaml", {})
    assert {row.key for row in imported.left_out} == {"ioengine", "pool"}
    assert "# image" in imported.text
