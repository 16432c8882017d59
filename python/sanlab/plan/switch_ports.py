"""Ports as links need them, and ports of a switch with their own settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.defaults import port_numbers
from sanlab.quantities import counted

if TYPE_CHECKING:
    from sanlab.plan.defaults import ResolvedSwitch
    from sanlab.plan.names import Problems
    from sanlab.scenario.document import Path
    from sanlab.scenario.fabric import Switch


@dataclass(frozen=True, slots=True)
class Port:
    """The values of a port that a link needs."""

    speeds: tuple[str, ...]
    bb_credit: int
    isl_bb_credit: int | None = None
    """Credit that it grants to another switch; None if it is not on a switch."""
    vsan: int = 1
    is_disabled: bool = False
    is_loop_only: bool = False


def switch_ports(
    spec: Switch, values: ResolvedSwitch, path: Path, problems: Problems
) -> dict[str, Port]:
    """Return the ports of a switch by their numbers."""
    vsans: dict[int, int] = {}
    disabled: set[int] = set()
    for index, group in enumerate(spec.port_groups):
        here: Path = (*path, "port_groups", index)
        numbers = port_numbers(group.ports)
        if not numbers:
            problems.add(
                (*here, "ports"),
                f"The range in '{group.ports}' runs backwards",
                "Write the lower number first",
            )
            continue
        if max(numbers) >= values.ports:
            problems.add(
                (*here, "ports"),
                f"The switch has no port {max(numbers)}",
                f"The switch has {counted(values.ports, 'port')}, numbered from 0",
            )
            continue
        if group.disabled:
            disabled.update(numbers)
        for number in numbers if group.vsan is not None else []:
            if vsans.setdefault(number, group.vsan or 1) != group.vsan:
                problems.add(
                    (*here, "vsan"),
                    f"Port {number} is already in VSAN {vsans[number]}",
                    "Name each port in one VSAN; a link between switches carries all VSANs",
                )
                break
    return {
        str(number): Port(
            values.port_speeds.get(number, values.speeds),
            values.bb_credit,
            values.isl_bb_credit,
            vsans.get(number, 1),
            number in disabled,
        )
        for number in range(values.ports)
    }
