"""How many cases a property test draws: `PROPTEST_CASES`, as in the tests in Rust."""

from __future__ import annotations

import os

ASKED = os.environ.get("PROPTEST_CASES")


def examples(usual: int) -> int:
    """Cases of one property test, the usual number where nothing else is asked for."""
    return int(ASKED) if ASKED else usual
