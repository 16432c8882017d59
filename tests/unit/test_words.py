from __future__ import annotations

import pytest

from sanlab.compare.document import judgement_document
from sanlab.compare.figures import Figure
from sanlab.compare.verdict import TOLERANCE, line_of
from sanlab.words import (
    show_bytes,
    show_count,
    show_difference,
    show_longer,
    show_percent,
    show_rate,
    show_time,
)


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


@pytest.mark.parametrize(
    ("difference", "half_width", "text"),
    [
        (0.0, None, "+0.0 %"),
        (8.9, 0.1, "+890.0 ± 10.0 %"),
        (9.0, 0.1, "10.0 times ± 1.0 %"),
        (610.94, None, "612 times"),
        (1_234_566.0, None, "1\u202f230\u202f000 times"),
        (-0.89, 0.01, "-89.0 ± 1.0 %"),
        (-0.9, 0.01, "1/10.0 ± 10 %"),
        (-0.999, 0.01, "-99.9 ± 1.0 %"),
        (-0.99999, None, "1/100\u202f000"),
        (-1.0, 0.2, "-100.0 ± 20.0 %"),
    ],
)
def test_a_difference_beyond_ten_times_is_a_factor(
    difference: float, half_width: float | None, text: str
) -> None:
    assert show_difference(difference, half_width) == text


def test_longer_times_are_factors_beyond_ten_times() -> None:
    assert show_longer(1.25) == "25 % longer than"
    assert show_longer(611.9) == "612 times as long as"


def test_json_has_the_words_of_a_difference() -> None:
    line = line_of("load", "throughput", Figure(1.0), Figure(612.0), TOLERANCE)
    assert judgement_document(line)["difference_text"] == "612 times"
    missing = line_of("load", "throughput", Figure(0.0), Figure(612.0), TOLERANCE)
    assert judgement_document(missing)["difference_text"] == ""
