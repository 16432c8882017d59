"""What happens to switches, as the scenario says: modules that are lost, another domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.services.modules import ModuleLoss
from sanlab.quantities import counted, format_time

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes, SwitchBox
    from sanlab.plan.names import Problems
    from sanlab.scenario.document import Path
    from sanlab.scenario.services import Modules


def module_losses(switch: SwitchBox, modules: Modules, problems: Problems) -> list[ModuleLoss]:
    """Return the modules a switch loses."""
    found: list[ModuleLoss] = []
    for index, it in enumerate(modules.lost):
        path: Path = (*switch.path, "modules", "lost", index)
        if it.module > modules.count:
            problems.add(
                (*path, "module"),
                f"'{switch.name}' has no module {it.module}",
                f"It has {counted(modules.count, 'module')}: see 'count'",
            )
        elif any(it.module == other.module for other in found):
            problems.add(
                (*path, "module"),
                f"Module {it.module} of '{switch.name}' is lost already",
                "Name another module",
            )
        elif is_in_time(it.at, (*path, "at"), problems):
            found.append(ModuleLoss(it.at, it.module, it.pulled))
    return found


def check_new_domains(boxes: Boxes, problems: Problems) -> None:
    """Refuse a new domain that another switch has, or that comes too late."""
    owners = {switch.domain: switch.name for switch in boxes.switches}
    for switch in boxes.switches:
        new = switch.spec.new_domain
        if new is None:
            continue
        path: Path = (*switch.path, "new_domain")
        owner = owners.setdefault(new.domain, switch.name)
        if owner != switch.name:
            problems.add(
                (*path, "domain"),
                f"Domain {new.domain} belongs to '{owner}'",
                "Choose one that no switch has",
            )
        is_in_time(new.at, (*path, "at"), problems)


def is_in_time(at: int, path: Path, problems: Problems) -> bool:
    """Whether something happens before the run ends; if not, that is a problem."""
    end = problems.scenario.measure.duration
    if end is None or at < end:
        return True
    problems.add(
        path,
        f"It would happen at {format_time(at)}, and the run ends at {format_time(end)}",
        "Make 'measure.duration' longer",
    )
    return False
