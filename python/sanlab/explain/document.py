"""Limits of workloads as plain data, for `--json` and the page."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sanlab.explain.explanation import Explained
    from sanlab.explain.limit import Limit


def workload_document(one: Explained) -> dict[str, Any]:
    """Return what limits a workload, over the whole run and in each window."""
    return {
        "workload": one.workload,
        "limit": _limit(one.overall),
        "windows": [_limit(limit) for limit in one.limits],
        "domains": one.domains,
        "stages": one.stages,
    }


def _limit(limit: Limit) -> dict[str, Any]:
    return {
        "from_s": limit.window.from_ps / 1e12,
        "to_s": limit.window.to_ps / 1e12,
        "begins_with": limit.window.begins_with,
        "kind": limit.kind,
        "domain": limit.domain,
        "element": limit.element,
        "share": limit.share,
        "utilisation": limit.utilisation,
        "is_victim": limit.is_victim,
        "is_met": limit.is_met,
        "culprits": list(limit.culprits),
        "sentence": limit.title,
        "detail": limit.detail,
        "not_tried": limit.remedy,
        "evidence": [asdict(row) for row in limit.evidence],
    }
