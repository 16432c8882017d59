"""Frames that get lost, and what hosts do about them, as tshark reads it from a capture."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from captures import (
    ABORT,
    ABORT_ACCEPTED,
    COMMAND,
    Seen,
    by_exchange,
    complaints,
    crcs,
    fields,
    frames,
    needs_tshark,
)

import sanlab

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [needs_tshark, pytest.mark.xdist_group("lost frames")]

MS = 1_000_000
UNASSIGNED = 0xFFFF
HOST, NEAR, FAR, ARRAY = "host1.hba0.p0", "sw1.e1", "sw2.e0", "dev1.p0"

#: All is done before the end, and no address comes twice but in a command that is sent again.
BASE = """
hosts:
  - name: host1
    cpu: {cores: 2, cost_per_io: 0us}
    hbas: {submit: 0us, complete: 0us, command_timeout: 20ms}
switches:
  - {name: "sw[1..2]"}
arrays:
  - name: dev1
    burst: 8KiB
    luns: [{name: lun1, size: 2TiB, memory: {service: 500us, servers: 8}}]
links:
  - {from: host1, to: sw1}
  - {from: sw1, to: sw2, length: 20km}
  - {from: dev1.p0, to: sw2}
workloads:
  - name: reads
    hosts: host1
    targets: dev1.lun1
    rw: randread
    bs: 8k
    iodepth: 16
    rate_iops: 8000
    runtime: 40ms
  - name: writes
    hosts: host1
    targets: dev1.lun1
    rw: randwrite
    bs: 16k
    iodepth: 2
    runtime: 40ms
measure: {duration: 200ms, interval: 1ms}
"""
#: Hosts are not told in time: only their own timers help.
DARK = """
fabric: {rscn_delay: 1s}
faults: [{kind: link-down, between: [sw1, sw2], at: 2ms, until: 6ms}]
"""
#: The host is notified at once and aborts its commands.
TOLD = """
fabric: {rscn_delay: 0us, login_time: 5ms}
faults: [{kind: link-down, port: dev1.p0, at: 2ms, until: 6ms}]
"""
NOISY = """
faults: [{kind: bit-errors, between: [sw1, sw2], ber: 3e-7}]
"""
CHECKED = "fc.reassemble:FALSE"


@dataclass(frozen=True)
class Captured:
    """A run, and the same with a capture at every port."""

    file: Path
    tables: dict[str, list[dict[str, Any]]]
    seen: list[Seen]

    def at(self, port: str, *, sent: bool) -> list[Seen]:
        """Frames that a port has sent, or received."""
        return [frame for frame in self.seen if (frame.port, frame.is_sent) == (port, sent)]

    def kinds(self, port: str, *, sent: bool) -> Counter[int]:
        """How many frames of each R_CTL."""
        return Counter(frame.r_ctl for frame in self.at(port, sent=sent))

    def sums(self, table: str, column: str) -> int:
        """Sum of a column."""
        return sum(row[column] for row in self.tables[table])


def captured(folder: Path, text: str) -> Captured:
    scenario = folder / "scenario.yaml"
    scenario.write_text(text, encoding="utf-8")
    run = sanlab.run(scenario, folder=folder / "run")
    names = "workloads", "paths", "ports", "happenings"
    tables = {name: run.rows(name) for name in names}
    trace = sanlab.trace(scenario, folder / "out.pcapng", ports="*")
    assert trace.fingerprint == run.manifest.fingerprint
    return Captured(trace.file, tables, frames(trace.file))


@pytest.fixture(scope="module")
def dark(tmp_path_factory: pytest.TempPathFactory) -> Captured:
    """A link between switches is dark for a while."""
    return captured(tmp_path_factory.mktemp("dark"), BASE + DARK)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Captured:
    """Bits on that link arrive inverted."""
    return captured(tmp_path_factory.mktemp("noisy"), BASE + NOISY)


def commands(it: Captured) -> dict[tuple[str, ...], list[tuple[int, int]]]:
    """When the host sends each command, and its OX_ID, by what the command wants."""
    names = "fcp.rddata scsi_sbc.rdwr10.lba scsi_sbc.rdwr10.xferlen frame.time_epoch fc.ox_id"
    where = f'fc.r_ctl == 6 && frame.interface_name == "{HOST}"'
    found = defaultdict(list)
    for *wants, at, ox_id in fields(it.file, names.split(), where):
        found[tuple(wants)].append((round(float(at) * 1e9), int(ox_id, 0)))
    return found


def test_nothing_is_malformed(dark: Captured) -> None:
    found = [said for _, said in complaints(dark.file, "-o", CHECKED)]
    # Comments are remarks, too.
    assert {said for said in found if not said.startswith("link down at")} == set()
    assert crcs(dark.file) == {"1": len(dark.seen)}


def test_a_command_without_an_answer_is_aborted_once(dark: Captured) -> None:
    retried = dark.sums("workloads", "retried_count")
    assert retried > 10
    assert dark.kinds(HOST, sent=True)[ABORT] == retried
    assert dark.kinds(ARRAY, sent=False)[ABORT] == retried
    assert dark.kinds(ARRAY, sent=True)[ABORT_ACCEPTED] == retried
    assert dark.kinds(HOST, sent=False)[ABORT_ACCEPTED] == retried
    assert dark.sums("paths", "losses_count") == 0
    assert dark.sums("workloads", "error_count") == 0


def test_it_goes_out_again_under_another_id(dark: Captured) -> None:
    aborted = {
        frame.ox_id: frame.at_ns for frame in dark.at(HOST, sent=True) if frame.r_ctl == ABORT
    }
    accepted = {
        frame.ox_id: frame.at_ns
        for frame in dark.at(HOST, sent=False)
        if frame.r_ctl == ABORT_ACCEPTED
    }
    again = [sent for sent in commands(dark).values() if len(sent) > 1]
    assert {first[1] for first, _ in again} == set(aborted) == set(accepted)
    for (first_at, first), (then_at, then) in again:
        assert then != first
        # The command's time is up when the ABTS is queued; commands before it have the fibre first.
        assert first_at + 20 * MS == pytest.approx(aborted[first], abs=0.1 * MS)
        assert accepted[first] <= then_at < accepted[first] + 0.1 * MS


def test_no_id_is_used_twice(dark: Captured) -> None:
    sent = [ox_id for found in commands(dark).values() for _, ox_id in found]
    assert len(sent) == len(set(sent))


def test_an_abort_names_what_its_sender_knows(dark: Captured) -> None:
    """RX_ID is that of the target where the host has had a frame with it, else unassigned."""
    named = Counter[bool]()
    known = defaultdict(set)
    for frame in dark.at(HOST, sent=False):
        if frame.r_ctl != ABORT_ACCEPTED:
            known[frame.ox_id].add(frame.rx_id)
    for frame in dark.at(HOST, sent=True):
        if frame.r_ctl == ABORT:
            assert {frame.rx_id} == (known[frame.ox_id] or {UNASSIGNED})
            named[frame.rx_id != UNASSIGNED] += 1
    assert named[True] > 0
    assert named[False] > 0
    arrived = {frame.ox_id for frame in dark.at(ARRAY, sent=False) if frame.r_ctl == COMMAND}
    for frame in dark.at(ARRAY, sent=True):
        if frame.r_ctl == ABORT_ACCEPTED:
            assert (frame.rx_id != UNASSIGNED) == (frame.ox_id in arrived)


def test_a_dark_link_carries_nothing(dark: Captured) -> None:
    told = {row["what"]: row["time_ps"] // 1000 for row in dark.tables["happenings"]}
    start, end = told["link goes down"], told["link is up"]
    assert (start, end) == (2 * MS, 6 * MS)
    on_link = [frame.at_ns for frame in dark.seen if frame.port in (NEAR, FAR)]
    assert not [at for at in on_link if start < at < end]
    assert min(on_link) < start < end < max(on_link)


def test_what_is_cut_off_is_sent_and_not_received(dark: Captured) -> None:
    """And what finds the link dark is not sent: both count as dropped at its output."""
    dropped = {row["port"]: row["tx_dropped_count"] for row in dark.tables["ports"]}
    cut = {}
    for port, peer, before in ((NEAR, FAR, HOST), (FAR, NEAR, ARRAY)):
        sent = dark.at(port, sent=True)
        cut[port] = len(sent) - len(dark.at(peer, sent=False))
        never_sent = len(dark.at(before, sent=True)) - len(sent)
        assert dropped[port] == cut[port] + never_sent > 0
        # No more than the fibre holds, and BB credit allows.
        assert cut[port] <= 16
    assert sum(cut.values()) > 0


def test_the_first_frame_after_it_says_so(dark: Captured) -> None:
    names = ["frame.interface_name", "frame.time_epoch"]
    found = fields(dark.file, names, "frame.comment", "-o", CHECKED)
    assert Counter(port for port, _ in found) == {NEAR: 2, FAR: 2}
    assert all(float(at) >= 6e-3 for _, at in found)


def test_a_host_that_is_told_takes_its_commands_back(tmp_path: Path) -> None:
    """Both ends are logged out, so no command is aborted."""
    run = captured(tmp_path, BASE + TOLD)
    assert run.kinds(HOST, sent=True)[ABORT] == 0
    again = [sent for sent in commands(run).values() if len(sent) > 1]
    assert len(again) == run.sums("workloads", "retried_count") > 3
    assert all(first[1] != then[1] for first, then in again)
    (path,) = run.tables["paths"]
    assert (path["losses_count"], path["lost_first_ps"] // 1000) == (1, 2 * MS)
    told = {row["what"]: row["time_ps"] // 1000 for row in run.tables["happenings"]}
    assert {then[0] >= told["path is back"] for _, then in again} == {True}


def test_an_inverted_bit_is_a_wrong_crc_where_the_frame_comes_in(noisy: Captured) -> None:
    names = ["frame.interface_name", "frame.packet_flags_direction", "frame.packet_flags_crc_error"]
    bad = fields(noisy.file, names, "fc.crc.status == 0")
    assert {direction for _, direction, _ in bad} == {"0x00000001"}
    assert {flag for *_, flag in bad} == {"1"}
    found = Counter(port for port, *_ in bad)
    dropped = {row["port"]: row["tx_dropped_count"] for row in noisy.tables["ports"]}
    assert found == {FAR: dropped[NEAR], NEAR: dropped[FAR]}
    assert sum(found.values()) == sum(dropped.values()) > 5
    # Nothing else is wrong with it, or with any other.
    said = [said for _, said in complaints(noisy.file, "-o", CHECKED)]
    assert len(said) == len(bad)
    assert all(line.startswith("Bad checksum") for line in said)


def test_a_command_with_a_spoilt_frame_is_done_again(noisy: Captured) -> None:
    retried = noisy.sums("workloads", "retried_count")
    assert noisy.sums("workloads", "error_count") == 0
    aborts = noisy.kinds(HOST, sent=True)[ABORT]
    again = [sent for sent in commands(noisy).values() if len(sent) > 1]
    given_up = [ox_id for sent in again for _, ox_id in sent[:-1]]
    ended = {ox_id for ox_id, found in _by_ox_id(noisy).items() if found[-1].r_ctl == 0x07}
    # A read that misses data is known by its response; only the others wait for their time.
    known = sum(ox_id in ended for ox_id in given_up)
    assert known > 0
    assert aborts > 0
    assert len(again) == retried
    assert len(given_up) == known + aborts


def _by_ox_id(it: Captured) -> dict[int, list[Seen]]:
    at_host = [frame for frame in it.seen if frame.port == HOST]
    return {ox_id: found for (*_, ox_id), found in by_exchange(at_host).items()}
