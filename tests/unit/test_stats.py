"""Student's t, intervals and warm-up, against tables and series with known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sanlab.stats.interval import batch_means, mean_interval
from sanlab.stats.student import t_cdf, t_quantile
from sanlab.stats.warmup import mser5, steady_window

#: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, critical values of Student's t.
TABLE = {
    (0.90, 1): 3.078, (0.95, 1): 6.314, (0.975, 1): 12.706, (0.99, 1): 31.821,
    (0.90, 2): 1.886, (0.975, 2): 4.303, (0.975, 3): 3.182, (0.975, 4): 2.776,
    (0.975, 5): 2.571, (0.995, 5): 4.032, (0.975, 9): 2.262, (0.975, 10): 2.228,
    (0.95, 15): 1.753, (0.975, 20): 2.086, (0.975, 30): 2.042, (0.995, 30): 2.750,
    (0.975, 60): 2.000, (0.975, 100): 1.984,
}  # fmt: skip


def test_batches_hold_the_first_values_of_a_series_too() -> None:
    """Of 80 values, 16 would not fit into 32 batches of 2: a burst in them widens the interval."""
    series = np.concatenate([np.full(13, 52_000.0), 280 + 20 * np.random.default_rng(1).random(67)])
    interval = batch_means(series)
    assert interval.half_width is not None
    assert interval.half_width > 0.5 * interval.mean


@pytest.mark.parametrize(("share", "degrees"), TABLE)
def test_quantiles_are_those_of_the_table(share: float, degrees: int) -> None:
    assert t_quantile(share, degrees) == pytest.approx(TABLE[share, degrees], abs=5.1e-4)


@pytest.mark.parametrize("share", [0.55, 0.75, 0.9, 0.99, 0.9995])
def test_quantiles_of_one_and_two_degrees_are_their_closed_forms(share: float) -> None:
    assert t_quantile(share, 1) == pytest.approx(math.tan(math.pi * (share - 0.5)), rel=1e-9)
    closed = (2 * share - 1) * math.sqrt(2 / (1 - (2 * share - 1) ** 2))
    assert t_quantile(share, 2) == pytest.approx(closed, rel=1e-9)


def test_the_quantile_undoes_the_distribution_and_is_odd() -> None:
    for degrees in (1, 3, 8, 29, 400, 100_000):
        for share in (0.6, 0.95, 0.975, 0.999):
            assert t_cdf(t_quantile(share, degrees), degrees) == pytest.approx(share, abs=1e-11)
            assert t_quantile(1 - share, degrees) == pytest.approx(-t_quantile(share, degrees))
    assert t_quantile(0.975, 10_000_000) == pytest.approx(1.959964, abs=1e-5)  # the normal one


@pytest.mark.parametrize(("share", "degrees"), [(0.0, 3), (1.0, 3), (0.9, 0)])
def test_there_is_no_quantile_outside(share: float, degrees: int) -> None:
    with pytest.raises(ValueError, match="no t quantile"):
        t_quantile(share, degrees)


def test_one_value_has_no_interval_and_equal_ones_a_narrow_one() -> None:
    assert mean_interval([3.0]).half_width is None
    assert mean_interval([3.0] * 4).half_width == 0
    assert mean_interval([0.0, 0.0]).relative is None
    assert batch_means(np.full(100, 7.0)).half_width == pytest.approx(0, abs=1e-12)
    assert batch_means(np.ones(19)).half_width is None


def test_intervals_of_independent_means_cover_the_truth() -> None:
    stream = np.random.default_rng(20)
    found = [mean_interval(list(stream.normal(5, 2, size=6))) for _ in range(400)]
    covered = sum(abs(i.mean - 5) <= (i.half_width or 0) for i in found)
    assert 0.92 <= covered / 400 <= 0.98


def ar1(stream: np.random.Generator, count: int, phi: float, mean: float) -> np.ndarray:
    noise = stream.normal(size=count + 500)
    series = np.empty(count + 500)
    series[0] = noise[0]
    for index in range(1, len(series)):
        series[index] = phi * series[index - 1] + noise[index]
    return mean + series[500:]


@pytest.mark.parametrize(("phi", "count"), [(0.0, 100), (0.5, 200), (0.8, 500), (0.9, 1000)])
def test_batch_means_cover_the_mean_of_a_correlated_series(phi: float, count: int) -> None:
    stream = np.random.default_rng(7)
    covered = 0
    for _ in range(200):
        interval = batch_means(ar1(stream, count, phi, 10.0))
        assert interval.half_width is not None
        covered += abs(interval.mean - 10.0) <= interval.half_width
    assert 0.90 <= covered / 200 <= 0.98


def test_a_plain_interval_of_a_correlated_series_would_be_too_narrow() -> None:
    """What batches are for: without them, far fewer intervals cover the truth."""
    stream = np.random.default_rng(7)
    found = [mean_interval(list(ar1(stream, 500, 0.8, 10.0))) for _ in range(200)]
    assert sum(abs(i.mean - 10.0) <= (i.half_width or 0) for i in found) / 200 < 0.7


@pytest.mark.parametrize("per_bin", [0.2, 0.3, 0.7, 1.3, 1.5, 2.05, 7.5])
def test_whole_ios_at_constant_distances_are_no_noise(per_bin: float) -> None:
    """Their number is exact but for an I/O at either end."""
    counts = np.diff(np.floor(np.arange(201) * per_bin + 1e-9))
    interval = batch_means(counts)
    assert interval.half_width is not None
    assert interval.half_width * 200 <= 5  # I/Os in all, of 40 to 1500


@pytest.mark.parametrize("per_bin", [0.7, 1.5, 20.0])
@pytest.mark.parametrize("count", [20, 60, 200])
def test_intervals_cover_the_rate_of_poisson_arrivals(per_bin: float, count: int) -> None:
    """Also with few I/Os in a bin, where batches of whole I/Os may cover more often than 95 %."""
    stream = np.random.default_rng(11)
    found = [stream.poisson(per_bin, size=count).astype(float) for _ in range(1000)]
    intervals = [batch_means(counts) for counts in found]
    covered = sum(abs(it.mean - per_bin) <= (it.half_width or 0) for it in intervals)
    assert covered / 1000 >= 0.93


def mm1_waits(stream: np.random.Generator, count: int, load: float) -> np.ndarray:
    """Times in the system of an M/M/1 queue with service rate 1, by Lindley's recursion."""
    service, between = stream.exponential(size=count), stream.exponential(1 / load, size=count)
    waits = np.empty(count)
    wait = 0.0
    for index in range(count):
        waits[index] = wait + service[index]
        wait = max(0.0, waits[index] - between[index])
    return waits


def test_intervals_cover_the_mean_of_an_mm1_queue() -> None:
    """Warm-up left out, means of bins, batches: the mean time in the system is 1 / (1 - load)."""
    stream, load = np.random.default_rng(3), 0.5
    covered = 0
    for _ in range(200):
        bins = mm1_waits(stream, 8000, load).reshape(400, 20).mean(axis=1)
        interval = batch_means(bins[mser5(bins).first :])
        assert interval.half_width is not None
        covered += abs(interval.mean - 1 / (1 - load)) <= interval.half_width
    assert 0.90 <= covered / 200 <= 0.98


@pytest.mark.parametrize("length", [50, 100, 200])
def test_mser_finds_a_known_transient(length: int) -> None:
    stream = np.random.default_rng(length)
    series = stream.normal(10, 1, size=1000)
    series[:length] += np.linspace(30, 5, length)
    found = mser5(series)
    assert found.is_settled
    assert length - 5 <= found.first <= length + 25
    assert series[found.first :].mean() == pytest.approx(10, abs=0.2)


def test_mser_leaves_a_steady_series_whole_and_owns_up_to_a_trend() -> None:
    assert mser5(np.tile([4.0, 5.0, 6.0, 5.0, 5.0], 40)).first == 0
    assert mser5(np.full(100, 3.0)).first == 0
    assert not mser5(np.arange(200.0)).is_settled
    assert not mser5(np.ones(19)).is_settled


def test_steady_window_finds_a_known_transient_and_owns_up_to_a_trend() -> None:
    series = np.concatenate((np.linspace(50, 11, 200), np.full(800, 10.0)))
    found = steady_window(series)
    assert found.is_settled
    assert 120 <= found.first <= 200  # within its 20 % before the very end of the transient
    assert not steady_window(np.exp(np.linspace(0, 8, 500))).is_settled
    assert not steady_window(np.ones(24)).is_settled


def test_slope_alone_is_refused() -> None:
    """A rise of 15 % over the window is within the excursion and beyond the slope."""
    steps = np.repeat(np.arange(25.0), 4)
    rising = np.asarray(10 * 1.035**steps, dtype=np.float64)
    assert not steady_window(rising).is_settled
    assert steady_window(np.asarray(10 * 1.02**steps, dtype=np.float64)).is_settled
