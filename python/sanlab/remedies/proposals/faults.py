"""The scenario without one of its faults: what a repair would change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.quantities import format_time
from sanlab.remedies.remedy import Remedy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.remedies.scene import Scene

#: Most faults that are tried one by one.
MOST = 8


def repair(scene: Scene) -> Iterator[Remedy]:
    """Yield the scenario without each of its faults."""
    for index, item in enumerate((scene.document.get("faults") or [])[:MOST]):
        if isinstance(item, dict):
            yield Remedy(
                f"without the fault {item.get('kind', index)} (faults[{index}])",
                removes=(("faults", index),),
                sort="fault",
            )


def shorter(scene: Scene) -> Iterator[Remedy]:
    """Yield time-outs after which commands take another path sooner."""
    adapters = scene.adapters(scene.reach.initiators)
    sets = {}
    for path, row in adapters.items():
        sets[f"{path}.fast_io_fail"] = format_time(row["path_timeout_ps"] // 10)
    if sets:
        yield Remedy("a tenth of the time until commands take another path", sets)
    again = {
        f"{path}.command_timeout": format_time(row["command_timeout_ps"] // 10)
        for path, row in adapters.items()
        if row["command_timeout_ps"]
    }
    if again:
        yield Remedy("a tenth of the time until commands are sent again", again)
