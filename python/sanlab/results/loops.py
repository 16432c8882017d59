"""Questions about arbitrated loops: their use, and the ports on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sanlab.results.record import Record

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Use:
    """Use of a part of a loop.

    Attributes
    ----------
    kind
        `loop` (a shared one), `string` (between two crossbars) or `loop_ports` (the ports of hosts
        on a switched loop, all together).
    name
        `stack.a`; of a string `stack.a e1-e2`.
    share
        Share of the run during which it is in use, 0 to 1.
    row
        Its row of `loops` or `strings`.
    members
        Number of ports of the loop, links of the string, or ports of hosts.
    """

    kind: str
    name: str
    share: float
    row: Row
    members: int


@dataclass(frozen=True, slots=True)
class Plugged:
    """A port of a host, array or switch on a stack, and its place."""

    port: str
    node: str
    loop: str
    enclosure: int


@dataclass(slots=True)
class Stack:
    """A stack of enclosures as a plan has it; enclosures count from 0."""

    name: str
    is_switched: bool
    enclosures: int = 1
    loops: list[str] = field(default_factory=list)
    disks: dict[str, int] = field(default_factory=dict)
    """Enclosure of each disk, by name."""
    plugged: list[Plugged] = field(default_factory=list)


def stacks(plan: dict[str, Any]) -> dict[str, Stack]:
    """Stacks by name, from top to bottom; a stack `rack` has the loops `rack.a` and `rack.b`.

    An array whose controllers have loops to their disks is not a stack.
    """
    n_ports = plan["n_ports"]
    behind = {array["name"] for array in plan["arrays"] if array["back_end"] is not None}
    found: dict[str, Stack] = {}
    for loop in plan["loops"]:
        name = loop["name"].rpartition(".")[0]
        if name in behind:
            continue
        stack = found.setdefault(name, Stack(name, loop["medium"]["kind"] == "switched"))
        stack.loops.append(loop["name"])
        if stack.is_switched:
            stack.enclosures = len(loop["medium"]["crossbars"])
        for place in loop["ports"]:
            if place["n_port"] is None:
                stack.plugged.append(_fl_port(plan, loop["name"], place["crossbar"]))
                continue
            port = n_ports[place["n_port"]]
            enclosure = place["crossbar"]
            stack.enclosures = max(stack.enclosures, enclosure + 1)
            if port["node"] == name:
                stack.disks[port["name"].rpartition(".")[0]] = enclosure
            else:
                plugged = Plugged(port["name"], port["node"], loop["name"], enclosure)
                stack.plugged.append(plugged)
    return found


def _fl_port(plan: dict[str, Any], loop: str, enclosure: int) -> Plugged:
    """Port of a switch on a loop."""
    names = [loop_plan["name"] for loop_plan in plan["loops"]]
    link = next(
        link
        for link in plan["links"]
        if link["a"] == {"kind": "loop", "loop_id": names.index(loop)}
    )
    switch, port = plan["switches"][link["b"]["switch"]]["name"], link["b"]["port"]
    return Plugged(f"{switch}.fl{port}", switch, loop, enclosure)


def taken_share(row: Row) -> float:
    """Share of the run with a circuit or arbitration on a shared loop, 0 to 1."""
    return min(1.0, float(row["owned_share"] + row["arbitrating_share"]))


def stopped_share(plan: dict[str, Any], loop: str, from_ps: int, to_ps: int) -> float:
    """Share of a time in which a loop is stopped: initialised again, or its words destroyed.

    Ports that want the loop meanwhile are counted as arbitrating.
    """
    stops = sorted(
        (fault["at_ps"], fault["action"]["until_ps"])
        for fault in plan["loop_faults"]
        if "until_ps" in fault["action"] and plan["loops"][fault["loop_id"]]["name"] == loop
    )
    lost, last = 0, from_ps
    for begin, end in stops:
        lost += max(0, min(end, to_ps) - max(begin, last))
        last = max(last, end)
    return lost / max(1, to_ps - from_ps)


def frames_share(row: Row) -> float:
    """Share of the run with frames on a shared loop, 0 to 1; both ways at once count twice."""
    return min(1.0, float(row["sending_share"]))


def name_of_string(row: Row) -> str:
    """A string by the loop and the crossbars it joins, `stack.a e1-e2`."""
    near, far = (row[end].rpartition(".")[2] for end in ("from", "to"))
    return f"{row['loop']} {near}-{far}"


def uses(run: Record) -> list[Use]:
    """Use of each shared loop, each string, and the host ports on each switched loop."""
    return uses_of(run.plan, run.rows("loops"), run.rows("strings"))


def uses_of(plan: dict[str, Any], loops: list[Row], strings: list[Row]) -> list[Use]:
    """Return the same from rows of `loops` and `strings`, of the run or of a part of it."""
    found = [
        Use("loop", row["loop"], taken_share(row), row, row["ports_count"])
        for row in loops
        if row["medium"] == "shared"
    ]
    found += [
        Use("string", name_of_string(row), float(row["utilisation"]), row, row["links_count"])
        for row in strings
    ]
    by_name = {row["loop"]: row for row in loops}
    for stack in stacks(plan).values() if by_name else ():
        for loop in stack.loops if stack.is_switched else ():
            # A circuit joins a disk and another port: divide the circuits among the other ports.
            others = sum(plug.loop == loop for plug in stack.plugged)
            row = by_name[loop]
            if others:
                share = min(1.0, float(row["owned_share"]) / others)
                found.append(Use("loop_ports", loop, share, row, others))
    return found


def fullest(run: Record) -> Use | None:
    """Return the busiest part of a loop; None without loops."""
    return min(uses(run), key=lambda use: (-use.share, use.name), default=None)
