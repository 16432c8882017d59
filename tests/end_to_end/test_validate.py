"""`sanlab validate` as people call it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app
from sanlab.validate.study import load_study

if TYPE_CHECKING:
    from typer.testing import Result

ROOT = Path(__file__).resolve().parents[2]
#: Tests of one run of the study, which is on one worker.
simsans = pytest.mark.xdist_group("simsans")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to run the study in."""
    return tmp_path_factory.mktemp("validate")


@pytest.fixture(scope="module")
def done(folder: Path) -> Result:
    """One run of the study."""
    patch = pytest.MonkeyPatch()
    patch.chdir(folder)
    (folder / "studies").symlink_to(ROOT / "studies")
    try:
        return CliRunner().invoke(app, ["validate", "simsans", "--json"])
    finally:
        patch.undo()


@simsans
def test_every_row_is_within_its_tolerance(done: Result) -> None:
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["rows"]
    keys = {"study", "case", "metric", "published", "simulated", "unit", "error_percent", "ok"}
    assert all(keys <= set(row) for row in rows)
    assert [row for row in rows if row["ok"] is False] == []
    mirror = next(row for row in rows if row["case"] == "mirror-1786km")
    assert mirror["published"] == 97.29
    assert abs(mirror["error_percent"]) <= 2


@simsans
def test_published_rows_are_those_of_the_evaluation(done: Result) -> None:
    rows = json.loads(done.stdout)["rows"]
    trends = [row for row in rows if row["unit"] == "trend"]
    # Three latencies rise with clients at three sizes; two rise with the size at four numbers.
    assert len(trends) == 3 * 3 + 2 * 4
    assert {row["published"] for row in trends} == {"increasing"}


@simsans
def test_the_page_stands_alone(done: Result, folder: Path) -> None:
    page = folder / json.loads(done.stdout)["reports"]["simsans"]
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 5
    assert "src=" not in text
    for link in re.findall(r'href="([^"]+)"', text):
        if link.startswith("#"):
            assert f'id="{link[1:]}"' in text
        else:
            assert (page.parent / link).is_file(), link


@pytest.mark.slow
def test_the_thousand_runs_of_sbod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Peaks within 3 %, I/O rates within 10 %, the shapes as published."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "studies").symlink_to(ROOT / "studies")
    done = CliRunner().invoke(app, ["validate", "sbod", "--json"])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    rows = document["rows"]
    judged = {row["case"]: row for row in rows if row["ok"] is not None}
    assert len(judged) == 14
    assert all(row["ok"] for row in judged.values())
    assert abs(judged["jbod-seq64k-peak"]["error_percent"]) <= 3
    assert abs(judged["sbod-seq64k-peak"]["error_percent"]) <= 3
    assert abs(judged["sbod-512-peak"]["error_percent"]) <= 10
    grids = [row["case"] for row in rows if row["case"].startswith(("jbod-", "sbod-"))]
    cases = {case for case in grids if "x" in case.rpartition("-")[2]}
    assert len(cases) == 2 * 7 * 11 * 9
    page = (tmp_path / document["reports"]["sbod"]).read_text(encoding="utf-8")
    assert page.count("<svg") == 14


@pytest.mark.slow
@pytest.mark.parametrize(
    ("study", "misses", "worst"),
    [
        ("cxfs", set(), 3.0),
        ("hba4g", {"exchange", "four-processes-over-two"}, 6.0),
        ("shadow", set(), 9.0),
    ],
)
def test_a_study_misses_what_its_page_says(
    study: str, misses: set[str], worst: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every miss is known and has its reason; none is listed that is within its tolerance."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "studies").symlink_to(ROOT / "studies")
    done = CliRunner().invoke(app, ["validate", study, "--json"])
    document = json.loads(done.stdout)
    outside = [row for row in document["rows"] if row["ok"] is False]
    assert {row["case"] for row in outside} == misses
    assert all(row["known_miss"] for row in outside)
    listed = {(miss.row, miss.metric) for miss in load_study(study).known_misses}
    assert listed == {(row["case"], row["metric"]) for row in outside}
    assert done.exit_code == 0, done.output
    assert document["score"]["worst_percent"] <= worst
    assert document["score"]["median_percent"] <= 3.0


def test_an_unknown_study_is_bad_input() -> None:
    result = CliRunner().invoke(app, ["validate", "simsams", "--json"])
    assert result.exit_code == 2
    assert "simsans" in json.loads(result.stdout)["error"]["message"]
