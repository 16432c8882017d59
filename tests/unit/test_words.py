from __future__ import annotations

import pytest

from sanlab.words import show_bytes, show_count, show_percent, show_rate, show_time


@pytest.mark.parametrize(
    ("ps", "text"),
    [
        (0, "0 s"),
        (999, "999 ps"),
        (1_000, "1.00 ns"),
        (117_200_000, "117 µs"),
        (999_999_999, "1.00 ms"),
        (32 * 10**12, "32.0 s"),
        (3600 * 10**12, "3600 s"),
    ],
)
def test_times(ps: float, text: str) -> None:
    assert show_time(ps) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (999_999, "1.00 MB"), (4.49e9, "4.49 GB")]
)
def test_bytes(count: float, text: str) -> None:
    assert show_bytes(count) == text


def test_the_rest() -> None:
    assert show_rate(None) == "–"
    assert show_count(1234567) == "1\u202f234\u202f567"
    assert [show_percent(share) for share in (0, 0.0999, 0.5, 1)] == [
        "0 %",
        "10 %",
        "50 %",
        "100 %",
    ]
