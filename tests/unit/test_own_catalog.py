"""Entries of your own beside those of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sanlab.catalog import entries_of, entry, names_of, search
from sanlab.catalog.load import described
from sanlab.errors import SanlabError

if TYPE_CHECKING:
    from pathlib import Path

OWN = """
arrays:
  mine: {like: theirs, about: A fitted array, source: "measured", command_cost: 7us}
  theirs: {like: generic-flash, about: Another, source: guessed, processors: 3}
switches:
  slow: {like: generic-16g, about: A slow one, source: guessed, latency: 9us}
"""


def _use(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (folder / "own.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("SANLAB_CATALOG", str(folder / "own.yaml"))


def test_they_are_entries_like_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "mine" not in names_of("arrays")
    _use(tmp_path, monkeypatch, OWN)
    mine = entry("arrays", "mine").model_dump()
    assert (mine["command_cost"], mine["processors"]) == (7_000_000, 3)
    assert names_of("arrays")[-2:] == ["mine", "theirs"]
    assert entries_of("switches")["slow"].about == "A slow one"
    assert search(["fitted"], ["arrays"])["arrays"][-1] == "mine"
    assert described("arrays", "mine")["command_cost"] == "7us"
    # A file that changes is read again.
    _use(tmp_path, monkeypatch, OWN.replace("7us", "11us") + "\n")
    assert entry("arrays", "mine").model_dump()["command_cost"] == 11_000_000
    monkeypatch.delenv("SANLAB_CATALOG")
    assert "mine" not in names_of("arrays")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("arays: {a: {about: x}}", "Did you mean 'arrays'"),
        ("arrays: 5", "A mapping is expected here"),
        ("arrays: {a: 5}", "A mapping is expected here"),
        ("arrays: {generic-flash: {about: x}}", "has a 'generic-flash' already"),
        ("arrays: {a: {like: nothing, about: x, source: y}}", "has no model 'nothing'"),
        ("arrays: {a: {like: b, about: x}, b: {like: a, about: x}}", "is like itself"),
        ("arrays: {a: {like: generic-flash, about: x, source: y, colour: red}}", "colour"),
        ("arrays: {a: {like: generic-flash", "own.yaml"),
    ],
)
def test_refusals_name_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    _use(tmp_path, monkeypatch, text)
    with pytest.raises(SanlabError, match=words) as error:
        entry("arrays", "a")
    assert "own.yaml" in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANLAB_CATALOG", str(tmp_path / "none.yaml"))
    with pytest.raises(SanlabError, match="which SANLAB_CATALOG names, cannot be read"):
        names_of("arrays")
