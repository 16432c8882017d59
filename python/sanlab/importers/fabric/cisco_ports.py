"""Optics of Cisco's interfaces, and the costs of links in its routing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sanlab.importers.fabric.facts import RouteFact
from sanlab.importers.fabric.rows import keep

if TYPE_CHECKING:
    from sanlab.importers.fabric.facts import Block, Facts

_HEAD = re.compile(r"(?P<port>fc\d+/\d+) (?:sfp|transceiver) is (?P<state>present|not present)")
_WAVE = re.compile(r"\s+(?:FC )?Transmitter type is .*?\b(?P<wave>short|long|extended)")
_REACH = re.compile(
    r"\s+Link length supported for (?:SMF|9/125 ?\w*)\D*?(?P<length>\d+) ?(?P<unit>k?m)\b"
)


def transceivers(block: Block, facts: Facts) -> None:
    """Read `show interface transceiver`: short or long wave, and the reach on single-mode fibre."""
    port = ""
    for number, line in block.lines:
        head, wave, reach = _HEAD.match(line), _WAVE.match(line), _REACH.match(line)
        if head:
            port = head["port"] if head["state"] == "present" else ""
        elif port and wave:
            kind = "swl" if wave["wave"] == "short" else "lwl"
            keep(block, facts, (number, port), "optics", kind)
        elif port and reach and int(reach["length"]):
            value = reach["length"] + reach["unit"]
            keep(block, facts, (number, port), "reach", value)


def link_states(block: Block, facts: Facts) -> None:
    """Read `show fspf database`: the cost between domains; its interfaces are numbers."""
    vsan = domain = 0
    for number, line in block.lines:
        head = re.match(r"\s*FSPF Link State Database for VSAN (\d+) Domain \S+?\((\d+)\)", line)
        if head:
            vsan, domain = int(head[1]), int(head[2])
        row = re.match(
            r"\s+0x[0-9a-f]+\((\d+)\)\s+0x[0-9a-f]+\s+0x[0-9a-f]+\s+\d+\s+(\d+)\s*$", line
        )
        if row and domain:
            fact = RouteFact(block.at(number), block.switch, domain, int(row[1]))
            fact.vsan, fact.cost = vsan, int(row[2])
            facts.routes.append(fact)
