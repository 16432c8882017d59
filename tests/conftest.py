"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings
from properties import examples

settings.register_profile("asked", max_examples=examples(100))
settings.load_profile("asked")
