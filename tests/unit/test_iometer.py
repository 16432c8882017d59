"""Iometer's configurations: read as Iometer means them, written as scenarios that can be run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from typer.testing import CliRunner

from sanlab.catalog import entry
from sanlab.cli.main import app
from sanlab.errors import ScenarioError
from sanlab.importers import expand, import_file, read_icf, scenario_text
from sanlab.importers.icf import IDLE, Cycling
from sanlab.importers.iometer import sweep_arguments
from sanlab.plan.compile import compile_plan
from sanlab.plan.schema import AccessPattern
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from sanlab.catalog.entries import WorkloadEntry
    from sanlab.importers import IometerTest
    from sanlab.plan.schema import AccessLinePlan, Plan

EXAMPLE = Path(__file__).parents[2] / "examples" / "iometer-import"
GOOD = (EXAMPLE / "test.icf").read_text(encoding="utf-8")

#: The classic specifications, as they stand in files of the time.
CLASSIC = {
    "file-server": """\
	512,10,80,100,0,1,0,0
	1024,5,80,100,0,1,0,0
	2048,5,80,100,0,1,0,0
	4096,60,80,100,0,1,0,0
	8192,2,80,100,0,1,0,0
	16384,4,80,100,0,1,0,0
	32768,4,80,100,0,1,0,0
	65536,10,80,100,0,1,0,0
""",
    "database": "	8192,100,67,100,0,1,0,0\n",
    "workstation": "	8192,100,80,80,0,1,0,0\n",
    "web-server": """\
	512,22,100,100,0,1,0,0
	1024,15,100,100,0,1,0,0
	2048,8,100,100,0,1,0,0
	4096,23,100,100,0,1,0,0
	8192,15,100,100,0,1,0,0
	16384,2,100,100,0,1,0,0
	32768,6,100,100,0,1,0,0
	65536,7,100,100,0,1,0,0
	131072,1,100,100,0,1,0,0
	524288,1,100,100,0,1,0,0
""",
}


def icf(
    test_type: str = "NORMAL",
    *,
    version: str = "1.1.0",
    specs: dict[str, str] | None = None,
    managers: dict[str, list[tuple[list[str], list[str]]]] | None = None,
    cycling: tuple[str, str, str] = ("1 1 LINEAR", "1 1 LINEAR", "1 4 2 EXPONENTIAL"),
) -> str:
    """A configuration in Iometer's layout; each worker is its specifications and targets."""
    is_new = version == "1.1.0"
    of_specs = specs or {"A": "	4096,100,67,100,0,1,0,0\n", "B": "	8192,100,0,0,0,1,0,0\n"}
    text = f"Version {version} \n'TEST SETUP {'=' * 68}\n'Test Description\n\tby hand\n"
    text += "'Run Time\n'\thours      minutes    seconds\n\t0          1          30\n"
    text += "'Ramp Up Time (s)\n\t2\n'Default Disk Workers to Spawn\n\tNUMBER_OF_CPUS\n"
    text += f"'Worker Cycling\n'\tstart      step       step type\n\t{cycling[0]}\n"
    text += f"'Disk Cycling\n'\tstart      step       step type\n\t{cycling[1]}\n"
    text += f"'Queue Depth Cycling\n'\tstart      end        step       step type\n\t{cycling[2]}\n"
    text += f"'Test Type\n\t{test_type}\n'END test setup\n'ACCESS SPECIFICATIONS {'=' * 57}\n"
    for name, lines in of_specs.items():
        text += f"'Access specification name,default assignment\n\t{name},NONE\n"
        text += f"'size,% of size,% reads,% random,delay,burst,align,reply\n{lines}"
    text += f"'END access specifications\n'MANAGER LIST {'=' * 66}\n"
    usual = {"HOST1": [(["A"], ["PHYSICALDRIVE:1"])]}
    for number, (manager, workers) in enumerate((managers or usual).items(), 1):
        text += f"'Manager ID, manager name\n\t{number},{manager}\n'Manager network address\n\t\n"
        for index, (assigned, targets) in enumerate(workers, 1):
            text += f"'Worker\n\tWorker {index}\n'Worker type\n\tDISK\n"
            text += "'Default target settings for worker\n"
            text += "'Number of outstanding IOs,test connection rate,transactions per connection"
            text += ",use fixed seed,fixed seed value\n" if is_new else "\n"
            text += "\t16,DISABLED,1,DISABLED,0\n" if is_new else "\t16,DISABLED,1\n"
            text += f"'Disk maximum size,starting sector{',Data pattern' if is_new else ''}\n"
            text += "\t2048000,4096,0\n" if is_new else "\t2048000,4096\n"
            text += "'End default target settings for worker\n'Assigned access specs\n"
            text += "".join(f"\t{name}\n" for name in assigned)
            text += "'End assigned access specs\n'Target assignments\n"
            for target in targets:
                text += f"'Target\n\t{target}\n'Target type\n\tDISK\n'End target\n"
            text += "'End target assignments\n'End worker\n"
        text += "'End manager\n"
    return text + "'END manager list\n"


def plan_of(test: IometerTest, overrides: dict[str, str] | None = None) -> Plan:
    return compile_plan(parse_scenario(scenario_text(test, "x.yaml"), "x.yaml", overrides))


def lines_of(plan: Plan, job: int = 0) -> list[AccessLinePlan]:
    pattern = plan.jobs[job].pattern
    assert isinstance(pattern, AccessPattern)
    return pattern.lines


def test_the_example_is_what_the_import_writes() -> None:
    shown = "examples/iometer-import/scenario.yaml"
    text = scenario_text(read_icf(GOOD, "examples/iometer-import/test.icf"), shown)
    assert (EXAMPLE / "scenario.yaml").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "version", ["1.1.0", "2006.07.27", "2004.07.30", "2003.12.16", "1999.10.20"]
)
def test_every_setting_arrives(version: str) -> None:
    test = read_icf(icf(version=version), "x.icf")
    assert (test.run_s, test.ramp_s) == (90, 2)
    plan = plan_of(test)
    (job,) = plan.jobs
    assert job.iodepth == 16
    assert (job.ramp_ps, job.stop_ps) == (2 * 10**12, 92 * 10**12)
    (target,) = job.targets
    assert (target.offset_bytes, target.span_bytes) == (4096 * 512, 2_048_000 * 512)
    (line,) = lines_of(plan)
    assert (line.bytes, line.read_ppm, line.random_ppm) == (4096, 670_000, 1_000_000)


@pytest.mark.parametrize("name", CLASSIC)
def test_the_classic_specifications_are_those_of_the_catalog(name: str) -> None:
    test = read_icf(icf(specs={"A": CLASSIC[name]}), "x.icf")
    found: WorkloadEntry = entry("workloads", name)  # type: ignore[assignment]
    preset = found.workload.access or []
    assert [
        (line.bytes, line.share_ppm, line.read_ppm, line.random_ppm)
        for line in lines_of(plan_of(test))
    ] == [(line.size, line.of_size, line.reads, line.random) for line in preset]


def test_all_columns_of_a_line_arrive() -> None:
    test = read_icf(icf(specs={"A": "	4096,100,50,25,7,3,8192,512\n"}), "x.icf")
    (line,) = lines_of(plan_of(test))
    assert msgspec.to_builtins(line) == {
        "bytes": 4096,
        "share_ppm": 1_000_000,
        "read_ppm": 500_000,
        "random_ppm": 250_000,
        "delay_ps": 7 * 10**9,
        "burst": 3,
        "align_bytes": 8192,
        "reply_bytes": 512,
    }


def test_targets_are_disks_of_their_manager() -> None:
    disks = ["PHYSICALDRIVE:1", "PHYSICALDRIVE:2"]
    managers = {"one": [(["A"], disks), (["A"], disks[:1])], "two": [(["A"], disks[:1])]}
    plan = plan_of(read_icf(icf(managers=managers), "x.icf"))
    luns = [[plan.arrays[0].luns[t.lun].name for t in job.targets] for job in plan.jobs]
    first, second, other = "array1.one-lun1", "array1.one-lun2", "array1.two-lun1"
    assert luns == [[first, second], [first], [other]]
    assert [host.name for host in plan.hosts] == ["one", "two"]


def test_a_file_without_managers_gets_one() -> None:
    text = icf()
    text = text[: text.index("'MANAGER LIST")]
    plan = plan_of(read_icf(text, "x.icf"))
    assert len(plan.jobs) == 1
    assert expand(read_icf(text, "x.icf")) == [
        {},
        {"workloads.host1-worker-1.access": "[{size: 8KiB, of_size: 100%, reads: 0%, random: 0%}]"},
    ]


def test_values_of_a_cycle() -> None:
    assert Cycling(1, 2, "EXPONENTIAL", 32).values(0) == [1, 2, 4, 8, 16, 32]
    assert Cycling(1, 2, "EXPONENTIAL", 40).values(0) == [1, 2, 4, 8, 16, 32]
    assert Cycling(2, 3, "LINEAR", 9).values(0) == [2, 5, 8]
    assert Cycling(1, 1, "EXPONENTIAL", 8).values(0) == [1]
    assert Cycling(1, 1).values(3) == [1, 2, 3]
    assert Cycling(5, 1).values(3) == [3]


def test_a_normal_test_is_one_run_for_each_specification() -> None:
    assert expand(read_icf(icf(), "x.icf")) == [{}]
    managers = {"HOST1": [(["A", "B"], ["D:"])]}
    points = expand(read_icf(icf(managers=managers), "x.icf"))
    assert [list(point) for point in points] == [[], ["workloads.host1-worker-1.access"]]


def test_cycling_over_outstanding_ios() -> None:
    test = read_icf(icf("CYCLE_OUTSTANDING_IOS"), "x.icf")
    points = expand(test)
    assert points == [{"workloads.*.iodepth": str(depth)} for depth in (1, 2, 4)]
    assert sweep_arguments(points) == ["-p 'workloads.*.iodepth=1,2,4'"]
    assert [plan_of(test, point).jobs[0].iodepth for point in points] == [1, 2, 4]
    assert "sanlab sweep x.yaml -p 'workloads.*.iodepth=1,2,4'" in scenario_text(test, "x.yaml")


@pytest.mark.parametrize(
    ("kind", "steps"),
    [
        ("CYCLE_TARGETS", "111 212 312"),
        ("CYCLE_WORKERS", "302 312"),
        ("CYCLE_WORKERS_AND_TARGETS", "101 202 302 111 212 312"),
        ("INCREMENT_TARGETS_PARALLEL", "101 202 302 312"),
        ("INCREMENT_TARGETS_SERIAL", "100 200 300 310 311 312"),
    ],
)
def test_cycling_over_workers_and_targets(kind: str, steps: str) -> None:
    """Each point is a plan in which the three workers have as many targets as the step says."""
    managers = {
        "one": [(["A"], ["1", "2", "3"]), (["A"], ["4"])],
        "two": [(["A"], ["1", "2"])],
    }
    test = read_icf(icf(kind, managers=managers), "x.icf")
    names = ["one-worker-1", "one-worker-2", "two-worker-1"]
    found = []
    for point in expand(test):
        plan = plan_of(test, point)
        of_job = {plan.workloads[job.workload].name: len(job.targets) for job in plan.jobs}
        found.append("".join(str(of_job.get(name, 0)) for name in names))
    assert found == steps.split()


def test_cycling_over_outstanding_ios_and_targets() -> None:
    managers = {"HOST1": [(["A"], ["1", "2"])]}
    test = read_icf(icf("CYCLE_OUTSTANDING_IOS_AND_TARGETS", managers=managers), "x.icf")
    found = [plan_of(test, point).jobs[0] for point in expand(test)]
    steps = [(len(job.targets), job.iodepth) for job in found]
    assert steps == [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (2, 4)]


def test_an_idle_worker_is_left_out_of_its_run() -> None:
    managers = {"HOST1": [(["A", IDLE], ["1"]), ([IDLE, "B"], ["2"])]}
    test = read_icf(icf(managers=managers), "x.icf")
    plans = [plan_of(test, point) for point in expand(test)]
    assert [[work.name for work in plan.workloads] for plan in plans] == [
        ["host1-worker-1"],
        ["host1-worker-2"],
    ]


def test_names_that_yaml_would_take_for_something_else() -> None:
    text = icf(managers={"7: {x}": [(["A"], ['C: "it\'s" #1'])]}).replace("by hand", "it's: 'so' #")
    plan = plan_of(read_icf(text, "x.icf"))
    assert plan.title == "it's: 'so' #"
    assert plan.hosts[0].name == "host-7-x"


def test_names_that_are_taken() -> None:
    """Hosts that would be called like the switch, workers that would be called like another."""
    workers = [(["A"], ["1"])]
    managers = {"sw1": workers, "SW1": workers, "array1": workers, "sw1 2 worker": workers}
    plan = plan_of(read_icf(icf(managers=managers), "x.icf"))
    assert [host.name for host in plan.hosts] == ["sw1-2", "sw1-3", "array1-2", "sw1-2-worker"]
    assert len({work.name for work in plan.workloads}) == 4


def _damaged() -> list[str]:
    """The example without any one line, cut after any line, and with any one value spoilt."""
    lines = GOOD.splitlines(keepends=True)
    texts = ["".join(lines[:end]) for end in range(len(lines))]
    texts += ["".join(lines[:at] + lines[at + 1 :]) for at in range(len(lines))]
    for word in ("\t-1,,x\n", "\t99999999999999999999\n", "'\n", "\t\n", "\tEnd\n"):
        texts += ["".join([*lines[:at], word, *lines[at + 1 :]]) for at in range(len(lines))]
    return texts


def test_a_damaged_file_is_refused_in_words_or_still_makes_a_scenario() -> None:
    refused = 0
    made: set[str] = set()
    for text in _damaged():
        try:
            test = read_icf(text, "x.icf")
        except ScenarioError as error:
            (problem,) = error.problems
            assert problem.line is not None
            assert problem.line >= 1
            assert problem.reason
            assert problem.remedy
            refused += 1
            continue
        assert expand(test)
        made.add(scenario_text(test, "x.yaml"))
    assert refused > 300
    for text in made:
        assert compile_plan(parse_scenario(text, "x.yaml")).jobs


def test_the_command_writes_a_scenario(tmp_path: Path) -> None:
    source = tmp_path / "test.icf"
    source.write_text(icf("CYCLE_OUTSTANDING_IOS").replace("\n", "\r\n"), encoding="utf-8")
    result = CliRunner().invoke(app, ["import", str(source), "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["file"] == str(tmp_path / "test.yaml")
    assert len(told["points"]) == 3
    assert CliRunner().invoke(app, ["check", told["file"]]).exit_code == 0
    again = CliRunner().invoke(app, ["import", str(source)])
    assert again.exit_code == 2
    assert "exists already" in again.stderr
    assert CliRunner().invoke(app, ["import", str(source), "--force"]).exit_code == 0
    assert CliRunner().invoke(app, ["import", str(tmp_path / "none.icf")]).exit_code == 2


SAMPLES = Path(
    os.environ.get("SANLAB_SAMPLES", EXAMPLE.parents[2] / "shared" / "import" / "samples")
)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="real files are kept beside the project")
def test_real_files() -> None:
    """Those that Iometer itself saved are read; a network worker and a layout of 1998 are not."""
    read, refused = [], {}
    for path in sorted((SAMPLES / "load" / "iometer_icf").iterdir()):
        try:
            compile_plan(parse_scenario(import_file(path, "load.yaml", {}).text))
        except ScenarioError as error:
            refused[path.name] = error.problems[0].reason
        else:
            read.append(path.name)
    assert read == ["02.save.txt", "04.save.txt", "05.save.txt", "06.icf"]
    assert refused == {
        "08.icf": "The layout of version 1998.02.01 is not known",
        "09.icf": "'Worker 1' is a worker of type NETWORK,TCP, which uses no disk",
    }


def test_lines_of_a_terminal_before_the_version() -> None:
    test = read_icf(f"C:\\> type test.icf\n{GOOD}", "test.icf")
    assert test.version == "1.1.0"
    assert read_icf(GOOD.replace("Version 1.1.0", "VERSION", 1), "test.icf").managers
