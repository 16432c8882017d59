"""A plan edited by hand is simulated, or refused with one line that names the field."""

from __future__ import annotations

import os

import pytest
from plan_fuzz import fuzz

CASES = int(os.environ.get("FUZZ_CASES", "120"))


def test_edited_plans_are_refused_or_simulated() -> None:
    counts, wrong = fuzz(seed=1, first=0, count=CASES)
    assert wrong == ""
    assert sum(counts.values()) == CASES
    assert counts["refused"] > CASES // 4
    assert counts["simulated"] > CASES // 20


@pytest.mark.slow
def test_many_edited_plans() -> None:
    _, wrong = fuzz(seed=2, first=0, count=4000)
    assert wrong == ""
