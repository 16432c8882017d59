"""A file on a local disk: measured, fitted, predicted.

How fast the disk of a test machine is, and how busy the machine, is not known. The same load
differs by 30 % within a minute on a busy one, so nothing is asserted of the sizes of the figures.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app

SCENARIO = Path(__file__).parents[2] / "examples" / "real-disk" / "scenario.yaml"
LOADS = (("4k", 1), ("256k", 4), ("64k", 1))
#: A short simulation of each load.
SHORT = {"workloads.load.ramp_time": "20ms", "measure.duration": "120ms"}


def _bypasses_the_cache(folder: Path) -> bool:
    try:
        os.close(os.open(folder / "probe", os.O_CREAT | os.O_RDWR | os.O_DIRECT))
    except OSError:
        return False
    finally:
        (folder / "probe").unlink(missing_ok=True)
    return True


def test_a_file_is_measured_fitted_and_predicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("fio") is None:
        pytest.skip("fio is not installed")
    if not _bypasses_the_cache(tmp_path):
        pytest.skip("the file system of the temporary folder has no O_DIRECT")
    monkeypatch.chdir(tmp_path)
    disk = tmp_path / "disk"
    disk.mkdir()
    for size, depth in LOADS:
        sets = SHORT | {"workloads.load.bs": size, "workloads.load.iodepth": depth}
        words = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
        places = ["--target", f"disk.lun1={disk}", "--size", "32MiB", "--runtime", "1s"]
        result = CliRunner().invoke(
            app, ["measure", str(SCENARIO), *places, *words, "-o", f"{size}-{depth}"]
        )
        assert result.exit_code == 0, result.output
    assert not list(disk.iterdir())
    result = CliRunner().invoke(
        app,
        [
            *("calibrate", str(SCENARIO), "--json", "--to", "4k-1", "--to", "256k-4"),
            *("--check", "64k-1"),
            *("--free", "arrays.disk.luns.lun1.ram.latency=1us..100000us"),
            *("--free", "arrays.disk.luns.lun1.ram.rate=0.001GB/s..50GB/s"),
        ],
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert len(found["parameters"]) == 2
    assert {(row["run"], row["is_fitted"]) for row in found["rows"]} == {
        ("4k-1", True),
        ("256k-4", True),
        ("64k-1", False),
    }
    assert all(row["measured"] > 0 and row["simulated"] > 0 for row in found["rows"])
