"""Host ports that drive the disks of a stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.names import safe_expand

if TYPE_CHECKING:
    from sanlab.plan.names import End, Problems
    from sanlab.plan.stacks import StackBox
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario.document import Path


def drivers(stack: StackBox, wiring: Wiring, problems: Problems) -> dict[str, End]:
    """Return the host and the port that drive each disk, by the disk's name.

    The first rule that names an enclosure applies to its disks; the disks of one rule use its
    ports in turn.
    """
    rules = [_ports(stack, number, wiring, problems) for number in range(len(stack.spec.paths))]
    turns = [0] * len(rules)
    found: dict[str, End] = {}
    for enclosure in range(1, stack.enclosures + 1):
        number = _rule_for(stack, enclosure)
        if number is None or not rules[number]:
            continue
        for disk in stack.disks_in(enclosure):
            ports = rules[number]
            found[f"disk{disk}"] = ports[turns[number] % len(ports)]
            turns[number] += 1
    return found


def _rule_for(stack: StackBox, enclosure: int) -> int | None:
    last = stack.enclosures
    for number, rule in enumerate(stack.spec.paths):
        first, dots, end = rule.enclosures.partition("..")
        fits = (
            int(first) <= enclosure <= int(end)
            if dots
            else {"all": True, "last": enclosure == last, "rest": enclosure < last}[first]
        )
        if fits:
            return number
    return None


def _ports(stack: StackBox, number: int, wiring: Wiring, problems: Problems) -> list[End]:
    """Return the ports of a rule; all must be plugged into the stack."""
    path: Path = (*stack.path, "paths", number, "via")
    attached = {
        ".".join(attachment.end): attachment.end
        for attachment in wiring.attached
        if attachment.stack == stack.name
    }
    ports = []
    for pattern in stack.spec.paths[number].via:
        for name in safe_expand(pattern, path, problems):
            if name not in attached:
                known = ", ".join(attached) or "none"
                problems.add(
                    path,
                    f"'{name}' is not plugged into '{stack.name}'",
                    f"Ports in the stack: {known}",
                )
                return []
            ports.append(attached[name])
    return ports
