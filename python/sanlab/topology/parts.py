"""The parts of a map as plain data; every name is unique among its kind."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Site:
    """Boxes that only long links join to the others.

    Attributes
    ----------
    name
        `site 1`, `site 2`, in the order of their first boxes in the plan.
    nodes
        Names of its boxes.
    """

    name: str
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A box.

    Attributes
    ----------
    kind
        `host`, `switch`, `array` or `stack`.
    model
        Entry of the catalog that the scenario names, if it names one.
    site
        Its site; None where all boxes are at one.
    domain
        Domain id of a switch, else None.
    modules
        Redundant modules of a switch; 1 for a switch in one piece, None for other boxes.
    ports
        Names of its ports, in the order of their numbers.
    """

    name: str
    kind: str
    model: str | None
    site: str | None
    domain: int | None
    modules: int | None
    ports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Port:
    """A port of a box.

    Attributes
    ----------
    name
        `host1.hba0.p0`, `sw1.f3`, `sw1.e16`; `sw1.g5` has no cable, and may become either.
    node
        Its box.
    label
        Its name on the box: `hba0.p0`, `3`.
    kind
        `n_port`, `nl_port`, `f_port`, `fl_port`, `e_port` or `g_port`.
    speed
        Name of the speed its link runs at; None without a cable.
    state, reason
        `online`, or another state with the reason in words.
    peer
        Port or loop at the other end of its cable; None without one.
    link
        Index of its link in `Topology.links`; None without one.
    wwpn
        World-wide port name as `20:00:00:11:22:33:44:55`; None for ports of switches.
    fc_id
        Address as `0x010300`; None for ports of switches.
    logins
        N_Ports logged in at a port of a switch: that at the other end, and those that share it.
    zones
        Active zones it is a member of.
    """

    name: str
    node: str
    label: str
    kind: str
    speed: str | None
    state: str
    reason: str | None
    peer: str | None
    link: int | None
    wwpn: str | None
    fc_id: str | None
    logins: tuple[str, ...]
    zones: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A cable, a trunk of several, or the cable of an FL_Port to its loop.

    Attributes
    ----------
    id
        Index of the link in the plan.
    a, b
        Ports at its ends; the name of a loop where it leads to one.
    a_node, b_node
        Boxes at its ends; the box of a loop where it leads to one.
    kind
        `edge`, `isl`, `trunk` or `loop`.
    speed, bytes_per_s
        Generation, and data rate of one member in one direction after line coding.
    length_m
        Length of a fibre with its delay.
    members
        Cables of a trunk; 1 for a plain link.
    credit
        BB credit at its ends: what `b` grants to `a`, and what `a` grants to `b`.
    state, reason
        `up`; `down` or `isolated` with the reason in words; `was_down`: up again.
    utilisation
        Share of the run in which its busier direction carried frames; None without a run.
    credit_wait
        Share of the run in which one of its ends had a frame to send and no credit.
    errors
        Frames lost on it.
    """

    id: int
    a: str
    b: str
    a_node: str
    b_node: str
    kind: str
    speed: str
    bytes_per_s: int
    length_m: float
    members: int
    credit: tuple[int, int]
    state: str
    reason: str | None
    utilisation: float | None = None
    credit_wait: float | None = None
    errors: int | None = None


@dataclass(frozen=True, slots=True)
class Loop:
    """An arbitrated loop.

    Attributes
    ----------
    node
        Box it is in: a stack, or the array whose disks it joins; None where it joins several boxes.
    medium
        `shared`: a ring through every port; `switched`: crossbars joined by strings.
    ports
        N_Ports on it, in the order of the ring.
    enclosures
        For each of `ports` the number of its enclosure or crossbar, from 0.
    utilisation
        Share of the run in which a shared loop was in use; None without a run, or if switched.
    """

    name: str
    node: str | None
    medium: str
    speed: str
    ports: tuple[str, ...]
    enclosures: tuple[int, ...]
    utilisation: float | None = None


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone.

    Attributes
    ----------
    fabric
        First switch of its fabric; None for a zone of a set that is not active.
    zone_set
        Zone set it belongs to.
    members
        Ports, world-wide names or places, as written.
    """

    name: str
    fabric: str | None
    vsan: int | None
    zone_set: str | None
    is_active: bool
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alias:
    """A name for members of zones."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Topology:
    """A map of everything that is cabled.

    Attributes
    ----------
    at_ps
        Instant of the states.
    conflicts
        Sentences on ports between switches that do not fit together, at whatever time, and why.
    """

    at_ps: int
    sites: tuple[Site, ...]
    nodes: tuple[Node, ...]
    ports: tuple[Port, ...]
    links: tuple[Link, ...]
    loops: tuple[Loop, ...]
    zones: tuple[Zone, ...]
    aliases: tuple[Alias, ...]
    conflicts: tuple[str, ...]

    def find_ports(self, text: str) -> tuple[Port, ...]:
        """Return the ports that a text leads to, in the order of the map.

        The text is looked for in names of ports and boxes, what is attached or logged in,
        world-wide names, addresses, zones and aliases, without regard to case and colons.
        """
        wanted = _plain(text)
        named = {
            member
            for alias in self.aliases
            if wanted in _plain(alias.name)
            for member in alias.members
        }
        return tuple(
            port
            for port in self.ports
            if port.name in named or any(wanted in _plain(word) for word in _words(port))
        )


def _plain(text: str) -> str:
    return text.replace(":", "").lower()


def _words(port: Port) -> list[str]:
    """Everything a port can be found by."""
    given = (port.name, port.node, port.peer, port.wwpn, port.fc_id)
    return [word for word in given if word] + [*port.logins, *port.zones]
