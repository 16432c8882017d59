"""Hardware by name: values from data sheets, manuals and published measurements."""

from sanlab.catalog.load import KINDS, UnknownEntryError, entries_of, entry, names_of, search

__all__ = ["KINDS", "UnknownEntryError", "entries_of", "entry", "names_of", "search"]
