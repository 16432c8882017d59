"""`sanlab calibrate`: known values are found again, and what the runs cannot tell is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app

if TYPE_CHECKING:
    from pathlib import Path

SAN = """
title: A device with unknown values
hosts: [{name: host1}]
arrays:
  - name: dev1
    ports: 1
    command_cost: 5us
    luns: [{name: lun1, size: 10GiB, memory: {service: 100us, servers: 8, variation: 0%}}]
links: [{from: host1, to: dev1}]
workloads: [{name: load, hosts: host1, targets: dev1.lun1, rw: randread, bs: 8k, iodepth: 1}]
measure: {duration: 60ms}
"""
#: Values that the runs have and the scenario does not.
TRUE = {"arrays.dev1.command_cost": "22us", "arrays.dev1.luns.lun1.memory.service": "310us"}
FREE = [
    *("--free", "arrays.dev1.command_cost=1us..200us"),
    *("--free", "arrays.dev1.luns.lun1.memory.service=20us..2000us"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calibrate")
    (folder / "san.yaml").write_text(SAN, encoding="utf-8")
    text = SAN.replace("command_cost: 5us", "command_cost: 22us")
    text = text.replace("service: 100us", "service: 310us")
    (folder / "real.yaml").write_text(text, encoding="utf-8")
    for depth in (1, 2, 4, 16, 32, 64):
        sanlab.run(
            folder / "real.yaml",
            folder=folder / f"depth{depth}",
            overrides={"workloads.load.iodepth": depth},
            seed=7,
        )
    return folder


def _invoke(folder: Path, *args: object) -> tuple[int, str]:
    words = ["calibrate", str(folder / "san.yaml"), *map(str, args)]
    result = CliRunner().invoke(app, words)
    return result.exit_code, result.output


def _document(folder: Path, *args: object) -> dict[str, Any]:
    code, output = _invoke(folder, *args, "--json")
    assert code == 0, output
    document: dict[str, Any] = json.loads(output)
    return document


def test_known_values_are_found_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    # One server of the controller is the limit at depth 64, the eight of the device before it.
    runs = [word for depth in (1, 4, 64) for word in ("--to", folder / f"depth{depth}")]
    checks = [word for depth in (2, 16, 32) for word in ("--check", folder / f"depth{depth}")]
    found = _document(folder, *runs, *checks, *FREE, "-o", folder / "values.yaml")
    for one, true in zip(found["parameters"], (22.0, 310.0), strict=True):
        assert float(one["value"].removesuffix("us")) == pytest.approx(true, rel=0.02)
        low, high = (float(one[end].removesuffix("us")) for end in ("low", "high"))
        assert low <= true <= high
        assert one["is_known"]
        assert not one["is_at_bound"]
    predicted = [row for row in found["rows"] if not row["is_fitted"]]
    assert {row["run"] for row in predicted} == {"depth2", "depth16", "depth32"}
    assert max(abs(row["difference"]) for row in predicted) < 0.03
    text = (folder / "values.yaml").read_text(encoding="utf-8")
    assert "arrays.dev1.command_cost: 2" in text


def test_what_the_runs_cannot_tell_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    # A cache that no read finds anything in has an access time that no run shows.
    free = [*FREE, "--free", "hosts.host1.hbas.transfer=1us..50us"]
    runs = [word for depth in (1, 4, 64) for word in ("--to", folder / f"depth{depth}")]
    found = _document(folder, *runs, *free)
    assert [one["is_known"] for one in found["parameters"]] == [True, True, False]
    code, output = _invoke(folder, *runs, *free)
    assert code == 0
    assert "the runs cannot tell it" in output
    assert "to apply: --set 'arrays.dev1.command_cost=" in output


def test_bounds_come_from_todays_values(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names alone, behind commas: a tenth of what the scenario or its catalog has, to ten times."""
    monkeypatch.chdir(folder)
    runs = [word for depth in (1, 4, 64) for word in ("--to", folder / f"depth{depth}")]
    names = "hba.submit,array.command_cost,lun.memory.service"
    found = _document(folder, *runs, "--free", names)
    assert {one["path"]: one["bounds"] for one in found["parameters"]} == {
        "hosts.host1.hbas.submit": ["50ns", "5000ns"],
        "arrays.dev1.command_cost": ["0.5us", "50us"],
        "arrays.dev1.luns.*.memory.service": ["10us", "1000us"],
    }
    # The engine of the adapter and the controller take turns at the limit, so either may have a
    # part of the other's time; the intervals say so.
    for one, true in zip(found["parameters"][1:], (22.0, 310.0), strict=True):
        low, high = (float(one[end].removesuffix("us")) for end in ("low", "high"))
        assert low <= true <= high
    code, output = _invoke(folder, *runs, "--free", names)
    assert code == 0
    line = "arrays.dev1.command_cost: bounds 0.5us to 50us, from a tenth of today's 5us to ten"
    assert line in output
    assert "bound of" not in output


def test_an_end_at_a_bound_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    runs = [word for depth in (16, 64) for word in ("--to", folder / f"depth{depth}")]
    code, output = _invoke(folder, *runs, "--free", "arrays.dev1.command_cost=1us..10us")
    assert code == 0
    assert "arrays.dev1.command_cost ends at the upper bound of 1us to 10us." in output


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (
            ["--to", "{folder}/depth1", "--free", "arrays.dev1.command_cost=5us"],
            "goes with a range",
        ),
        (["--to", "{folder}/depth1", "--free", "aray.command_cost"], "Did you mean 'array'"),
        (["--to", "{folder}/depth1", "--free", "array"], "name a value of it"),
        (
            ["--to", "{folder}/depth1", "--free", "hba.bb_credit"],
            "It changes in steps",
        ),
        (["--to", "{folder}/depth1", "--free", "hba.drain"], "It is 0 today"),
        (["--to", "{folder}/depth1", "--free", "workloads.load.bs"], "With 819B:"),
        (["--to", "{folder}/depth1", "--free", "array.colour"], "'colour' is unknown"),
        (["--to", "{folder}/depth1", "--free", "array.ports"], "It changes in steps"),
        (["--to", "{folder}/depth1", "--free", "cpu.switch_cost"], "--free cpu.switch_cost"),
        (["--to", "{folder}/depth1", *FREE, "--free", "array.command_cost"], "twice"),
        (["--to", "{folder}/nothing", *FREE], "not a run folder"),
        (["--to", "{folder}/depth1", *FREE, "--figures", "speed"], "figures are throughput"),
        (["--to", "{folder}/depth1", *FREE, "--figures", "p99.9"], "figures are throughput"),
        (["--to", "{folder}/depth1", *FREE, "--figures", "iops"], "2 parameters cannot be fitted"),
        (["--to", "{folder}/depth1", "--free", "arrays.dev1.colour=1us..9us"], "colour"),
    ],
)
def test_refusals(folder: Path, args: list[str], words: str) -> None:
    code, output = _invoke(folder, *(arg.format(folder=folder) for arg in args))
    assert code == 2, output
    assert words in output


def test_fitted_values_are_an_entry_of_the_catalog(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    runs = [word for depth in (1, 4, 64) for word in ("--to", folder / f"depth{depth}")]
    found = _document(folder, *runs, *FREE, "--catalog-entry", folder / "own.yaml", "--force")
    text = SAN.replace("ports: 1\n    command_cost: 5us", "model: dev1-fitted")
    text = text.replace(", memory: {service: 100us, servers: 8, variation: 0%}", "")
    (folder / "uses.yaml").write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["check", "uses.yaml"])
    assert result.exit_code == 2
    assert "no model 'dev1-fitted'" in result.output
    monkeypatch.setenv("SANLAB_CATALOG", "own.yaml")
    values = {one["path"]: one["value"] for one in found["parameters"]}
    written = sanlab.run(folder / "uses.yaml", folder=folder / "uses")
    fitted = sanlab.run(folder / "san.yaml", folder=folder / "fitted", overrides=values)
    assert written.rows("workloads") == fitted.rows("workloads")
    result = CliRunner().invoke(app, ["catalog", "arrays", "dev1-fitted"])
    assert result.exit_code == 0
    assert "depth1, depth4, depth64" in " ".join(result.output.split())


def test_values_that_no_entry_has(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    free = ["--free", "hosts.host1.hbas.transfer=1us..50us"]
    words = ["--to", folder / "depth1", *free, "--catalog-entry", folder / "none.yaml"]
    code, output = _invoke(folder, *words)
    assert code == 2
    assert "does not belong to a catalog entry" in output
    assert not (folder / "none.yaml").exists()
