"""Parameter files of vdbench: definitions, defaults, and runs one after another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sanlab.importers import import_file
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from sanlab.scenario import Scenario

ROOT = Path(__file__).parents[2]
SAMPLES = Path(os.environ.get("SANLAB_SAMPLES", ROOT.parent / "shared" / "import" / "samples"))
PS = 10**12
STORES = "sd=default,threads=4\nsd=sd1,lun=/dev/sdb,size=10g\nsd=sd2,lun=/dev/sdc\n"


def scenario(text: str, folder: Path) -> Scenario:
    path = folder / "test.parm"
    path.write_text(text, encoding="utf-8")
    found = parse_scenario(import_file(path, "load.yaml", {}).text)
    compile_plan(found)
    return found


def test_defaults_hold_for_what_stands_behind_them(tmp_path: Path) -> None:
    text = (
        "sd=sd0,lun=a\nsd=default,threads=4\nsd=sd1,lun=b\n"
        "wd=default,xfersize=16k,seekpct=seq\nwd=wd0,sd=sd0\nwd=wd1,sd=sd1,rdpct=0\n"
        "rd=one,wd=wd0,iorate=max\nrd=two,wd=wd1,iorate=max,elapsed=2m,warmup=5\n"
    )
    one, two = scenario(text, tmp_path).workloads
    assert (one.name, one.iodepth, one.rw, one.bs) == ("one-wd0", 8, "read", 16384)
    assert (two.name, two.iodepth, two.rw, two.bs) == ("two-wd1", 4, "write", 16384)
    # A run lasts 30 s where nothing says otherwise, and runs come one after another.
    assert (one.runtime, two.runtime, two.ramp_time) == (30 * PS, 120 * PS, 5 * PS)
    assert (one.after, two.after) == (None, ["one-wd0"])


def test_a_rate_is_shared_by_skew_and_by_luns(tmp_path: Path) -> None:
    text = STORES + ("wd=a,sd=sd*,skew=75\nwd=b,sd=sd1\nrd=r,wd=(a,b),iorate=1000,elapsed=5\n")
    works = {work.name: work for work in scenario(text, tmp_path).workloads}
    # 750 I/Os per second on two LUNs, one job on each; 250 on one.
    assert {name: work.rate_iops for name, work in works.items()} == {"r-a": 375, "r-b": 250}
    assert {work.arrivals for work in works.values()} == {"poisson"}


def test_rates_and_threads_give_runs(tmp_path: Path) -> None:
    text = STORES + "wd=a,sd=sd1\nrd=r,wd=a,iorate=(100,max),forthreads=(1-4,d)\n"
    works = scenario(text, tmp_path).workloads
    assert [work.name for work in works] == [
        *("r-100-threads-1-a", "r-100-threads-2-a", "r-100-threads-4-a"),
        *("r-max-threads-1-a", "r-max-threads-2-a", "r-max-threads-4-a"),
    ]
    assert [work.iodepth for work in works[3:]] == [1, 2, 4]


def test_sizes_in_shares_and_sequential_ends(tmp_path: Path) -> None:
    text = STORES + (
        "wd=a,sd=sd1,xfersize=(8k,80,64k,20),rdpct=70\nwd=b,sd=sd1,seekpct=eof,rdpct=0\n"
        "rd=r,wd=*,iorate=max\n"
    )
    mixed, log = scenario(text, tmp_path).workloads
    assert mixed.access is not None
    assert [(line.size, line.of_size) for line in mixed.access] == [
        (8192, 800_000),
        (65536, 200_000),
    ]
    assert (log.rw, log.size) == ("write", 10 * 2**30)


def test_comments_blanks_and_continued_lines(tmp_path: Path) -> None:
    text = "* one\r\n\r\nsd=sd1,\r\n  lun=/dev/sdb\r\nwd=a,sd=sd1\r\n/ two\r\nrd=r,wd=a\r\neof\r\nx"
    (work,) = scenario(text, tmp_path).workloads
    assert (work.name, work.rw, work.bs) == ("r-a", "randread", 4096)


def test_every_parameter_beside_definitions_is_listed(tmp_path: Path) -> None:
    general = (
        "data_errors=10,messagescan=no\ncompratio=2\nhistogram=(default,1m,10m)\nvalidate=yes\n"
        "unix2windows=(/mnt,c:)\nloop=3\nconcatenatesds=no\nhost=default,jvms=1\n"
    )
    path = tmp_path / "test.parm"
    path.write_text(f"{general}{STORES}wd=a,sd=sd1\nrd=r,wd=a,iorate=max\n", encoding="utf-8")
    imported = import_file(path, "load.yaml", {})
    listed = {one.key: one.line for one in imported.left_out}
    assert listed == {
        "data_errors": 1,
        "messagescan": 1,
        "compratio": 2,
        "histogram": 3,
        "validate": 4,
        "unix2windows": 5,
        "loop": 6,
        "concatenatesds": 7,
        "jvms": 8,
    }
    for key in listed:
        assert key in imported.text


def test_keys_may_be_cut_short(tmp_path: Path) -> None:
    """As vdbench lets them be: `xf`, `th`, `el`, `forth`."""
    text = "sd=default,th=4\nsd=sd1,lun=a,si=10g\nwd=a,sd=sd1,xf=16k,read=70\n"
    text += "rd=r,wd=a,io=max,el=5,warm=2,int=1\n"
    (work,) = scenario(text, tmp_path).workloads
    assert (work.iodepth, work.bs, work.rwmixread) == (4, 16384, 700_000)
    assert (work.runtime, work.ramp_time) == (5 * PS, 2 * PS)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="real files are kept beside the project")
def test_a_file_for_oltp(tmp_path: Path) -> None:
    path = SAMPLES / "synthetic" / "load" / "vdbench_oltp.parm"
    imported = import_file(path, "load.yaml", {})
    compile_plan(parse_scenario(imported.text))
    assert {one.key for one in imported.left_out} >= {"curve", "openflags"}
