"""Two fabrics meet: what becomes of their zoning, by the rules of each vendor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanlab.plan.services.zone_db import STRICTNESS, Conflict, ZoneDb, merge

A, B, C = 0x10, 0x20, (3, 7)


def db(active: str | None = "day", **zones: tuple[object, ...]) -> ZoneDb:
    kinds = tuple(sorted(dict.fromkeys(zones, "zone").items()))
    return ZoneDb(active, tuple(sorted(zones.items())), kinds)  # type: ignore[arg-type]


EMPTY = ZoneDb()
TABLE = [
    ("brocade", EMPTY, EMPTY, None),
    ("brocade", EMPTY, db(z=(A, B)), db(z=(A, B))),
    ("mcdata", db(z=(A, B)), EMPTY, db(z=(A, B))),
    ("qlogic", db(z=(A, B)), EMPTY, db(z=(A, B))),
    ("brocade", db(z=(A, B)), db(z=(A, B)), db(z=(A, B))),
    ("brocade", db(z=(A, B)), db(z=(B, A)), "zone 'z', whose members are in another order"),
    ("brocade", db(z=(A, B)), db(z=(A,)), "content mismatch of zone 'z'"),
    ("brocade", db(z=(A, B)), db(z=(A, B), y=(A, C)), "content mismatch of zone 'y'"),
    ("brocade", db(z=(A, B)), db("night", z=(A, B)), "configuration mismatch, 'day' and 'night'"),
    ("mcdata", db(z=(A, B)), db(z=(B, A)), db(z=(A, B))),
    ("mcdata", db(z=(A, B)), db(y=(C, A)), db(z=(A, B), y=(C, A))),
    ("mcdata", db(z=(A, B)), db("night", z=(A, B)), "configuration mismatch"),
    ("qlogic", db(z=(A, B)), db("night", y=(C,)), db("day+night", z=(A, B), y=(C,))),
    ("qlogic", db(z=(A, B)), db("night", z=(A, C)), "content mismatch of zone 'z'"),
]


@pytest.mark.parametrize(("rule", "left", "right", "expected"), TABLE)
def test_rules(rule: str, left: ZoneDb, right: ZoneDb, expected: ZoneDb | str | None) -> None:
    found = merge(left, right, (rule, rule))
    if isinstance(expected, str):
        assert isinstance(found, Conflict)
        assert expected in found.reason
    else:
        assert found == (expected or EMPTY)


def test_one_name_for_two_kinds_of_thing() -> None:
    left = ZoneDb("day", (("z", (A, B)),), (("db", "alias"), ("z", "zone")))
    right = ZoneDb("day", (("z", (A, B)),), (("db", "zone"), ("z", "zone")))
    found = merge(left, right)
    assert found == Conflict("zone conflict: type mismatch, 'db' is alias and zone")


def test_a_switch_that_yields_takes_over_what_the_other_has() -> None:
    ours, theirs = db(z=(A, B)), db("night", z=(A, C))
    assert merge(ours, theirs, ("yields", "qlogic")) == theirs
    assert merge(ours, theirs, ("qlogic", "yields")) == ours
    assert isinstance(merge(ours, theirs, ("yields", "yields")), Conflict)


def test_the_stricter_of_two_vendors_decides() -> None:
    ours, theirs = db(z=(A, B)), db(y=(A, C))
    assert isinstance(merge(ours, theirs, ("qlogic", "qlogic")), ZoneDb)
    assert isinstance(merge(ours, theirs, ("qlogic", "brocade")), Conflict)


def test_a_database_that_is_too_large() -> None:
    large = db(z=tuple(range(100)))
    found = merge(large, large, limit=1000)
    assert isinstance(found, Conflict)
    assert "larger than 1000" in found.reason


MEMBERS = st.lists(st.sampled_from([A, B, C, 0x30, (1, 0)]), unique=True, max_size=4).map(tuple)
DBS = st.builds(
    lambda active, zones, default, soft: ZoneDb(
        active,
        tuple(sorted(zones.items())) if active else (),
        tuple(sorted(dict.fromkeys(zones, "zone").items())),
        default,
        soft,
    ),
    st.sampled_from([None, "day", "night"]),
    st.dictionaries(st.sampled_from("xyz"), MEMBERS, max_size=3),
    st.booleans(),
    st.booleans(),
)


@given(DBS, DBS, st.sampled_from(STRICTNESS), st.sampled_from(STRICTNESS))
def test_order_does_not_matter(left: ZoneDb, right: ZoneDb, one: str, other: str) -> None:
    assert merge(left, right, (one, other)) == merge(right, left, (other, one))


@given(DBS, st.sampled_from(STRICTNESS))
def test_equal_zonings_merge_to_themselves(both: ZoneDb, rule: str) -> None:
    assert merge(both, both, (rule, rule)) == both


@given(DBS, DBS, st.sampled_from(STRICTNESS))
def test_what_has_merged_merges_again(left: ZoneDb, right: ZoneDb, rule: str) -> None:
    """The second link between two fabrics finds them agreed."""
    found = merge(left, right, (rule, rule))
    if isinstance(found, ZoneDb):
        assert merge(found, found, (rule, rule)) == found


@given(DBS, DBS)
def test_a_union_keeps_every_zone(left: ZoneDb, right: ZoneDb) -> None:
    found = merge(left, right, ("qlogic", "qlogic"))
    if isinstance(found, ZoneDb):
        names = {name for name, _ in (*left.zones, *right.zones)}
        assert {name for name, _ in found.zones} == names
