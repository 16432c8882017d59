"""Remedies in arrays: processors, cache, disks, SSDs, copies and limits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sanlab.explain.forwarding import astray
from sanlab.explain.rebuilds import rebuilds_in
from sanlab.quantities import format_rate, format_size, format_time, parse_rate, parse_time
from sanlab.remedies.remedy import Remedy
from sanlab.scenario.overrides import names_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.remedies.scene import Scene

Row = dict[str, Any]
#: RAID levels with parity.
PARITY = ("raid5", "raid6", "raid3")


def controller(scene: Scene) -> Iterator[Remedy]:
    """Yield twice the processors."""
    found = scene.array_of(scene.limit.element)
    if found is None:
        return
    path, array = found
    yield from _owners(scene, array)
    yield from _owned_by_all(scene, path, array)
    many = 2 * max(one["processors"] for one in array["controllers"])
    yield Remedy(
        f"{many} processors in each controller of {array['name']}",
        {f"{path}.processors": str(many)},
    )
    if array["command_ps"]:
        yield Remedy(
            f"processors twice as fast in {array['name']}",
            {f"{path}.command_cost": format_time(array["command_ps"] // 2)},
        )


def _owners(scene: Scene, array: Row) -> Iterator[Remedy]:
    """Paths to the controllers that own the LUNs, where commands come to others."""
    if scene.limit.element not in scene.reach.owners and len(array["controllers"]) > 1:
        yield from _to_owners(scene, array)


def _to_owners(scene: Scene, array: Row) -> Iterator[Remedy]:
    names = [port["name"] for port in scene.plan["n_ports"]]
    ports = [
        names[n_port].removeprefix(f"{array['name']}.")
        for one in array["controllers"]
        if one["name"] in scene.reach.owners
        for n_port in one["n_ports"]
    ]
    for path in scene.items("workloads", [scene.limit.workload]):
        if ports:
            yield Remedy(
                "paths to the controller that owns the LUN", {f"{path}.target_port": ports[0]}
            )


def _owned_by_all(scene: Scene, path: str, array: Row) -> Iterator[Remedy]:
    """Yield LUNs that the controllers own in turn, where one owns all of the workload."""
    names = [one["name"].rpartition(".")[2] for one in array["controllers"]]
    if len(names) < 2 or scene.reach.owners != {scene.limit.element}:
        return
    sets = {}
    turn = 0
    for index, lun in enumerate(_luns(scene, array["name"])):
        own = names_of(lun)
        if own:
            turned = [names[(turn + place) % len(names)] for place in range(len(own))]
            sets[f"{path}.luns[{index}].owner"] = (
                turned[0] if len(own) == 1 else f"[{', '.join(turned[: len(names)])}]"
            )
            turn += len(own)
    if turn < 2:
        return
    for place in scene.items("workloads", [scene.limit.workload]):
        if scene.item("workloads", scene.limit.workload).get("target_port"):
            sets[f"{place}.target_port"] = "null"
    yield Remedy(f"LUNs of {array['name']} owned by its controllers in turn", sets)


def forwarded(scene: Scene) -> Iterator[Remedy]:
    """Yield paths to the owners of LUNs, where commands come to other controllers only."""
    for array in scene.plan["arrays"]:
        if array["name"] in scene.reach.arrays and astray(scene.view, scene.limit.workload):
            yield from _to_owners(scene, array)


def partner(scene: Scene) -> Iterator[Remedy]:
    """Yield a link of twice the rate between controllers, and no copies at all."""
    found = scene.array_of(scene.limit.element)
    if found is None:
        return
    path, array = found
    copies = (array["cache"] or {}).get("partner")
    if copies:
        rate = format_rate(2 * copies["bytes_per_s"])
        yield Remedy(f"{rate} between the controllers", {f"{path}.cache.partner.rate": rate})


def cache_room(scene: Scene) -> Iterator[Remedy]:
    """Yield more destages at once, a larger cache, and what helps its media."""
    found = scene.array_of(scene.limit.element)
    if found is None or not found[1]["cache"]:
        return
    path, array = found
    cache = array["cache"]
    if cache.get("destages"):
        many = 4 * cache["destages"]
        yield Remedy(f"{many} destages at once", {f"{path}.cache.destages": str(many)})
    dirty = cache.get("dirty_limit_bytes") or cache.get("dirty_pages", 0) * cache.get(
        "page_bytes", 0
    )
    if dirty:
        size = format_size(2 * dirty)
        yield Remedy(
            f"room for {size} of written data",
            {f"{path}.cache.dirty_limit": size},
            only_delays=True,
        )
    for group in array["groups"]:
        yield from _group(scene, path, array, group)
    yield from _media(scene, path, array)


def write_through(scene: Scene) -> Iterator[Remedy]:
    """Yield a cache that takes writes: without a partner, written back, larger, or a new one."""
    found = scene.array_of(scene.limit.element)
    if found is None:
        return
    path, array = found
    cache = array["cache"]
    if cache is None:
        yield Remedy("a cache of 1GiB", {f"{path}.cache": "{size: 1GiB}"})
        return
    if array["failover"]["writes_through_alone"]:
        own = scene.item("arrays", array["name"])["controllers"]
        key = f"{path}.controllers"
        sets = {f"{key}.without_partner": "write-back"}
        if not isinstance(own, dict):
            sets = {key: f"{{count: {own}, without_partner: write-back}}"}
        yield Remedy("a cache that keeps writes without a copy", sets)
    if cache["kind"] == "pages" and not cache["write_back"] and cache["dirty_pages"]:
        yield Remedy("a cache that keeps writes", {f"{path}.cache.write_back": "true"})
        return
    dirty = cache.get("dirty_limit_bytes") or cache.get("dirty_pages", 0) * cache.get(
        "page_bytes", 0
    )
    size = format_size(4 * dirty) if dirty else "256MiB"
    yield Remedy(f"room for {size} of written data", {f"{path}.cache.dirty_limit": size})


def disk(scene: Scene) -> Iterator[Remedy]:
    """Yield more disks, a RAID level with fewer operations, SSDs, and a larger cache."""
    found = scene.array_of(scene.limit.element)
    if found is None:
        return
    path, array = found
    yield from rebuild(scene)
    names = [one["name"] for one in array["disks"]]
    place = names.index(scene.limit.element) if scene.limit.element in names else None
    for group in array["groups"]:
        if place is None or place in group["disks"]:
            yield from _group(scene, path, array, group)
    if not array["groups"] and scene.document["arrays"]:
        many = 2 * max(1, len(names))
        yield Remedy(f"{many} disks", {f"{path}.disks_per_group": str(many)})
    if array["cache"] and array["cache"].get("pages"):
        yield Remedy(
            "a cache four times as large",
            {
                f"{path}.cache.size": format_size(
                    4 * array["cache"]["pages"] * array["cache"]["page_bytes"]
                )
            },
        )


def of_drives(scene: Scene) -> Iterator[Remedy]:
    """Yield remedies for disks, if the element is one of a group."""
    found = scene.array_of(scene.limit.element)
    if found is not None and any(one["name"] == scene.limit.element for one in found[1]["disks"]):
        yield from disk(scene)


def rebuild(scene: Scene) -> Iterator[Remedy]:
    """Yield a rebuild of a quarter of its rate, and one after the run."""
    for one in rebuilds_in(scene.view):
        found = scene.array_of(one.group)
        if found is None:
            continue
        path, array = found
        own = f"{path}.groups.{one.group.removeprefix(array['name'] + '.')}.rebuild"
        row = next(row for row in scene.view.run.rows("rebuilds") if row["drive"] == one.drive)
        if row["rate_bytes_per_s"]:
            rate = format_rate(max(1000, int(row["rate_bytes_per_s"] / 4 / 1e5) * 100_000))
            yield Remedy(f"a rebuild of {one.group} at {rate}", {f"{own}.rate": rate})
        later = f"{math.ceil(scene.view.run.manifest.simulated_ps / 1e12)}s"
        yield Remedy(f"a rebuild of {one.group} after this time", {f"{own}.delay": later})


def media(scene: Scene) -> Iterator[Remedy]:
    """Yield more devices, and faster ones."""
    found = scene.array_of(scene.limit.element)
    if found is None:
        return
    path, array = found
    for group in array["groups"]:
        yield from _group(scene, path, array, group)
    yield from _media(scene, path, array)


def parity(scene: Scene) -> Iterator[Remedy]:
    """Yield faster parity, and a level without it."""
    found = scene.array_of(scene.limit.element)
    if found is None:
        return
    path, array = found
    rate = array["parity_bytes_per_s"]
    if rate:
        yield Remedy(
            f"parity at {format_rate(4 * rate)}", {f"{path}.parity_rate": format_rate(4 * rate)}
        )
    for group in array["groups"]:
        yield from _group(scene, path, array, group)


def mirror(scene: Scene) -> Iterator[Remedy]:
    """Yield asynchronous copies, more at once, and one round trip for each."""
    for name in sorted(scene.reach.arrays):
        found = scene.array_of(name)
        if found is None:
            continue
        path, array = found
        for index, lun, row, where in _own_luns(scene, array):
            plan = row["mirror"]
            if not isinstance(lun.get("mirror"), dict) or plan is None:
                continue
            own = f"{path}.luns[{index}].mirror"
            yield Remedy(f"asynchronous copies{where}", {f"{own}.mode": "asynchronous"})
            if plan["max_outstanding"]:
                many = 4 * plan["max_outstanding"]
                sets = {f"{own}.max_outstanding": str(many)}
                yield Remedy(f"{many} copies at once{where}", sets)
            if not plan["one_round_trip_bytes"]:
                sets = {f"{own}.protocol": "single-round-trip"}
                yield Remedy(f"one round trip for each copy{where}", sets)


def task_set_full(scene: Scene) -> Iterator[Remedy]:
    """Yield larger task sets of LUNs, and of ports."""
    for name in sorted(scene.reach.arrays):
        found = scene.array_of(name)
        if found is None:
            continue
        path, array = found
        luns = {}
        for index, lun in enumerate(_luns(scene, name)):
            if "name" in lun:
                depth = 4 * max(one["queue_depth"] for one in array["luns"])
                luns[f"{path}.luns[{index}].queue_depth"] = str(depth)
        if luns:
            yield Remedy(f"task sets of {next(iter(luns.values()))} commands", luns)
        many = 4 * array["port_queue_depth"]
        yield Remedy(f"{many} commands for each port", {f"{path}.port_queue_depth": str(many)})


def array_limit(scene: Scene) -> Iterator[Remedy]:
    """Yield twice the limits of LUNs and of hosts."""
    for name in sorted(scene.reach.arrays):
        found = scene.array_of(name)
        if found is None:
            continue
        path, _ = found
        item = scene.item("arrays", name)
        owners = [
            *((f"luns[{n}].limit", lun.get("limit")) for n, lun in enumerate(_luns(scene, name))),
            *((f"host_limits[{n}]", one) for n, one in enumerate(item.get("host_limits") or [])),
        ]
        for key, limit in owners:
            if not isinstance(limit, dict):
                continue
            for unit in ("iops", "rate"):
                value = _doubled(limit.get(unit))
                if value:
                    title = f"a limit of {value} at {path}.{key}"
                    yield Remedy(title, {f"{path}.{key}.{unit}": value})


def _doubled(limit: object) -> str:
    """Twice a number or a rate, as text; empty for anything else."""
    if isinstance(limit, int) and not isinstance(limit, bool):
        return str(2 * limit)
    return format_rate(2 * parse_rate(limit)) if isinstance(limit, str) else ""


def _luns(scene: Scene, array: str) -> list[Row]:
    luns = scene.item("arrays", array).get("luns") or []
    return [lun for lun in luns if isinstance(lun, dict)]


def _own_luns(scene: Scene, array: Row) -> list[tuple[int, Row, Row, str]]:
    """Return the LUNs of an array that the workload uses, one of each item that makes several.

    Each has its place, its item and its row of the plan, and words that tell it from the others.
    """
    used = {
        array["luns"][target["lun"]]["name"]
        for one in scene.view.evidences.asking.get(scene.limit.workload, ())
        for target in one.job["targets"]
        if scene.plan["arrays"][target["array"]]["name"] == array["name"]
    }
    found = []
    for index, lun in enumerate(_luns(scene, array["name"])):
        names = [f"{array['name']}.{name}" for name in names_of(lun)]
        rows = [one for one in array["luns"] if one["name"] in names and one["name"] in used]
        if rows:
            found.append((index, lun, rows[0], f" in {array['name']}.{lun['name']}"))
    if len(found) > 1:
        return found
    return [(index, lun, row, "") for index, lun, row, _ in found]


def _group(scene: Scene, path: str, array: Row, group: Row) -> Iterator[Remedy]:
    """Twice the drives of a RAID group, and RAID 10 in place of parity."""
    drives = len(group["disks"])
    own = scene.raid_path(path, array, group["name"])
    yield Remedy(f"{2 * drives} drives in {group['name']}", {f"{own}.drives": str(2 * drives)})
    if group["level"] in PARITY:
        even = drives + drives % 2
        yield Remedy(
            f"RAID 10 of {even} drives in {group['name']}",
            {f"{own}.level": "10", f"{own}.drives": str(even)},
        )


def _media(scene: Scene, path: str, array: Row) -> Iterator[Remedy]:
    """More and faster devices of LUNs with media of their own."""
    for index, lun, row, where in _own_luns(scene, array):
        memory, flash, ram = lun.get("memory"), lun.get("flash"), lun.get("ram")
        own, plan = f"{path}.luns[{index}]", row["media"]
        if memory is not None or plan["kind"] == "memory":
            many, half = 2 * plan["servers"], format_time(plan["service_ps"] // 2)
            yield Remedy(f"{many} requests at once{where}", {f"{own}.memory.servers": str(many)})
            yield Remedy(f"a service time of {half}{where}", {f"{own}.memory.service": half})
        elif flash is not None:
            many = 2 * plan["channels"]
            yield Remedy(f"{many} channels of flash{where}", {f"{own}.flash.channels": str(many)})
        elif ram is not None:
            for key, words in (("service", "start of a command"), ("latency", "first byte")):
                if key in ram:
                    half = format_time(parse_time(ram[key]) // 2)
                    yield Remedy(f"{half} to the {words}{where}", {f"{own}.ram.{key}": half})
