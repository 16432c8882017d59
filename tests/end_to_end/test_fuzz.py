"""A sample of the inputs of `make fuzz`: each is refused in plain words, or works."""

from __future__ import annotations

import pytest
from fuzz import FUZZERS, fuzz, is_plain

#: Cases of the sample, and how many of them must at least end well and be refused.
SAMPLES = {"scenarios": (120, 12, 40), "plans": (120, 6, 30), "folders": (24, 2, 8)}
GOOD = ("simulated", "reported")


@pytest.mark.parametrize("name", FUZZERS)
def test_a_sample(name: str) -> None:
    count, least_good, least_refused = SAMPLES[name]
    tally = fuzz(name, seed=1, first=0, count=count)
    assert tally.wrong == []
    assert tally.words.total() == count
    assert sum(tally.words[word] for word in GOOD) >= least_good, tally.words
    assert tally.words["refused"] >= least_refused, tally.words


@pytest.mark.slow
@pytest.mark.parametrize("name", FUZZERS)
def test_many(name: str) -> None:
    assert fuzz(name, seed=2, first=0, count=FUZZERS[name], jobs=2).wrong == []


def test_what_is_no_plain_message() -> None:
    """The fuzzers would notice."""
    assert is_plain("a.yaml:1: seed: '-1' is too small. The least is 0.")
    for text in ("", "two\nlines", "Value error, bad", "<class 'int'> is not"):
        assert not is_plain(text)


def test_a_process_that_dies_is_one_wrong_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases behind it are tried all the same."""
    monkeypatch.setenv("SANLAB_FUZZ_DIES_AT", "3")
    tally = fuzz("dying", seed=1, first=0, count=6)
    assert tally.words == {"refused": 5, "wrong": 1}
    (case,) = tally.wrong
    assert case.startswith("3 case 3\n  wrong: the process ended with -6")
