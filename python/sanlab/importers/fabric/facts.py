"""What the outputs say, fact by fact, each with its file and line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: Role of a device that speaks FICON and not SCSI.
FICON = "ficon"


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        """`FILE:LINE`."""
        return f"{self.file}:{self.line}"


@dataclass(slots=True)
class Block:
    """The output of one command."""

    kind: str
    file: str
    lines: list[tuple[int, str]]
    switch: str = ""
    """Who printed it: a name, or the folder of the file where no line names it."""
    line: int = 1
    """Line of the command, or the first one."""
    words: str = ""
    """The command behind its known part, such as `active vsan 10`."""
    is_last: bool = False
    """Whether its file ends with it."""
    output: str = ""
    """Kind of the command, of a document in JSON or XML."""

    def at(self, line: int) -> Source:
        """Return the source of a line."""
        return Source(self.file, line)


@dataclass(slots=True)
class OfSwitch:
    """Something that a switch says."""

    source: Source
    switch: str
    """Who printed it."""


@dataclass(slots=True)
class OfPort(OfSwitch):
    """Something that a switch says of a port."""

    port: str
    """Index, interface, or slot and port of a director."""


@dataclass(slots=True)
class ValueOfPort(OfPort):
    """A value of a port under a name."""

    name: str
    value: str


@dataclass(slots=True)
class Named(OfSwitch):
    """Something with a name."""

    name: str


@dataclass(slots=True)
class SwitchFact:
    """A switch under some of its names."""

    source: Source
    name: str = ""
    wwn: str = ""
    domain: int | None = None
    vsan: int = 0
    type: str = ""
    """Hardware type of Brocade or the text of Cisco's `show version`."""
    vendor: str = ""
    is_own: bool = False
    """Whether the switch says it of itself."""
    fabric: str = ""
    """Who listed it, for switches of one fabric."""
    mode: str = ""
    is_online: bool = True
    lines: dict[str, Source] = field(default_factory=dict)
    """Lines of single values."""


@dataclass(slots=True)
class PortFact(OfPort):
    """A port of a switch."""

    speed: int = 0
    """Gb/s, 0 if unknown."""
    state: str = ""
    """`up`, `down` or `disabled`."""
    kind: str = ""
    peer_wwn: str = ""
    peer_name: str = ""
    device: str = ""
    """WWPN of the device plugged in."""
    master: str = ""
    """The port this one is trunked behind, or its port channel."""
    fcid: int = 0
    vsan: int = 0
    optics: str = ""
    place: str = ""
    """Slot and port of a director, `3/12`, where `port` is its index."""
    wwn: str = ""
    """Its own world-wide name."""


@dataclass(slots=True)
class SettingFact(ValueOfPort):
    """A value of a port: speed, mode, distance, length, credit, optics or reach."""


@dataclass(slots=True)
class TrafficFact(OfPort):
    """Bytes at a port of a switch: counted so far, or each second."""

    sent: float = 0
    """To the device: data of reads, if it is a host."""
    received: float = 0
    over: str = ""
    """What a rate is the mean of; empty for a count."""
    has_directions: bool = True
    """Without them, `sent` is the sum of both."""
    is_short: bool = False
    """Whether the counter may have begun anew, as one of 32 bits."""
    is_told: bool = False
    """Whether the output has a value of it, which may be 0."""
    seconds: float | None = None
    """When it was counted, where the output says it."""
    counter: str = ""
    """Which counter it is: two of one port differ by what was carried between them."""


@dataclass(slots=True)
class ClockFact(OfSwitch):
    """The time that a switch shows, in seconds."""

    seconds: float


@dataclass(slots=True)
class RouteFact(OfSwitch):
    """A link between two domains, as the routing of a fabric has it."""

    domain: int
    peer: int
    port: str = ""
    peer_port: str = ""
    vsan: int = 0
    cost: int = 0


@dataclass(slots=True)
class LoginFact:
    """A device in the fabric."""

    source: Source
    wwpn: str
    switch: str = ""
    wwnn: str = ""
    fcid: int = 0
    vsan: int = 0
    port: str = ""
    role: str = ""
    host: str = ""
    model: str = ""
    vendor: str = ""
    alias: str = ""
    base: str = ""
    """The physical port it shares."""
    is_behind_gateway: bool = False
    """Whether an access gateway stands between it and the fabric."""
    on_switch: str = ""
    """The switch it is plugged into, where the name server says it."""
    fabric_port: str = ""
    speed: int = 0
    lines: dict[str, Source] = field(default_factory=dict)
    """Lines of single values."""


@dataclass(slots=True)
class IslFact(OfPort):
    """A link between switches, seen from one end."""

    peer_name: str = ""
    peer_wwn: str = ""
    peer_port: str = ""
    peer_domain: int | None = None
    vsan: int = 0
    speed: int = 0
    count: int = 0
    """Members, 0 if unknown."""
    is_bundle: bool = False


@dataclass(slots=True)
class BundleFact(Named):
    """Members of a trunk or a port channel."""

    members: list[str]
    deskews: list[int] = field(default_factory=list)
    peer_wwn: str = ""


@dataclass(slots=True)
class ZoneFact(Named):
    """A zone with its members as written."""

    is_active: bool
    vsan: int = 0
    zone_set: str = ""
    members: list[tuple[Source, str, str]] = field(default_factory=list)
    """Source, kind (`wwn`, `alias`, `place`, `fcid`, `interface`, `other`) and text."""


@dataclass(slots=True)
class SetFact(Named):
    """A zone set with the names of its zones."""

    zones: list[str] = field(default_factory=list)
    vsan: int = 0
    is_enabled: bool = False


@dataclass(slots=True)
class AliasFact(Named):
    """A name for world-wide names or places."""

    members: list[tuple[str, str]]
    vsan: int = 0
    is_fabric_wide: bool = False


@dataclass(slots=True)
class DefaultFact(OfSwitch):
    """What unzoned ports may do."""

    is_open: bool
    vsan: int = 0


@dataclass(slots=True)
class CounterFact(ValueOfPort):
    """A counter of a port that shows trouble."""


@dataclass(slots=True)
class AdapterFact:
    """A port of a host, as the host shows it."""

    source: Source
    host: str
    wwpn: str
    scsi: str = ""
    wwnn: str = ""
    speed: int = 0
    model: str = ""


@dataclass(slots=True)
class PathFact:
    """A path from a host to a LUN."""

    source: Source
    host: str
    lun: int
    device: str = ""
    """World-wide name of the LUN."""
    scsi: str = ""
    """Address H:C:T:L."""
    initiator: str = ""
    target: str = ""
    size: int = 0
    vendor: str = ""
    policy: tuple[str, Source] | None = None
    """How the host chooses among the paths, in the words of a scenario, and its line."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of a file that was not read."""

    source: Source
    what: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something contradictory or incomplete."""

    text: str
    sources: tuple[Source, ...] = ()

    def __str__(self) -> str:
        """The text, and where it comes from."""
        shown = ", ".join(map(str, self.sources[:3]))
        return f"{self.text} ({shown})" if shown else self.text


@dataclass(slots=True)
class Facts:
    """All facts of some files."""

    switches: list[SwitchFact] = field(default_factory=list)
    ports: list[PortFact] = field(default_factory=list)
    logins: list[LoginFact] = field(default_factory=list)
    isls: list[IslFact] = field(default_factory=list)
    bundles: list[BundleFact] = field(default_factory=list)
    zones: list[ZoneFact] = field(default_factory=list)
    sets: list[SetFact] = field(default_factory=list)
    aliases: list[AliasFact] = field(default_factory=list)
    defaults: list[DefaultFact] = field(default_factory=list)
    counters: list[CounterFact] = field(default_factory=list)
    settings: list[SettingFact] = field(default_factory=list)
    routes: list[RouteFact] = field(default_factory=list)
    traffic: list[TrafficFact] = field(default_factory=list)
    clocks: list[ClockFact] = field(default_factory=list)
    adapters: list[AdapterFact] = field(default_factory=list)
    paths: list[PathFact] = field(default_factory=list)
    vsans: dict[tuple[str, str], int] = field(default_factory=dict)
    """VSAN of an interface of a switch."""
    kinds: list[tuple[Source, str]] = field(default_factory=list)
    """Blocks that were read."""
    skipped: list[Skipped] = field(default_factory=list)
    noted: set[tuple[str, str]] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    is_partial_accepted: bool = False

    def skip(self, source: Source, what: str) -> None:
        """Note a part that was not read, once for each file."""
        if (source.file, what) not in self.noted:
            self.noted.add((source.file, what))
            self.skipped.append(Skipped(source, what))

    def count(self) -> int:
        """Return the number of facts."""
        lists: tuple[list[Any], ...] = (
            *(self.switches, self.ports, self.logins, self.isls, self.bundles, self.zones),
            *(self.sets, self.aliases, self.defaults, self.counters, self.adapters, self.paths),
            *(self.settings, self.routes, self.traffic, self.clocks),
        )
        return sum(len(part) for part in lists) + len(self.vsans)
