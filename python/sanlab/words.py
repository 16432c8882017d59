"""Numbers for people."""

from __future__ import annotations

from typing import Final

#: Between groups of three digits, in every text, table and chart: a narrow space that never breaks.
GROUPING: Final = "\u202f"


def show_time(ps: float) -> str:
    """A time for people, three digits and a fitting unit.

    >>> show_time(1_500_000_000), show_time(0), show_time(12_345)
    ('1.50 ms', '0 s', '12.3 ns')
    """
    if ps == 0:
        return "0 s"
    for unit, factor in (("s", 1e12), ("ms", 1e9), ("µs", 1e6), ("ns", 1e3)):
        if ps >= 0.9995 * factor:  # what rounds to a thousand is one of the next unit
            value = ps / factor
            return f"{value:.{max(0, 3 - len(str(round(value))))}f} {unit}"
    return f"{ps:.0f} ps"


def show_rate(bytes_per_s: float | None) -> str:
    """Format bytes per second in powers of 1000, three digits.

    >>> show_rate(1_638_400_000), show_rate(None)
    ('1.64 GB/s', '–')
    """
    return "–" if bytes_per_s is None else f"{show_bytes(bytes_per_s)}/s"


def show_bytes(count: float) -> str:
    """Format bytes in powers of 1000, three digits.

    >>> show_bytes(4096), show_bytes(512)
    ('4.10 kB', '512 B')
    """
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= 0.9995 * factor:
            return f"{_three_digits(count / factor)} {unit}"
    return f"{count:.0f} B"


def show_count(number: float | None) -> str:
    """Format a number with separated thousands; decimals only below 100.

    >>> show_count(33333.3), show_count(7.25), show_count(12)
    ('33\u202f333', '7.25', '12')
    """
    if number is None:
        return "–"
    if number != int(number) and abs(number) < 100:
        return _three_digits(number)
    return f"{number:,.0f}".replace(",", GROUPING)


def show_wwn(digits: str) -> str:
    """Return a world-wide name of 16 hexadecimal digits as switches print it.

    >>> show_wwn("10000000c9a1b2c3")
    '10:00:00:00:c9:a1:b2:c3'
    """
    return ":".join(digits[place : place + 2] for place in range(0, 16, 2))


def whole(number: float) -> float:
    """Round a large rate to a whole number.

    >>> whole(1234.56), whole(12.3)
    (1235.0, 12.3)
    """
    return float(round(number)) if number >= 100 else number


def show_percent(share: float) -> str:
    """Format a share of one as a percentage.

    >>> show_percent(0.0), show_percent(0.0004), show_percent(0.056), show_percent(0.97)
    ('0 %', '< 0.1 %', '5.6 %', '97 %')
    """
    percent = share * 100
    if percent == 0:
        return "0 %"
    if percent < 0.1:
        return "< 0.1 %"
    return f"{percent:.1f} %" if percent < 9.95 else f"{percent:.0f} %"


def show_half_width(share: float) -> str:
    """Format half of an interval as a share of its figure; of more than all of it nothing is known.

    >>> show_half_width(0.012), show_half_width(25.0)
    ('± 1.2 %', '± > 100 %')
    """
    return "± > 100 %" if share > 1 else f"± {show_percent(share)}"


#: Ratio from which a difference is a factor: beyond it percentages are hard to read.
FACTOR: Final = 10.0


def show_difference(difference: float, half_width: float | None = None) -> str:
    """Format a relative difference with half of its interval; as a factor beyond ten times.

    The interval of a percentage is in percent of the first value, like the difference; that of a
    factor is a share of the factor. A fall by a factor that may be any is a percentage.

    >>> show_difference(0.123, 0.01), show_difference(-0.5), show_difference(609.9, 6.1)
    ('+12.3 ± 1.0 %', '-50.0 %', '611 times ± 1.0 %')
    >>> show_difference(-0.99836), show_difference(-1.0), show_difference(99.0, 250.0)
    ('1/610', '-100.0 %', '100 times ± > 100 %')
    """
    ratio = 1.0 + difference
    is_open = ratio < 1 and half_width is not None and half_width >= ratio
    if 1 / FACTOR < ratio < FACTOR or ratio <= 0 or is_open:
        sure = "" if half_width is None else f" ± {100 * half_width:.1f}"
        return f"{100 * difference:+.1f}{sure} %"
    words = f"{_factor(ratio)} times" if ratio > 1 else f"1/{_factor(1 / ratio)}"
    return words if half_width is None else f"{words} {show_half_width(half_width / ratio)}"


def show_longer(ratio: float) -> str:
    """Say how long something takes against something else, with the word that compares them.

    >>> show_longer(1.5), show_longer(12.0)
    ('50 % longer than', '12.0 times as long as')
    """
    if ratio < FACTOR:
        return f"{show_percent(ratio - 1)} longer than"
    return f"{_factor(ratio)} times as long as"


def _factor(ratio: float) -> str:
    """A factor with three digits, larger ones with separated thousands."""
    return _three_digits(ratio) if ratio < 100 else show_count(float(f"{ratio:.3g}"))


def _three_digits(value: float) -> str:
    return f"{value:.{max(0, 3 - len(str(round(value))))}f}"
