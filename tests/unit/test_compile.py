"""From scenario to plan: defaults, storage, jobs, traffic, times."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app
from sanlab.cli.pilot import estimate
from sanlab.errors import ScenarioError
from sanlab.plan.compile import compile_plan
from sanlab.plan.explain import notes
from sanlab.plan.schema import (
    ArrivalsPlan,
    AsynchronousMirrorMode,
    DriveDiskModel,
    JobPlan,
    MemoryMedia,
    PathPlan,
    Plan,
    SequentialAddress,
    StripeMedia,
    UniformAddress,
    ZipfAddress,
)
from sanlab.plan.times import latest_end
from sanlab.scenario.load import load_scenario, parse_scenario

ROOT = Path(__file__).parents[2]
BASE = """\
hosts:
  - name: host[1..2]
switches:
  - name: sw1
arrays:
  - name: dev1
    luns:
      - {name: "lun[1..2]", size: 1GiB}
  - name: dev2
    luns:
      - {name: "lun[1..2]", size: 1GiB}
links:
  - {from: host*, to: sw1}
  - {from: ["dev1.p[0..1]", "dev2.p[0..1]"], to: sw1}
workloads:
  - {name: load, hosts: host*, targets: "dev1.lun*"}
"""


def plan_of(text: str = BASE, /, **overrides: object) -> Plan:
    changes = {path.replace("__", "."): str(value) for path, value in overrides.items()}
    return compile_plan(parse_scenario(text, "compile.yaml", changes))


def work(**keys: object) -> Plan:
    return plan_of(BASE, **{f"workloads__load__{key}": value for key, value in keys.items()})


def path_of(job: JobPlan) -> PathPlan:
    """The only path of a job's only LUN."""
    ((path,),) = (target.paths for target in job.targets)
    return path


def test_the_same_scenario_is_the_same_plan() -> None:
    assert plan_of().to_json() == plan_of().to_json()


def test_cpu_cost_is_split_in_halves() -> None:
    plan = plan_of(hosts__host1__cpu="{cost_per_io: 15us, cores: 2}")
    assert [host.cpu_submit_ps for host in plan.hosts] == [7_500_000, 1_500_000]
    assert plan.hosts[0].cpu_complete_ps == 7_500_000


def test_fio_words() -> None:
    job = work(rw="randrw", rwmixread=70, bs="64k", iodepth=8, ramp_time="1ms", runtime="5ms").jobs[
        0
    ]
    assert (job.read_ppm, job.block_bytes, job.iodepth) == (700_000, 65_536, 8)
    assert (job.ramp_ps, job.stop_ps, job.total_bytes) == (10**9, 6 * 10**9, None)
    assert job.addresses == UniformAddress()
    write = work(rw="write").jobs[0]
    assert (write.read_ppm, write.addresses) == (0, SequentialAddress())
    assert work(rw="rw").jobs[0].read_ppm == 500_000


def test_zipf_is_tagged_as_the_engine_reads_it() -> None:
    job = work(rw="randread", random_distribution="zipf:1.2").jobs[0]
    assert job.addresses == ZipfAddress(theta_milli=1200)
    assert msgspec.to_builtins(job.addresses) == {"kind": "zipf", "theta_milli": 1200}


def test_rates_become_intervals() -> None:
    constant = ArrivalsPlan(interval_ps=10**9, distribution="constant")
    poisson = ArrivalsPlan(interval_ps=10**9, distribution="exponential")
    by_bytes = work(bs="1M", rate="40MiB/s").jobs[0].arrivals
    assert by_bytes == msgspec.structs.replace(constant, interval_ps=25 * 10**9)
    assert work(rate_iops=1000).jobs[0].arrivals == constant
    for name, expected in (("poisson", poisson), ("constant", constant)):
        job = work(rate_iops=1000, arrivals=name).jobs[0]
        assert (job.iodepth, job.arrivals) == (None, expected)


def test_sequential_jobs_own_equal_parts() -> None:
    jobs = work(rw="write", numjobs=4).jobs
    assert [job.offset_bytes for job in jobs[:4]] == [0, 2**28, 2 * 2**28, 3 * 2**28]
    assert {job.span_bytes for job in jobs} == {2**28}
    assert len({job.name for job in jobs}) == 8


def test_sequential_jobs_of_a_size_follow_one_another() -> None:
    jobs = work(rw="read", numjobs=3, size="100MB", bs="1M", offset="1M").jobs
    span = 95 * 2**20  # whole requests in 100 MB
    assert [job.offset_bytes for job in jobs[:3]] == [2**20, 2**20 + span, 2**20 + 2 * span]
    assert {job.total_bytes for job in jobs} == {span}


def test_random_jobs_share_the_region() -> None:
    jobs = work(rw="randread", numjobs=4, size="512MiB").jobs
    assert {(job.offset_bytes, job.span_bytes) for job in jobs} == {(0, 2**29)}


def test_time_based_and_io_size() -> None:
    assert work(size="1MiB", runtime="1ms", time_based="true").jobs[0].total_bytes is None
    assert work(size="1MiB", io_size="4MiB").jobs[0].total_bytes == 4 * 2**20


def test_pairs_and_all() -> None:
    pairs = [(job.host, job.targets[0].lun) for job in work().jobs]
    assert pairs == [(0, 0), (1, 1)]
    everyone = [(job.host, job.targets[0].lun) for job in work(spread="all").jobs]
    assert everyone == [(0, 0), (0, 1), (1, 0), (1, 1)]
    one = [(job.host, job.targets[0].lun) for job in work(targets="dev1.lun1").jobs]
    assert one == [(0, 0), (1, 0)]


def test_luns_spread_over_array_ports() -> None:
    plan = work()
    names = [plan.n_ports[path_of(job).target_n_port].name for job in plan.jobs]
    assert names == ["dev1.p0", "dev1.p1"]
    fixed = work(target_port="p1")
    assert {fixed.n_ports[path_of(job).target_n_port].name for job in fixed.jobs} == {"dev1.p1"}


@pytest.mark.parametrize(
    "workloads",
    [
        ["targets: dev1.lun1, host_port: hba0.p0", "targets: dev1.lun2, host_port: hba0.p1"],
        ["targets: dev1.lun2", "targets: dev1.lun1"],
        ['targets: "dev1.lun[1..2]"', "targets: dev1.lun1"],
        ["targets: dev1.lun1, numjobs: 2", "targets: dev1.lun2, numjobs: 2"],
    ],
)
def test_the_number_of_a_lun_alone_selects_its_port(workloads: list[str]) -> None:
    """Whichever port of the host, and wherever the LUN stands in its workload."""
    text = """
hosts: [{name: host1, hbas: {ports: 2}}]
switches: [{name: sw1}]
arrays: [{name: dev1, ports: 2, luns: [{name: "lun[1..2]", size: 1GiB}]}]
links:
  - {from: "host1.hba0.p[0..1]", to: sw1}
  - {from: "dev1.p[0..1]", to: sw1}
workloads:
"""
    lines = [f"  - {{name: w{at}, hosts: host1, {keys}}}\n" for at, keys in enumerate(workloads)]
    plan = compile_plan(parse_scenario(text + "".join(lines)))
    reached = {
        (job.targets[0].lun, plan.n_ports[path_of(job).target_n_port].name) for job in plan.jobs
    }
    assert reached == {(0, "dev1.p0"), (1, "dev1.p1")}


def test_lun_export() -> None:
    plan = plan_of(**{"arrays.dev1.luns.*.ports": "p1"})
    assert {plan.n_ports[path_of(job).target_n_port].name for job in plan.jobs} == {"dev1.p1"}


def test_disks_come_from_different_groups() -> None:
    plan = plan_of(
        BASE,
        **{
            "arrays.dev1.array_groups": 4,
            "arrays.dev1.disk": "cheetah-10k6",
            "arrays.dev1.luns.*.raid": 0,
            "arrays.dev1.luns.*.disks": 4,
        },
    )
    array = plan.arrays[0]
    # Two LUNs of four disks: two disks in each of four groups, group by group.
    assert len(array.disks) == 8
    stripes = [lun.media for lun in array.luns]
    assert all(isinstance(media, StripeMedia) for media in stripes)
    used = [media.disks for media in stripes if isinstance(media, StripeMedia)]
    assert used == [[0, 2, 4, 6], [1, 3, 5, 7]]
    assert array.disks[0].model == DriveDiskModel(drive=0)
    assert array.drives[0].revolution_ps == 6 * 10**9


def test_luns_that_share_disks_lie_one_after_the_other() -> None:
    plan = plan_of(
        BASE,
        **{
            "arrays.dev1.array_groups": 4,
            "arrays.dev1.disks_per_group": 1,
            "arrays.dev1.luns.*.raid": 0,
        },
    )
    media = [lun.media for lun in plan.arrays[0].luns]
    starts = [m.start_bytes for m in media if isinstance(m, StripeMedia)]
    assert starts == [0, 2**28]


def test_a_lun_without_size_takes_its_disks() -> None:
    text = BASE.replace('{name: "lun[1..2]", size: 1GiB}', '{name: "lun[1..2]", raid: 0}', 1)
    lun = (
        plan_of(text, **{"arrays.dev1.disk": "{model: cheetah-10k6, size: 10GiB}"})
        .arrays[0]
        .luns[0]
    )
    assert lun.bytes == 10 * 2**30


def test_memory_overrides_the_model() -> None:
    plan = plan_of(**{"arrays.dev1.luns.*.memory": "{service: 20us, distribution: exponential}"})
    media = plan.arrays[0].luns[0].media
    assert isinstance(media, MemoryMedia)
    assert media.service_ps == 20_000_000
    assert media.servers == 64


def test_cache_of_the_model_can_be_switched_off() -> None:
    changes = {
        "hosts.*.hbas.speed": "2GFC",
        "switches.sw1.speed": "2GFC",
        "arrays.*.model": "hds-9900v",
    }
    assert plan_of(**changes).arrays[0].cache is not None
    assert plan_of(**changes, **{"arrays.dev1.cache": "off"}).arrays[0].cache is None


def test_mirrors_use_ports_in_turn() -> None:
    plan = plan_of(**{"arrays.dev1.luns[0].mirror": '{to: "dev2.lun[1..2]", mode: asynchronous}'})
    mirrors = [lun.mirror for lun in plan.arrays[0].luns if lun.mirror is not None]
    assert [(mirror.array, mirror.lun) for mirror in mirrors] == [(1, 0), (1, 1)]
    ports = [plan.n_ports[mirror.source_n_port].name for mirror in mirrors]
    assert ports == ["dev1.p0", "dev1.p1"]
    assert mirrors[0].mode == AsynchronousMirrorMode()


def test_traffic() -> None:
    text = BASE + (
        "traffic:\n"
        "  - {name: noise, from: host*, to: dev1, rate: 2048MB/s}\n"
        "  - {name: flood, from: host1, to: dev2.p1, saturate: true, frames: 10, payload: 0}\n"
    )
    traffic = plan_of(text).traffic
    assert [flow.name for flow in traffic] == ["noise/0", "noise/1", "flood"]
    assert traffic[0].arrivals == ArrivalsPlan(interval_ps=10**6, distribution="constant")
    assert (traffic[2].arrivals, traffic[2].frames, traffic[2].payload_bytes) == (None, 10, 0)


def test_when_a_run_ends() -> None:
    assert plan_of().end_ps == 10**12
    assert work(size="1MiB").end_ps == 3600 * 10**12
    plan = plan_of(measure="{duration: 20ms}")
    assert (plan.end_ps, plan.interval_ps) == (2 * 10**10, 2 * 10**8)


def test_the_clock_of_a_large_fabric_ends_earlier() -> None:
    assert latest_end(1) == 2**61
    assert latest_end(8) == 2**58
    assert latest_end(588) == 2**51
    with pytest.raises(ScenarioError, match="the clock ends at 288230 s"):
        plan_of(measure="{duration: 100h}")


def test_the_seed_of_the_file_is_the_seed_of_the_plan() -> None:
    assert plan_of(seed=42).seed == 42


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/*/scenario.yaml")), ids=str)
def test_examples_compile(path: Path) -> None:
    plan = compile_plan(load_scenario(path))
    assert msgspec.json.decode(plan.to_json(), type=Plan) == plan


@pytest.mark.parametrize(
    ("old", "new", "keys"),
    [
        ("name: host1", "name: host1, model: generik", ["hosts[0].model"]),
        ("name: host1", "name: host1, hbas: {model: qla9999}", ["hosts[0].hbas[0].model"]),
        ("name: host1", "name: host1, hbas: {bus: pci-x-166}", ["hosts[0].hbas[0].bus"]),
        ("name: host1", "name: host1, os: windows", ["hosts[0].os.model"]),
        ("name: sw1", "name: sw1, model: sanbox, speed: 16GFC", ["switches[0].model"]),
        ("name: dev1", "name: dev1, model: nothing", ["arrays[0].model"]),
        # What follows from the stand-in is not said: it has one port.
        ("name: host1", "name: host1, hbas: {model: qla9342}", ["hosts[0].hbas[0].model"]),
    ],
)
def test_a_wrong_model_is_said_beside_the_other_problems(
    old: str, new: str, keys: list[str]
) -> None:
    text = """\
hosts: [{name: host1}]
switches: [{name: sw1}]
arrays: [{name: dev1, luns: [{name: lun1}]}]
links: [{from: host1, to: sw1}, {from: dev1.p0, to: sw1}]
workloads: [{name: load, hosts: host1, targets: dev1.lun9}]
measure: {duration: 1ms, interval: 1ps}
"""
    with pytest.raises(ScenarioError) as caught:
        compile_plan(parse_scenario(text.replace(old, new, 1)))
    others = ["workloads[0].targets", "measure.interval"]
    assert [problem.key for problem in caught.value.problems] == [*keys, *others]


def test_much_open_io_is_said() -> None:
    """Above a million I/Os that may be open, `plan` and `check` say what they take."""
    text = """\
hosts: [{name: h}]
switches: [{name: s}]
arrays: [{name: d, luns: [{name: l}]}]
links: [{from: h, to: s}, {from: d.p0, to: s}]
workloads: [{name: w, hosts: h, targets: d.l, rw: randread, numjobs: 150, iodepth: 65535}]
measure: {duration: 200ms}
"""
    plan = compile_plan(parse_scenario(text))
    said = "up to 9830250 I/Os may be open at once, which take about 3.932 GB of memory"
    assert notes(plan) == [said]
    assert estimate(plan).basis == f"No pilot run was made: {said}"
    few = compile_plan(parse_scenario(text, overrides={"workloads.w.numjobs": 2}))
    assert notes(few) == []


def test_an_empty_value_of_a_disk_is_that_of_its_model() -> None:
    """`read_ahead:` without a value is not written at all."""
    text = """\
hosts: [{name: h}]
switches: [{name: s}]
arrays: [{name: d, disk: {DISK}, luns: [{name: l, raid: 0, disks: 4}]}]
links: [{from: h, to: s}, {from: d.p0, to: s}]
workloads: [{name: w, hosts: h, targets: d.l}]
measure: {duration: 1ms}
"""
    keys = ("size", "zones", "surfaces", "read_ahead", "queue_depth", "outer_rate", "cache_size")
    nothing = ", ".join(f"{key}: null" for key in keys)
    empty, plain = (
        compile_plan(parse_scenario(text.replace("DISK", disk)))
        for disk in (f"model: cheetah-10k6, {nothing}", "model: cheetah-10k6")
    )
    assert empty == plain


def test_a_bin_longer_than_the_run_is_said() -> None:
    """`--set measure.duration=...` makes a run short; its bins may then be too long."""
    hello = Path(__file__).parents[2] / "examples" / "hello-san" / "scenario.yaml"
    changes = ["--set", "measure.duration=1ms", "--set"]
    long = CliRunner().invoke(app, ["check", str(hello), *changes, "measure.interval=2ms"])
    assert long.exit_code == 0
    assert (
        "  note: measure.interval: a bin of 2ms is longer than the run of 1ms, so the time series "
        "have one bin\n"
    ) in long.stdout
    fits = CliRunner().invoke(app, ["check", str(hello), *changes, "measure.interval=1ms"])
    assert "note:" not in fits.stdout
