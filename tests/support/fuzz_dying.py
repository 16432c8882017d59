"""A fuzzer for the test of the harness: one of its cases ends the process."""

from __future__ import annotations

import os


class Fuzzer:
    """Numbers; one is fatal."""

    def make(self, seed: int, number: int) -> tuple[int, str]:
        """Return a number."""
        return number * seed, f"case {number}"

    def run(self, case: int) -> str:
        """Refuse every number except one."""
        if case == int(os.environ["SANLAB_FUZZ_DIES_AT"]):
            os.abort()
        return "refused"
