"""The diagnosis of scenarios whose limit is known: `tests/support/planted.py` reads the cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import planted
import pytest

if TYPE_CHECKING:
    from pathlib import Path

CASES = [
    pytest.param(case, id=str(case), marks=[pytest.mark.slow] if case.is_slow else [])
    for case in planted.planted()
]


@pytest.mark.parametrize("case", CASES)
def test_the_planted_cause_is_named(case: planted.Planted, tmp_path: Path) -> None:
    assert planted.mistakes(case, tmp_path) == []
