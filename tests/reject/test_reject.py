"""Inputs that must be refused, each with the very words a person gets to read.

`refusals.py` in `tests/support` says what the files here look like, lists all refusals, and writes
their words anew after a change.
"""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import pytest
from refusals import BAD_INPUT, IMPORTS, REJECT, Case, base_of, cases, refused, topics
from typer.testing import CliRunner

from sanlab.cli.main import app

if TYPE_CHECKING:
    from pathlib import Path

SCENARIOS = [case for topic in topics() for case in cases(topic)]
IMPORTED = [case for file in IMPORTS for case in cases(file)]
SWEEPS = cases(REJECT / "sweeps.toml")
#: Cases about a file as a whole, in which no key is to blame.
OF_THE_FILE = ("syntax-", "empty-", "not-a-", "nothing-")


def test_each_scenario_has_a_name_of_its_own() -> None:
    names = [case.name for case in SCENARIOS]
    assert len(names) == len(set(names))
    assert len(names) > 400


@pytest.mark.parametrize("case", SCENARIOS, ids=str)
def test_a_scenario(case: Case, tmp_path: Path) -> None:
    """One problem, with place, reason and remedy, in these words."""
    refusal = refused(case, tmp_path)
    assert refusal.text == case.words
    (problem,) = refusal.problems
    assert problem.file == f"{case.name}.yaml"
    assert problem.line is not None
    assert problem.line >= 1
    assert problem.reason
    assert problem.remedy
    assert problem.key or case.name.startswith(OF_THE_FILE)


@pytest.mark.parametrize("topic", topics(), ids=lambda topic: topic.stem)
def test_the_base_of_a_topic_is_good(topic: Path, tmp_path: Path) -> None:
    with chdir(tmp_path):
        (tmp_path / "base.yaml").write_text(base_of(topic), encoding="utf-8")
        result = CliRunner().invoke(app, ["check", "base.yaml"])
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize("topic", topics(), ids=lambda topic: topic.stem)
def test_as_text_it_is_the_same(topic: Path, tmp_path: Path) -> None:
    """Without `--json`: the first case of each topic, on stderr alone."""
    case = cases(topic)[0]
    with chdir(tmp_path):
        (tmp_path / f"{case.name}.yaml").write_text(case.text, encoding="utf-8")
        result = CliRunner().invoke(app, ["check", f"{case.name}.yaml"])
    assert result.stderr == f"{case.name}.yaml:{case.words}\n"
    assert (result.stdout, result.exit_code) == ("", BAD_INPUT)


@pytest.mark.parametrize("case", IMPORTED, ids=str)
def test_a_file_of_another_tool(case: Case, tmp_path: Path) -> None:
    """A file that `sanlab import` must refuse with its place and remedy, and nothing is written."""
    refusal = refused(case, tmp_path)
    assert refusal.text == case.words
    (problem,) = refusal.problems
    assert problem.line is not None
    assert problem.reason
    assert problem.remedy
    assert [path.name for path in tmp_path.iterdir()] == [f"{case.name}.{case.file.stem}"]


@pytest.mark.parametrize("case", SWEEPS, ids=str)
def test_a_sweep(case: Case, tmp_path: Path) -> None:
    """Arguments of `sanlab sweep`; nothing is begun."""
    assert refused(case, tmp_path).text == case.words
    assert "\n" not in case.words
    assert [path.name for path in tmp_path.iterdir()] == ["san.yaml"]


def test_a_change_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    topic = tmp_path / "topic.toml"
    for change in ('old = "b"', 'old = "b"\nnew = "c"', 'old = "a"\nnw = "c"', 'cut = "b"'):
        topic.write_text(f'base = "a b b"\n[name]\n{change}\nwords = ""\n', encoding="utf-8")
        with pytest.raises((TypeError, ValueError)):
            cases(topic)
