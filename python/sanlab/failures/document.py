"""The matrix as plain data, for `--json` and the page."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sanlab.failures.matrix import Matrix


def matrix_document(matrix: Matrix) -> dict[str, Any]:
    """Return the effects of every failure."""
    return {
        "title": matrix.title,
        "at_s": matrix.at_ps / 1e12,
        "end_s": matrix.end_ps / 1e12,
        "is_too_short": matrix.is_too_short,
        "failures": [
            {
                "kind": row.failure.kind,
                "part": row.failure.part,
                "is_survived": row.is_survived,
                "refusal": row.refusal,
                "workloads": [
                    asdict(one) | {"state": one.state, "host_words": one.host_words}
                    for one in row.effects
                ],
            }
            for row in matrix.rows
        ],
    }
