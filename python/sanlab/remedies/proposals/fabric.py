"""Remedies in the fabric: links, credit, routing, priorities and limits."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from sanlab.explain.credit import credits_to_fill
from sanlab.quantities import SPEEDS
from sanlab.remedies.remedy import Remedy
from sanlab.scenario.qos import PRIORITIES, SHARED_CLASS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.remedies.scene import Scene

#: Least ratio of the speed of a faster link.
FASTER = 1.9
#: Use of a link from which it would limit as soon as a fuller one does not.
ALSO_FULL = 0.9
#: Spare credits beyond those that fill a link.
SPARE = 1.5

Row = dict[str, Any]


def link(scene: Scene) -> Iterator[Remedy]:
    """Yield a faster link, another one beside it, and routing that uses all of them."""
    number = scene.links_by_port.get(scene.limit.element)
    if number is None:
        return
    yield from _faster(scene, [number])
    yield from _faster(scene, _full(scene))
    yield from _beside(scene, number)
    yield from _routing(scene)


def credit(scene: Scene) -> Iterator[Remedy]:
    """Yield the credit that fills the link."""
    row = scene.view.ports.get(scene.limit.element)
    path = None if row is None else scene.link_path(row["link"])
    if row is None or path is None:
        return
    link = scene.plan["links"][row["link"]]
    each = math.ceil(SPARE * credits_to_fill(scene.plan, row) / link["members"])
    yield _credit(path, link, each * (len(link["virtual_channels"]) or 1))


def _credit(path: str, link: Row, credit: int) -> Remedy:
    """Another credit of a link, which keeps its virtual channels."""
    sets = {f"{path}.bb_credit": str(credit)}
    title = f"BB credit {credit} on {path}"
    classes = Counter(channel["class_id"] for channel in link["virtual_channels"])
    if classes:
        # Without a word a link with a credit of its own has none of the channels of its switches.
        is_shared = set(classes) == {SHARED_CLASS}
        sets[f"{path}.virtual_channels"] = (
            str(classes.total())
            if is_shared
            else json.dumps({name: classes[place] for place, name in enumerate(PRIORITIES)})
        )
        each = credit * link["members"] // classes.total()
        title += f", {each} for each of {classes.total()} virtual channels"
    return Remedy(title, sets)


def more_credit(scene: Scene) -> Iterator[Remedy]:
    """Yield four times the credit between switches on the way."""
    for number in scene.between_switches():
        path = scene.link_path(number)
        row = scene.plan["links"][number]
        if path is not None:
            many = 4 * max(row["credit_a_to_b"], row["credit_b_to_a"]) // row["members"]
            yield _credit(path, row, many)


def credit_loss(scene: Scene) -> Iterator[Remedy]:
    """Yield the recovery of lost credit."""
    del scene
    yield Remedy("recovery of lost credit (BB_SC_N 8)", {"fabric.bb_sc_n": "8"})


def congestion(scene: Scene) -> Iterator[Remedy]:
    """Yield more bandwidth where frames queue, and ways around it."""
    yield from link(scene)
    yield from _channels(scene)
    yield from more_credit(scene)


def slow_receiver(scene: Scene) -> Iterator[Remedy]:
    """Yield a receiver that drains at full rate, and ways around it."""
    element = scene.limit.element
    if any(port["name"] == element and port["drain_bytes_per_s"] for port in scene.plan["n_ports"]):
        array = scene.array_of(element)
        for path in (*scene.adapters([element]), *([array[0]] if array else ())):
            yield Remedy(f"no drain limit at {element}", {f"{path}.drain": "null"})
    yield from _channels(scene)
    yield from more_credit(scene)


def qos_limit(scene: Scene) -> Iterator[Remedy]:
    """Yield the fabric without each of its limits."""
    for index, item in enumerate(scene.document.get("qos") or []):
        if isinstance(item, dict) and "limit" in item:
            yield Remedy(f"without the limit of qos[{index}]", removes=(("qos", index),))


def priority(scene: Scene) -> Iterator[Remedy]:
    """Yield the fabric without each of its priorities, and what helps a full link."""
    for index, item in enumerate(scene.document.get("qos") or []):
        if isinstance(item, dict) and "priority" in item:
            yield Remedy(f"without the priority of qos[{index}]", removes=(("qos", index),))
    yield from link(scene)


def _full(scene: Scene) -> list[int]:
    """Links on the way of the workload that are full in either direction, one of each item."""
    found: dict[str, int] = {}
    for port in sorted(scene.reach.ports):
        row = scene.view.ports.get(port)
        path = None if row is None else scene.link_path(row["link"])
        if row is not None and path is not None and row["tx_utilisation"] >= ALSO_FULL:
            found.setdefault(path, row["link"])
    return [number for _, number in sorted(found.items())]


def _faster(scene: Scene, numbers: list[int]) -> Iterator[Remedy]:
    """Yield the next speed on links, and on those in parallel with them."""
    sets, titles = {}, []
    places: dict[int, str] = {}
    for number in numbers:
        now = scene.plan["links"][number]["speed"]
        faster = next((name for name in SPEEDS if SPEEDS[name] >= FASTER * SPEEDS[now]), None)
        path = scene.link_path(number)
        if faster is None or path is None:
            continue
        sets[f"{path}.speed"] = faster
        titles.append(f"{faster} instead of {now} on {path}")
        places |= dict.fromkeys(scene.parallel(number), faster)

    def edit(plan: dict[str, Any]) -> None:
        for place, speed in places.items():
            plan["links"][place] |= {"speed": speed, "bytes_per_s": SPEEDS[speed]}

    if sets:
        yield Remedy(" and ".join(titles), sets, edit=edit)


def _beside(scene: Scene, number: int) -> Iterator[Remedy]:
    row = scene.plan["links"][number]
    path = scene.link_path(number)
    if path is None or not row["a"]["kind"] == row["b"]["kind"] == "switch":
        return
    item = scene.document["links"][int(path.split("[")[1][:-1])]
    count = int(item.get("count", 1) or 1)
    if count > 1 and not item.get("trunk"):
        yield Remedy(f"the {count} links of {path} as a trunk", {f"{path}.trunk": "true"})
    sets = {f"{path}.count": str(count + 1)}
    yield Remedy(f"another link beside {path}", sets)
    if not item.get("trunk"):
        title = f"another link beside {path}, {'all' if count > 1 else 'both'} as a trunk"
        yield Remedy(title, sets | {f"{path}.trunk": "true"})


def _routing(scene: Scene) -> Iterator[Remedy]:
    switches = scene.document.get("switches") or []
    sets = {
        f"switches[{index}].routing": "exchange"
        for index, item in enumerate(switches)
        if isinstance(item, dict) and item.get("routing") != "exchange"
    }
    parallel = any(len(scene.parallel(number)) > 1 for number in scene.between_switches())
    if sets and parallel:
        yield Remedy("a route for each exchange", sets)


def _channels(scene: Scene) -> Iterator[Remedy]:
    sets = {}
    for number in scene.between_switches():
        path = scene.link_path(number)
        if path is not None and not scene.plan["links"][number]["virtual_channels"]:
            sets[f"{path}.virtual_channels"] = "4"
    if sets:
        yield Remedy("four virtual channels between switches", sets)
