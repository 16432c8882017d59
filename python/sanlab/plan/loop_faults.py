"""Faults of stacks as events of their loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.schema import (
    CutLoopAction,
    DarkenLoopAction,
    InsertLoopAction,
    LoopFaultPlan,
    RemoveLoopAction,
    StopLoopAction,
)
from sanlab.plan.spans import is_in_time
from sanlab.quantities import counted, format_time

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import LoopActionPlan, LoopPlan, NPortPlan
    from sanlab.plan.stacks import StackBox
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.faults import Fault

#: Most LIPs of one noisy disk.
MAX_LIPS = 10_000


def build_loop_faults(
    scenario: Scenario,
    boxes: Boxes,
    loops: list[LoopPlan],
    n_ports: list[NPortPlan],
    problems: Problems,
) -> list[LoopFaultPlan]:
    """Return the events of loops in order of time."""
    found: list[LoopFaultPlan] = []
    cut: dict[str, int] = {}
    stacks = {stack.name: stack for stack in boxes.stacks}
    gone: set[tuple[str, int]] = set()
    numbers = [index for index, fault in enumerate(scenario.faults) if fault.is_of_stack]
    for index in sorted(numbers, key=lambda number: scenario.faults[number].at or 0):
        fault, path = scenario.faults[index], ("faults", index)
        at = fault.at or 0
        stack = stacks.get(fault.stack or "")
        if stack is None:
            known = ", ".join(stacks) or "none"
            problems.add(
                (*path, "stack"),
                f"There is no stack called '{fault.stack}'",
                f"Stacks are: {known}",
            )
            continue
        if not _fits(fault, stack, path, problems):
            continue
        is_in_time(at, "The fault is", (*path, "at"), problems)
        if stack.name in cut and not stack.model.switched:
            problems.add(
                path,
                f"The loops of '{stack.name}' are cut in two at {format_time(cut[stack.name])}",
                "Remove faults of the stack after its loss of power",
            )
            continue
        if not _is_possible(fault, gone, path, problems):
            continue
        on_stack = [loop for loop in loops if loop.name.rpartition(".")[0] == stack.name]
        is_public = any(port.n_port is None for loop in on_stack for port in loop.ports)
        if fault.kind == "power-loss" and is_public:
            problems.add(
                path,
                f"'{stack.name}' has a switch on its loops, and a loop of a fabric that is cut in "
                "two is not simulated",
                "Remove the fault, or the link to the switch",
            )
            continue
        if fault.kind == "power-loss":
            cut[stack.name] = at
        for number, loop in enumerate(loops):
            if loop.name.rpartition(".")[0] == stack.name:
                found.extend(_on_loop(fault, stack, number, loop, n_ports))
    return sorted(found, key=lambda fault: fault.at_ps)


def _fits(fault: Fault, stack: StackBox, path: Path, problems: Problems) -> bool:
    if fault.disk is not None and fault.disk > stack.disks_count:
        problems.add(
            (*path, "disk"),
            f"'{stack.name}' has no disk {fault.disk}",
            f"It has {counted(stack.disks_count, 'disk')}",
        )
        return False
    if fault.enclosure is not None and fault.enclosure > stack.enclosures:
        problems.add(
            (*path, "enclosure"),
            f"'{stack.name}' has no enclosure {fault.enclosure}",
            f"It has {counted(stack.enclosures, 'enclosure')}",
        )
        return False
    if fault.until is not None and (fault.until - (fault.at or 0)) // fault.every > MAX_LIPS:
        problems.add(
            (*path, "every"),
            f"The disk causes more than {MAX_LIPS} LIPs",
            "Make 'every' longer",
        )
        return False
    return True


def _is_possible(fault: Fault, gone: set[tuple[str, int]], path: Path, problems: Problems) -> bool:
    """Whether the disk is present as the fault requires; record the change."""
    if fault.disk is None:
        return True
    disk = fault.stack or "", fault.disk
    comes_back = fault.kind == "insert-disk"
    if (disk in gone) != comes_back:
        problems.add(
            (*path, "disk"),
            f"Disk {fault.disk} of '{fault.stack}' is "
            f"{'in its bay' if comes_back else 'no longer on its loops'} at that time",
            "Pull it before it is put back"
            if comes_back
            else "Put it back with 'insert-disk' first",
        )
        return False
    if comes_back:
        gone.discard(disk)
    else:
        gone.add(disk)
    return True


def _on_loop(
    fault: Fault, stack: StackBox, number: int, loop: LoopPlan, n_ports: list[NPortPlan]
) -> list[LoopFaultPlan]:
    """Return the effect of the fault on one loop of its stack."""

    def happens(at: int, action: LoopActionPlan) -> LoopFaultPlan:
        return LoopFaultPlan(at_ps=at, loop_id=number, action=action)

    def stop(at: int, until: int) -> LoopFaultPlan:
        return happens(at, StopLoopAction(until_ps=until))

    begins = fault.at or 0
    names = ["" if port.n_port is None else n_ports[port.n_port].name for port in loop.ports]
    if fault.enclosure is not None:
        if stack.model.switched:
            return [happens(begins, DarkenLoopAction(crossbar=fault.enclosure - 1))]
        return [happens(begins, _cut(fault.enclosure, stack, loop, names))]
    letter = loop.name.rpartition(".")[2]
    places = [names.index(f"{stack.name}.disk{fault.disk}.{letter}")]
    if fault.kind == "insert-disk":
        back = happens(begins, InsertLoopAction(places=places))
        return [back] if stack.model.switched else [back, stop(begins, begins + fault.pause)]
    gone = RemoveLoopAction(places=places)
    if stack.model.switched:
        # The loop switch isolates the port with the first LIP.
        return [happens(begins, gone)]
    if fault.kind == "pull-disk":
        return [happens(begins, gone), stop(begins, begins + fault.pause)]
    assert fault.until is not None
    held = [stop(begins, fault.until)]
    if fault.kind == "noisy-disk":
        lips = range(begins, fault.until, fault.every)
        held = [stop(at, at + fault.pause) for at in lips]
    return [*held, happens(fault.until, gone), stop(fault.until, fault.until + fault.pause)]


def _cut(enclosure: int, stack: StackBox, loop: LoopPlan, names: list[str]) -> CutLoopAction:
    """Return the ring above a dark enclosure and the ring below; each is closed by a neighbour.

    A shortened ring lacks the way down and back through the removed enclosures, so the delay to
    its first port is shorter by that amount.
    """
    dark = {f"{stack.name}.disk{disk}" for disk in stack.disks_in(enclosure)}
    places = [at for at, name in enumerate(names) if name.rpartition(".")[0] in dark]
    below = {
        f"{stack.name}.disk{disk}"
        for later in range(enclosure + 1, stack.enclosures + 1)
        for disk in stack.disks_in(later)
    }
    later = [at for at, name in enumerate(names) if name.rpartition(".")[0] in below]
    hosts_below = [at for at, name in enumerate(names) if at > 0 and ".hba" in name]
    end = places[-1] + 1 if places else min(later or hosts_below or [len(names)])
    first = places[0] if places else end
    ports = loop.ports
    share = (enclosure - 1) / max(1, stack.enclosures - 1)
    way_back = ports[0].delay_ps - ports[0].repeat_ps
    above = ports[0].repeat_ps + round(way_back * share)
    under = ports[end].repeat_ps + round(way_back * (1 - share)) if end < len(ports) else 0
    return CutLoopAction(first=first, end=end, above_ps=max(1, above), below_ps=max(1, under))
