"""Names of the virtual ports of an adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sanlab.plan.defaults import ResolvedHba
    from sanlab.plan.names import Problems
    from sanlab.scenario.document import Path

#: Most virtual ports of one link: the last byte of an address numbers them, 0 is the port itself.
MAX_VIRTUAL = 255


def check_names(hba: ResolvedHba, path: Path, problems: Problems) -> None:
    """Refuse virtual ports with the name of another port, and too many virtual ports."""
    taken = {f"p{number}" for number in range(hba.ports.count)}
    for name in hba.npiv:
        if name in taken:
            problems.add(
                (*path, "npiv"),
                f"The adapter already has a port '{name}'",
                "Choose another name for the virtual port",
            )
            return
        taken.add(name)
    if len(hba.npiv) > MAX_VIRTUAL:
        problems.add(
            (*path, "npiv"),
            f"The adapter has {len(hba.npiv)} virtual ports",
            f"One link has addresses for {MAX_VIRTUAL}",
        )
