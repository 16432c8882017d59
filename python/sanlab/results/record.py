"""The parts of a run that questions need: tables, plan and manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from sanlab.simulation.manifest import Manifest


class Record(Protocol):
    """A finished run as its questions see it; `sanlab.results.run.Run` is one."""

    manifest: Manifest

    @property
    def plan(self) -> dict[str, Any]:
        """The resolved plan as plain data."""

    @property
    def tables(self) -> list[str]:
        """Names of the tables."""

    def table(self, name: str) -> pa.Table:
        """Return a table by name."""

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of a table."""
