"""What a host may see: LUNs, and the paths to each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sanlab.results.loops import stacks
from sanlab.topology.reach import Reach


@dataclass(frozen=True, slots=True)
class Access:
    """A LUN that a host may use.

    Attributes
    ----------
    lun, number, array
        Its name, its logical unit number and its array.
    paths
        Pairs of a port of the host and a port of the array that see each other.
    """

    lun: str
    number: int
    array: str
    paths: tuple[tuple[str, str], ...]


def access_of(plan: dict[str, Any], host: str, at_ps: int = 0) -> list[Access]:
    """Return the LUNs that a host sees at an instant, in the order of the plan.

    Parameters
    ----------
    plan
        The plan as plain data.
    host
        Name of a host; another name sees nothing.
    at_ps
        Instant; zoning, links between fabrics and cables count as they are then.
    """
    reach = Reach(plan, at_ps)
    own = _ports_of(plan, host)
    seen = {port: reach.targets_of(port) for port in own}
    inside = stacks(plan)
    names = [port["name"] for port in plan["n_ports"]]
    found = []
    for array in plan["arrays"]:
        front = set(array["n_ports"])
        pairs = [(a, b) for a in own for b in sorted(seen[a] & front)]
        for lun in array["luns"] if pairs else ():
            masked = lun["initiators"]
            # The disks of a stack are LUNs with ports of their own.
            only = f"{lun['name']}." if array["name"] in inside else ""
            paths = tuple(
                (names[a], names[b])
                for a, b in pairs
                if (masked is None or a in masked) and names[b].startswith(only)
            )
            if paths:
                found.append(Access(lun["name"], lun["number"], array["name"], paths))
    return found


def _ports_of(plan: dict[str, Any], host: str) -> list[int]:
    """Ports of a host, virtual ones included."""
    hosts = [row for row in plan["hosts"] if row["name"] == host]
    real = [adapter["n_port"] for row in hosts for adapter in row["adapters"]]
    shared = set(real)
    numbered = enumerate(plan["n_ports"])
    return real + [number for number, port in numbered if port["shares"] in shared]
