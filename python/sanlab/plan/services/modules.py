"""Redundant modules of a switch: the active module, and times without forwarding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.spans import NEVER, merged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanlab.plan.spans import Span
    from sanlab.scenario.services import Modules


@dataclass(frozen=True)
class ModuleLoss:
    """A module fails, or is pulled."""

    at_ps: int
    module: int
    is_pulled: bool = False


@dataclass(frozen=True)
class Service:
    """Times in which a switch forwards no frames, and events for the time line."""

    down: tuple[Span, ...]
    notices: tuple[tuple[int, str, str], ...]
    """Instant, event and reason."""


def service(modules: Modules, losses: Sequence[ModuleLoss]) -> Service:
    """Return when a switch with these modules is down as modules are lost."""
    alive = list(range(1, modules.count + 1))
    contested = modules.both_primary and modules.count > 1
    down: list[Span] = [(0, NEVER)] if contested else []
    notices: list[tuple[int, str, str]] = []
    if contested:
        notices.append((0, "stays down", "all its modules want to be primary"))
    primary = 0 if contested else 1
    for loss in sorted(losses, key=lambda module: module.at_ps):
        alive.remove(loss.module)
        notices = [notice for notice in notices if notice[0] <= loss.at_ps]
        verb = "is pulled" if loss.is_pulled else "fails"
        what = f"module {loss.module} {verb}"
        if not alive:
            down.append((loss.at_ps, NEVER))
            notices.append((loss.at_ps, what, "no module is left: the switch is down"))
        elif contested and len(alive) > 1:
            notices.append((loss.at_ps, what, "those left still want to be primary"))
        elif contested or loss.module == primary:
            hitless = modules.hitless and not contested
            back = loss.at_ps + modules.takeover
            down = [(start, min(end, loss.at_ps)) for start, end in down] if contested else down
            down += [] if hitless else [(loss.at_ps, back)]
            contested, primary = False, alive[0]
            notices.append((loss.at_ps, what, f"module {primary} takes over"))
            notices.append((back, f"module {primary} is primary", "it has taken over"))
        else:
            notices.append((loss.at_ps, what, "it stood by: nothing else changes"))
    return Service(tuple(merged(down)), tuple(notices))
