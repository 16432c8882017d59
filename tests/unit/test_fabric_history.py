"""Fabrics over time: joining, isolation, cut-offs."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sanlab.plan.services.modules import ModuleLoss, service
from sanlab.plan.services.timeline import (
    Change,
    IslFacts,
    SwitchFacts,
    Times,
    Zonings,
    history,
)
from sanlab.plan.services.zone_db import ZoneDb
from sanlab.plan.spans import NEVER
from sanlab.scenario.services import Modules

SECOND = 10**12
DAY = ZoneDb("day", (("z", (1, 2)),), (("z", "zone"),))
NIGHT = ZoneDb("night", (("z", (1, 3)),), (("z", "zone"),))


def switches(count: int, **same: object) -> list[SwitchFacts]:
    return [SwitchFacts(f"sw{n}", n + 1, **same) for n in range(count)]  # type: ignore[arg-type]


def two(
    left: ZoneDb, right: ZoneDb, at: int = 0, changes: list[Change] | None = None
) -> list[tuple[int, bool, str]]:
    """Era, whether the two switches are one fabric, why not."""
    held: list[Zonings] = [{0: left}, {0: right}]
    isl = IslFacts(0, 0, 1, connected_ps=at)
    eras = history(switches(2), [isl], held, changes or [], Times(10 * SECOND))
    return [(era.at_ps // SECOND, 0 in era.joined, era.isolated.get(0, "")) for era in eras]


def test_a_link_from_the_start_joins_at_once_and_a_later_one_builds_the_fabric_first() -> None:
    assert two(DAY, DAY) == [(0, True, "")]
    assert two(DAY, DAY, 3 * SECOND) == [(0, False, ""), (3, False, ""), (13, True, "")]


def test_a_conflict_isolates_the_link_and_a_later_activation_does_not_heal_it() -> None:
    reason = "zone conflict: enabled configuration mismatch, 'day' and 'night' are active"
    change = Change(5 * SECOND, frozenset({1}), 0, DAY)
    assert two(DAY, NIGHT, 0, [change]) == [(0, False, reason), (5, False, reason)]


def test_an_activation_before_the_link_is_plugged_in_avoids_the_conflict() -> None:
    change = Change(1 * SECOND, frozenset({1}), 0, DAY)
    assert two(DAY, NIGHT, 3 * SECOND, [change])[-1] == (13, True, "")


def test_what_ends_do_not_agree_on_isolates_them() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"domain": 1}, "duplicate domain 1"),
        ({"e_d_tov_ps": 5 * SECOND}, "E_D_TOV mismatch: 2s and 5s"),
        ({"r_a_tov_ps": 5 * SECOND}, "R_A_TOV mismatch: 10s and 5s"),
        ({"rules": "mcdata", "bb_credit": 60}, "BB_Credit mismatch: 8 and 60"),
        ({"max_domains": 1}, "fabric full: 2 domains, and one of its switches allows 1"),
    ]
    for keys, reason in cases:
        ends = [SwitchFacts("a", 1), SwitchFacts(**{"name": "b", "domain": 2, **keys})]
        (era,) = history(ends, [IslFacts(0, 0, 1)], [{}, {}], [], Times())
        assert era.isolated == {0: reason}
        assert era.fabric_of == (0, 1)


def test_a_switch_that_is_down_cuts_its_fabric_in_two_and_comes_back() -> None:
    three = switches(3)
    three[1] = SwitchFacts("sw1", 2, down=((SECOND, 2 * SECOND),))
    isls = [IslFacts(0, 0, 1), IslFacts(1, 1, 2)]
    eras = history(three, isls, [{}, {}, {}], [], Times(10 * SECOND))
    assert [era.fabric_of for era in eras] == [(0, 0, 0), (0, 1, 2), (0, 0, 0)]
    assert [era.is_up[1] for era in eras] == [True, False, True]


DBS = st.sampled_from([ZoneDb(), DAY, NIGHT])


@given(
    st.lists(DBS, min_size=2, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), max_size=8),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5), DBS), max_size=4),
)
def test_a_fabric_agrees_with_itself(
    held: list[ZoneDb], pairs: list[tuple[int, int, int]], later: list[tuple[int, int, ZoneDb]]
) -> None:
    """Every switch of a fabric has its zoning; joined ends are in one fabric, others told why."""
    count = len(held)
    ends = [(a % count, b % count, at) for a, b, at in pairs if a % count != b % count]
    isls = [IslFacts(n, a, b, at * SECOND) for n, (a, b, at) in enumerate(ends)]
    changes = [Change(at * SECOND, frozenset({n % count}), 0, db) for n, at, db in later]
    eras = history(switches(count), isls, [{0: db} for db in held], changes, Times(SECOND))
    assert eras[0].at_ps == 0
    assert [era.at_ps for era in eras] == sorted({era.at_ps for era in eras})
    for era in eras:
        for switch, fabric in enumerate(era.fabric_of):
            assert era.zoning[switch] == era.zoning[fabric]
        for isl in isls:
            together = era.fabric_of[isl.a] == era.fabric_of[isl.b]
            assert isl.number not in era.joined or together
            assert not (isl.number in era.joined and isl.number in era.isolated)
        assert all(era.isolated.values())


def down(losses: list[tuple[int, int]], **keys: object) -> tuple[tuple[int, int], ...]:
    modules = Modules.model_validate({"takeover": "30s", **keys})
    spans = service(modules, [ModuleLoss(at * SECOND, of) for at, of in losses]).down
    return tuple((a // SECOND, b // SECOND if b < NEVER else NEVER) for a, b in spans)


def test_a_standby_takes_over() -> None:
    assert down([]) == ()
    assert down([(1, 2)]) == ()
    assert down([(1, 1)]) == ((1, 31),)
    assert down([(1, 1)], hitless=True) == ()
    assert down([(1, 1), (50, 2)]) == ((1, 31), (50, NEVER))
    assert down([(1, 1)], count=1) == ((1, NEVER),)


def test_two_that_want_to_be_primary_keep_the_switch_down_until_one_is_pulled() -> None:
    assert down([], both_primary=True) == ((0, NEVER),)
    assert down([(5, 1)], both_primary=True) == ((0, 35),)
    assert down([(5, 1)], both_primary=True, count=3) == ((0, NEVER),)
    assert down([(5, 1), (9, 3)], both_primary=True, count=3) == ((0, 39),)
