"""Commands that come to a controller which does not own their LUN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.words import show_percent, show_time

if TYPE_CHECKING:
    from sanlab.explain.view import View


def astray(view: View, workload: str) -> dict[str, str]:
    """Return LUNs of a workload that all its paths reach by another controller, with their owner.

    Paths that host adapters choose are left out: they prefer the owner as long as it works.
    """
    found: dict[str, str] = {}
    plan = view.run.plan
    for one in view.evidences.asking.get(workload, ()):
        for target in one.job["targets"]:
            array = plan["arrays"][target["array"]]
            lun = array["luns"][target["lun"]]
            if lun["owner"] is None or len(array["controllers"]) < 2:
                continue
            owner = array["controllers"][lun["owner"]]
            if all(path["target_n_port"] not in owner["n_ports"] for path in target["paths"]):
                found[lun["name"]] = owner["name"]
    return found


def say_astray(view: View, workload: str) -> str:
    """Say that commands are forwarded, and what it costs; empty if none are."""
    found = astray(view, workload)
    if not found:
        return ""
    lun, owner = next(iter(found.items()))
    more = f" and {len(found) - 1} more LUNs" if len(found) > 1 else ""
    flow = view.flow(workload)
    array = next(one for one in view.run.plan["arrays"] if lun.startswith(f"{one['name']}."))
    forward_ps = array["failover"]["forward_ps"]
    mean_ps = flow.response_ps / max(1, flow.io_count)
    share = f", {show_percent(forward_ps / mean_ps)} of a response" if mean_ps else ""
    return (
        f"Its paths to {lun}{more} lead to a controller that does not own it, and commands go on to"
        f" {owner}: at least {show_time(forward_ps)}{share}."
    )
