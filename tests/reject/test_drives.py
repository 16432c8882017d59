"""Drives and traces that must be refused: one error with file, line, reason and remedy.

Each case of `drives.toml` changes one thing in a small drive of DiskSim's form, its seek times, a
drive of sanlab's own form, or a trace.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app

BAD_INPUT = 2
SPECS = """\
disksim_disk SMALL {
  Model = source small.model,
  Number of buffer segments = 2,
  Segment size (in blks) = 64,
  Read miss over. after read = 0.5,
  Bulk sector transfer time = 0.05
}
"""
MODEL = """\
dm_disk SMALL_model {
  Number of data surfaces = 2,
  Number of cylinders = 20,
  Mechanical Model = dm_mech_g1 {
    Seek type = extracted,
    Full seek curve = small.seek,
    Rotation speed (in rpms) = 5400
  },
  Layout Model = dm_layout_g1 {
    LBN-to-PBN mapping scheme = 0,
    Sparing scheme used = 9,
    Zones = [
      dm_layout_g1_zone {
        First cylinder number = 0,
        Last cylinder number = 9,
        Blocks per track = 50,
        Number of spares = 4
      },
      dm_layout_g1_zone {
        First cylinder number = 10,
        Last cylinder number = 19,
        Blocks per track = 40
      }
    ]
  }
}
"""
SEEK = "Seek distances measured: 3\n1, 2.0\n5, 4.0\n19, 9.0\n"
OWN = """\
rpm: 7200
surfaces: 2
zones:
  - {first_cylinder: 0, last_cylinder: 9, blocks_per_track: 50}
  - {first_cylinder: 10, last_cylinder: 19, blocks_per_track: 40}
seek: {single: 1ms, average: 5ms, full: 9ms}
"""
TRACE = "R 0 8 100\nW 100 8 0\n"
FILES = {
    "small.diskspecs": SPECS,
    "small.model": MODEL,
    "small.seek": SEEK,
    "own.yaml": OWN,
    "trace.txt": TRACE,
}
CASES = tomllib.loads((Path(__file__).parent / "drives.toml").read_text(encoding="utf-8"))


def _write(folder: Path, file: str = "", old: str = "", new: str = "") -> None:
    for name, text in FILES.items():
        assert name != file or old in text
        (folder / name).write_text(text.replace(old, new) if name == file else text)


@pytest.mark.parametrize("name", CASES)
def test_is_refused_with_these_words(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    drive = case["drive"]
    _write(tmp_path, case["file"], case["old"], case["new"])
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["drive", drive, "--trace", "trace.txt", "--json"])
    assert result.exit_code == BAD_INPUT
    error = json.loads(result.stdout)["error"]
    assert error["message"] == case["words"]
    assert len(error["problems"]) == 1


@pytest.mark.parametrize("drive", ["small.diskspecs", "own.yaml", "cheetah-10k6"])
def test_without_the_mistake_it_runs(
    drive: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["drive", drive, "--trace", "trace.txt"])
    assert result.exit_code == 0, result.stderr
    is_from_disksim = drive == "small.diskspecs"
    assert ("note: The bus is not known" in result.stderr) == is_from_disksim
    assert result.stderr.count("\n") == is_from_disksim


def test_names_nobody_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path)
    monkeypatch.chdir(tmp_path)
    for drive in ("cheetah10k6", "absent.diskspecs", "drive.json"):
        result = CliRunner().invoke(app, ["drive", drive, "--trace", "trace.txt"])
        assert (result.stdout, result.exit_code) == ("", BAD_INPUT)
        assert result.stderr.startswith(f"{drive}: ")
    result = CliRunner().invoke(app, ["drive", "own.yaml", "--trace", "absent.txt"])
    assert result.exit_code == BAD_INPUT
    assert result.stderr.startswith("absent.txt: The file cannot be read")
