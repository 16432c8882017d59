"""Loads as other people's files have them: names, engines, headers, prompts, redirections."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from sanlab.errors import ScenarioError
from sanlab.importers import import_file
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from pathlib import Path


def read(tmp_path: Path, name: str, text: str) -> tuple[list[dict[str, Any]], str]:
    """Import a text under a name, and return its workloads and the scenario."""
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    found = import_file(file, "a.yaml", {})
    compile_plan(parse_scenario(found.text, "a.yaml"))
    return yaml.safe_load(found.text)["workloads"], found.text


@pytest.mark.parametrize("name", ["null", "true", "No", "y", "2024"])
def test_a_job_may_have_a_name_that_yaml_takes_for_something_else(
    tmp_path: Path, name: str
) -> None:
    (work,), _ = read(tmp_path, "a.fio", f"[{name}]\nrw=read\nsize=1g\n")
    assert work["name"] == f"job-{name.lower()}"


def test_a_set_of_files_has_the_size_of_all(tmp_path: Path) -> None:
    text = "[a]\ndirectory=/mnt\nnrfiles=100\nfilesize=1m\nrw=randread\nbs=4k\n"
    (work,), _ = read(tmp_path, "a.fio", text)
    assert work["size"] == "100MiB"
    named = "[a]\nfilename=/mnt/1:/mnt/2\nfilesize=1g\nrw=randread\nbs=4k\n"
    (work,), _ = read(tmp_path, "b.fio", named)
    assert (work["size"], len(work["targets"])) == ("1GiB", 2)


def test_engines_that_name_their_device_elsewhere(tmp_path: Path) -> None:
    nbd = "[global]\nioengine=nbd\nuri=nbd+unix:///?socket=/run/a\nrw=randrw\nsize=1g\n"
    works, text = read(tmp_path, "a.fio", f"{nbd}[one]\n[two]\noffset=64m\n")
    assert [work["targets"] for work in works] == ["array1.lun1", "array1.lun1"]
    assert "nbd+unix:///?socket=/run/a" in text
    rbd = "[a]\nioengine=rbd\nclientname=admin\npool=p\nrbdname=disk7\nrw=randwrite\nsize=1g\n"
    _, text = read(tmp_path, "b.fio", rbd)
    assert "# disk7" in text
    assert "clientname, pool" in text  # listed as left out


@pytest.mark.parametrize(
    ("engine", "more"), [("null", ""), ("cpuio", "cpuload=50\n"), ("http", "http_pass=hush\n")]
)
def test_engines_without_a_disk(tmp_path: Path, engine: str, more: str) -> None:
    with pytest.raises(ScenarioError, match=f"ioengine={engine}' does no I/O") as caught:
        read(tmp_path, "a.fio", f"[a]\nioengine={engine}\n{more}rw=read\nsize=1g\n")
    assert "hush" not in str(caught.value)


def test_vdbench_under_its_other_names(tmp_path: Path) -> None:
    text = (
        "hd=one,system=a\nsd=sd1,host=*,lun=/dev/sdb\nwd=wd1,sd=sd1,xfersize=4k,readpct=75\n"
        "rd=run1,wd=wd*,iorate=(100-300,100),elapsed=10,forseekpct=(rand,seq)\n"
    )
    works, _ = read(tmp_path, "a.parm", text)
    assert [work["rate_iops"] for work in works] == [100, 100, 200, 200, 300, 300]
    assert [work["rw"] for work in works] == ["randrw", "rw"] * 3
    assert {work["rwmixread"] for work in works} == {"75%"}


def test_command_lines_of_diskspd_with_redirections(tmp_path: Path) -> None:
    text = (
        "@echo off\n"
        "C:\\tools\\diskspd.exe -b8K -d10 -o8 -r -w0 -z F:\\a.dat > out.txt 2>&1\n"
        '& "C:\\Program Files\\diskspd.exe" -b64K -d10 -o4 G:\\b.dat | Out-File x.txt\n'
    )
    works, found = read(tmp_path, "a.cmd", text)
    assert [(work["bs"], work["iodepth"]) for work in works] == [("8KiB", 8), ("64KiB", 4)]
    assert "out.txt" not in found
    assert "x.txt" not in found


IOSTAT = """\
Device            r/s     rkB/s     w/s     wkB/s  aqu-sz  %util
sdb            100.00    800.00   50.00    400.00    0.02   1.00
"""


def test_iostat_between_prompts_and_without_its_head(tmp_path: Path) -> None:
    plain, _ = read(tmp_path, "a.txt", IOSTAT)
    pasted, _ = read(tmp_path, "b.txt", f"[root@db1 ~]# iostat -x 5\n{IOSTAT}^C\n[root@db1 ~]# \n")
    assert plain == pasted
    assert plain[0]["rate_iops"] == 150


def test_sadf_as_json(tmp_path: Path) -> None:
    entries = [
        {
            "timestamp": {"date": "2024-03-01", "time": f"00:{minute}:01", "interval": 600},
            "disk": [{"disk-device": "sda", "tps": rate, "rkB": 8 * rate, "wkB": 4 * rate}],
        }
        for minute, rate in ((10, 100), (20, 200))
    ]
    text = json.dumps({"sysstat": {"hosts": [{"statistics": entries}]}})
    (work,), _ = read(tmp_path, "a.json", text)
    assert (work["rate_iops"], work["runtime"]) == (200, "1200s")
    assert work["load"]["points"] == [["0ps", "50%"], ["600s", "100%"]]


def test_a_trace_of_msr_with_the_names_of_its_columns(tmp_path: Path) -> None:
    rows = "128166372003061629,hm,1,Read,4096,32768,100\n128166372013061629,hm,1,Write,0,4096,100\n"
    plain, _ = read(tmp_path, "a.csv", rows)
    header = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n"
    named, _ = read(tmp_path, "b.csv", header + rows)
    assert plain == named


def test_a_file_of_no_tool(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="The file is of no tool whose loads are known"):
        read(tmp_path, "a.csv", "device_id,opcode,offset,length,timestamp\n1,R,1024,4096,1\n")


def test_the_password_in_an_address_is_not_kept(tmp_path: Path) -> None:
    text = "[a]\nfilename=iscsi\\://root%hush@10.0.0.1/iqn.a/1\nrw=read\nsize=1g\n"
    _, found = read(tmp_path, "a.fio", text)
    assert "# iscsi://10.0.0.1/iqn.a/1" in found
    assert "hush" not in found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{\n  "fio version" : "fio-3.33",\n  "jobs" : []\n}\n'),
        ("a.txt", "one: (groupid=0, jobs=1): err= 0: pid=7: Mon\n  read: IOPS=100\n"),
        ("a.csv", "'Test Type,Test Description\n0,a\n'Version\n1.1.0\n"),
    ],
)
def test_results_in_place_of_a_load(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(ScenarioError, match="has results of a load, not the load"):
        read(tmp_path, name, text)
