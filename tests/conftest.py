"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings
from properties import examples

# No deadline for an example: a busy machine must not fail a test.
settings.register_profile("asked", max_examples=examples(100), deadline=None)
settings.load_profile("asked")
