"""Every example does what its README says: headline numbers against `expected.toml` beside it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import sanlab
from sanlab.explain.findings import find

#: Runs are repeatable, so numbers are tight; one that is not says why beside its own tolerance.
TOLERANCE = 0.01
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/scenario.yaml"))


def expected_of(name: str) -> list[dict[str, Any]]:
    text = (EXAMPLES / name / "expected.toml").read_text(encoding="utf-8")
    runs: list[dict[str, Any]] = tomllib.loads(text)["runs"]
    return runs


RUNS = [
    pytest.param(name, index, id=f"{name}-{index}")
    for name in NAMES
    for index in range(len(expected_of(name)))
]


def test_there_are_examples() -> None:
    assert len(NAMES) >= 7


@pytest.mark.parametrize(("name", "index"), RUNS)
def test_the_numbers_are_as_told(name: str, index: int, tmp_path: Path) -> None:
    told = expected_of(name)[index]
    scenario = EXAMPLES / name / "scenario.yaml"
    run = sanlab.run(scenario, overrides=told["set"], folder=tmp_path / "run")
    for number in told["expect"]:
        if number["table"] == "summary":
            rows = [run.summary()]
        else:
            where = number["where"].items()
            rows = [r for r in run.rows(number["table"]) if all(r[k] == v for k, v in where)]
        assert len(rows) == 1, number
        value = rows[0][number["column"]]
        assert value == pytest.approx(number["value"], rel=number.get("tolerance", TOLERANCE)), (
            number
        )
    found = {finding.id for finding in find(run) if finding.severity != "good"}
    assert set(told.get("findings", [])) <= found


@pytest.mark.parametrize("name", NAMES)
def test_its_readme_says_how_to_run_it(name: str) -> None:
    text = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    assert f"sanlab run examples/{name}/scenario.yaml" in text
    # The scenario has every setting that the README mentions.
    sets = re.findall(r"--set '?([^\s'`]+)'?", text)
    assert all("=" in word for word in sets)
    sanlab.load_scenario(EXAMPLES / name / "scenario.yaml", dict(w.split("=", 1) for w in sets[:1]))


def test_the_list_names_every_example() -> None:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    folders = sorted(path.parent.name for path in EXAMPLES.glob("*/README.md"))
    assert sorted(re.findall(r"\]\(([\w-]+)/README\.md\)", text)) == folders


@pytest.mark.parametrize("page", sorted(EXAMPLES.rglob("*.md")), ids=lambda page: page.parent.name)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target
