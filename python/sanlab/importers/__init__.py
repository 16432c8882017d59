"""Configurations and loads of other tools as scenarios."""

from sanlab.importers.icf import IometerTest, read_icf
from sanlab.importers.iometer import expand, scenario_text
from sanlab.importers.load_file import ImportedFile, import_file

__all__ = [
    "ImportedFile",
    "IometerTest",
    "expand",
    "import_file",
    "read_icf",
    "scenario_text",
]
