"""Fabrics over time: which switches are joined, by which links, and with which zoning."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.plan.services.zone_db import Conflict, ZoneDb, merge
from sanlab.plan.spans import NEVER
from sanlab.quantities import format_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sanlab.plan.spans import Span

#: The VSAN of zoning that is for all of them.
EVERY_VSAN = 0

Zonings = dict[int, ZoneDb]


@dataclass(frozen=True)
class SwitchFacts:
    """A switch as its neighbours see it."""

    name: str
    domain: int
    rules: str = "brocade"
    e_d_tov_ps: int = 2 * 10**12
    r_a_tov_ps: int = 10 * 10**12
    bb_credit: int = 8
    max_domains: int = 239
    zone_limit: int = 2**20
    down: tuple[Span, ...] = ()
    new_domain: tuple[int, int] | None = None
    """An instant from which on it has another domain, and that domain."""

    def domain_at(self, now: int) -> int:
        """Its domain at an instant."""
        new = self.new_domain
        return self.domain if new is None or now < new[0] else new[1]


@dataclass(frozen=True)
class IslFacts:
    """A link between two switches."""

    number: int
    a: int
    b: int
    connected_ps: int = 0
    reason: str = ""
    """Why it never comes up; empty for a valid link."""
    down: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Change:
    """Another zone set is active on some switches."""

    at_ps: int
    switches: frozenset[int]
    vsan: int
    db: ZoneDb


@dataclass(frozen=True)
class Times:
    """Time to build a fabric, and instants of changes that do not involve ISLs."""

    build_ps: int = 0
    edges: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Era:
    """A period without changes.

    Attributes
    ----------
    at_ps
        Its start.
    fabric_of
        For each switch the lowest number of a switch in its fabric; itself while it is down.
    is_up
        Whether each switch is up.
    domain_of
        Domain of each switch.
    zoning
        Zoning of each switch, by VSAN.
    joined
        Links that carry frames.
    isolated
        Links with light at both ends that carry no frames, with the reason.
    """

    at_ps: int
    fabric_of: tuple[int, ...]
    is_up: tuple[bool, ...]
    domain_of: tuple[int, ...]
    zoning: tuple[Zonings, ...]
    joined: frozenset[int]
    isolated: dict[int, str]


@dataclass
class _State:
    """State of the fabrics at the current instant."""

    switches: Sequence[SwitchFacts]
    isls: Sequence[IslFacts]
    zoning: list[Zonings]
    joined: dict[int, None] = field(default_factory=dict)
    isolated: dict[int, str] = field(default_factory=dict)

    def fabrics(self) -> list[int]:
        parent = list(range(len(self.switches)))
        for number in self.joined:
            isl = self.isls[number]
            a, b = _root(parent, isl.a), _root(parent, isl.b)
            parent[max(a, b)] = min(a, b)
        return [_root(parent, switch) for switch in parent]


def history(
    switches: Sequence[SwitchFacts],
    isls: Sequence[IslFacts],
    zoning: Sequence[Zonings],
    changes: Iterable[Change],
    times: Times,
) -> list[Era]:
    """Return the eras of the fabrics, from instant 0 on; `isls` are numbered by their place.

    At equal instants zone sets change first, links go next, and links come in the order of the file
    last. A link that was isolated stays so until it is dark and lit again.
    """
    changes = sorted(changes, key=lambda change: change.at_ps)
    state = _State(switches, isls, [dict(of) for of in zoning])
    due = {0, *times.edges, *(change.at_ps for change in changes)}
    due |= {at for isl in isls for at in _edges((isl.connected_ps, NEVER), *isl.down)}
    due |= {at for switch in switches for at in _edges(*switch.down)}
    instants = sorted(at for at in due if at < NEVER)
    heapq.heapify(instants)
    ready: dict[int, int] = {}
    eras: list[Era] = []
    while instants:
        now = heapq.heappop(instants)
        while instants and instants[0] == now:
            heapq.heappop(instants)
        _change_zoning(state, [change for change in changes if change.at_ps == now])
        up = [isl for isl in isls if not isl.reason and _is_lit(isl, switches, now)]
        _drop(state, {isl.number for isl in up}, ready)
        for isl in up:
            if isl.number in state.joined or isl.number in state.isolated:
                continue
            at = ready.setdefault(isl.number, now + _delay(state, isl, now, times.build_ps))
            if at <= now:
                _join(state, isl, now)
            else:
                heapq.heappush(instants, at)
        eras.append(_era(state, now))
    return eras


def _edges(*spans: Span) -> list[int]:
    return [at for span in spans for at in span]


def _is_lit(isl: IslFacts, switches: Sequence[SwitchFacts], now: int) -> bool:
    spans = (*isl.down, *switches[isl.a].down, *switches[isl.b].down)
    return now >= isl.connected_ps and not any(start <= now < end for start, end in spans)


def _delay(state: _State, isl: IslFacts, now: int, build_ps: int) -> int:
    """Time until a link that was plugged in carries frames; others have it in their outage."""
    if now == 0 or now != isl.connected_ps:
        return 0
    fabrics = state.fabrics()
    return build_ps // 100 if fabrics[isl.a] == fabrics[isl.b] else build_ps


def _drop(state: _State, lit: set[int], ready: dict[int, int]) -> None:
    """Forget links that are dark."""
    for number in [*state.joined, *state.isolated, *ready]:
        if number not in lit:
            state.joined.pop(number, None)
            state.isolated.pop(number, None)
            ready.pop(number, None)


def _change_zoning(state: _State, changes: Iterable[Change]) -> None:
    """A new set spreads to the whole fabric of the switches it is activated on."""
    for change in changes:
        fabrics = state.fabrics()
        touched = {fabrics[switch] for switch in change.switches}
        for switch, fabric in enumerate(fabrics):
            if fabric in touched:
                state.zoning[switch][change.vsan] = change.db


def _join(state: _State, isl: IslFacts, now: int) -> None:
    """Two ends exchange their parameters: the link is joined or isolated."""
    a, b = state.switches[isl.a], state.switches[isl.b]
    fabrics = state.fabrics()
    reason = _mismatch(a, b)
    if not reason and fabrics[isl.a] != fabrics[isl.b]:
        reason = _merge_fabrics(state, isl, fabrics, now)
    if reason:
        state.isolated[isl.number] = reason
    else:
        state.joined[isl.number] = None


def _mismatch(a: SwitchFacts, b: SwitchFacts) -> str:
    """What ELP refuses (FC-SW): time-outs that differ, and with McDATA's rules BB credit."""
    for word, left, right in (
        ("E_D_TOV", a.e_d_tov_ps, b.e_d_tov_ps),
        ("R_A_TOV", a.r_a_tov_ps, b.r_a_tov_ps),
    ):
        if left != right:
            return f"{word} mismatch: {format_time(left)} and {format_time(right)}"
    if "mcdata" in (a.rules, b.rules) and a.bb_credit != b.bb_credit:
        return f"BB_Credit mismatch: {a.bb_credit} and {b.bb_credit}"
    return ""


def _merge_fabrics(state: _State, isl: IslFacts, fabrics: list[int], now: int) -> str:
    """Two fabrics become one, unless there is a reason against it, which is returned."""
    sides = [
        [switch for switch, fabric in enumerate(fabrics) if fabric == fabrics[end]]
        for end in (isl.a, isl.b)
    ]
    domains = [{state.switches[switch].domain_at(now) for switch in side} for side in sides]
    clash = domains[0] & domains[1]
    if clash:
        return f"duplicate domain {min(clash)}"
    switches = sides[0] + sides[1]
    room = min(state.switches[switch].max_domains for switch in switches)
    if len(switches) > room:
        return f"fabric full: {len(switches)} domains, and one of its switches allows {room}"
    merged = _merge_zoning(state, isl, switches)
    if isinstance(merged, Conflict):
        return merged.reason
    for switch in switches:
        state.zoning[switch] = dict(merged)
    return ""


def _merge_zoning(state: _State, isl: IslFacts, switches: list[int]) -> Zonings | Conflict:
    left, right = state.zoning[isl.a], state.zoning[isl.b]
    rules = (state.switches[isl.a].rules, state.switches[isl.b].rules)
    limit = min(state.switches[switch].zone_limit for switch in switches)
    found: Zonings = {}
    for vsan in sorted({*left, *right}):
        ends = left.get(vsan, ZoneDb()), right.get(vsan, ZoneDb())
        db = merge(*ends, rules, limit)
        if isinstance(db, Conflict):
            return db
        found[vsan] = db
    return found


def _era(state: _State, now: int) -> Era:
    up = [not any(start <= now < end for start, end in switch.down) for switch in state.switches]
    return Era(
        now,
        tuple(state.fabrics()),
        tuple(up),
        tuple(switch.domain_at(now) for switch in state.switches),
        tuple(dict(of) for of in state.zoning),
        frozenset(state.joined),
        dict(state.isolated),
    )


def _root(parent: list[int], item: int) -> int:
    while parent[item] != item:
        item = parent[item]
    return item
