"""Quantities: what is read, what is refused, and that text goes both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanlab.quantities import (
    SIGNALLING_BAUD,
    SPEEDS,
    QuantityError,
    about_size,
    format_length,
    format_rate,
    format_share,
    format_size,
    format_time,
    nearest,
    parse_length,
    parse_rate,
    parse_share,
    parse_size,
    parse_speed,
    parse_time,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (4096, 4096),
        ("512", 512),
        ("512B", 512),
        ("4k", 4096),
        ("4K", 4096),
        ("4KiB", 4096),
        ("4kB", 4000),
        ("1M", 2**20),
        ("1m", 2**20),
        ("1.5k", 1536),
        ("10GiB", 10 * 2**30),
        ("146GB", 146 * 10**9),
        ("146.8 GB", 146_800_000_000),
        ("1_000", 1000),
        ("1e3", 1000),
    ],
)
def test_sizes(text: str | int, expected: int) -> None:
    assert parse_size(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("40MiB/s", 40 * 2**20), ("40MB/s", 40_000_000), ("1.5 GB/s", 1_500_000_000)],
)
def test_rates(text: str, expected: int) -> None:
    assert parse_rate(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1ps", 1),
        ("10us", 10**7),
        ("10µs", 10**7),
        ("1.5ms", 15 * 10**8),
        ("2s", 2 * 10**12),
        ("3min", 180 * 10**12),
        ("1h", 3600 * 10**12),
        (0, 0),
        ("0", 0),
    ],
)
def test_times(text: str | int, expected: int) -> None:
    assert parse_time(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("10m", 10_000), ("1786km", 1_786_000_000), ("2.5m", 2500)]
)
def test_lengths(text: str, expected: int) -> None:
    assert parse_length(text) == expected


def test_shares_and_speeds() -> None:
    assert parse_share("30%") == 300_000
    assert parse_share("0.5 %") == 5000
    assert parse_speed("16GFC") == "16GFC"
    assert parse_speed("2gfc") == "2GFC"


@pytest.mark.parametrize(
    ("parse", "text", "readings"),
    [
        (parse_time, "10m", ("10min", "10ms")),
        (parse_time, "10", ("10s", "10us")),
        (parse_time, 5, ("5s", "5us")),
        (parse_rate, "40M", ("40MB/s", "40MiB/s")),
        (parse_rate, "40", ("40MB/s", "40MiB/s")),
        (parse_rate, "40Mb/s", ("5MB/s", "40MB/s")),
        (parse_rate, "40k/s", ("40kB/s", "40KiB/s")),
        (parse_size, "4KB", ("4kB", "4KiB")),
        (parse_size, "4Mb", ("4MB", "4MiB")),
        (parse_length, "10", ("10m", "10km")),
        (parse_share, "0.3", ("30%", "0.3%")),
    ],
)
def test_two_readings_are_both_named(parse: object, text: object, readings: tuple[str]) -> None:
    with pytest.raises(QuantityError) as caught:
        parse(text)  # type: ignore[operator]
    for reading in readings:
        assert f"'{reading}'" in caught.value.remedy


@pytest.mark.parametrize("parse", [parse_size, parse_rate, parse_time, parse_length, parse_share])
@pytest.mark.parametrize(
    "text", ["", "fast", "-1km", "10 parsec", None, True, [], {}, "1e9999", "½"]
)
def test_nonsense_is_refused_kindly(parse: object, text: object) -> None:
    with pytest.raises(QuantityError) as caught:
        parse(text)  # type: ignore[operator]
    assert caught.value.reason
    assert caught.value.remedy


@given(st.text(max_size=12))
def test_any_text_is_a_quantity_or_refused(text: str) -> None:
    for parse in (parse_size, parse_rate, parse_time, parse_length, parse_share, parse_speed):
        try:
            parse(text)
        except QuantityError:
            continue


@given(st.integers(min_value=0, max_value=2**63))
def test_sizes_go_both_ways(count: int) -> None:
    assert parse_size(format_size(count)) == count


@given(st.integers(min_value=0, max_value=2**63))
def test_rates_go_both_ways(count: int) -> None:
    assert parse_rate(format_rate(count)) == count


@given(st.integers(min_value=0, max_value=10**19))
def test_times_go_both_ways(ps: int) -> None:
    assert parse_time(format_time(ps)) == ps


@given(st.integers(min_value=0, max_value=10**14))
def test_lengths_go_both_ways(mm: int) -> None:
    assert parse_length(format_length(mm)) == mm


@given(st.integers(min_value=0, max_value=1_000_000))
def test_shares_go_both_ways(ppm: int) -> None:
    assert parse_share(format_share(ppm)) == ppm


@pytest.mark.parametrize(
    ("ps", "text"), [(10**9, "1ms"), (5 * 10**11, "500ms"), (15 * 10**8, "1.5ms"), (0, "0ps")]
)
def test_times_read_well(ps: int, text: str) -> None:
    assert format_time(ps) == text


def test_sizes_read_well() -> None:
    assert format_size(512) == "512B"
    assert format_size(2**20) == "1MiB"
    assert about_size(976_562_560 * 1024) == "1 TB"


@pytest.mark.parametrize(
    ("text", "transport"),
    [
        ("10GbE", "Ethernet"),
        ("25gbe", "Ethernet"),
        ("25G", "Ethernet"),
        ("100 Gb/s", "Ethernet"),
        ("10GBASE-T", "Ethernet"),
        ("Ethernet", "Ethernet"),
        ("iSCSI", "iSCSI"),
        ("nvme/tcp", "NVMe over TCP"),
        ("NVMe-TCP", "NVMe over TCP"),
        ("nvme over rdma", "NVMe over RDMA"),
        ("RoCEv2", "NVMe over RDMA"),
        ("FC-NVMe", "NVMe over Fibre Channel"),
        ("nvme", "NVMe over fabrics"),
        ("fcoe", "FCoE"),
        ("FCIP", "FCIP"),
        ("HDR", "InfiniBand"),
        ("12G SAS", "SAS or SATA to hosts"),
    ],
)
def test_other_transports_are_not_simulated(text: str, transport: str) -> None:
    with pytest.raises(QuantityError) as caught:
        parse_speed(text)
    assert caught.value.reason == (
        f"'{text}' is not a Fibre Channel speed: {transport} is not simulated"
    )
    assert caught.value.remedy.startswith("Every link is Fibre Channel and carries SCSI (FCP).")


@pytest.mark.parametrize(
    ("text", "speed"),
    [("16G", "16GFC"), ("16Gb/s", "16GFC"), ("64 gbps", "64GFC"), ("10G", "10GFC")],
)
def test_a_rate_of_fibre_channel_written_differently_is_corrected(text: str, speed: str) -> None:
    with pytest.raises(QuantityError) as caught:
        parse_speed(text)
    assert caught.value.remedy == f"Write '{speed}'"


def test_speeds_are_coding_times_signalling() -> None:
    """8b10b up to 8GFC, 64b66b above, as the 16GFC family keeps that efficiency up to 32GFC."""
    for name in ("1GFC", "2GFC", "4GFC", "8GFC"):
        assert SPEEDS[name] == SIGNALLING_BAUD[name] * 8 // 10 // 8
    for name in ("10GFC", "16GFC", "32GFC"):
        assert SPEEDS[name] == SIGNALLING_BAUD[name] * 64 // 66 // 8
    for name in ("64GFC", "128GFC", "256GFC"):
        assert SPEEDS[name] == SIGNALLING_BAUD[name] * 512 // 544 // 8


def test_nearest_word() -> None:
    assert nearest("lenght", ["length", "speed"]) == "length"
    assert nearest("zzz", ["length", "speed"]) is None
