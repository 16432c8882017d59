"""Volumes and file systems: which LUN gets which command, and what that makes of the speed.

A LUN here serves one command at a time in a time of its own, so that throughput and response times
have closed forms. A run that breaks a law fails, so that each run is a test of the laws too.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties import examples
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.plan.compile import compile_plan
from sanlab.plan.schema import MirrorVolume, StripeVolume
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from sanlab.plan.schema import JobPlan
    from sanlab.results.run import Run

KIB = 1024
MIB = 1024 * KIB

SAN = """
hosts:
  - {{name: host1, os: {os}}}
switches: [{{name: sw1}}]
arrays:
  - name: dev1
    luns:
      - {{name: "lun[1..3]", size: 64MiB, memory: {{service: 500us, servers: 1, variation: 0%}}}}
      - {{name: fast, size: 64MiB, memory: {{service: 100us, servers: 1, variation: 0%}}}}
      - {{name: odd, size: 33000KiB, memory: {{service: 500us, servers: 1, variation: 0%}}}}
links:
  - {{from: host1, to: sw1}}
  - {{from: [dev1.p0, dev1.p1], to: sw1}}
volumes:
  - {{name: stripe2, luns: "dev1.lun[1..2]", unit: 64KiB}}
  - {{name: stripe3, luns: "dev1.lun[1..3]", unit: 64KiB}}
  - {{name: concat, kind: concat, luns: [dev1.odd, dev1.lun1]}}
  - {{name: mirror, kind: mirror, luns: "dev1.lun[1..2]"}}
  - {{name: uneven, kind: mirror, luns: [dev1.fast, dev1.lun1]}}
filesystems:
  - {{name: xfs, on: stripe2, allocation: 1ms}}
  - {{name: cxfs, on: stripe2, kind: cxfs, allocation: 1ms, message: 300us}}
  - {{name: slow, on: stripe2, allocation: 5ms}}
  - {{name: on-lun, on: dev1.lun3, allocation: 1ms}}
workloads:
  - {{name: load, hosts: host1, {keys}}}
measure: {{duration: 210ms}}
"""
LINUX = "linux"
#: So much of a request is under way at once, and more when that is done.
SERIAL = "{model: linux, max_request: 4KiB, submission: serial}"


def san(keys: str, os: str = LINUX) -> str:
    return SAN.format(keys=keys, os=os)


def simulated(folder: Path, keys: str, os: str = LINUX) -> Run:
    path = folder / "scenario.yaml"
    path.write_text(san(f"ramp_time: 10ms, {keys}", os), encoding="utf-8")
    return sanlab.run(path, folder=folder / f"run-{len(list(folder.iterdir()))}")


def jobs(keys: str) -> list[JobPlan]:
    return compile_plan(parse_scenario(san(keys))).jobs


def commands(run: Run) -> dict[str, int]:
    """Commands that came to each LUN, the ramp included."""
    return {
        row["station"]: row["arrivals_count"]
        for row in run.rows("stations")
        if "." in row["station"] and row["kind"] == "media"
    }


def load(run: Run) -> dict[str, Any]:
    (row,) = (row for row in run.rows("workloads") if row["workload"] == "load")
    return row


def iops(run: Run) -> float:
    return float(run.summary()["iops"])


def response_us(run: Run) -> float:
    return float(run.summary()["response_mean_us"])


@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize(("target", "luns"), [("dev1.lun1", 1), ("stripe2", 2), ("stripe3", 3)])
def test_a_stripe_is_as_fast_as_its_luns_together(
    tmp_path: Path, target: str, luns: int, op: str
) -> None:
    """A LUN does a command in 500 us: 2000 for each LUN, the pieces dealt to all alike."""
    run = simulated(tmp_path, f"targets: {target}, rw: {op}, bs: 64KiB, iodepth: 12")
    assert iops(run) == pytest.approx(2000 * luns, rel=0.005)
    assert load(run)["command_count"] == load(run)["io_count"]
    counts = commands(run)
    assert set(counts) == {f"dev1.lun{number}" for number in range(1, luns + 1)}
    assert max(counts.values()) - min(counts.values()) <= 1


@pytest.mark.parametrize("unit", range(7))
def test_each_unit_of_a_stripe_is_on_the_next_lun(tmp_path: Path, unit: int) -> None:
    keys = f"targets: stripe3, rw: randread, bs: 4KiB, offset: {64 * unit}KiB, size: 64KiB"
    counts = commands(simulated(tmp_path, f"{keys}, io_size: 1MiB"))
    assert counts == {f"dev1.lun{unit % 3 + 1}": 256}


@pytest.mark.parametrize(
    ("first", "size", "units"),
    [(0, 64, 1), (0, 128, 2), (32, 64, 2), (63, 2, 2), (0, 1024, 16), (32, 1024, 17)],
)
def test_a_request_is_a_command_for_each_unit_it_touches(
    tmp_path: Path, first: int, size: int, units: int
) -> None:
    region = f"offset: {first}KiB, size: {size}KiB, io_size: {8 * size}KiB"
    run = simulated(tmp_path, f"targets: stripe2, bs: {size}KiB, {region}")
    assert sum(commands(run).values()) == 8 * units


def test_the_plan_says_where_a_volume_is() -> None:
    (job,) = jobs("targets: stripe3, bs: 64KiB")
    assert job.volume == StripeVolume(stripe_bytes=64 * KIB)
    assert [(target.lun, target.offset_bytes, target.span_bytes) for target in job.targets] == [
        (0, 0, 64 * MIB),
        (1, 0, 64 * MIB),
        (2, 0, 64 * MIB),
    ]
    assert job.span_bytes == 192 * MIB
    (mirrored,) = jobs("targets: mirror, bs: 64KiB")
    assert mirrored.volume == MirrorVolume()
    assert mirrored.span_bytes == 64 * MIB


def test_the_command_shows_the_plan(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(san("targets: concat, bs: 8KiB, offset: 33000KiB"), encoding="utf-8")
    result = CliRunner().invoke(app, ["plan", str(path), "--no-pilot", "--json"])
    assert result.exit_code == 0, result.output
    (job,) = json.loads(result.stdout)["plan"]["jobs"]
    assert job["offset_bytes"] == 33000 * KIB
    assert [target["span_bytes"] for target in job["targets"]] == [33000 * KIB, 64 * MIB]
    assert job["volume"] == {"kind": "concat"}


def test_a_lun_of_a_stripe_that_is_no_multiple_of_the_unit_loses_its_end() -> None:
    text = (
        san("targets: cut")
        .replace(
            "volumes:\n", "volumes:\n  - {name: cut, luns: [dev1.odd, dev1.other], unit: 64KiB}\n"
        )
        .replace("{name: odd,", "{name: other, size: 33000KiB}\n      - {name: odd,")
    )
    (job,) = compile_plan(parse_scenario(text)).jobs
    assert [target.span_bytes for target in job.targets] == [33000 // 64 * 64 * KIB] * 2


@pytest.mark.parametrize(
    ("first", "size", "expected"),
    [
        (0, 8, {"dev1.odd": 8}),
        (32992, 8, {"dev1.odd": 8}),
        (33000, 8, {"dev1.lun1": 8}),
        (32996, 8, {"dev1.odd": 8, "dev1.lun1": 8}),
    ],
)
def test_a_concatenation_uses_the_lun_of_the_address(
    tmp_path: Path, first: int, size: int, expected: dict[str, int]
) -> None:
    keys = f"targets: concat, bs: {size}KiB, offset: {first}KiB, size: {size}KiB, io_size: 64KiB"
    assert commands(simulated(tmp_path, keys)) == expected


def test_a_concatenation_is_no_faster_than_the_lun_in_use(tmp_path: Path) -> None:
    run = simulated(tmp_path, "targets: concat, bs: 4KiB, iodepth: 8")
    assert iops(run) == pytest.approx(2000, rel=0.005)


def test_reads_of_a_mirror_alternate(tmp_path: Path) -> None:
    run = simulated(tmp_path, "targets: mirror, bs: 64KiB, iodepth: 8")
    assert iops(run) == pytest.approx(4000, rel=0.005)
    counts = commands(run)
    assert abs(counts["dev1.lun1"] - counts["dev1.lun2"]) <= 1
    assert load(run)["command_count"] == load(run)["io_count"]


def test_writes_to_a_mirror_go_to_every_lun(tmp_path: Path) -> None:
    run = simulated(tmp_path, "targets: mirror, rw: write, bs: 64KiB, iodepth: 8")
    assert iops(run) == pytest.approx(2000, rel=0.005)
    assert load(run)["command_count"] == 2 * load(run)["io_count"]
    counts = commands(run)
    assert abs(counts["dev1.lun1"] - counts["dev1.lun2"]) <= 1


def test_a_write_to_a_mirror_is_done_when_the_slower_lun_is(tmp_path: Path) -> None:
    write = "rw: write, bs: 4KiB, iodepth: 1"
    fast = response_us(simulated(tmp_path, f"targets: dev1.fast, {write}"))
    slow = response_us(simulated(tmp_path, f"targets: dev1.lun1, {write}"))
    both = response_us(simulated(tmp_path, f"targets: uneven, {write}"))
    assert slow - fast == pytest.approx(400, abs=1)
    # The two commands share the processor, the adapter and the fibre, for some microseconds.
    assert slow <= both <= slow + 20
    read = response_us(simulated(tmp_path, "targets: uneven, bs: 4KiB, iodepth: 1"))
    alone = [
        response_us(simulated(tmp_path, f"targets: {lun}, bs: 4KiB, iodepth: 1"))
        for lun in ("dev1.fast", "dev1.lun1")
    ]
    assert read == pytest.approx(sum(alone) / 2, rel=0.01)


def test_a_host_that_issues_pieces_one_by_one_writes_one_copy_after_the_other(
    tmp_path: Path,
) -> None:
    write = "targets: mirror, rw: write, bs: 4KiB, iodepth: 1"
    together = response_us(simulated(tmp_path, write))
    serial = response_us(simulated(tmp_path, write, SERIAL))
    alone = response_us(simulated(tmp_path, "targets: dev1.lun1, rw: write, bs: 4KiB, iodepth: 1"))
    assert together < 1.1 * alone
    assert serial == pytest.approx(2 * alone, rel=0.02)


LOST = """
hosts: [{{name: host1, hbas: {{command_timeout: 20ms, retries: 0, dev_loss: 20ms}}}}]
switches: [{{name: sw1}}]
arrays: [{{name: "dev[1..2]", luns: [{{name: lun1, size: 1GiB}}]}}]
links: [{{from: host1, to: sw1}}, {{from: "dev[1..2]", to: sw1}}]
volumes: [{{name: vol, kind: {kind}, luns: "dev[1..2].lun1", {more}}}]
workloads: [{{name: load, hosts: host1, targets: vol, rw: {op}, bs: 64KiB, io_size: 2MiB}}]
faults: [{{kind: link-down, port: dev2.p0, at: 0s}}]
measure: {{duration: 60s}}
"""


@pytest.mark.parametrize("kind", ["mirror", "stripe"])
def test_an_application_pauses_after_an_error_whichever_piece_failed(
    tmp_path: Path, kind: str
) -> None:
    """A second from each error to the next request, though the other LUN answers later."""
    text = LOST.format(kind=kind, more="", op="write").replace("60s", "10s")
    path = tmp_path / "scenario.yaml"
    path.write_text(text.replace("bs: 64KiB, io_size: 2MiB", "bs: 128KiB"), encoding="utf-8")
    row = load(sanlab.run(path, folder=tmp_path / "run"))
    assert row["error_count"] == 10


@pytest.mark.parametrize(
    ("kind", "more", "op", "lost"),
    [
        ("mirror", "", "write", 32),
        ("mirror", "", "read", 16),
        ("stripe", "unit: 64KiB", "read", 16),
        ("stripe", "unit: 32KiB", "write", 32),
        ("concat", "", "read", 0),
    ],
)
def test_what_needs_a_lun_that_does_not_answer_fails(
    tmp_path: Path, kind: str, more: str, op: str, lost: int
) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(LOST.format(kind=kind, more=more, op=op), encoding="utf-8")
    row = load(sanlab.run(path, folder=tmp_path / "run"))
    assert (row["error_count"], row["io_count"]) == (lost, 32 - lost)


def test_jobs_have_a_part_of_the_volume_each() -> None:
    found = jobs("targets: stripe2, bs: 1MiB, size: 8MiB, numjobs: 3")
    assert [job.offset_bytes for job in found] == [0, 8 * MIB, 16 * MIB]
    assert [job.name for job in found] == [f"load/host1/stripe2/{number}" for number in range(3)]
    shared = jobs("targets: stripe2, rw: randread, size: 8MiB, numjobs: 3")
    assert [job.offset_bytes for job in shared] == [0, 0, 0]


def test_volumes_over_the_same_luns_may_be_chosen_from(tmp_path: Path) -> None:
    """SAN has five volumes that share LUNs; only what workloads use must be apart."""
    apart = san("targets: stripe2").replace(
        "measure:", "  - {name: other, hosts: host1, targets: on-lun, rw: write}\nmeasure:"
    )
    assert len(compile_plan(parse_scenario(apart)).jobs) == 2
    past_it = apart.replace("targets: on-lun", "targets: xfs")
    assert len(compile_plan(parse_scenario(past_it)).jobs) == 2
    with pytest.raises(sanlab.ScenarioError, match=r"both on 'dev1\.lun1'"):
        compile_plan(parse_scenario(apart.replace("targets: on-lun", "targets: mirror")))


WRITE = "rw: write, bs: 64KiB, iodepth: 1, size: 4MiB"


def first_and_again(folder: Path, target: str) -> tuple[float, float]:
    """Response times of writes to blocks that are to be allocated, and to blocks that are."""
    first = simulated(folder, f"targets: {target}, first_write: true, {WRITE}")
    return response_us(first), response_us(simulated(folder, f"targets: {target}, {WRITE}"))


def test_a_first_write_costs_an_allocation(tmp_path: Path) -> None:
    first, again = first_and_again(tmp_path, "xfs")
    assert first >= again + 1000
    slow_first, slow_again = first_and_again(tmp_path, "slow")
    assert slow_again == again
    assert slow_first >= first + 3900


def test_a_shared_file_system_asks_its_server_as_well(tmp_path: Path) -> None:
    xfs_first, xfs_again = first_and_again(tmp_path, "xfs")
    cxfs_first, cxfs_again = first_and_again(tmp_path, "cxfs")
    assert cxfs_first >= xfs_first + 290
    assert xfs_again <= cxfs_again < xfs_again + 290


def test_a_file_system_costs_nothing_where_blocks_are_there(tmp_path: Path) -> None:
    """Rewrites and reads are those of the volume."""
    for keys in (WRITE, "rw: read, bs: 64KiB, iodepth: 4, size: 4MiB"):
        below = simulated(tmp_path, f"targets: stripe2, {keys}")
        above = simulated(tmp_path, f"targets: xfs, {keys}")
        assert response_us(above) == response_us(below)


def test_a_file_system_may_be_on_a_lun(tmp_path: Path) -> None:
    first, again = first_and_again(tmp_path, "on-lun")
    assert first >= again + 1000
    assert commands(simulated(tmp_path, f"targets: on-lun, {WRITE}")) == {"dev1.lun3": 64}


def test_allocations_wait_for_each_other(tmp_path: Path) -> None:
    """Whatever the depth, a file system allocates once in a millisecond at most."""
    keys = "targets: xfs, rw: write, bs: 4KiB, iodepth: 16, first_write: true"
    assert iops(simulated(tmp_path, keys)) <= 1001


LUNS_KIB = 512


@dataclass(frozen=True)
class Asked:
    """A volume and what is read from it or written to it, in KiB."""

    kind: str
    luns: int
    unit: int
    block: int
    offset: int
    blocks: int
    loops: int
    most: int
    op: str

    @property
    def text(self) -> str:
        """The scenario."""
        unit = f", unit: {self.unit}KiB" if self.kind == "stripe" else ""
        volume = f'{{name: vol, kind: {self.kind}, luns: "dev1.lun[1..{self.luns}]"{unit}}}'
        region = f"offset: {self.offset}KiB, size: {self.block * self.blocks}KiB"
        return f"""
hosts: [{{name: host1, os: {{model: linux, max_request: {self.most}KiB}}}}]
switches: [{{name: sw1}}]
arrays:
  - {{name: dev1, pool: off, luns: [{{name: "lun[1..{self.luns}]", size: {LUNS_KIB}KiB}}]}}
links: [{{from: host1, to: sw1}}, {{from: dev1, to: sw1}}]
volumes: [{volume}]
workloads:
  - {{name: load, hosts: host1, targets: vol, rw: {self.op}, bs: {self.block}KiB, iodepth: 3,
     {region}, loops: {self.loops}}}
"""

    def counted(self) -> Counter[str]:
        """Commands to each LUN, every kibibyte of every request asked for its place."""
        found: Counter[str] = Counter()
        for number in range(self.blocks * self.loops):
            first = self.offset + number % self.blocks * self.block
            if self.kind == "mirror":
                commands = -(-self.block // self.most)
                turn = first // self.block % self.luns
                for lun in range(self.luns):
                    found[f"dev1.lun{lun + 1}"] += commands * (self.op == "write" or lun == turn)
                continue
            taken, place = 0, None
            for kib in range(first, first + self.block):
                cell = self.unit if self.kind == "stripe" else LUNS_KIB
                if place != kib // cell or taken == self.most:
                    found[f"dev1.lun{kib // cell % self.luns + 1}"] += 1
                    taken, place = 0, kib // cell
                taken += 1
        return +found


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    """Draw a volume and a region on it."""
    kind = draw(st.sampled_from(["stripe", "concat", "mirror"]))
    luns = draw(st.integers(2, 4))
    block = draw(st.integers(1, 200))
    whole = LUNS_KIB * (1 if kind == "mirror" else luns)
    blocks = draw(st.integers(1, min(12, whole // block)))
    return Asked(
        kind=kind,
        luns=luns,
        unit=draw(st.sampled_from([4, 16, 64, 128, 512])),
        block=block,
        offset=draw(st.integers(0, whole - blocks * block)),
        blocks=blocks,
        loops=draw(st.integers(1, 3)),
        most=draw(st.sampled_from([4, 24, 128, 1280])),
        op=draw(st.sampled_from(["read", "write"])),
    )


@given(asked())
@settings(max_examples=examples(60), deadline=None)
def test_every_piece_goes_to_the_lun_of_its_address(it: Asked) -> None:
    """Against a count that walks over every kibibyte, whatever the volume, region and host."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenario.yaml"
        path.write_text(it.text, encoding="utf-8")
        run = sanlab.run(path, folder=Path(folder) / "run")
        assert commands(run) == dict(it.counted())
        assert load(run)["command_count"] == it.counted().total()
