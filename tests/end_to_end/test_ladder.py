"""The slowest I/Os of a run, and each of them step by step."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from captures import COMMAND, complaints, frames, needs_tshark
from typer.testing import CliRunner

from sanlab.cli.main import app
from sanlab.ladder.ladder import Ladder, ladder, stage_times
from sanlab.ladder.picture import picture
from sanlab.results.columns import STAGES
from sanlab.results.run import Run, run
from sanlab.results.slowest import SlowIo, slowest

if TYPE_CHECKING:
    from collections.abc import Callable

    from typer.testing import Result

ROOT = Path(__file__).resolve().parents[2]

#: Examples, and what their I/Os meet: reads and writes, a mirror, a failed path, loops, a trunk,
#: RAID, commands in pieces.
EXAMPLES = (
    "hello-san",
    "replication-distance",
    "path-failover",
    "public-loop",
    "jbod-against-sbod",
    "trunk-or-links",
    "raid5-rebuild",
    "shared-bus",
    "slow-receiver",
)


#: Disks behind loops, and a write that the near end of a link answers for the array.
BEHIND_LOOPS = """
hosts:
  - {name: host1, hbas: {speed: 8GFC}}
switches:
  - {name: sw1, speed: 8GFC}
arrays:
  - name: dev1
    ports: 1
    disk: {model: generic-10k, size: 2GB}
    groups: [{name: g1, raid: {level: 5, drives: 5}}]
    back_end: {kind: loop, loops: 2}
    luns: [{name: lun1, group: g1}]
links:
  - {from: host1, to: sw1}
  - {from: dev1, to: sw1}
workloads:
  - {name: load, hosts: host1, targets: dev1.lun1, iodepth: 4, rw: randrw, bs: 64KiB}
measure: {duration: 200ms}
"""
ACCELERATED = """
hosts:
  - {name: host1, hbas: {speed: 8GFC}}
switches:
  - {name: "sw[1..2]", speed: 8GFC}
arrays:
  - {name: dev1, ports: 1, luns: [{name: lun1, size: 10GiB}]}
links:
  - {from: host1, to: sw1}
  - {from: sw1, to: sw2, length: 50km, bb_credit: 255, write_acceleration: true}
  - {from: dev1, to: sw2}
workloads:
  - {name: load, hosts: host1, targets: dev1.lun1, iodepth: 4, rw: randwrite, bs: 64KiB}
measure: {duration: 50ms}
"""


@pytest.fixture(scope="module")
def run_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    runs: dict[str, Run] = {}

    def get(name: str) -> Run:
        if name not in runs:
            folder = tmp_path_factory.mktemp("runs") / name
            runs[name] = run(ROOT / "examples" / name / "scenario.yaml", folder=folder)
        return runs[name]

    return get


def invoke(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize("name", EXAMPLES)
def test_stages_sum_to_the_response_time(run_of: Callable[[str], Run], name: str) -> None:
    slow = slowest(run_of(name))
    assert slow
    for io in slow:
        assert sum(io.stages.values()) == io.response_ps
        assert list(io.stages) == [stage for stage in STAGES if stage in io.stages]
    most = {
        (row["workload"], row["op"]): row["response_max_ps"]
        for row in run_of(name).rows("workloads")
    }
    for (workload, op), longest in most.items():
        own = [io.response_ps for io in slow if (io.workload, io.op) == (workload, op)]
        assert own[0] == longest
        assert len(own) <= 20


def shared(one: Ladder) -> None:
    """What holds of every ladder."""
    own = [step for step in one.steps if step.command == 0]
    assert own[0].from_ps == one.start_ps
    assert own[-1].to_ps == one.start_ps + one.response_ps
    assert all(before.to_ps == after.from_ps for before, after in pairwise(own))
    for hop in one.hops:
        assert hop.sent_ps < hop.sent_last_ps <= hop.arrived_ps
        assert hop.lane != hop.to_lane
        assert hop.credit_back_ps is None or hop.credit_back_ps > hop.sent_last_ps
    # A frame that goes on leaves where it came in, no earlier than its header.
    by_frame: dict[tuple[object, ...], list[int]] = {}
    for place, hop in enumerate(one.hops):
        key = hop.exchange, hop.kind, hop.seq_id, hop.seq_cnt, hop.offset_bytes
        by_frame.setdefault(key, []).append(place)
    for places in by_frame.values():
        for before, after in pairwise(one.hops[place] for place in places):
            if before.to_lane == after.lane:
                assert before.sent_ps < after.sent_ps - after.queue_wait_ps - after.credit_wait_ps


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_ladder_has_the_times_of_the_table(run_of: Callable[[str], Run], name: str) -> None:
    known = slowest(run_of(name))
    for io in (known[0], known[-1]):
        one = ladder(run_of(name), rank=io.rank)
        assert stage_times(one) == io.stages
        assert (one.response_ps, one.start_ps) == (io.response_ps, io.start_ps)
        assert (one.job, one.number, one.op, one.bytes) == (io.job, io.number, io.op, io.bytes)
        assert one.is_complete
        assert one.lanes[0].name == io.host
        shared(one)


def payload(one: Ladder, kind: str, receiver: str) -> int:
    return sum(
        hop.payload_bytes for hop in one.hops if hop.kind == kind and hop.receiver == receiver
    )


def first(run: Run, op: str) -> tuple[SlowIo, Ladder]:
    io = next(io for io in slowest(run) if io.op == op)
    return io, ladder(run, rank=io.rank)


def test_a_read_gets_its_data_and_one_response(run_of: Callable[[str], Run]) -> None:
    io, one = first(run_of("hello-san"), "read")
    assert payload(one, "FCP_DATA", io.initiator) == io.bytes
    kinds = [hop.kind for hop in one.hops if hop.receiver in {io.initiator, io.target}]
    assert (kinds.count("FCP_CMND"), kinds.count("FCP_RSP")) == (1, 1)
    assert [lane.kind for lane in one.lanes] == ["host", "port", "switch", "port", "array"]


def test_a_write_over_a_mirror_shows_the_copy(run_of: Callable[[str], Run]) -> None:
    io, one = first(run_of("replication-distance"), "write")
    assert [exchange.kind for exchange in one.exchanges] == ["host", "mirror"]
    copy = one.exchanges[1]
    for number, target in enumerate((io.target, copy.target)):
        hops = [hop for hop in one.hops if hop.exchange == number and hop.receiver == target]
        assert sum(hop.payload_bytes for hop in hops if hop.kind == "FCP_DATA") == io.bytes
    asked = [hop.kind for hop in one.hops if hop.exchange == 1]
    assert "FCP_XFER_RDY" in asked
    mirror = next(step for step in one.steps if step.stage == "mirror")
    own = [hop for hop in one.hops if hop.exchange == 1]
    # It begins when all data are there, beside the write to the array's own media.
    data = [hop.arrived_ps for hop in one.hops if (hop.exchange, hop.kind) == (0, "FCP_DATA")]
    assert max(data) <= own[0].sent_ps
    assert own[-1].arrived_ps <= mirror.to_ps


def test_a_lost_command_is_sent_again(run_of: Callable[[str], Run]) -> None:
    one = ladder(run_of("path-failover"))
    assert one.is_retried
    initiators = {exchange.initiator for exchange in one.exchanges}
    assert initiators == {"host1.hba0.p0", "host1.hba0.p1"}
    recovery = next(step for step in one.steps if step.stage == "recovery")
    second = next(hop for hop in one.hops if hop.sender == "host1.hba0.p1")
    assert recovery.to_ps <= second.sent_ps


def test_a_frame_of_a_loop_leaves_by_its_fl_port(run_of: Callable[[str], Run]) -> None:
    io, one = first(run_of("public-loop"), "read")
    from_disk = [hop for hop in one.hops if hop.sender == io.target]
    assert from_disk
    assert {re.sub(r"\d+$", "", hop.receiver) for hop in from_disk} == {"switch1.fl"}
    assert {hop.receiver for hop in one.hops if hop.sender.startswith("switch1.fl")} == {io.target}


def test_operations_on_disks_behind_loops_belong_to_the_io(tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(BEHIND_LOOPS, encoding="utf-8")
    done = run(tmp_path / "scenario.yaml", folder=tmp_path / "run")
    io, one = first(done, "write")
    shared(one)
    assert stage_times(one) == io.stages
    # A small write to RAID 5 reads old data and parity and writes both.
    disks = [exchange.target for exchange in one.exchanges if exchange.kind == "back_end"]
    assert len(disks) == 4
    assert len({disk.rpartition(".")[0] for disk in disks}) == 2
    assert {lane.kind for lane in one.lanes[4:]} <= {"array", "port"}


def test_an_accelerated_write_gets_its_transfer_ready_from_the_near_switch(tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(ACCELERATED, encoding="utf-8")
    done = run(tmp_path / "scenario.yaml", folder=tmp_path / "run")
    io, one = first(done, "write")
    shared(one)
    assert stage_times(one) == io.stages
    ready = [hop for hop in one.hops if hop.kind == "FCP_XFER_RDY"]
    assert [(hop.sender, hop.receiver) for hop in ready] == [
        ("sw1.f0", "host1.hba0.p0"),
        ("dev1.p0", "sw2.f1"),
    ]


def test_pieces_are_commands_of_their_own(run_of: Callable[[str], Run]) -> None:
    one = ladder(run_of("shared-bus"))
    commands = {step.command for step in one.steps}
    assert commands == set(range(len(one.exchanges) + 1))


def test_a_picture_is_well_formed(run_of: Callable[[str], Run]) -> None:
    one = ladder(run_of("path-failover"))
    root = ET.fromstring(picture(one))
    bands = [part for part in root.iter() if part.tag.endswith("polygon")]
    assert len(bands) == len(one.hops)


@needs_tshark
@pytest.mark.parametrize("name", ["path-failover", "replication-distance", "public-loop"])
def test_a_capture_holds_the_frames_of_the_io_alone(
    run_of: Callable[[str], Run], tmp_path: Path, name: str
) -> None:
    folder = str(run_of(name).folder)
    file = tmp_path / "io.pcapng"
    done = invoke("ladder", folder, "--pcapng", str(file), "--json")
    assert done.exit_code == 0, done.output
    one = json.loads(done.stdout)
    seen = frames(file)
    expected = sorted(
        (port, is_sent, round(at / 1000), hop["payload_bytes"])
        for hop in one["hops"]
        for port, is_sent, at in (
            (hop["sender"], True, hop["sent_ps"]),
            (hop["receiver"], False, hop["arrived_ps"]),
        )
    )
    found = sorted((one.port, one.is_sent, one.at_ns, one.payload_bytes) for one in seen)
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    for got, wanted in zip(found, expected, strict=True):
        assert abs(got[2] - wanted[2]) <= 1
    assert len({one.exchange for one in seen if one.r_ctl == COMMAND}) == len(one["exchanges"])
    assert complaints(file, "-o", "fc.reassemble:FALSE") == []


def test_the_command_line(run_of: Callable[[str], Run], tmp_path: Path) -> None:
    folder = str(run_of("hello-san").folder)
    told = invoke("explain", folder, "--slowest")
    assert told.exit_code == 0
    assert "The slowest I/Os:" in told.stdout
    rows = json.loads(invoke("explain", folder, "--slowest", "--json").stdout)["slowest"]
    assert rows == [io.as_dict() for io in slowest(run_of("hello-san"))]
    text = invoke("ladder", folder, "--slowest", "2", "--svg", str(tmp_path / "io.svg"))
    assert text.exit_code == 0
    assert f"{rows[1]['job']}#{rows[1]['number']}" in text.stdout
    again = invoke("ladder", folder, "--io", f"{rows[1]['job']}#{rows[1]['number']}")
    assert text.stdout.startswith(again.stdout.rstrip())
    html = tmp_path / "io.html"
    assert invoke("ladder", folder, "--html", str(html)).exit_code == 0
    assert "<svg" in html.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--slowest", "999"], "has 20 slowest I/Os"),
        (["--io", "writers#1"], "has no job 'writers'"),
        (["--io", "readers"], "names no I/O"),
        (["--io", "readers#1", "--slowest", "1"], "both choose"),
        (["--svg", "no/folder/io.svg"], "There is no folder"),
        (["--io", f"readers/host1/dev1.lun1#{'9' * 20}"], "has no I/O of so high a number"),
        (["--io", f"readers/host1/dev1.lun1#{'9' * 5000}"], "has no I/O of so high a number"),
        (["--io", f"readers/host1/dev1.lun1#{'9' * 18}"], "before the end of the run"),
        (["--svg", "io.png", "--pcapng", "./io.png"], "--svg and --pcapng both name"),
        (["--force", "--pcapng", "/dev/full"], "/dev/full is not a regular file"),
    ],
)
def test_refusals(run_of: Callable[[str], Run], words: list[str], expected: str) -> None:
    done = invoke("ladder", str(run_of("hello-san").folder), *words)
    assert done.exit_code == 2
    assert expected in done.output


def test_an_io_that_never_was(run_of: Callable[[str], Run]) -> None:
    job = slowest(run_of("hello-san"))[0].job
    done = invoke("ladder", str(run_of("hello-san").folder), "--io", f"{job}#99999999")
    assert done.exit_code == 2
    assert "before the end of the run" in done.output
