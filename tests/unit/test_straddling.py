"""Requests that use one unit of a RAID group more than they need."""

from __future__ import annotations

import pytest

from sanlab.explain.straddling import Striped

KIB = 1024


@pytest.mark.parametrize(
    ("unit", "block", "begin", "share", "aligned"),
    [
        # Sector 63, where old partitions began: each request of a whole unit needs two.
        (64 * KIB, 64 * KIB, 63 * 512, 1.0, 0),
        # One in sixteen requests of 4 KiB lies over the border of two units.
        (64 * KIB, 4 * KIB, 63 * 512, 1 / 16, 0),
        (64 * KIB, 4 * KIB, 1024 * KIB, 0.0, 1024 * KIB),
        # A region may begin off a unit as long as its requests do not.
        (64 * KIB, 4 * KIB, 36 * KIB, 0.0, 0),
        # Two units and a part of a third.
        (64 * KIB, 128 * KIB, 65 * KIB, 1.0, 64 * KIB),
        (64 * KIB, 128 * KIB, 192 * KIB, 0.0, 192 * KIB),
    ],
)
def test_share_of_requests_over_two_units(
    unit: int, block: int, begin: int, share: float, aligned: int
) -> None:
    found = Striped("dev1.g1", frozenset(), unit, block, begin, begin)
    assert found.share == share
    assert found.aligned == aligned


def test_a_lun_may_begin_off_a_unit() -> None:
    found = Striped("dev1.g1", frozenset(), 64 * KIB, 64 * KIB, 0, 60 * KIB)
    assert found.share == 1.0
    assert found.aligned == 4 * KIB


def test_the_words_say_where_the_region_begins() -> None:
    found = Striped("dev1.g1", frozenset(), 64 * KIB, 64 * KIB, 32256, 32256)
    assert found.words == (
        "Each of its requests uses one unit of dev1.g1 more than it needs, because its region"
        " begins at byte 32\u202f256 of the LUN, 32\u202f256 bytes into a unit of 64KiB."
    )
