"""Captures, as tshark reads them.

tshark knows nothing of us: what it finds well formed and what it measures is a second opinion on
frames and times.
"""

from __future__ import annotations

import json
import os
import resource
import struct
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from captures import (
    COMMAND,
    DATA,
    FRAME_OVERHEAD_BYTES,
    READY,
    RESPONSE,
    Seen,
    address,
    by_exchange,
    complaints,
    crcs,
    ends,
    fields,
    frames,
    needs_tshark,
)
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.errors import RunError, SanlabError
from sanlab.plan.compile import compile_plan
from sanlab.plan.schema import UniformAddress
from sanlab.results.run import run
from sanlab.scenario.load import load_scenario
from sanlab.simulation.trace import choose_ports

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

    from sanlab.plan.schema import JobPlan, Plan
    from sanlab.simulation.trace import Trace

pytestmark = pytest.mark.xdist_group("trace")
PS_PER_NS = 1000
BLOCK_BYTES = 512
DATA_FRAME_BYTES = 2048

#: Hosts whose processors and adapters take no time, one command at a time each: what a command
#: takes at the host's port is what the application waits.
SCENARIO = """
title: Frames
hosts:
  - name: host[1..2]
    cpu: {cores: 2, cost_per_io: 0us}
    hbas: {submit: 0us, complete: 0us}
switches:
  - name: sw[1..2]
arrays:
  - name: dev1
    burst: 64KiB
    luns:
      - {name: near, size: 100GiB, memory: {service: 50us, distribution: exponential}}
      - name: far
        size: 6TiB
        memory: {service: 50us, distribution: exponential}
        mirror: {to: dev2.copy}
  - name: dev2
    burst: 32KiB
    luns:
      - {name: copy, size: 6TiB}
links:
  - {from: "host[1..2]", to: sw1, length: 10m}
  - {from: sw1.30, to: sw2.31, length: 1km, speed: 16GFC}
  - {from: dev1.p0, to: sw2, length: 10m}
  - {from: dev2.p0, to: sw2, length: 10m}
workloads:
  - {name: reads, hosts: host1, targets: dev1.near, rw: randread, bs: 7k, iodepth: 1}
  - name: writes
    hosts: host2
    targets: dev1.far
    rw: write
    bs: 160k
    iodepth: 1
    offset: 5TiB
    size: 20MiB
measure: {duration: 20ms, interval: 1ms}
"""


@dataclass(frozen=True)
class World:
    scenario: Path
    plan: Plan
    trace: Trace

    def address_of(self, port: str) -> int:
        return next(n_port.fc_id for n_port in self.plan.n_ports if n_port.name == port)


def capture(folder: Path, text: str, ports: str | None = None) -> World:
    scenario = folder / "scenario.yaml"
    scenario.write_text(text, encoding="utf-8")
    plan = compile_plan(load_scenario(scenario, {}))
    return World(scenario, plan, sanlab.trace(scenario, folder / "out.pcapng", ports=ports))


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Captured at the hosts, which is what one gets without --ports."""
    return capture(tmp_path_factory.mktemp("hosts"), SCENARIO)


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> World:
    return capture(tmp_path_factory.mktemp("arrays"), SCENARIO, "dev1")


@needs_tshark
class TestAtTheHosts:
    @pytest.mark.parametrize("option", ["fc.reassemble:FALSE", "fc.max_frame_size:2048"])
    def test_nothing_is_malformed(self, hosts: World, option: str) -> None:
        assert complaints(hosts.trace.file, "-o", option) == []

    def test_every_crc_is_good(self, hosts: World) -> None:
        assert crcs(hosts.trace.file) == {"1": hosts.trace.frames_count}

    def test_a_flipped_byte_is_flagged(self, hosts: World, tmp_path: Path) -> None:
        raw = bytearray(hosts.trace.file.read_bytes())
        at = raw.index(bytes(range(256))) + 100
        raw[at] ^= 1
        bad = tmp_path / "bad.pcapng"
        bad.write_bytes(raw)
        assert crcs(bad) == {"1": hosts.trace.frames_count - 1, "0": 1}

    def test_the_file_says_what_it_holds(self, hosts: World) -> None:
        found = frames(hosts.trace.file)
        assert hosts.trace.interfaces == ("host1.hba0.p0", "host2.hba0.p0")
        assert {frame.port for frame in found} == set(hosts.trace.interfaces)
        assert len(found) == hosts.trace.frames_count
        assert len(by_exchange(found)) == hosts.trace.exchanges_count
        assert hosts.trace.bytes == hosts.trace.file.stat().st_size
        assert [frame.at_ns for frame in found] == sorted(frame.at_ns for frame in found)

    def test_exchange_times_are_the_response_times(self, hosts: World, tmp_path: Path) -> None:
        done = run(hosts.scenario, folder=tmp_path / "run")
        times = defaultdict(list)
        for (initiator, *_), found in by_exchange(frames(hosts.trace.file)).items():
            if found[-1].r_ctl == RESPONSE:
                assert found[0].r_ctl == COMMAND
                assert (found[0].is_sent, found[-1].is_sent) == (True, False)
                times[initiator].append(found[-1].at_ns - found[0].at_ns)
        rows = {row["workload"]: row for row in done.rows("workloads")}
        jobs = {row["workload"]: row for row in done.rows("jobs")}
        for workload, port in (("reads", "host1.hba0.p0"), ("writes", "host2.hba0.p0")):
            measured, row = times[hosts.address_of(port)], rows[workload]
            assert len(measured) == row["io_count"] > 20
            assert min(measured) == pytest.approx(row["response_min_ps"] / PS_PER_NS, abs=1)
            assert max(measured) == pytest.approx(row["response_max_ps"] / PS_PER_NS, abs=1)
            mean = sum(measured) / len(measured)
            assert mean == pytest.approx(row["response_mean_ps"] / PS_PER_NS, abs=1)
            assert mean == pytest.approx(jobs[workload]["response_mean_ps"] / PS_PER_NS, abs=1)

    def test_a_read_is_command_data_response(self, hosts: World) -> None:
        host = hosts.address_of("host1.hba0.p0")
        exchanges = by_exchange(frames(hosts.trace.file))
        done = [it for key, it in exchanges.items() if key[0] == host and it[-1].r_ctl == RESPONSE]
        assert done
        for found in done:
            assert [frame.r_ctl for frame in found] == [COMMAND, *[DATA] * 4, RESPONSE]
            assert [frame.is_sent for frame in found] == [True, *[False] * 5]
            self._is_one_sequence(found[1:-1], start=0, size=7 * 1024)

    def test_a_write_asks_for_each_burst(self, hosts: World) -> None:
        host = hosts.address_of("host2.hba0.p0")
        exchanges = by_exchange(frames(hosts.trace.file))
        done = [it for key, it in exchanges.items() if key[0] == host and it[-1].r_ctl == RESPONSE]
        assert done
        bursts = [64 * 1024, 64 * 1024, 32 * 1024]
        expected = [COMMAND]
        for burst in bursts:
            expected += [READY, *[DATA] * (burst // DATA_FRAME_BYTES)]
        for found in done:
            assert [frame.r_ctl for frame in found] == [*expected, RESPONSE]
            start, place = 0, 2
            for burst in bursts:
                count = burst // DATA_FRAME_BYTES
                self._is_one_sequence(found[place : place + count], start=start, size=burst)
                start, place = start + burst, place + count + 1

    @staticmethod
    def _is_one_sequence(found: list[Seen], *, start: int, size: int) -> None:
        """Contiguous offsets and counts, one SEQ_ID, its delimiters and END_SEQUENCE in place."""
        last = len(found) - 1
        assert len({frame.seq_id for frame in found}) == 1
        assert sum(frame.payload_bytes for frame in found) == size
        for number, frame in enumerate(found):
            assert frame.offset == start
            assert frame.seq_cnt == number
            assert frame.is_first == (number == 0)
            assert frame.is_last == (number == last)
            assert bool(frame.f_ctl & 0x080000) == (number == last)
            # Only write data hands the initiative over: the target answers.
            assert bool(frame.f_ctl & 0x010000) == (number == last and frame.is_sent)
            start += frame.payload_bytes

    def test_bursts_say_where_and_how_much(self, hosts: World) -> None:
        rows = fields(hosts.trace.file, ["fc.ox_id", "fcp.burstlen"], "fc.r_ctl == 5")
        lengths = defaultdict(list)
        for ox_id, burst in rows:
            lengths[ox_id].append(int(burst))
        assert lengths
        whole = [64 * 1024, 64 * 1024, 32 * 1024]
        assert all(found == whole[: len(found)] for found in lengths.values())

    def test_commands_are_what_the_plan_says(self, hosts: World) -> None:
        names = ["fc.s_id", "fcp.lun", "fcp.dl", "fcp.rddata", "fcp.wrdata", "scsi_sbc.opcode"]
        lbas = ["scsi_sbc.rdwr10.lba", "scsi_sbc.rdwr16.lba", "scsi_sbc.rdwr10.xferlen"]
        rows = fields(hosts.trace.file, names + lbas, "fc.r_ctl == 6")
        next_lba: dict[str, int] = {}
        for s_id, lun, length, is_read, is_write, opcode, lba10, lba16, blocks in rows:
            job = self._job(hosts.plan, address(s_id))
            (target,) = job.targets
            assert int(lun, 0) == hosts.plan.arrays[target.array].luns[target.lun].number
            assert int(length) == job.block_bytes
            assert (is_read, is_write) == (("1", "0") if job.read_ppm else ("0", "1"))
            if isinstance(job.addresses, UniformAddress):
                assert opcode == "0x28"
                assert int(blocks) * BLOCK_BYTES == job.block_bytes
                lba = int(lba10, 0)
            else:  # beyond 2 TiB
                assert opcode == "0x8a"
                lba = int(lba16.replace(":", ""), 16)
                expected = next_lba.get(s_id, job.offset_bytes // BLOCK_BYTES)
                assert lba == expected
                after = lba + job.block_bytes // BLOCK_BYTES
                end = (job.offset_bytes + job.span_bytes) // BLOCK_BYTES
                next_lba[s_id] = after if after < end else job.offset_bytes // BLOCK_BYTES
            assert job.offset_bytes <= lba * BLOCK_BYTES
            assert (lba * BLOCK_BYTES) + job.block_bytes <= job.offset_bytes + job.span_bytes

    @staticmethod
    def _job(plan: Plan, fc_id: int) -> JobPlan:
        for job in plan.jobs:
            adapter = plan.hosts[job.host].adapters[job.targets[0].paths[0].adapter]
            if plan.n_ports[adapter.n_port].fc_id == fc_id:
                return job
        raise AssertionError(hex(fc_id))

    def test_the_responder_gives_its_id(self, hosts: World) -> None:
        for found in by_exchange(frames(hosts.trace.file)).values():
            assert found[0].rx_id == 0xFFFF
            assert len({frame.rx_id for frame in found[1:]} - {0xFFFF}) <= 1


def test_a_capture_changes_nothing(hosts: World, tmp_path: Path) -> None:
    done = run(hosts.scenario, folder=tmp_path / "run")
    assert hosts.trace.fingerprint == done.manifest.fingerprint
    assert hosts.trace.simulated_ps == done.manifest.simulated_ps
    again = sanlab.trace(hosts.scenario, tmp_path / "again.pcapng")
    assert again.file.read_bytes() == hosts.trace.file.read_bytes()


@needs_tshark
class TestAtTheArray:
    def test_copies_of_a_mirrored_lun_are_seen(self, arrays: World) -> None:
        host, source, copy = (
            arrays.address_of(port) for port in ("host2.hba0.p0", "dev1.p0", "dev2.p0")
        )
        names = ["fc.s_id", "fc.d_id", "fcp.lun", "fcp.dl", "scsi_sbc.rdwr16.lba"]
        rows = fields(arrays.trace.file, names, "fc.r_ctl == 6 && fcp.wrdata == 1")
        written = [row[3:] for row in rows if ends(row) == (host, source)]
        copied = [row[3:] for row in rows if ends(row) == (source, copy)]
        assert len(copied) > 20
        assert copied == written[: len(copied)]
        assert len(written) - len(copied) <= 1

    def test_a_synchronous_copy_comes_before_the_answer(self, arrays: World) -> None:
        host, source, copy = (
            arrays.address_of(port) for port in ("host2.hba0.p0", "dev1.p0", "dev2.p0")
        )
        answers = [
            (frame.s_id, frame.d_id)
            for frame in frames(arrays.trace.file)
            if frame.r_ctl == RESPONSE and {frame.s_id, frame.d_id} & {copy, host}
        ]
        pairs = list(zip(answers[::2], answers[1::2], strict=False))
        assert len(pairs) > 20
        assert set(pairs) == {((copy, source), (source, host))}

    def test_no_two_open_exchanges_share_an_rx_id(self, arrays: World) -> None:
        port = arrays.address_of("dev1.p0")
        in_use: dict[int, tuple[int, int, int]] = {}
        for frame in frames(arrays.trace.file):
            if frame.exchange[1] != port or frame.r_ctl == COMMAND:
                continue
            assert in_use.setdefault(frame.rx_id, frame.exchange) == frame.exchange
            if frame.r_ctl == RESPONSE:
                del in_use[frame.rx_id]


INTERLEAVED = """
hosts:
  - name: host[1..4]
switches:
  - name: sw1
arrays:
  - name: dev1
    interleave: frame
    class3_sequences: 64
    luns:
      - {name: "lun[1..4]", size: 100GiB, memory: {service: 5us, servers: 64}}
links:
  - {from: "host[1..4]", to: sw1}
  - {from: dev1.p0, to: sw1}
workloads:
  - {name: long, hosts: "host[1..2]", targets: "dev1.lun[1..2]", rw: read, bs: 2M, iodepth: 2}
  - name: short
    hosts: host[3..4]
    targets: dev1.lun[3..4]
    rw: randread
    bs: 512
    iodepth: 16
measure: {duration: 20ms}
"""


@needs_tshark
def test_open_sequences_have_ids_of_their_own(tmp_path: Path) -> None:
    """Long sequences stay open while more than 256 short ones pass them by."""
    world = capture(tmp_path, INTERLEAVED, "dev1.p0")
    most, passed = 0, 0
    opened_at: dict[int, int] = {}
    sent = [frame for frame in frames(world.trace.file) if frame.is_sent]
    for number, frame in enumerate(sent):
        if frame.seq_cnt == 0:
            assert frame.seq_id not in opened_at
            opened_at[frame.seq_id] = number
        most = max(most, len(opened_at))
        if frame.is_last:
            passed = max(passed, number - opened_at.pop(frame.seq_id))
    assert most > 4
    assert passed > 1000
    assert complaints(world.trace.file, "-o", "fc.reassemble:FALSE") == []


@needs_tshark
def test_an_e_port_sees_both_directions(hosts: World, tmp_path: Path) -> None:
    file = tmp_path / "isl.pcapng"
    found = sanlab.trace(hosts.scenario, file, ports="sw1.e30,sw2.e31")
    assert found.interfaces == ("sw1.e30", "sw2.e31")
    done = run(hosts.scenario, folder=tmp_path / "run")
    ports = {row["port"]: row for row in done.rows("ports")}
    seen = Counter((frame.port, frame.is_sent) for frame in frames(file))
    for port in found.interfaces:
        assert seen[port, True] == ports[port]["tx_frames_count"] > 100
        assert seen[port, False] == ports[port]["rx_frames_count"] > 100
    assert crcs(file) == {"1": found.frames_count}
    # A frame leaves one end and reaches the other after its sending time and 1 km of fibre.
    sent = [frame for frame in frames(file) if (frame.port, frame.is_sent) == ("sw1.e30", True)]
    got = [frame for frame in frames(file) if (frame.port, frame.is_sent) == ("sw2.e31", False)]
    link = next(
        link
        for link in compile_plan(load_scenario(hosts.scenario, {})).links
        if link.speed == "16GFC"
    )
    for start, end in zip(sent, got, strict=True):
        size = -(-start.payload_bytes // 4) * 4 + FRAME_OVERHEAD_BYTES
        took = size * 1e9 / link.bytes_per_s + link.delay_ps / PS_PER_NS
        assert end.at_ns - start.at_ns == pytest.approx(took, abs=1)
        assert (start.exchange, start.seq_id, start.seq_cnt) == (
            end.exchange,
            end.seq_id,
            end.seq_cnt,
        )


REFUSED = """
hosts: [{name: host1}]
switches: [{name: sw1}]
arrays:
  - name: dev1
    luns:
      - {name: lun1, size: 100GiB, queue_depth: 2, memory: {service: 100us, servers: 2}}
links:
  - {from: host1, to: sw1}
  - {from: dev1.p0, to: sw1}
workloads:
  - {name: load, hosts: host1, targets: dev1.lun1, rw: randread, bs: 8k, iodepth: 6}
measure: {duration: 5ms}
"""


@needs_tshark
def test_a_refused_command_says_so(tmp_path: Path) -> None:
    world = capture(tmp_path, REFUSED)
    names = ["scsi.status", "fcp.status", "fcp.resid", "fcp.rsp.flags.resid_under"]
    rows = fields(world.trace.file, names, "fc.r_ctl == 7")
    statuses = {tuple(row[1:]) for row in rows}
    assert statuses == {("0x00", "", "0"), ("0x28", "8192", "1")}
    assert crcs(world.trace.file) == {"1": world.trace.frames_count}


PLAIN = """
hosts: [{name: "host[1..2]"}]
switches: [{name: sw1}]
arrays: []
links:
  - {from: "host[1..2]", to: sw1}
traffic:
  - {name: bulk, from: host1, to: host2, payload: 2112, frames: 300, saturate: true}
  - {name: odd, from: host2, to: host1, payload: 33, frames: 50, interval: 10us}
  - {name: empty, from: host2, to: host1, payload: 0, frames: 50, interval: 10us}
measure: {duration: 10ms}
"""


@needs_tshark
def test_plain_frames_are_well_formed(tmp_path: Path) -> None:
    world = capture(tmp_path, PLAIN, "host1")
    found = frames(world.trace.file)
    assert complaints(world.trace.file) == []
    assert crcs(world.trace.file) == {"1": 400}
    assert Counter(frame.payload_bytes for frame in found) == {2112: 300, 33: 50, 0: 50}
    assert {(frame.r_ctl, frame.rx_id) for frame in found} == {(0, 0xFFFF)}
    assert world.trace.exchanges_count == 0
    assert fields(world.trace.file, ["fc.type"], "fcp || scsi") == []


class TestPorts:
    @pytest.mark.parametrize(
        ("patterns", "names"),
        [
            (None, ["host1.hba0.p0", "host2.hba0.p0"]),
            ("host1.*", ["host1.hba0.p0"]),
            ("host2", ["host2.hba0.p0"]),
            ("sw?.e*", ["sw1.e30", "sw2.e31"]),
            ("sw1.f0, dev[1,2].p0", ["sw1.f0", "dev1.p0", "dev2.p0"]),
            (["dev2.*", "host[1..2].*", "dev2"], ["dev2.p0", "host1.hba0.p0", "host2.hba0.p0"]),
        ],
    )
    def test_patterns(
        self, hosts: World, patterns: str | list[str] | None, names: list[str]
    ) -> None:
        assert list(choose_ports(hosts.plan, patterns)) == names

    @pytest.mark.parametrize("pattern", ["host3.*", "", "host1,,host2", "sw1.f30", "host[1"])
    def test_a_pattern_without_a_port_is_refused(self, hosts: World, pattern: str) -> None:
        with pytest.raises(SanlabError):
            choose_ports(hosts.plan, pattern)

    def test_ends_are_those_of_the_tables(self, hosts: World, tmp_path: Path) -> None:
        done = run(hosts.scenario, folder=tmp_path / "run")
        ends = choose_ports(hosts.plan, "*")
        assert [(row["port"], row["link"]) for row in done.rows("ports")] == [
            (name, link) for name, (link, _) in ends.items()
        ]


class TestCommand:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "san.yaml").write_text(SCENARIO, encoding="utf-8")
        return tmp_path

    @staticmethod
    def call(folder: Path, *options: str) -> Result:
        words = ["trace", str(folder / "san.yaml"), "-o", str(folder / "out.pcapng"), *options]
        return CliRunner().invoke(app, words)

    @staticmethod
    def left(folder: Path) -> list[str]:
        return sorted(path.name for path in folder.iterdir())

    def test_json(self, folder: Path) -> None:
        result = self.call(folder, "--json", "--ports", "host1,sw1.e*", "--seed", "5")
        assert result.exit_code == 0
        document = json.loads(result.stdout)
        assert document["file"] == str(folder / "out.pcapng")
        assert document["interfaces"] == ["host1.hba0.p0", "sw1.e30"]
        assert document["frames_count"] > document["exchanges_count"] > 0
        assert len(document["fingerprint"]) == 16
        assert document["seed"] == 5
        assert self.left(folder) == ["out.pcapng", "san.yaml"]

    def test_an_unknown_port_is_bad_input(self, folder: Path) -> None:
        result = self.call(folder, "--ports", "host1.hba1.p0")
        assert result.exit_code == 2
        assert (
            "There is no port called 'host1.hba1.p0'. Did you mean 'host1.hba0.p0'?"
            in result.output
        )
        document = json.loads(self.call(folder, "--ports", "unknown", "--json").stdout)
        assert "unknown" in document["error"]["message"]
        assert self.left(folder) == ["san.yaml"]

    def test_a_file_is_not_overwritten_unasked(self, folder: Path) -> None:
        (folder / "out.pcapng").write_text("precious", encoding="utf-8")
        assert self.call(folder).exit_code == 2
        assert (folder / "out.pcapng").read_text(encoding="utf-8") == "precious"
        assert self.call(folder, "--force").exit_code == 0
        assert (folder / "out.pcapng").stat().st_size > 100_000

    def test_a_device_is_not_replaced(self, folder: Path) -> None:
        result = CliRunner().invoke(
            app, ["trace", str(folder / "san.yaml"), "-o", "/dev/null", "--force"]
        )
        assert result.exit_code == 2

    def test_a_folder_that_is_not_there(self, folder: Path) -> None:
        words = ["trace", str(folder / "san.yaml"), "-o", str(folder / "no" / "out.pcapng")]
        assert CliRunner().invoke(app, words).exit_code == 2

    def test_a_limit_keeps_the_first_frames(self, folder: Path) -> None:
        result = self.call(folder, "--limit", "1000", "--set", "measure.duration=2s", "--json")
        assert result.exit_code == 0
        document = json.loads(result.stdout)
        assert document["frames_count"] == 1000
        assert document["is_cut"]
        assert not document["is_complete"]
        assert document["fingerprint"] is None
        assert document["simulated_ps"] < 10**12
        cut = (folder / "out.pcapng").read_bytes()
        assert self.call(folder, "--force").exit_code == 0
        assert (folder / "out.pcapng").read_bytes()[: len(cut)] == cut

    def test_a_limit_of_exactly_what_there_is_cuts_nothing(self, folder: Path) -> None:
        whole = json.loads(self.call(folder, "--json").stdout)
        limit = str(whole["frames_count"])
        again = json.loads(self.call(folder, "--json", "--force", "--limit", limit).stdout)
        assert again == whole

    @pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files")
    def test_a_full_disk_leaves_nothing(self, folder: Path) -> None:
        words = ["trace", str(folder / "san.yaml"), "-o", str(folder / "out.pcapng")]
        found = subprocess.run(
            [sys.executable, "-m", "sanlab.cli", *words],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
        )
        assert found.returncode == 1
        assert "File too large" in found.stderr
        assert self.left(folder) == ["san.yaml"]


def test_a_failure_in_the_run_is_one_of_the_run(hosts: World, tmp_path: Path) -> None:
    """The engine cannot open the file: a RunError, and nothing is left."""
    with pytest.raises((RunError, SanlabError, OSError)):
        sanlab.trace(hosts.scenario, tmp_path / ("x" * 300))
    assert list(tmp_path.iterdir()) == []


LOOPS = """
title: Frames on loops
hosts:
  - {name: host1, cpu: {cores: 2, cost_per_io: 0us}, hbas: [{model: qla2342}, {model: qla2342}]}
stacks:
  - name: rack
    model: rs-1600-jbod
    disks: 4
    disk: cheetah-10k6
    paths: [{via: [host1.hba0.p0, host1.hba1.p0]}]
links:
  - {from: host1.hba0.p0, to: rack.a.top}
  - {from: host1.hba1.p0, to: rack.b.top}
workloads:
  - {name: reads, hosts: host1, targets: "rack.disk*", spread: paths, bs: 16KiB, iodepth: 2}
measure: {duration: 30ms, interval: 1ms}
"""


@pytest.mark.parametrize("ports", [None, "rack", "host1.hba1.p0,rack.disk2.*"])
def test_a_port_on_a_loop_sees_its_own_frames_in_order(tmp_path: Path, ports: str | None) -> None:
    """Interfaces count what the table of ports counts, but for frames on their way at the end."""
    world = capture(tmp_path, LOOPS, ports)
    done = run(world.scenario, folder=tmp_path / "run")
    counted = {row["port"]: row for row in done.rows("ports")}
    assert world.trace.fingerprint == done.manifest.fingerprint
    sent: Counter[str] = Counter()
    received: Counter[str] = Counter()
    with world.trace.file.open("rb") as file:
        for port, is_sent, s_id, d_id in packets(file.read()):
            own = world.address_of(port)
            assert own == (s_id if is_sent else d_id)
            (sent if is_sent else received)[port] += 1
    for port in world.trace.interfaces:
        assert sent[port] == counted[port]["tx_frames_count"]
        assert received[port] == counted[port]["rx_frames_count"]


def packets(file: bytes) -> list[tuple[str, bool, int, int]]:
    """Interface, direction, S_ID and D_ID of each packet block, whose times never go back."""
    names: list[str] = []
    found = []
    at, last = 0, 0
    while at < len(file):
        kind, length = struct.unpack_from("<II", file, at)
        body = file[at + 8 : at + length - 4]
        if kind == 1:  # interface description: the name is its first option
            size = struct.unpack_from("<H", body, 10)[0]
            names.append(body[12 : 12 + size].decode())
        elif kind == 6:  # enhanced packet
            number, high, low, captured = struct.unpack_from("<IIII", body)
            assert (high << 32 | low) >= last
            last = high << 32 | low
            frame = body[20 : 20 + captured]
            flags = struct.unpack_from("<I", body, 20 + (captured + 3) // 4 * 4 + 4)[0]
            d_id, s_id = (int.from_bytes(frame[i + 1 : i + 4], "big") for i in (4, 8))
            found.append((names[number], flags & 3 == 2, s_id, d_id))
        at += length
    return found
