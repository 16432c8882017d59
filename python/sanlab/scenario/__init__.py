"""What a person may write: one scenario, its shape, ranges and units."""

from sanlab.scenario.scenario import Scenario

__all__ = ["Scenario"]
