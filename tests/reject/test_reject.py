"""Scenarios that must be refused, each with the very words a person gets to read.

Beside NAME.yaml lies NAME.expected.txt. After a change of words, run this file as a script to write
them anew, and read the difference.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app

HERE = Path(__file__).parent
CASES = sorted(path.stem for path in HERE.glob("*.yaml"))
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


def _write_anew() -> None:
    os.chdir(HERE)
    for name in CASES:
        result = CliRunner().invoke(app, ["check", f"{name}.yaml"])
        Path(f"{name}.expected.txt").write_text(result.stderr, encoding="utf-8")


if __name__ == "__main__":
    _write_anew()
