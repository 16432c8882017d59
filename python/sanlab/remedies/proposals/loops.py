"""Remedies of arbitrated loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.quantities import SPEEDS
from sanlab.remedies.remedy import Remedy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.remedies.scene import Scene


def loop(scene: Scene) -> Iterator[Remedy]:
    """Yield a faster loop, more links in its strings, and crossbars in place of the loop."""
    name = scene.limit.element.split(" ")[0]
    now = next((one["speed"] for one in scene.plan["loops"] if one["name"] == name), None)
    faster = next((one for one in SPEEDS if now and SPEEDS[one] >= 1.9 * SPEEDS[now]), None)
    box = name.split(".")[0]
    for path in scene.items("stacks", [box]):
        item = scene.item("stacks", box)
        if faster:
            yield Remedy(f"{faster} instead of {now} on {name}", {f"{path}.speed": faster})
        if item.get("strings") or int(item.get("enclosures") or 1) > 1:
            many = int(item.get("strings") or 1) + 1
            yield Remedy(f"{many} links in each string", {f"{path}.strings": str(many)})
        if item.get("model") == "rs-1600-jbod":
            yield Remedy("enclosures with crossbars", {f"{path}.model": "rs-1600-sbod"})
    for path in scene.items("arrays", [box]):
        if faster:
            yield Remedy(f"{faster} instead of {now} on {name}", {f"{path}.back_end.speed": faster})
        yield Remedy("a switched back end", {f"{path}.back_end.kind": "switched"})
