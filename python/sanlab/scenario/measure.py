"""What is measured, and for how long."""

from __future__ import annotations

from typing import Literal

from sanlab.scenario.base import ScenarioModel, Span


class Measure(ScenarioModel):
    """How long to simulate and what to keep."""

    duration: Span | None = None
    """Simulated time at which the run ends at the latest; it ends earlier when all is done."""
    interval: Span | None = None
    """Length of one bin of the time series."""
    data_frame: Literal[2048, 2112] = 2048
    """Payload of a full data frame."""
