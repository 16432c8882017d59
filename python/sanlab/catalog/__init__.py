"""Hardware by name: values from data sheets, manuals and published measurements."""

from sanlab.catalog.load import KINDS, UnknownEntryError, entries, entry

__all__ = ["KINDS", "UnknownEntryError", "entries", "entry"]
