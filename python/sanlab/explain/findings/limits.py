"""What limits each workload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.explanation import explain, explain_flows
from sanlab.explain.findings.finding import EVIDENCE_SHOWN, Finding
from sanlab.words import show_percent

if TYPE_CHECKING:
    from sanlab.explain.evidence import Evidence
    from sanlab.explain.explanation import Explained
    from sanlab.explain.findings.finding import Severity
    from sanlab.explain.limit import Limit
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Report the limit of each workload over the whole run, and others that last for a part of it.

    Streams of plain frames are reported like workloads.

    Workloads with the same limit share a finding; those that do not use its element have another.
    """
    groups: dict[tuple[str, str, int, int, bool], list[tuple[Explained, Limit]]] = {}
    for one in (*explain(run), *explain_flows(run)):
        for limit in (one.overall, *_others(one)):
            if limit.kind == "stall":
                continue  # a finding of its own tells more
            window = limit.window
            key = (limit.kind, limit.element, window.from_ps, window.to_ps, limit.is_victim)
            if limit.is_harmless:
                key = (limit.kind, "", 0, 0, False)
            groups.setdefault(key, []).append((one, limit))
    return [_finding(members) for members in groups.values()]


def _others(one: Explained) -> list[Limit]:
    """Limits of parts of the run that the whole run does not show."""
    known = one.overall.kind, one.overall.element
    return [
        limit
        for limit in one.limits
        if not limit.is_harmless and (limit.kind, limit.element) != known
    ]


def _finding(members: list[tuple[Explained, Limit]]) -> Finding:
    members.sort(key=lambda pair: (-pair[1].share, pair[0].workload))
    one, limit = members[0]
    title = limit.headline
    if len(members) > 1:
        names = ", ".join(other.workload for other, _ in members[1:4])
        more = f" and {len(members) - 4} more" if len(members) > 4 else ""
        title += f". The same holds for {names}{more}"
    evidence = [row for _, other in members for row in other.evidence]
    harmless: Severity = "good" if limit.kind == "offered_load" else "notice"
    return Finding(
        f"limit_{limit.kind}",
        harmless if limit.is_harmless else "problem",
        title,
        " ".join(part for part in (limit.detail, _domains(one), _remedy(limit)) if part),
        limit.share if limit.utilisation is None else limit.utilisation,
        evidence=_distinct(evidence)[:EVIDENCE_SHOWN],
    )


def _distinct(rows: list[Evidence]) -> tuple[Evidence, ...]:
    """The rows, each once: workloads that share an element share its evidence."""
    return tuple(row for place, row in enumerate(rows) if row not in rows[:place])


def _domains(one: Explained) -> str:
    if not one.domains:
        return ""
    parts = ", ".join(f"{name} {show_percent(share)}" for name, share in one.domains.items())
    return f"Response time of {one.workload} over the whole run: {parts}."


def _remedy(limit: Limit) -> str:
    return f"Not tried: {limit.remedy}." if limit.remedy else ""
