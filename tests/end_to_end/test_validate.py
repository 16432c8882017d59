"""`sanlab validate` as people call it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app

if TYPE_CHECKING:
    from typer.testing import Result

ROOT = Path(__file__).resolve().parents[2]


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


def test_every_row_is_within_its_tolerance(done: Result) -> None:
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["rows"]
    keys = {"study", "case", "metric", "published", "simulated", "unit", "error_percent", "ok"}
    assert all(keys <= set(row) for row in rows)
    assert [row for row in rows if row["ok"] is False] == []
    mirror = next(row for row in rows if row["case"] == "mirror-1786km")
    assert mirror["published"] == 97.29
    assert abs(mirror["error_percent"]) <= 2


def test_published_rows_are_those_of_the_evaluation(done: Result) -> None:
    rows = json.loads(done.stdout)["rows"]
    trends = [row for row in rows if row["unit"] == "trend"]
    # Three latencies rise with clients at three sizes; two rise with the size at four numbers.
    assert len(trends) == 3 * 3 + 2 * 4
    assert {row["published"] for row in trends} == {"increasing"}


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


def test_an_unknown_study_is_bad_input() -> None:
    result = CliRunner().invoke(app, ["validate", "simsams", "--json"])
    assert result.exit_code == 2
    assert "simsans" in json.loads(result.stdout)["error"]["message"]
