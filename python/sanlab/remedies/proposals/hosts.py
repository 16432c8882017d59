"""Remedies in hosts: processors, adapters, buses, queues and interrupts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.quantities import format_rate, format_time
from sanlab.remedies.remedy import Remedy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.remedies.scene import Scene

#: Factor by which queues are made deeper.
DEEPER = 4
#: The bandwidth of a bus after the change, over that before.
FASTER = 2


def cpu(scene: Scene) -> Iterator[Remedy]:
    """Yield twice the cores."""
    cores = {host["name"]: host["cores"] for host in scene.plan["hosts"]}
    names = sorted(name for name in scene.reach.hosts if name in cores)
    sets = {
        f"{path}.cpu.cores": str(2 * max(cores[name] for name in names))
        for path in scene.items("hosts", names)
    }
    if sets:
        yield Remedy(f"twice the cores in {_some(names)}", sets)


def adapter(scene: Scene) -> Iterator[Remedy]:
    """Yield an engine of twice the speed: commands, and data where it has a rate."""
    for path, row in scene.adapters(_ports(scene)).items():
        sets = {
            f"{path}.{key}": format_time(row[f"{key}_ps"] // 2)
            for key in ("submit", "complete", "transfer")
            if row[f"{key}_ps"]
        }
        engine = _engine(scene, row["n_port"])
        if engine and engine["bytes_per_s"]:
            sets[f"{path}.data_rate"] = format_rate(2 * engine["bytes_per_s"])
        if sets:
            yield Remedy(f"an adapter twice as fast at {path}", sets)


def bus(scene: Scene) -> Iterator[Remedy]:
    """Yield a bus of twice the rate."""
    name = scene.limit.element.removesuffix(" to memory").removesuffix(" from memory")
    for host in scene.plan["hosts"]:
        for one in host["buses"]:
            if one["name"] != name:
                continue
            own = name.removeprefix(f"{host['name']}.")
            rate = format_rate(FASTER * one["bytes_per_s"])
            for path in scene.items("hosts", [host["name"]]):
                yield Remedy(
                    f"a bus of {rate} in {host['name']}", {f"{path}.buses.{own}.rate": rate}
                )


def queue_depth(scene: Scene) -> Iterator[Remedy]:
    """Yield deeper queues of LUNs, and of adapters."""
    adapters = scene.adapters(scene.reach.initiators)
    depth = max((row["lun_queue_depth"] for row in adapters.values()), default=0)
    throttle = max((row["max_commands"] for row in adapters.values()), default=0)
    if not adapters:
        return
    luns = {f"{path}.lun_queue_depth": str(DEEPER * depth) for path in adapters}
    ports = {f"{path}.execution_throttle": str(DEEPER * throttle) for path in adapters}
    yield Remedy(f"a queue of {DEEPER * depth} commands for each LUN", luns)
    yield Remedy(f"an execution throttle of {DEEPER * throttle}", ports)
    yield Remedy("both queues deeper", luns | ports)


def interrupt(scene: Scene) -> Iterator[Remedy]:
    """Yield interrupts without moderation, and with a quarter of the delay."""
    for path, row in scene.adapters(scene.reach.initiators).items():
        delay = row["interrupt_delay_ps"]
        if delay:
            shorter = format_time(delay // 4)
            key = f"{path}.interrupt_delay"
            yield Remedy(f"an interrupt delay of {shorter} at {path}", {key: shorter})
            yield Remedy(f"no interrupt delay at {path}", {key: "0"})


def metadata_server(scene: Scene) -> Iterator[Remedy]:
    """Yield a metadata server of twice the speed."""
    for system in scene.plan["file_systems"]:
        if system["name"] != scene.limit.element:
            continue
        for path in scene.items("filesystems", [system["name"]]):
            sets = {
                f"{path}.{key}": format_time(system[f"{key}_ps"] // 2)
                for key in ("allocation", "message")
                if system[f"{key}_ps"]
            }
            yield Remedy("a metadata server twice as fast", sets)


def multipath(scene: Scene) -> Iterator[Remedy]:
    """Yield other ways to spread I/Os, where a LUN has several paths."""
    jobs = scene.view.evidences.asking.get(scene.limit.workload, ())
    if not any(len(target["paths"]) > 1 for one in jobs for target in one.job["targets"]):
        return
    for policy in ("round-robin", "least-queue"):
        sets = {}
        for path in scene.items("hosts", scene.reach.hosts):
            sets[f"{path}.multipath.policy"] = policy
            if policy == "round-robin":
                sets[f"{path}.multipath.ios"] = "1"
        yield Remedy(f"paths used by {policy}", sets)


def _ports(scene: Scene) -> list[str]:
    """N_Ports of the adapter that is the element, or that element itself."""
    element = scene.limit.element
    names = [port["name"] for port in scene.plan["n_ports"]]
    return [name for name in names if name == element or name.startswith(f"{element}.")]


def _engine(scene: Scene, n_port: int) -> dict[str, int] | None:
    for host in scene.plan["hosts"]:
        for row in host["adapters"]:
            if row["n_port"] == n_port:
                engine: dict[str, int] = host["engines"][row["engine"]]
                return engine
    return None


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
