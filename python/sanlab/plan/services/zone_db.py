"""Zoning database of a switch, and the merge of two fabrics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

#: A member of a zone: a world-wide port name, or a place in the fabric, domain and port.
Member = int | tuple[int, int]

#: From the strictest to the most lenient: of two switches with other rules the stricter decides.
STRICTNESS = ("brocade", "mcdata", "qlogic", "yields")
#: Bytes of a member in the database, as a world-wide name in ASCII with its separators.
_MEMBER_BYTES = 24
_NO_ZONES: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ZoneDb:
    """Zoning of one switch, or of the fabric it belongs to.

    Attributes
    ----------
    active
        Name of the active zone set; None if no set is active.
    zones
        The zones of that set, with their members in the order they were written.
    kinds
        What each name that is defined stands for: `alias`, `zone` or `set`.
    default_all
        Ports in no active zone see each other.
    is_soft
        Only the name server separates ports.
    """

    active: str | None = None
    zones: tuple[tuple[str, tuple[Member, ...]], ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    default_all: bool = True
    is_soft: bool = False

    @property
    def bytes(self) -> int:
        """Size of the database."""
        names = sum(len(name) for name, _ in (*self.zones, *self.kinds))
        return names + _MEMBER_BYTES * sum(len(members) for _, members in self.zones)

    def zones_of(self, wwpn: int, place: tuple[int, int]) -> frozenset[str]:
        """Names of the active zones that a port is in."""
        return self._zones_with.get(wwpn, _NO_ZONES) | self._zones_with.get(place, _NO_ZONES)

    @cached_property
    def _zones_with(self) -> dict[Member, frozenset[str]]:
        """Names of the active zones of each member."""
        names: dict[Member, set[str]] = {}
        for name, members in self.zones:
            for member in members:
                names.setdefault(member, set()).add(name)
        return {member: frozenset(zones) for member, zones in names.items()}

    def joins(self, left: frozenset[str], right: frozenset[str]) -> bool:
        """Whether two ports in these zones see each other."""
        if left or right:
            return bool(left & right)
        return self.default_all


@dataclass(frozen=True)
class Conflict:
    """Why two fabrics are not merged, in the terms of their vendors."""

    reason: str


def merge(
    left: ZoneDb, right: ZoneDb, rules: tuple[str, str] = ("brocade", "brocade"), limit: int = 2**62
) -> ZoneDb | Conflict:
    """Return the merged zoning of two fabrics, or the reason of a conflict.

    `rules` are those of the two switches at the link; their order does not matter.

    ==========  ============================================================================
    one or no   the fabric without an active set takes over the other's
    `yields`    a switch of this kind takes over the other's, whatever it is
    `brocade`   same active set; zones of the set equal, members in the same order; no name
                stands for two kinds of thing
    `mcdata`    same active set; zones of one name have the same members; union of the rest
    `qlogic`    zones of one name have the same members; union of the rest
    ==========  ============================================================================
    """
    merged = _merge(left, right, rules)
    if isinstance(merged, ZoneDb) and merged.bytes > limit:
        return Conflict(f"zone database of {merged.bytes} bytes is larger than {limit}")
    return merged


def _merge(left: ZoneDb, right: ZoneDb, rules: tuple[str, str]) -> ZoneDb | Conflict:
    if left == right or right.active is None:
        return _with_default(left, right)
    if left.active is None:
        return _with_default(right, left)
    if rules[0] != rules[1] and "yields" in rules:
        return right if rules[0] == "yields" else left
    rule = min(rules, key=STRICTNESS.index)
    if rule != "qlogic" and left.active != right.active:
        names = " and ".join(sorted((f"'{left.active}'", f"'{right.active}'")))
        return Conflict(f"zone conflict: enabled configuration mismatch, {names} are active")
    if rule in ("brocade", "yields"):
        return _equal(left, right)
    return _union(left, right)


def _with_default(kept: ZoneDb, other: ZoneDb) -> ZoneDb:
    """Merge the definitions of both; the result allows all or is soft only if both are."""
    is_alone = kept.active is not None and other.active is None
    return ZoneDb(
        kept.active,
        tuple(sorted(kept.zones)),
        tuple(sorted(_kinds(kept, other).items())),
        kept.default_all and (is_alone or other.default_all),
        kept.is_soft and (is_alone or other.is_soft),
    )


def _equal(left: ZoneDb, right: ZoneDb) -> ZoneDb | Conflict:
    other = dict(right.kinds)
    for name, kind in left.kinds:
        if other.get(name, kind) != kind:
            kinds = " and ".join(sorted((kind, other[name])))
            return Conflict(f"zone conflict: type mismatch, '{name}' is {kinds}")
    ours, theirs = dict(left.zones), dict(right.zones)
    for name in sorted({*ours, *theirs}):
        if ours.get(name) != theirs.get(name):
            return Conflict(f"zone conflict: content mismatch of zone '{name}'{_how(left, right)}")
    return _with_default(left, right)


def _how(left: ZoneDb, right: ZoneDb) -> str:
    same = {name: frozenset(of) for name, of in left.zones} == {
        name: frozenset(of) for name, of in right.zones
    }
    return ", whose members are in another order" if same else ""


def _union(left: ZoneDb, right: ZoneDb) -> ZoneDb | Conflict:
    found: dict[str, tuple[Member, ...]] = {}
    for name, members in (*left.zones, *right.zones):
        if name in found and frozenset(found[name]) != frozenset(members):
            return Conflict(f"zone conflict: content mismatch of zone '{name}'")
        found[name] = min(found.get(name, members), members, key=_order)
    return ZoneDb(
        "+".join(sorted(_parts(left) | _parts(right))),
        tuple(sorted(found.items())),
        tuple(sorted(_kinds(left, right).items())),
        left.default_all and right.default_all,
        left.is_soft and right.is_soft,
    )


def _kinds(left: ZoneDb, right: ZoneDb) -> dict[str, str]:
    """Return the first name in alphabetical order that stands for two kinds of object."""
    found: dict[str, str] = {}
    for name, kind in (*left.kinds, *right.kinds):
        found[name] = min(found.get(name, kind), kind)
    return found


def _parts(of: ZoneDb) -> set[str]:
    return set((of.active or "").split("+"))


def _order(members: tuple[Member, ...]) -> list[tuple[int, ...]]:
    return [member if isinstance(member, tuple) else (0, 0, member) for member in members]
