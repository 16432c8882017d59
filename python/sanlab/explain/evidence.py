"""Where a number comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Evidence:
    """The source of a number: a table of the run folder, a row and its values."""

    table: str
    where: dict[str, str]
    values: dict[str, float | int | str]


def pick(row: dict[str, Any], *columns: str) -> dict[str, float | int | str]:
    """Some columns of a row."""
    return {column: row[column] for column in columns}
