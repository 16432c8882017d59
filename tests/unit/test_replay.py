"""Traces that are replayed: their times, depths and addresses, and what is refused."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.errors import SanlabError, ScenarioError
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import load_scenario, parse_scenario
from sanlab.server.checking import checked
from sanlab.simulation.execute import simulate_here
from sanlab.traces.table import MAGIC, is_whole, table_path, tables_of

if TYPE_CHECKING:
    from pathlib import Path

PS = 10**12
SAN = """\
hosts: [{{name: host1}}]
switches: [{{name: sw1, ports: 4}}]
arrays: [{{name: array1, ports: 1, luns: [{{name: a, size: {size}}}, {{name: b, size: {size}}}]}}]
links: [{{from: host1, to: sw1}}, {{from: array1, to: sw1}}]
workloads:
  - name: db
    hosts: host1
    targets: {targets}
    trace: {trace}
{more}"""
SPC = "0,2048,4096,R,5.0\n1,8,512,w,5.25\n0,0,8192,W,6.5\n0,16,4096,R,7.0\n"
#: Open for 1 ms, 3 ms, 1 ms: the second finds one open, the third two.
MSR = """\
100000000,usr,0,Read,0,4096,10000
100005000,usr,0,Write,4096,4096,30000
100008000,usr,0,Read,8192,4096,10000
100050000,usr,0,Read,12288,4096,10000
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def written(
    folder: Path,
    trace: str,
    text: str = SPC,
    *,
    targets: str = "[array1.a, array1.b]",
    size: str = "1GiB",
    more: str = "",
) -> Path:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    file = folder / "san.yaml"
    file.write_text(SAN.format(trace=trace, targets=targets, size=size, more=more), "utf-8")
    return file


def refused(file: Path) -> str:
    with pytest.raises(ScenarioError) as caught:
        compile_plan(load_scenario(file))
    return str(caught.value)


def test_a_table_has_the_requests_of_its_device(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(MSR)
    (device,) = tables_of(file, None, None).devices
    assert (device.name, device.count, device.reads, device.bytes) == ("usr.0", 4, 3, 16384)
    assert (device.end, device.largest, device.deepest) == (16384, 4096, 3)
    assert device.length_ps == 50_000 * 10**5
    data = table_path(device.digest).read_bytes()
    assert data.startswith(MAGIC)
    assert len(data) == len(MAGIC) + 4 * 24
    assert [data[16 + 24 * row + 20] for row in range(4)] == [1, 2, 3, 1]


def test_a_second_look_reads_the_index_and_notices_what_changed(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(SPC)
    first = tables_of(file, None, None)
    assert tables_of(file, None, None) == first
    table_path(first.devices[0].digest).write_bytes(b"damaged")
    assert not is_whole(first.devices[0])
    assert tables_of(file, None, None) == first
    assert is_whole(first.devices[0])
    file.write_text(SPC.replace("4096", "8192"))
    assert tables_of(file, None, None) != first
    assert tables_of(file, None, "ms").devices[0].length_ps == 2 * 10**9


def test_each_request_comes_at_its_time_on_the_lun_of_its_device(tmp_path: Path) -> None:
    file = written(tmp_path, "{file: t.csv, speed: 2}")
    run = sanlab.run(file, folder=tmp_path / "run")
    rows = {row["job"]: row for row in run.rows("replays")}
    a, b = rows["db/host1/array1.a"], rows["db/host1/array1.b"]
    assert (a["recorded_count"], a["submitted_count"], a["recorded_ps"]) == (3, 3, PS)
    # Of the second device the only request comes 0.25 s after the first of the trace.
    assert (b["submitted_count"], b["replayed_ps"]) == (1, PS // 8)
    assert a["replayed_ps"] == PS
    assert a["drift_count"] == 3
    slowest = {(row["lun"], row["offset_bytes"], row["bytes"]) for row in run.rows("slowest")}
    expected = {
        ("array1.a", 2048 * 512, 4096),
        ("array1.a", 0, 8192),
        ("array1.a", 8192, 4096),
        ("array1.b", 4096, 512),
    }
    assert slowest == expected
    starts = sorted(row["start_ps"] for row in run.rows("slowest"))
    assert starts == [0, PS // 8, 3 * PS // 4, PS]


def test_a_replay_is_repeated_with_its_fingerprint(tmp_path: Path) -> None:
    file = written(tmp_path, "t.csv")
    one = sanlab.run(file, folder=tmp_path / "one")
    two = sanlab.run(file, folder=tmp_path / "two")
    assert one.manifest.fingerprint == two.manifest.fingerprint
    assert one.plan == two.plan
    digests = [job["pattern"]["digest"] for job in one.plan["jobs"]]
    assert all(len(digest) == 32 for digest in digests)
    assert str(tmp_path) not in json.dumps(one.plan)


def test_a_run_folder_is_enough_while_the_tables_are_there(tmp_path: Path) -> None:
    file = written(tmp_path, "t.csv")
    run = sanlab.run(file, folder=tmp_path / "run")
    again = sanlab.run(tmp_path / "run" / "scenario.yaml", folder=tmp_path / "again")
    assert again.manifest.fingerprint == run.manifest.fingerprint
    digest = run.plan["jobs"][0]["pattern"]["digest"]
    table_path(digest).unlink()
    assert "The trace 't.csv' is not there" in refused(tmp_path / "run" / "scenario.yaml")
    with pytest.raises(SanlabError, match=f"trace of db cannot be replayed: .*{digest}"):
        simulate_here(json.dumps(run.plan))


def test_commands_on_a_scenario_and_its_run_replay_its_trace(tmp_path: Path) -> None:
    file = written(tmp_path, "t.csv")
    sanlab.run(file, folder=tmp_path / "run")
    for command, words in (
        (["check", str(file)], "2 jobs"),
        (["plan", str(file)], "trace, 3 requests"),
        (["explain", str(tmp_path / "run"), "--try"], "db"),
        (["ladder", str(tmp_path / "run"), "--slowest", "1"], "host CPU"),
    ):
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
        assert words in result.output
        assert "cannot be replayed" not in result.output


def test_a_sweep_over_the_speed_notices_another_trace(tmp_path: Path) -> None:
    file = written(tmp_path, "t.csv")
    speeds = {"workloads.db.trace.speed": [1, 2]}
    sweep = sanlab.sweep(file, speeds, folder=tmp_path / "sweep")
    assert len(sweep.summary()) >= 2
    (tmp_path / "t.csv").write_text(SPC.replace("4096", "8192"))
    with pytest.raises(SanlabError, match="a trace that it replays differs"):
        sanlab.sweep(file, speeds, folder=tmp_path / "sweep")


def test_asap_and_closed_do_not_wait_for_recorded_times(tmp_path: Path) -> None:
    for trace, more in (("{file: t.csv, replay: asap}", "    iodepth: 2\n"), (CLOSED, "")):
        file = written(tmp_path, trace, MSR, targets="array1.a", more=more)
        run = sanlab.run(file, folder=tmp_path / f"run{len(more)}")
        (row,) = run.rows("replays")
        assert (row["submitted_count"], row["drift_count"]) == (4, 0)
        assert row["replayed_ps"] < row["recorded_ps"] // 5


CLOSED = "{file: t.csv, replay: closed}"


def test_storage_that_does_not_keep_up_is_a_finding(tmp_path: Path) -> None:
    lines = "".join(f"0,{8 * n},4096,R,{n * 1e-5:.5f}\n" for n in range(2000))
    file = written(tmp_path, "t.csv", lines, targets="array1.a", more="    iodepth: 1\n")
    run = sanlab.run(file, folder=tmp_path / "run")
    (row,) = run.rows("replays")
    assert row["drift_max_ps"] > 100 * 10**9
    (finding,) = [one for one in run.findings() if one.id == "replay_drift"]
    assert finding.severity == "problem"
    assert "did not keep up with the trace of db" in finding.title
    slow = sanlab.run(
        file, folder=tmp_path / "slow", overrides={"workloads.db.trace.speed": "0.01"}
    )
    (finding,) = [one for one in slow.findings() if one.id == "replay_drift"]
    assert finding.severity == "good"


@pytest.mark.parametrize(
    ("trace", "text", "more", "words"),
    [
        ("gone.csv", SPC, "", "san.yaml:9: workloads[0].trace.file: The trace 'gone.csv' is not"),
        (".", SPC, "", "workloads[0].trace.file: The trace '.' is not a regular file"),
        ("t.csv", "words\n", "", "t.csv:1: The file is not a trace in a format that is recognised"),
        ("{file: t.csv, format: msr}", SPC, "", "t.csv:1: The line has 5 columns, and 7 belong"),
        ("t.csv", SPC + "0,0,512,R,1\n", "", "t.csv:5: time: The time runs backwards"),
        ("t.csv", SPC.replace(",512,", ",100,"), "", "t.csv:2: offset: A request of 100 bytes"),
        (CLOSED, SPC, "", "trace.replay: The trace does not say how long its requests were open"),
        ("t.csv", "0,9999999,4096,R,0\n1,0,512,R,1\n", "", "Make the LUN 5120003584B or larger"),
        ("{file: t.csv, devices: asu7}", SPC, "", "The trace has no device 'asu7'. It has asu0"),
        ("{file: t.csv, devices: asu1}", SPC, "", "1 device cannot be replayed on 2 LUNs"),
        ("{file: t.csv, devices: [a, a]}", SPC, "", "'a' is named twice"),
        ("{file: t.csv, speed: 0}", SPC, "", "workloads[0].trace.speed"),
        ("{file: t.csv, replay: asap, speed: 2}", SPC, "", "'speed' has no effect"),
        (CLOSED, MSR, "    iodepth: 2\n", "'replay: closed' keeps the recorded depth"),
        ("t.csv", SPC, "    bs: 4096\n", "'bs' and 'trace' exclude each other. Remove one"),
        ("t.csv", SPC, "    numjobs: 2\n", "'numjobs' and 'trace' exclude each other"),
        ("t.csv", SPC.replace("7.0", "5e6"), "", "Raise 'speed', or replay a part of it"),
        ("t.csv", SPC.replace("7.0", "9e8"), "", "t.csv:4: time: The request comes 899999995 s"),
        ("t.csv", "fio version 2 iolog\na add\na read 0 512\nb read 0 512\n", "", "has no times"),
    ],
)
def test_bad_traces_are_refused(
    tmp_path: Path, trace: str, text: str, more: str, words: str
) -> None:
    assert words in refused(written(tmp_path, trace, text, more=more))


def test_a_server_reads_no_trace_outside_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text(SPC)
    root = tmp_path / "served"
    (root / "inner").mkdir(parents=True)
    (root / "t.csv").write_text(SPC)
    (root / ".hidden.csv").write_text(SPC)
    (root / "link.csv").symlink_to(tmp_path / "secret.csv")

    def problems(name: str, path: str) -> list[str]:
        text = SAN.format(trace=name, targets="[array1.a, array1.b]", size="1GiB", more="")
        return [one.message for one in checked(text, path, root).problems]

    assert problems("t.csv", "san.yaml") == []
    assert problems("../t.csv", "inner/san.yaml") == []
    names = ["../secret.csv", "link.csv", str(tmp_path / "secret.csv"), ".hidden.csv"]
    for name in names:
        (found,) = problems(name, "san.yaml")
        assert found == f"'{name}' is outside of the folder that is served"
    (found,) = problems("secret.csv", "../san.yaml")
    assert found == "'secret.csv' is outside of the folder that is served"


def test_an_import_writes_a_scenario_that_replays(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "t.csv").write_text(MSR)
    output = tmp_path / "replay.yaml"
    asked = ["import", str(tmp_path / "data" / "t.csv"), "--replay", "-o", str(output)]
    for options, words in (
        (["--lun", "usr.0=home"], {"file": "data/t.csv", "devices": "usr.0"}),
        (["--speed", "10"], {"file": "data/t.csv", "devices": "usr.0", "speed": 10}),
        (["--depth", "recorded"], {"file": "data/t.csv", "devices": "usr.0", "replay": "closed"}),
    ):
        result = CliRunner().invoke(app, [*asked, *options, "--force"])
        assert result.exit_code == 0, result.output
        (work,) = load_scenario(output).workloads
        assert work.trace is not None
        given = work.trace.model_dump(exclude_unset=True)
        assert given == {**words, "devices": ["usr.0"]}
        assert compile_plan(load_scenario(output)).jobs[0].pattern.requests == 4  # type: ignore[union-attr]
    result = CliRunner().invoke(app, [*asked, "--depth", "8", "--speed", "2", "--force"])
    assert result.exit_code == 2
    assert "--speed scales recorded times" in result.output


def test_a_long_trace_takes_constant_memory(tmp_path: Path) -> None:
    """With a trace ten times as long the process grows by less than half of the table."""
    dice = random.Random(1)

    def peak(count: int) -> int:
        folder = tmp_path / str(count)
        folder.mkdir()
        lines = "".join(
            f"0,{8 * dice.randrange(10**6)},512,R,{n * 1e-5:.5f}\n" for n in range(count)
        )
        file = written(folder, "t.csv", lines, targets="array1.a", size="8GiB")
        plan = compile_plan(load_scenario(file)).to_json()
        (folder / "plan.json").write_text(plan)
        code = (
            "import sys, sanlab._native as n; from sanlab.traces.table import tables_folder;"
            "plan = open(sys.argv[1]).read();"
            "print(n.run(plan, traces=str(tables_folder()))['summary']['peak_rss_bytes'])"
        )
        command = [sys.executable, "-c", code, str(folder / "plan.json")]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    assert peak(100_000) - peak(10_000) < 90_000 * 24 // 2


def test_a_scenario_in_python_names_a_trace_from_the_present_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "t.csv")
    monkeypatch.chdir(tmp_path)
    text = SAN.format(trace="t.csv", targets="[array1.a, array1.b]", size="1GiB", more="")
    assert len(compile_plan(parse_scenario(text)).jobs) == 2
