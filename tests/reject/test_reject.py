"""Scenarios that must be refused, each with the very words a person gets to read.

Beside NAME.yaml lies NAME.expected.txt. After a change of words, run this file as a script to write
them anew, and read the difference.
"""

from __future__ import annotations

import json
import os
from contextlib import chdir
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app

HERE = Path(__file__).parent
CASES = sorted(path.stem for path in HERE.glob("*.yaml"))
#: Configurations of Iometer that `sanlab import` must refuse.
ICF_CASES = sorted(path.stem for path in (HERE / "icf").glob("*.icf"))
BAD_INPUT = 2


@pytest.mark.parametrize("name", CASES)
def test_is_refused_with_these_words(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    result = CliRunner().invoke(app, ["check", f"{name}.yaml"])
    expected = (HERE / f"{name}.expected.txt").read_text(encoding="utf-8")
    assert result.stderr == expected
    assert result.stdout == ""
    assert result.exit_code == BAD_INPUT


@pytest.mark.parametrize("name", CASES)
def test_one_problem_with_place_reason_and_remedy(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HERE)
    result = CliRunner().invoke(app, ["check", f"{name}.yaml", "--json"])
    assert result.exit_code == BAD_INPUT
    problems = json.loads(result.stdout)["error"]["problems"]
    assert len(problems) == 1
    (problem,) = problems
    assert problem["file"] == f"{name}.yaml"
    assert problem["line"] >= 1
    assert problem["reason"]
    assert problem["remedy"]
    is_about_the_file = name.startswith(("syntax-", "empty-", "not-a-", "nothing-"))
    assert problem["key"] or is_about_the_file


@pytest.mark.parametrize("name", ICF_CASES)
def test_an_icf_is_refused_with_these_words(name: str, tmp_path: Path) -> None:
    expected = (HERE / "icf" / f"{name}.expected.txt").read_text(encoding="utf-8")
    (tmp_path / f"{name}.icf").write_bytes((HERE / "icf" / f"{name}.icf").read_bytes())
    with chdir(tmp_path):
        result = CliRunner().invoke(app, ["import", f"{name}.icf"])
    assert result.stderr == expected
    assert len(expected.splitlines()) == 1
    assert result.exit_code == BAD_INPUT
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.icf"]


def _write_anew() -> None:
    os.chdir(HERE / "icf")
    for name in ICF_CASES:
        result = CliRunner().invoke(app, ["import", f"{name}.icf", "-o", "never.yaml"])
        Path(f"{name}.expected.txt").write_text(result.stderr, encoding="utf-8")
    os.chdir(HERE)
    for name in CASES:
        result = CliRunner().invoke(app, ["check", f"{name}.yaml"])
        Path(f"{name}.expected.txt").write_text(result.stderr, encoding="utf-8")


if __name__ == "__main__":
    _write_anew()
