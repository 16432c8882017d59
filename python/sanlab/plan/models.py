"""Models of the catalog by name, with a stand-in for a name that the catalog does not have.

The stand-in lets the other parts of a scenario be checked in the same attempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.catalog import UnknownEntryError, entry
from sanlab.quantities import SPEEDS
from sanlab.scenario.base import overlaid

if TYPE_CHECKING:
    from sanlab.catalog.entries import Entry
    from sanlab.plan.names import Problems
    from sanlab.scenario.document import Path


#: Kinds with ports of their own, and the number of ports of a stand-in.
_WITH_PORTS = ("hbas", "switches", "arrays")
MANY_PORTS = 256


def look_up(kind: str, name: str, stand_in: str, path: Path, problems: Problems) -> Entry:
    """Return a model; if it is unknown, note that and return the nearest, else `stand_in`."""
    try:
        return entry(kind, name)
    except UnknownEntryError as error:
        problems.hold((*path, "model"), error.reason, error.remedy)
        found = entry(kind, error.guess or stand_in)
        # Speeds and ports that any link would fit.
        wide = {"speeds": list(SPEEDS), "ports": MANY_PORTS} if kind in _WITH_PORTS else {}
        return overlaid(found, wide)
