"""`sanlab run` with the real engine, from the file to the folder."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.cli.run_lines import run_lines
from sanlab.errors import ScenarioError
from sanlab.explain.findings import find
from sanlab.results.columns import STAGES, TABLES
from sanlab.results.latency import merged_histogram
from sanlab.simulation.progress import Clock, ProgressLine
from sanlab.simulation.tables import numbers, texts, unit_of

if TYPE_CHECKING:
    from sanlab.results.run import Run

pytestmark = pytest.mark.xdist_group("run folder")
HELLO = Path(__file__).parents[2] / "examples" / "hello-san" / "scenario.yaml"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return sanlab.run(HELLO, folder=tmp_path_factory.mktemp("runs") / "hello")


def test_everything_is_there(run: Run) -> None:
    there = {path.name for path in run.folder.iterdir()}
    assert there == {"scenario.yaml", "plan.json", "manifest.json", "tables"}
    assert (run.folder / "scenario.yaml").read_text() == HELLO.read_text()
    assert set(run.tables) == set(TABLES)
    assert run.manifest.is_complete
    assert run.manifest.checks
    assert all(check.is_ok for check in run.manifest.checks)


@pytest.mark.parametrize("name", sorted(TABLES))
def test_tables_have_the_columns_that_are_documented(run: Run, name: str) -> None:
    table = run.table(name)
    assert table.column_names == list(TABLES[name][1])
    for field in table.schema:
        if field.name.endswith(("_ps", "_count", "_bytes")) and not field.name.startswith(
            ("response_mean", "network_mean", "end_to_end_mean", "drift_mean", "mean_")
        ):
            assert field.type == pa.uint64(), field.name
        unit = unit_of(field.name)
        assert field.metadata == (None if unit is None else {b"unit": unit.encode()})


def test_stages_sum_to_the_response_time(run: Run) -> None:
    for row in run.rows("workloads"):
        spent = sum(
            stage["total_ps"]
            for stage in run.rows("stages")
            if (stage["workload"], stage["op"]) == (row["workload"], row["op"])
        )
        assert spent == pytest.approx(row["response_mean_ps"] * row["io_count"], rel=1e-12)
    assert set(texts(run.table("stages"), "stage")) <= set(STAGES)


def test_what_one_end_sends_the_other_receives(run: Run) -> None:
    rows = {row["port"]: row for row in run.rows("ports")}
    for row in rows.values():
        assert row["tx_bytes"] == rows[row["peer"]]["rx_bytes"]


def test_the_histogram_holds_every_io(run: Run) -> None:
    assert merged_histogram(run).total == sum(row["io_count"] for row in run.rows("workloads"))


def test_bins_hold_what_was_sent(run: Run) -> None:
    series, ports = run.table("port_series"), run.table("ports")
    assert numbers(series, "tx_bytes").sum() == pytest.approx(
        numbers(ports, "tx_bytes").sum(), rel=0.02
    )


def test_stages_of_a_bin_sum_to_its_response_times(run: Run) -> None:
    spent: dict[tuple[str, str, int], int] = {}
    for row in run.rows("stage_series"):
        key = row["workload"], row["op"], row["time_ps"]
        spent[key] = spent.get(key, 0) + row["total_ps"]
    expected = {
        (row["workload"], row["op"], row["time_ps"]): row["response_sum_ps"]
        for row in run.rows("workload_series")
        if row["io_count"]
    }
    assert spent == expected


def test_bins_of_stations_sum_to_their_totals(run: Run) -> None:
    series = run.rows("station_series")
    begins = sorted({row["time_ps"] for row in series})
    span = dict(zip(begins, np.diff(begins, prepend=0).tolist(), strict=True))
    for station in run.rows("stations"):
        key = station["station"], station["kind"]
        bins = [row for row in series if (row["station"], row["kind"]) == key]
        assert sum(row["arrivals_count"] for row in bins) == station["arrivals_count"]
        busy = sum(row["utilisation"] * span[row["time_ps"]] for row in bins)
        assert busy * station["servers"] == pytest.approx(station["busy_ps"], rel=1e-9)
        area = sum(row["mean_in_system"] * span[row["time_ps"]] for row in bins)
        mean = station["mean_in_system"] * run.manifest.simulated_ps
        assert area == pytest.approx(mean, rel=1e-9)


def test_same_seed_same_run(tmp_path: Path) -> None:
    random = {"arrays.dev1.luns.*.memory.distribution": "exponential"}
    first, again, other = (
        sanlab.run(HELLO, overrides=random, folder=tmp_path / name, seed=seed)
        for name, seed in (("first", 7), ("again", 7), ("other", 8))
    )
    assert again.manifest.fingerprint == first.manifest.fingerprint
    assert again.table("ports").equals(first.table("ports"))
    assert other.manifest.fingerprint != first.manifest.fingerprint
    assert other.manifest.seed == 8


def test_overrides_are_remembered(tmp_path: Path) -> None:
    run = sanlab.run(HELLO, overrides={"workloads.readers.iodepth": "1"}, folder=tmp_path / "one")
    assert run.manifest.overrides == {"workloads.readers.iodepth": "1"}
    assert {job["iodepth"] for job in run.plan["jobs"]} == {1}


def test_a_scenario_made_in_python(tmp_path: Path) -> None:
    scenario = sanlab.load_scenario(HELLO)
    run = sanlab.run(scenario, folder=tmp_path / "python")
    assert run.summary()["io_count"] > 0


def test_the_pieces_import_by_their_own_names() -> None:
    from sanlab.simulation.execute import execute

    assert callable(execute)
    assert callable(sanlab.run)


def test_a_run_stopped_by_ctrl_c_is_kept_and_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = ProgressLine.update

    def press(self: ProgressLine, clock: Clock) -> None:
        update(self, clock)
        if clock.now_ps > 0:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(ProgressLine, "update", press)
    endless = {"measure.duration": "1000s", "measure.interval": "1s"}
    # A shell without job control starts what it leaves in the background deaf to Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        run = sanlab.run(HELLO, overrides=endless, folder=tmp_path / "stopped")
    finally:
        signal.signal(signal.SIGINT, before)
    assert not run.manifest.is_complete
    assert 0 < run.manifest.simulated_ps < 1000 * 10**12
    assert run.summary()["is_complete"] is False
    assert any(finding.id == "stopped_early" for finding in find(run))


def test_a_run_stopped_before_its_first_event_says_so(tmp_path: Path) -> None:
    run = sanlab.run(HELLO, overrides={"measure.duration": "1us"}, folder=tmp_path / "run")
    nothing = {"is_complete": False, "events": 0, "simulated_ps": 0, "fingerprint": "0" * 16}
    stopped = sanlab.Run(run.folder, run.manifest.model_copy(update=nothing))
    lines = "\n".join(run_lines(stopped, stopped.summary(), None))
    assert "stopped before its first event: nothing was simulated" in lines
    assert "fingerprint" not in lines
    (finding,) = (one for one in find(stopped) if one.id == "stopped_early")
    assert finding.title == "The run was stopped before its first event"


def test_the_command_writes_one_json_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["run", str(HELLO), "--json", "--no-report"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["folder"] == "runs/hello-san"
    assert document["report"] is None
    assert document["iops"] > 0
    assert result.stderr == ""


def test_bad_input_is_exit_code_2(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["run", str(tmp_path / "nothing.yaml"), "--json"])
    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"]["problems"]
    with pytest.raises(ScenarioError):
        sanlab.run(tmp_path / "nothing.yaml")


def test_a_folder_in_use_is_refused_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "x").touch()
    result = CliRunner().invoke(app, ["run", str(HELLO), "--out", str(tmp_path / "used")])
    assert result.exit_code == 2
    assert "not empty" in result.stderr
