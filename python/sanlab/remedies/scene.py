"""A limited workload with the scenario it comes from: where each element is written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sanlab.scenario.groups import GroupError, expand
from sanlab.scenario.overrides import names_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sanlab.explain.limit import Limit
    from sanlab.explain.reach import Reach
    from sanlab.explain.view import View
    from sanlab.scenario.document import MarkedMap

Row = dict[str, Any]


@dataclass(frozen=True)
class Scene:
    """What limits a workload, and the scenario as the run read it.

    Attributes
    ----------
    document
        The scenario with the overrides of the run.
    limit
        What limits the workload.
    view
        The run in the window of the limit.
    """

    document: MarkedMap
    limit: Limit
    view: View

    @property
    def plan(self) -> dict[str, Any]:
        """The plan of the run."""
        plan: dict[str, Any] = self.view.run.plan
        return plan

    @property
    def reach(self) -> Reach:
        """What the I/Os of the workload, or the frames of the stream, pass."""
        evidences = self.view.evidences
        name = self.limit.workload
        return evidences.flow_reach[name] if self.is_stream else evidences.reach[name]

    @property
    def is_stream(self) -> bool:
        """Whether it is a stream of plain frames."""
        return self.limit.workload in self.view.evidences.flow_reach

    def streams(self, name: str) -> list[str]:
        """Paths of the item of `traffic` that defines a stream.

        Streams of an item with several ports have its name and a number.
        """
        return self.items("traffic", [name, name.rpartition("/")[0]])

    def items(self, section: str, names: Iterable[str]) -> list[str]:
        """Paths of the items of a list that define these names, each once: `hosts[0]`."""
        wanted = set(names)
        return [
            f"{section}[{index}]"
            for index, item in enumerate(self._list(section))
            if wanted & set(names_of(item))
        ]

    def item(self, section: str, name: str) -> dict[str, Any]:
        """The item of a list that defines a name; empty if none does."""
        for item in self._list(section):
            if name in names_of(item):
                found: dict[str, Any] = item
                return found
        return {}

    def _list(self, section: str) -> list[Any]:
        content = self.document.get(section) or []
        return content if isinstance(content, list) else [content]

    def adapters(self, ports: Iterable[str]) -> dict[str, Row]:
        """Adapters by path, `hosts[0].hbas[1]`, with their rows of the plan, of these N_Ports."""
        wanted = set(ports)
        found: dict[str, Row] = {}
        for host in self.plan["hosts"]:
            order: list[str] = []
            for adapter in host["adapters"]:
                port = self.plan["n_ports"][adapter["n_port"]]["name"]
                card = port.split(".")[1]
                if card not in order:
                    order.append(card)
                if port in wanted:
                    for item in self.items("hosts", [host["name"]]):
                        found.setdefault(f"{item}.hbas[{order.index(card)}]", adapter)
        return found

    def array_of(self, element: str) -> tuple[str, Row] | None:
        """Path and plan of the array whose part an element is."""
        name = element.split(".", maxsplit=1)[0]
        for array in self.plan["arrays"]:
            if array["name"] == name:
                for item in self.items("arrays", [name]):
                    return item, array
        return None

    def raid_path(self, array_path: str, array: Row, group: str) -> str:
        """Path of the keys of RAID of a group of an array: its own item, or the pool."""
        if self.item("arrays", array["name"]).get("groups"):
            return f"{array_path}.groups.{group.removeprefix(array['name'] + '.')}.raid"
        return f"{array_path}.pool.raid"

    @cached_property
    def links_by_port(self) -> dict[str, int]:
        """Links of the plan by the names of their ports."""
        return {row["port"]: row["link"] for row in self.view.run.rows("ports")}

    def link_path(self, number: int) -> str | None:
        """Path of the item of `links` that makes a link of the plan; None for a loop."""
        link = self.plan["links"][number]
        ends = [self._end(link[side]) for side in ("a", "b")]
        if None in ends:
            return None
        one, other = (end or "" for end in ends)
        fitting = []
        for index, item in enumerate(self._list("links")):
            first, last = _patterns(item.get("from")), _patterns(item.get("to"))
            if (_covers(first, one) and _covers(last, other)) or (
                _covers(first, other) and _covers(last, one)
            ):
                fitting.append(index)
        if not fitting:
            return None
        before = sum(
            self._boxes(earlier) == self._boxes(link) for earlier in self.plan["links"][:number]
        )
        return f"links[{fitting[min(before, len(fitting) - 1)]}]"

    def parallel(self, number: int) -> list[int]:
        """Links of the plan between the same two boxes, itself included."""
        boxes = self._boxes(self.plan["links"][number])
        return [
            place
            for place, link in enumerate(self.plan["links"])
            if link["a"]["kind"] != "loop" and self._boxes(link) == boxes
        ]

    def between_switches(self) -> Iterator[int]:
        """Links between switches on the way of the workload, each once."""
        seen = set()
        for port in sorted(self.reach.ports):
            number = self.links_by_port.get(port)
            if number is None or number in seen:
                continue
            seen.add(number)
            link = self.plan["links"][number]
            if link["a"]["kind"] == link["b"]["kind"] == "switch":
                yield number

    def _boxes(self, link: Row) -> frozenset[str]:
        return frozenset((self._end(link[side]) or "").split(".")[0] for side in ("a", "b"))

    def _end(self, end: Row) -> str | None:
        if end["kind"] == "n_port":
            name: str = self.plan["n_ports"][end["n_port"]]["name"]
            return name
        if end["kind"] == "switch":
            return f"{self.plan['switches'][end['switch']]['name']}.{end['port']}"
        return None


def _patterns(ends: object) -> list[str]:
    """Names that one end of a link is written as."""
    words = ends if isinstance(ends, list) else [ends]
    found: list[str] = []
    for word in words:
        try:
            found += expand(str(word))
        except GroupError:
            continue
    return found


def _covers(patterns: list[str], port: str) -> bool:
    """Whether a port, or the box it belongs to, is among names."""
    return any(port == name or port.startswith(f"{name}.") for name in patterns)
