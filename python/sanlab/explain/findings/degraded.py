"""Ports that do not come up, and pairs that cannot communicate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import HAPPENINGS_SHOWN, Finding

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """List ports and pairs that are not as the scenario intends, each with its reason."""
    services = run.plan["services"] or {"ports": [], "apart": []}
    end = run.manifest.simulated_ps
    meant = ("online", "no light", "initialising")
    switches = [switch["name"] for switch in run.plan["switches"]]
    ports = [port["name"] for port in run.plan["n_ports"]]
    states = {
        f"{switches[row['switch']]} port {row['port']} is {row['state']}: {row['reason']}"
        for row in services["ports"]
        if row["state"] not in meant and row["at_ps"] <= end
    }
    apart = {
        f"{ports[row['a']]} does not see {ports[row['b']]}: {row['reason']}"
        for row in services["apart"]
        if row["reason"] and row["at_ps"] <= end
    }
    if not states and not apart:
        return []
    shown = [*sorted(states)[:HAPPENINGS_SHOWN], *sorted(apart)[:HAPPENINGS_SHOWN]]
    more = len(states) + len(apart) - len(shown)
    detail = "; ".join(shown) + (f"; and {more} more" if more > 0 else "")
    title = "The fabric came up degraded, or became degraded"
    where = ". The section on the fabric lists all of them with their times."
    return [Finding("degraded", "problem", title, detail + where, float(len(states) + len(apart)))]
