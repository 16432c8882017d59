"""The active zoning of a scenario as commands of both makers, to be reviewed before it is used."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sanlab.errors import SanlabError
from sanlab.words import show_wwn

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Longest name of an alias or a zone in Fabric OS and in NX-OS.
MOST_LETTERS = 64
#: The VSAN of zoning without one.
DEFAULT_VSAN = 1


@dataclass(frozen=True)
class Zoning:
    """The zoning of one fabric or VSAN.

    Attributes
    ----------
    switches
        Names of the switches it is on.
    zones
        Members of each zone: world-wide port names, or `domain,port`, with the alias of each.
    permits
        Ports in no zone see each other.
    """

    switches: tuple[str, ...]
    vsan: int
    zone_set: str
    zones: dict[str, list[tuple[str, str]]]
    permits: bool


def zonings_of(plan: dict[str, Any], defaults: dict[int | None, bool]) -> list[Zoning]:
    """Return the zoning that is active at the start, one for each fabric or VSAN that differs.

    Parameters
    ----------
    defaults
        Whether ports in no zone see each other, by VSAN; None for all VSANs.

    Raises
    ------
    SanlabError
        No zone set is active at the start.
    """
    rows = [row for row in (plan["services"] or {"zones": []})["zones"] if row["at_ps"] == 0]
    if not rows:
        reason = "no zone set is active at the start of this scenario. Name one in zoning.active"
        raise SanlabError(reason)
    names = {f"{port['wwpn']:016x}": port["name"] for port in plan["n_ports"]}
    numbers = {port["name"]: f"{port['wwpn']:016x}" for port in plan["n_ports"]}
    by_switch: dict[tuple[int, int | None], list[dict[str, Any]]] = {}
    for row in rows:
        by_switch.setdefault((row["switch"], row["vsan"]), []).append(row)
    found: dict[str, Zoning] = {}
    for (switch, vsan), own in by_switch.items():
        zones = {
            row["zone"]: [_member(word, names, numbers) for word in row["members"]] for row in own
        }
        name = plan["switches"][switch]["name"]
        zoning = Zoning(
            (name,),
            vsan or DEFAULT_VSAN,
            own[0]["zone_set"],
            zones,
            defaults.get(vsan, defaults.get(None, False)),
        )
        key = repr((zoning.vsan, zoning.zone_set, zoning.zones))
        known = found.get(key)
        if known is not None:
            zoning = Zoning(
                (*known.switches, name), zoning.vsan, zoning.zone_set, zones, zoning.permits
            )
        found[key] = zoning
    return list(found.values())


def _member(word: str, names: dict[str, str], numbers: dict[str, str]) -> tuple[str, str]:
    """Alias and number of a member; the alias is empty where it has no port in the scenario."""
    if word in numbers:
        return _name(word), show_wwn(numbers[word])
    plain = word.removeprefix("0x").replace(":", "").lower()
    if re.fullmatch("[0-9a-f]{16}", plain):
        return (_name(names[plain]) if plain in names else ""), show_wwn(plain)
    return "", word


def _name(word: str) -> str:
    """A name that both makers take: letters, digits, '_' and '-'."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", word)[:MOST_LETTERS]


#: Said first, since a wrong name in a zone cuts a device off.
NOTE = (
    "World-wide port names of ports are made up by sanlab: replace them by those of your devices."
)


def brocade(zonings: list[Zoning]) -> str:
    """Return commands of Fabric OS; what changes the fabric stands in comments."""
    return "\n".join([f"# {NOTE}", *(line for one in zonings for line in _brocade(one))])


def _brocade(one: Zoning) -> Iterator[str]:
    yield f"# Zoning of {', '.join(one.switches)}. Review it, then enter it on one of them."
    if one.vsan != DEFAULT_VSAN:
        yield f"# In the scenario this is VSAN {one.vsan}; a virtual fabric corresponds to it."
    for alias, number in _aliases(one):
        yield f'alicreate "{alias}", "{number}"'
    for zone, members in one.zones.items():
        listed = "; ".join(alias or number for alias, number in members)
        yield f'zonecreate "{zone}", "{listed}"'
    yield f'cfgcreate "{one.zone_set}", "{"; ".join(one.zones)}"'
    yield f"# defzone --{'allaccess' if one.permits else 'noaccess'}"
    yield "# cfgsave"
    yield f'# cfgenable "{one.zone_set}"'
    yield ""


def cisco(zonings: list[Zoning]) -> str:
    """Return commands of NX-OS; what changes the fabric stands in comments."""
    return "\n".join([f"! {NOTE}", *(line for one in zonings for line in _cisco(one))])


def _cisco(one: Zoning) -> Iterator[str]:
    yield f"! Zoning of {', '.join(one.switches)}. Review it, then enter it on one of them."
    yield "configure terminal"
    aliases = list(_aliases(one))
    if aliases:
        yield "device-alias database"
        for alias, number in aliases:
            yield f"  device-alias name {alias} pwwn {number}"
        yield "! device-alias commit"
    for zone, members in one.zones.items():
        yield f"zone name {zone} vsan {one.vsan}"
        for alias, number in members:
            yield f"  {_cisco_member(alias, number)}"
    yield f"zoneset name {one.zone_set} vsan {one.vsan}"
    for zone in one.zones:
        yield f"  member {zone}"
    permit = "zone" if one.permits else "no zone"
    yield f"! {permit} default-zone permit vsan {one.vsan}"
    yield f"! zoneset activate name {one.zone_set} vsan {one.vsan}"
    yield "! zone commit vsan, if zoning is enhanced"
    yield ""


def _cisco_member(alias: str, number: str) -> str:
    if alias:
        return f"member device-alias {alias}"
    if "," in number:
        domain, port = number.split(",")
        return f"member domain-id {domain} port-number {port}"
    return f"member pwwn {number}"


def _aliases(one: Zoning) -> Iterator[tuple[str, str]]:
    """Aliases and their numbers, each once."""
    seen = set()
    for members in one.zones.values():
        for alias, number in members:
            if alias and alias not in seen:
                seen.add(alias)
                yield alias, number
