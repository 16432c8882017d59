"""Quantities with units: text in, exact integers out, and back.

=============  ==========================  =======================================
quantity       result                      units
=============  ==========================  =======================================
size           bytes                       B kB MB GB TB PB EB (powers of 1000), KiB MiB
                                           GiB TiB PiB EiB, k M G T P E as fio reads them
                                           (powers of 1024); a plain number is bytes
rate           bytes per second            a size unit with two letters, then /s
time           picoseconds                 ps ns us ms s min h; a plain 0
length         millimetres                 mm cm m km
share          parts per million           %
speed          a name such as 16GFC        1 2 4 8 10 16 32 64 128 256 GFC
=============  ==========================  =======================================

Arithmetic is exact. What has two readings is refused and both are named.
"""

from __future__ import annotations

import difflib
import re
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PS_PER_S = 1_000_000_000_000

#: Delay of light in fibre: 5.0 us per km, the figure of planning rules.
DEFAULT_PROPAGATION_PS_PER_KM = 5_000_000

#: Data rate in one direction after line coding, in bytes per second (FC-PI; FC-FS for the coding):
#: baud x bits per symbol x code efficiency / 8.
SPEEDS: Mapping[str, int] = {
    "1GFC": 106_250_000,
    "2GFC": 212_500_000,
    "4GFC": 425_000_000,
    "8GFC": 850_000_000,
    "10GFC": 1_275_000_000,
    "16GFC": 1_700_000_000,
    "32GFC": 3_400_000_000,
    "64GFC": 6_800_000_000,
    "128GFC": 13_200_000_000,
    "256GFC": 26_400_000_000,
}

#: Signalling rate of each speed in baud, which FSPF derives the cost of a link from. For the
#: speeds with two bits a symbol it is the symbol rate times two, so that a faster link costs less.
SIGNALLING_BAUD: Mapping[str, int] = {
    "1GFC": 1_062_500_000,
    "2GFC": 2_125_000_000,
    "4GFC": 4_250_000_000,
    "8GFC": 8_500_000_000,
    "10GFC": 10_518_750_000,
    "16GFC": 14_025_000_000,
    "32GFC": 28_050_000_000,
    "64GFC": 57_800_000_000,
    "128GFC": 112_200_000_000,
    "256GFC": 224_400_000_000,
}

#: Transports other than Fibre Channel with SCSI, by what one writes in lower case, words separated
#: by single spaces.
_OTHER_TRANSPORTS = {
    "fcoe|fibre channel over ethernet": "FCoE",
    "fcip": "FCIP",
    "ifcp": "iFCP",
    "iscsi": "iSCSI",
    "iser": "iSER",
    r"nvme (?:over )?tcp": "NVMe over TCP",
    r"nvme (?:over )?(?:rdma|roce(?: ?v2)?)|roce(?: ?v2)?|rdma": "NVMe over RDMA",
    r"fc nvme|nvme (?:over )?fc": "NVMe over Fibre Channel",
    r"nvme(?: ?of)?|nvme of": "NVMe over fabrics",
    r"(?:\d+ ?)?(?:infiniband|[sdqfehn]dr)": "InfiniBand",
    r"(?:\d+ ?)?(?:g |gb s |gbps )?(?:sas|sata)": "SAS or SATA to hosts",
    r"ethernet|[\d.]+ ?(?:gbe|ge|gige|gbase ?[a-z]+|gb ethernet|g ethernet|gigabit ethernet)"
    # Line rates that Ethernet has and Fibre Channel has not.
    r"|(?:2\.5|5|25|40|50|100|200|400|800) ?g(?:b|bps|b s|bit|bit s)?": "Ethernet",
}

_DECIMAL = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15, "EB": 10**18}
_BINARY = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50, "EiB": 2**60}
_FIO = {letter: 2 ** (10 * (power + 1)) for power, letter in enumerate("kmgtpe")}
_TIME_PS = {
    "ps": 1,
    "ns": 10**3,
    "us": 10**6,
    "ms": 10**9,
    "s": 10**12,
    "min": 60 * 10**12,
    "h": 3600 * 10**12,
}
_LENGTH_MM = {"mm": 1, "cm": 10, "m": 1000, "km": 1_000_000}
_WHOLE_PERCENT = 100
_DECIMALS = 10**12
#: Digits of a number; the largest quantity has 19.
MOST_DIGITS = 40
#: Letters of a short word.
_SHORT_WORD = 4
_NUMBER = re.compile(r"\s*([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3}(?![\d.]))?)\s*(.*?)\s*")


class QuantityError(ValueError):
    """Text that is not a quantity, or more than one."""

    def __init__(self, reason: str, remedy: str) -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"{reason}. {remedy}")


def nearest(word: str, known: Mapping[str, object] | list[str] | tuple[str, ...]) -> str | None:
    """Return the known word most like `word`, None if nothing is alike.

    One wrong letter is half of a short word, so less likeness is asked of it.
    """
    names = list(known)
    found = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if not found:
        lowered = {name.lower(): name for name in names}
        cutoff = 0.5 if len(word) <= _SHORT_WORD else 0.6
        found = [
            lowered[name]
            for name in difflib.get_close_matches(word.lower(), list(lowered), n=1, cutoff=cutoff)
        ]
    return found[0] if found else None


def parse_size(text: str | int) -> int:
    """Bytes of `4k`, `4KiB`, `4kB`, `146GB` or 4096.

    `k M G T P` alone are powers of 1024 in either case, as fio reads them.

    >>> parse_size("4k"), parse_size("4KiB"), parse_size("4kB")
    (4096, 4096, 4000)
    """
    if _is_integer(text):
        return _not_negative(int(text), text)
    number, unit = _split(text, "a size", "4KiB, 64k or 146GB")
    if not unit:
        return _whole(number, 1, text, "bytes")
    factor = _DECIMAL.get(unit) or _BINARY.get(unit) or _FIO.get(unit.lower())
    if factor is None:
        raise _size_unit_error(text, number, unit)
    return _whole(number, factor, text, "bytes")


def parse_rate(text: str | int) -> int:
    """Bytes per second of `40MiB/s` or `40MB/s`.

    >>> parse_rate("40MiB/s")
    41943040
    """
    number, unit = _split(text, "a rate", "40MB/s or 40MiB/s")
    amount = _shown(number)
    if unit in {"/s", ""} or unit.lower() in _FIO:
        letter = unit.upper() if unit.lower() in _FIO else "M"
        small = "k" if letter == "K" else letter
        raise QuantityError(
            reason=f"'{text}' does not say which unit it is in",
            remedy=f"Write '{amount}{small}B/s' (powers of 1000) or "
            f"'{amount}{letter}iB/s' (powers of 1024)",
        )
    base, slash, per = unit.partition("/")
    if not slash or per.strip() != "s":
        raise QuantityError(
            reason=f"'{text}' is not a rate", remedy="Write an amount per second, such as 40MB/s"
        )
    base = base.strip()
    factor = _DECIMAL.get(base) or _BINARY.get(base)
    if factor is None:
        raise _rate_unit_error(text, number, base)
    return _whole(number, factor, text, "bytes per second")


def parse_time(text: str | int) -> int:
    """Picoseconds of `10us`, `1.5ms`, `2s`, `3min`.

    >>> parse_time("1.5ms")
    1500000000
    """
    if _is_integer(text) and int(text) == 0:
        return 0
    number, unit = _split(text, "a time", "10us, 1.5ms or 2s")
    unit = unit.replace("µ", "u").replace("μ", "u")
    amount = _shown(number)
    if not unit:
        if number == 0:
            return 0
        raise QuantityError(
            reason=f"'{text}' does not say which unit of time it is in",
            remedy=f"Write '{amount}s' (seconds) or '{amount}us' (microseconds)",
        )
    if unit == "m":
        raise QuantityError(
            reason=f"'{text}' may be minutes or milliseconds",
            remedy=f"Write '{amount}min' or '{amount}ms'",
        )
    if unit not in _TIME_PS:
        raise _unknown_unit(text, unit, "time", _TIME_PS)
    return _whole(number, _TIME_PS[unit], text, "picoseconds")


def parse_length(text: str | int) -> int:
    """Millimetres of `10m` or `1786km`.

    >>> parse_length("10m")
    10000
    """
    number, unit = _split(text, "a length", "10m or 50km")
    amount = _shown(number)
    if not unit:
        raise QuantityError(
            reason=f"'{text}' does not say which unit of length it is in",
            remedy=f"Write '{amount}m' (metres) or '{amount}km' (kilometres)",
        )
    if unit.lower() == "k":
        raise QuantityError(
            reason=f"'{text}' is not a length", remedy=f"Write '{amount}km' for kilometres"
        )
    if unit not in _LENGTH_MM:
        raise _unknown_unit(text, unit, "length", _LENGTH_MM)
    return _whole(number, _LENGTH_MM[unit], text, "millimetres")


def parse_share(text: object) -> int:
    """Parts per million of `30%`.

    >>> parse_share("30%")
    300000
    """
    number, unit = _split(text, "a share", "30%")
    if unit != "%":
        amount = _shown(number)
        if not unit and 0 < number <= 1:
            raise QuantityError(
                reason=f"'{text}' may be a fraction or a percentage",
                remedy=f"Write '{_shown(number * 100)}%' or '{amount}%'",
            )
        raise QuantityError(
            reason=f"'{text}' is not a share", remedy=f"Write a percentage, such as '{amount}%'"
        )
    if number > _WHOLE_PERCENT:
        raise QuantityError(reason=f"'{text}' is more than the whole", remedy="Write 100% or less")
    return _whole(number, 10_000, text, "parts per million")


def not_simulated(text: str) -> str | None:
    """Return the transport that a text names and that is not simulated, None if it names none.

    >>> not_simulated("25GbE"), not_simulated("nvme/tcp"), not_simulated("16G")
    ('Ethernet', 'NVMe over TCP', None)
    """
    words = re.sub(r"[\s/_-]+", " ", text.strip().lower())
    for pattern, transport in _OTHER_TRANSPORTS.items():
        if re.search(rf"(?<![a-z])(?:{pattern})(?![a-z0-9])", words):
            return transport
    return None


def parse_speed(text: str | int) -> str:
    """Name of a Fibre Channel speed, `16GFC`.

    >>> parse_speed("16gfc")
    '16GFC'
    """
    name = str(text).strip().upper()
    if name in SPEEDS:
        return name
    digits = re.match(r"\d+", name)
    known = ", ".join(SPEEDS)
    other = not_simulated(name)
    if other is not None:
        raise QuantityError(
            reason=f"'{text}' is not a Fibre Channel speed: {other} is not simulated",
            remedy=f"Every link is Fibre Channel and carries SCSI (FCP). Speeds are {known}",
        )
    if digits and f"{digits[0]}GFC" in SPEEDS:
        remedy = f"Write '{digits[0]}GFC'"
    else:
        remedy = f"Speeds are {known}"
    raise QuantityError(reason=f"'{text}' is not a Fibre Channel speed", remedy=remedy)


def about_size(count: int) -> str:
    """Return rounded text for a number of bytes, for sentences.

    >>> about_size(146_800_123_456)
    '146.8 GB'
    """
    fitting = [(factor, unit) for unit, factor in _DECIMAL.items() if factor <= max(count, 1)]
    factor, unit = max(fitting)
    return f"{count / factor:.4g} {unit}"


def counted(count: int, singular: str, plural: str = "") -> str:
    """Return a number and its noun.

    >>> counted(1, "LUN"), counted(3, "LUN"), counted(2, "switch", "switches")
    ('1 LUN', '3 LUNs', '2 switches')
    """
    return f"{count} {singular if count == 1 else plural or singular + 's'}"


def format_size(count: int) -> str:
    """Shortest exact text for a number of bytes; `parse_size` reads it back."""
    return _format(count, {**_DECIMAL, **_BINARY})


def format_rate(bytes_per_s: int) -> str:
    """Shortest exact text for a rate; `parse_rate` reads it back."""
    return f"{_format(bytes_per_s, {**_DECIMAL, **_BINARY})}/s"


def format_time(ps: int) -> str:
    """Shortest exact text for a time; `parse_time` reads it back."""
    return _format(ps, {unit: _TIME_PS[unit] for unit in ("ps", "ns", "us", "ms", "s")})


def format_length(mm: int) -> str:
    """Shortest exact text for a length; `parse_length` reads it back."""
    return _format(mm, {unit: _LENGTH_MM[unit] for unit in ("mm", "m", "km")})


def format_share(ppm: int) -> str:
    """Shortest exact text for a share; `parse_share` reads it back."""
    return f"{_shown(Fraction(ppm, 10_000))}%"


def _format(value: int, units: Mapping[str, int]) -> str:
    """Text in the unit that reads best: few characters, no fraction where that is as short."""
    if value == 0:
        return f"0{next(iter(units))}"
    texts = []
    for unit, factor in units.items():
        amount = Fraction(value, factor)
        if amount.denominator == 1 or 10**3 % amount.denominator == 0:
            text = f"{_shown(amount)}{unit}"
            clumsy = (amount.denominator != 1) + 3 * (amount < 1)
            texts.append((len(text) + clumsy, -factor, text))
    return min(texts)[2]


def _shown(number: Fraction) -> str:
    if number.denominator == 1:
        return str(number.numerator)
    scaled = number * _DECIMALS
    if scaled.denominator != 1:
        return f"{float(number):.12g}"
    whole, rest = divmod(abs(scaled.numerator), _DECIMALS)
    sign = "-" if number < 0 else ""
    return f"{sign}{whole}.{rest:012d}".rstrip("0")


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _split(text: object, what: str, example: str) -> tuple[Fraction, str]:
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        raise QuantityError(
            reason=f"{_plain(text)} is not {what}", remedy=f"Write {what} such as {example}"
        )
    found = _NUMBER.fullmatch(str(text))
    if found is None:
        raise QuantityError(
            reason=f"'{text}' is not {what}", remedy=f"Write {what} such as {example}"
        )
    if len(found[1]) > MOST_DIGITS:
        raise QuantityError(
            reason=f"'{text}' has more than {MOST_DIGITS} digits",
            remedy=f"Write {what} such as {example}",
        )
    number = Fraction(found[1].replace("_", ""))
    if number < 0:
        raise QuantityError(
            reason=f"'{text}' is negative", remedy=f"Write {what} such as {example}"
        )
    return number, found[2]


def _plain(value: object) -> str:
    if value is None:
        return "An empty value"
    if isinstance(value, bool):
        return f"'{str(value).lower()}'"
    return "A list" if isinstance(value, (list, tuple)) else "A mapping"


def _not_negative(value: int, text: object) -> int:
    if value < 0:
        raise QuantityError(reason=f"'{text}' is negative", remedy="Write 0 or more")
    return value


def _whole(number: Fraction, factor: int, text: object, unit: str) -> int:
    value = number * factor
    if value.denominator != 1:
        raise QuantityError(
            reason=f"'{text}' is not a whole number of {unit}",
            remedy=f"The nearest is {round(value)} {unit}",
        )
    return value.numerator


def _size_unit_error(text: object, number: Fraction, unit: str) -> QuantityError:
    amount = _shown(number)
    letter = unit[:1].upper()
    if re.fullmatch("[kKMmGgTtPpEe][bB]", unit):
        small = "k" if letter == "K" else letter
        if unit[1] == "b":
            return QuantityError(
                f"'{text}' may be bits or bytes",
                f"Write '{amount}{small}B' (powers of 1000) or '{amount}{letter}iB' "
                "(powers of 1024) for bytes",
            )
        return QuantityError(
            f"'{text}' may be powers of 1000 or of 1024",
            f"Write '{amount}{small}B' or '{amount}{letter}iB'",
        )
    return _unknown_unit(text, unit, "size", {**_DECIMAL, **_BINARY})


def _rate_unit_error(text: object, number: Fraction, base: str) -> QuantityError:
    amount = _shown(number)
    if re.fullmatch(r"[kKMG](b|bit)", base):
        letter = "k" if base[0] in "kK" else base[0]
        return QuantityError(
            f"'{text}' may be bits or bytes",
            f"Write '{_shown(number / 8)}{letter}B/s' if it is bits, "
            f"'{amount}{letter}B/s' if bytes",
        )
    if base.lower() in _FIO or base == "KB":
        letter = base[0].upper()
        small = "k" if letter == "K" else letter
        return QuantityError(
            f"'{text}' may be powers of 1000 or of 1024",
            f"Write '{amount}{small}B/s' or '{amount}{letter}iB/s'",
        )
    return _unknown_unit(text, f"{base}/s", "rate", {f"{u}/s": 1 for u in (*_DECIMAL, *_BINARY)})


def _unknown_unit(
    text: object, unit: str, quantity: str, known: Mapping[str, object]
) -> QuantityError:
    guess = nearest(unit, known)
    hint = f"Did you mean '{guess}'? " if guess else ""
    return QuantityError(
        f"{unit!r} in '{text}' is not a unit of {quantity}",
        f"{hint}Units are {', '.join(known)}",
    )
