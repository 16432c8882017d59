"""Sizes of fio's requests: `bs`, `bsrange` and `bssplit`, each for reads and for writes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from sanlab.importers.fio_values import wrong
from sanlab.quantities import format_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sanlab.importers.fio_file import FioKey
    from sanlab.importers.fio_values import Values

_SECTOR = 512
_MAX_BLOCK = 2**26
_DEFAULT = 4096
_WHOLE_PPM = 10**6
#: Lines an access specification can have.
_MAX_LINES = 100


@dataclass(frozen=True, slots=True)
class Share:
    """A size and its share of the requests of a direction."""

    bytes: int
    share: Fraction


@dataclass(frozen=True, slots=True)
class Blocks:
    """Requests of a job: sizes of reads and writes, how many are reads, and how many random."""

    reads: tuple[Share, ...]
    writes: tuple[Share, ...]
    read_percent: int
    #: Percent of random addresses of reads and of writes; None where `rw` says it all.
    random: tuple[int, int] | None
    align: int

    @property
    def is_plain(self) -> bool:
        """Whether all requests are alike but for their direction."""
        is_one = len(self.reads) == 1 and self.reads == self.writes
        return is_one and self.random is None and self.align == 0

    @property
    def sizes(self) -> list[int]:
        """All sizes."""
        return [share.bytes for share in (*self.reads, *self.writes)]

    def lines(self, rw: str) -> list[str]:
        """Return the lines of an access specification."""
        usual = 100 if rw.startswith("rand") else 0
        random = self.random or (usual, usual)
        if self.reads == self.writes and random[0] == random[1]:
            rows = [(one, self.read_percent, random[0], one.share) for one in self.reads]
        else:
            of_reads = Fraction(self.read_percent, 100)
            rows = [(one, 100, random[0], one.share * of_reads) for one in self.reads]
            rows += [(one, 0, random[1], one.share * (1 - of_reads)) for one in self.writes]
        rows = [row for row in rows if row[3] > 0]
        shares = [int(row[3] * _WHOLE_PPM) for row in rows]
        shares[-1] += _WHOLE_PPM - sum(shares)
        align = f", align: {format_size(self.align)}" if self.align else ""
        return [
            f"{{size: {format_size(one.bytes)}, of_size: {_percent(ppm)}%, reads: {reads}%, "
            f"random: {random_percent}%{align}}}"
            for (one, reads, random_percent, _), ppm in zip(rows, shares, strict=True)
        ]


def _percent(ppm: int) -> str:
    return f"{ppm // 10_000}.{ppm % 10_000:04}".rstrip("0").rstrip(".")


def mean_bytes(blocks: Blocks) -> Fraction:
    """Return the mean size of a request."""
    reads, writes = (
        sum((one.bytes * one.share for one in shares), Fraction(0))
        for shares in (blocks.reads, blocks.writes)
    )
    share = Fraction(blocks.read_percent, 100)
    return reads * share + writes * (1 - share)


def blocks_of(keys: Mapping[str, FioKey], values: Values, rw: str) -> Blocks:
    """Return the requests of a job.

    Raises
    ------
    ScenarioError
        A size is none, or the sizes have too many kinds.
    """
    reads, writes = _shares(keys, values)
    percent = {"read": 100, "randread": 100, "write": 0, "randwrite": 0}.get(rw)
    if percent is None:
        percent = _mix(keys, values)
    if percent == 100:
        writes = reads
    elif percent == 0:
        reads = writes
    random = _random(keys, values, rw)
    align = _align(keys, values, reads, writes, is_random=random is not None or rw[:4] == "rand")
    blocks = Blocks(reads, writes, percent, random, align)
    if not blocks.is_plain and len(blocks.lines(rw)) > _MAX_LINES:
        key = keys.get("bssplit") or keys.get("bsrange") or keys["bs"]
        wrong(key, f"The job has more than {_MAX_LINES} sizes", "Write fewer with 'bssplit'")
    return blocks


def _mix(keys: Mapping[str, FioKey], values: Values) -> int:
    reads, writes = keys.get("rwmixread"), keys.get("rwmixwrite")
    key = reads or writes
    if key is None:
        return 50
    found = values.number(key)
    if found > 100:
        wrong(key, f"'{key.value}' is more than 100 %", "Write 0 to 100")
    return found if reads is not None else 100 - found


def _random(keys: Mapping[str, FioKey], values: Values, rw: str) -> tuple[int, int] | None:
    ordered = keys.get("percentage_sequential")
    key = ordered or keys.get("percentage_random")
    if key is None or rw[:4] != "rand":
        return None
    parts = values.texts(key)
    numbers = [values.number(key, part) if part else 100 for part in parts]
    if max(numbers) > 100:
        wrong(key, f"'{key.value}' is more than 100 %", "Write 0 to 100")
    if ordered is not None:
        numbers = [100 - number for number in numbers]
    pair = (numbers[0], numbers[1] if len(numbers) > 1 else numbers[0])
    return None if pair == (100, 100) else pair


def _align(
    keys: Mapping[str, FioKey],
    values: Values,
    reads: tuple[Share, ...],
    writes: tuple[Share, ...],
    *,
    is_random: bool,
) -> int:
    """Alignment of random addresses, 0 where it is the size; fio's is the least size."""
    sizes = [one.bytes for one in (*reads, *writes)]
    key = keys.get("blockalign")
    if key is not None:
        align = values.size(key, values.texts(key)[0])
        if align == 0 or align % _SECTOR:
            wrong(key, f"'{key.value}' is not a multiple of {_SECTOR} bytes", "Use whole sectors")
        return 0 if set(sizes) == {align} else align
    if not is_random:
        return 0
    unaligned = keys.get("blocksize_unaligned")
    if unaligned is not None and values.is_on(unaligned):
        return _SECTOR
    return 0 if len(set(sizes)) == 1 else min(sizes)


def _shares(
    keys: Mapping[str, FioKey], values: Values
) -> tuple[tuple[Share, ...], tuple[Share, ...]]:
    if (key := keys.get("bssplit")) is not None:
        read = _split
    elif (key := keys.get("bsrange")) is not None:
        read = _range
    elif (key := keys.get("bs")) is not None:
        read = _one
    else:
        share = (Share(_DEFAULT, Fraction(1)),)
        return share, share
    parts = values.texts(key)
    reads = read(key, parts[0], values) if parts[0] else (Share(_DEFAULT, Fraction(1)),)
    if len(parts) == 1:
        return reads, reads
    writes = read(key, parts[1], values) if parts[1] else (Share(_DEFAULT, Fraction(1)),)
    return reads, writes


def _block(key: FioKey, text: str, values: Values) -> int:
    size = values.size(key, text)
    if size == 0 or size % _SECTOR:
        wrong(key, f"'{text}' is not a multiple of {_SECTOR} bytes", "Use whole sectors")
    if size > _MAX_BLOCK:
        reason = f"'{text}' is larger than the largest request, {format_size(_MAX_BLOCK)}"
        wrong(key, reason, "Write a smaller one")
    return size


def _one(key: FioKey, text: str, values: Values) -> tuple[Share, ...]:
    return (Share(_block(key, text, values), Fraction(1)),)


def _range(key: FioKey, text: str, values: Values) -> tuple[Share, ...]:
    """All multiples of the least size within a range, each as often."""
    low_text, dash, high_text = text.partition("-")
    if not dash:
        wrong(key, f"'{text}' is not a range", "Write 4k-64k")
    low, high = _block(key, low_text, values), _block(key, high_text, values)
    if high < low:
        wrong(key, f"'{text}' ends before it begins", "Write the smaller size first")
    count = high // low
    if count > _MAX_LINES:
        reason = f"'{text}' has {count} sizes, and a workload has at most {_MAX_LINES}"
        wrong(key, reason, "Write fewer with 'bssplit'")
    return tuple(Share(low * number, Fraction(1, count)) for number in range(1, count + 1))


def _split(key: FioKey, text: str, values: Values) -> tuple[Share, ...]:
    """Sizes with percentages; those without one share the rest."""
    found: list[tuple[int, int | None]] = []
    for part in text.split(":"):
        size, _, share = part.partition("/")
        found.append((_block(key, size, values), values.number(key, share) if share else None))
    given = sum(share for _, share in found if share is not None)
    blank = sum(1 for _, share in found if share is None)
    if given > 100 or (not blank and given != 100):
        wrong(key, f"The shares of '{text}' sum to {given} %", "Make them sum to 100")
    rest = Fraction(100 - given, blank) if blank else Fraction(0)
    shares = [
        Share(size, Fraction(rest if share is None else share) / 100) for size, share in found
    ]
    return tuple(share for share in shares if share.share > 0)
