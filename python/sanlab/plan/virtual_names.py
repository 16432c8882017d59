"""Names of the virtual ports of an adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sanlab.plan.defaults import ResolvedHba
    from sanlab.plan.names import Problems
    from sanlab.scenario.document import Path

#: Virtual ports of one link: the last byte of an address tells them apart, 0 is the port itself.
MAX_VIRTUAL = 255


def check_names(hba: ResolvedHba, path: Path, problems: Problems) -> None:
    """Refuse virtual ports that have each other's name, or that of a port, and too many."""
    taken = {f"p{number}" for number in range(hba.ports.count)}
    for name in hba.npiv:
        if name in taken:
            problems.add(
                (*path, "npiv"),
                f"The adapter has a port '{name}' already",
                "Choose another name for the virtual port",
            )
            return
        taken.add(name)
    if len(hba.npiv) > MAX_VIRTUAL:
        problems.add(
            (*path, "npiv"),
            f"There are {len(hba.npiv)} virtual ports",
            f"One link has addresses for {MAX_VIRTUAL}",
        )
