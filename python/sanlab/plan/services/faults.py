"""Changes of switches in a scenario: lost modules, new domains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.names import Names
from sanlab.plan.services.modules import ModuleLoss
from sanlab.plan.spans import is_in_time
from sanlab.quantities import counted

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes, SwitchBox
    from sanlab.plan.names import Problems
    from sanlab.scenario.document import Path


def module_losses(boxes: Boxes, problems: Problems) -> dict[str, list[ModuleLoss]]:
    """Return the modules that each switch loses."""
    found: dict[str, list[ModuleLoss]] = {}
    switches: Names[SwitchBox] = Names("switch")
    switches.items = {switch.name: switch for switch in boxes.switches}
    for index, fault in enumerate(problems.scenario.faults):
        if fault.kind not in ("module-failure", "pull-module"):
            continue
        path: Path = ("faults", index)
        name, module = fault.switch or "", fault.module or 0
        if name not in switches:
            problems.add((*path, "switch"), *switches.unknown(name))
            continue
        modules = switches[name].spec.modules
        losses = found.setdefault(name, [])
        if modules is None or module > modules.count:
            count = counted(1 if modules is None else modules.count, "module")
            problems.add(
                (*path, "module"),
                f"'{name}' has no module {module}",
                f"It has {count}: see 'modules' of the switch",
            )
        elif any(module == other.module for other in losses):
            problems.add(
                (*path, "module"),
                f"Module {module} of '{name}' is already lost",
                "Name another module",
            )
        else:
            losses.append(ModuleLoss(fault.at or 0, module, fault.kind == "pull-module"))
    return found


def check_new_domains(boxes: Boxes, problems: Problems) -> None:
    """Refuse a new domain that another switch has, or a change after the end of the run."""
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
        is_in_time(new.at, "The change is", (*path, "at"), problems)
