"""Findings: one number each, with the evidence for it.

A finding never guesses. If the tables lack the data, the finding reports that. Each finding has a
module in this package with its decision, its texts and its evidence.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from sanlab.explain.evidence import Evidence
from sanlab.explain.findings import (
    busiest,
    check_failed,
    credit_wait,
    degraded,
    errors,
    happened,
    limits,
    long_tail,
    lost_frames,
    mirror_lag,
    replay_drift,
    stalled,
    steady,
    stopped_early,
    task_set_full,
    uneven_links,
)
from sanlab.explain.findings.finding import Finding, Severity
from sanlab.simulation.folder import write_file

if TYPE_CHECKING:
    from sanlab.results.run import Run

__all__ = ["Evidence", "Finding", "Severity", "find", "write"]

#: Findings in the order of the report, within each severity.
FINDINGS = (
    check_failed,
    stopped_early,
    errors,
    stalled,
    limits,
    busiest,
    degraded,
    mirror_lag,
    replay_drift,
    happened,
    credit_wait,
    lost_frames,
    task_set_full,
    long_tail,
    uneven_links,
    steady,
)
_RANKS: dict[Severity, int] = {"problem": 0, "notice": 1, "good": 2}


def find(run: Run) -> list[Finding]:
    """Return all findings of a run, the most important first."""
    findings = [finding for module in FINDINGS for finding in module.find(run)]
    return sorted(findings, key=lambda finding: _RANKS[finding.severity])


def write(run: Run, findings: list[Finding]) -> None:
    """Write `findings.json` into the run folder."""
    document = {"findings": [asdict(finding) for finding in findings]}
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    write_file(run.folder / "findings.json", text)
