"""Configurations of other tools as scenarios."""

from sanlab.importers.icf import IometerTest, read_icf
from sanlab.importers.iometer import expand, scenario_text

__all__ = ["IometerTest", "expand", "read_icf", "scenario_text"]
