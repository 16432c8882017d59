"""Values of fio's job files: numbers with suffixes, sums and products, times and variables.

With `kb_base=1024`, the default, `k` and `kB` mean 1024 and `Ki` and `KiB` 1000; with 1000 it is
the other way round (HOWTO of fio, "Parameter types").
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn

from sanlab.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sanlab.importers.fio_file import FioKey

_POWERS = {letter: power for power, letter in enumerate("kmgtpe", 1)}
_TIMES_US = {
    "us": 1,
    "usec": 1,
    "ms": 1000,
    "msec": 1000,
    "s": 10**6,
    "sec": 10**6,
    "m": 60 * 10**6,
    "min": 60 * 10**6,
    "h": 3600 * 10**6,
    "hour": 3600 * 10**6,
    "d": 86_400 * 10**6,
    "day": 86_400 * 10**6,
}
#: Page of the processors that fio runs on most; `$pagesize` of others is given with -D.
_PAGE_BYTES = "4096"
_TOKEN = re.compile(r"\s*(?:(0x[0-9a-fA-F]+|\d+\.?\d*|\.\d+)([A-Za-z]*)|([-+*/()]))")
_MOST_CHARACTERS = 200
_WHOLE = 100


@dataclass(frozen=True, slots=True)
class Values:
    """How values are read: what `-D NAME=VALUE` defines, and the base of `k`."""

    defined: Mapping[str, str]
    kb_base: int = 1024

    def text(self, key: FioKey) -> str:
        """Return the text of a value with its variables filled in."""
        text = key.value or ""

        def environment(found: re.Match[str]) -> str:
            name = found[1]
            value = self.defined.get(name, os.environ.get(name))
            if value is None:
                reason = f"The environment variable '{name}' is not set"
                refuse(key.file, key.line, key.key, reason, f"Add -D {name}=VALUE")
            return value

        def keyword(found: re.Match[str]) -> str:
            name = found[1]
            if name in self.defined:
                return self.defined[name]
            if name != "pagesize":
                reason = f"'${name}' stands for a number of the machine that fio runs on"
                refuse(key.file, key.line, key.key, reason, f"Add -D {name}=NUMBER")
            return _PAGE_BYTES

        text = re.sub(r"\$\{([^}]*)\}", environment, text)
        return re.sub(r"\$(mb_memory|ncpus|pagesize)\b", keyword, text)

    def texts(self, key: FioKey) -> list[str]:
        """Return what reads, writes and trims have, separated by commas; '' where none stands."""
        parts = [part.strip() for part in self.text(key).split(",")]
        if len(parts) > 3:
            wrong(key, f"'{key.value}' has more than 3 parts", "Write reads, writes, trims")
        return parts

    def size(self, key: FioKey, text: str | None = None) -> int:
        """Return bytes, or a plain number."""
        return self._whole(key, self.text(key) if text is None else text, self._of_size)

    def number(self, key: FioKey, text: str | None = None, low: int = 0) -> int:
        """Return a number of at least `low`."""
        found = self.size(key, text)
        if found < low:
            wrong(key, f"'{text or key.value}' is less than {low}", f"Write {low} or more")
        return found

    def time_us(self, key: FioKey, unit: str) -> int:
        """Return microseconds; `unit` is that of a number without one."""

        def of_unit(suffix: str) -> Fraction | None:
            factor = _TIMES_US.get(suffix.lower() or unit)
            return None if factor is None else Fraction(factor)

        return self._whole(key, self.text(key), of_unit)

    def is_on(self, key: FioKey | None) -> bool:
        """Whether a flag is set; one without a value is."""
        return key is not None and (key.value is None or self.number(key) != 0)

    def _of_size(self, suffix: str) -> Fraction | None:
        word = suffix.lower().removesuffix("b")
        if not word:
            return Fraction(1)
        power = _POWERS.get(word[0])
        if power is None or word[1:] not in {"", "i"}:
            return None
        other = 1000 if self.kb_base == 1024 else 1024
        return Fraction((other if word[1:] else self.kb_base) ** power)

    def _whole(self, key: FioKey, text: str, of_suffix: Callable[[str], Fraction | None]) -> int:
        found = _Sum(key, text, of_suffix).value()
        if found.denominator != 1:
            wrong(key, f"'{text}' is not a whole number", "Write one")
        return int(found)


def wrong(key: FioKey, reason: str, remedy: str) -> NoReturn:
    """Refuse the value of a key."""
    refuse(key.file, key.line, key.key, reason, remedy)


def percent(text: str) -> int | None:
    """Return the percentage that a size is given as; None where it is bytes."""
    found = re.fullmatch(r"(\d{1,3})%", text.strip())
    return int(found[1]) if found and int(found[1]) <= _WHOLE else None


class _Sum:
    """Sums, products and quotients of numbers with suffixes, and brackets."""

    def __init__(self, key: FioKey, text: str, of_suffix: Callable[[str], Fraction | None]) -> None:
        self.key = key
        self.shown = text
        self.of_suffix = of_suffix
        self.tokens: list[Fraction | str] = []
        self.next = 0
        if len(text) > _MOST_CHARACTERS:
            self.refuse()
        place = 0
        while text[place:].strip():
            found = _TOKEN.match(text, place)
            if found is None:
                self.refuse()
            place = found.end()
            self.tokens.append(found[3] or self.number(found[1], found[2]))

    def refuse(self) -> NoReturn:
        wrong(self.key, f"'{self.shown}' is not a number", "Write a number such as 64k, or 4*1024")

    def number(self, digits: str, suffix: str) -> Fraction:
        factor = self.of_suffix(suffix)
        if factor is None:
            reason = f"'{suffix}' of '{self.shown}' is not a unit of '{self.key.key}'"
            wrong(self.key, reason, "Write a number with a suffix of fio, or without one")
        return Fraction(int(digits, 16) if digits[:2] == "0x" else Fraction(digits)) * factor

    def value(self) -> Fraction:
        found = self.sum()
        if self.next != len(self.tokens) or found < 0 or found >= 2**63:
            self.refuse()
        return found

    def take(self, signs: str) -> str:
        if self.next < len(self.tokens):
            token = self.tokens[self.next]
            if isinstance(token, str) and token in signs:
                self.next += 1
                return token
        return ""

    def sum(self) -> Fraction:
        found = self.product()
        while sign := self.take("+-"):
            other = self.product()
            found = found + other if sign == "+" else found - other
        return found

    def product(self) -> Fraction:
        found = self.one()
        while sign := self.take("*/"):
            other = self.one()
            if sign == "/" and other == 0:
                self.refuse()
            found = found * other if sign == "*" else found / other
        return found

    def one(self) -> Fraction:
        if self.take("("):
            found = self.sum()
            if not self.take(")"):
                self.refuse()
            return found
        if self.next >= len(self.tokens):
            self.refuse()
        token = self.tokens[self.next]
        if isinstance(token, str):
            self.refuse()
        self.next += 1
        return token
