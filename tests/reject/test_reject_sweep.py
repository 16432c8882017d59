"""Sweeps that must be refused, each with the very words a person gets to read.

Each file of `sweeps/` has the arguments in its first line and the words below. After a change of
words, run this file as a script to write them anew, and read the difference.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app

HERE = Path(__file__).parent / "sweeps"
KNEE = Path(__file__).parents[2] / "examples" / "queue-depth-knee" / "scenario.yaml"
CASES = sorted(path.stem for path in HERE.glob("*.txt"))
BAD_INPUT = 2


def refuse(name: str, *more: str) -> tuple[int, str, str]:
    (Path.cwd() / "san.yaml").write_text(KNEE.read_text(encoding="utf-8"), encoding="utf-8")
    args = shlex.split((HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()[0])
    result = CliRunner().invoke(app, ["sweep", "san.yaml", *args, *more])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("name", CASES)
def test_is_refused_with_these_words(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = refuse(name)
    expected = (HERE / f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[1]
    assert err == expected
    assert len(err.splitlines()) == 1
    assert (code, out) == (BAD_INPUT, "")
    assert not (tmp_path / "sweeps").exists()  # nothing was begun
    code, out, _ = refuse(name, "--json")
    assert code == BAD_INPUT
    assert json.loads(out)["error"]["message"] == expected.rstrip("\n")


def test_there_are_cases() -> None:
    assert len(CASES) >= 10


def _write_anew() -> None:
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in CASES:
            _, _, err = refuse(name)
            path = HERE / f"{name}.txt"
            path.write_text(path.read_text(encoding="utf-8").split("\n")[0] + "\n" + err, "utf-8")


if __name__ == "__main__":
    _write_anew()
