"""`-p path=values`: what is varied, and over which values.

```text
1,4,16           these values                     4KiB,64KiB    with units
1,2,4,..,256     on by the same factor            read,write    or any words
10,20,30,..,100  on by the same step              [1,2],[3,4]   brackets hold together
1..7             all whole numbers                1..256:log    a range for --random, even in its
                                                                logarithm
```
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NoReturn

from sanlab import quantities
from sanlab.errors import Problem, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Values of one parameter.
MAX_VALUES = 1_000_000

_INTEGER = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?)([A-Za-zµ%/]*)")
_RANGE = re.compile(rf"{_NUMBER.pattern}\.\.{_NUMBER.pattern}(:log)?")


@dataclass(frozen=True, slots=True)
class Span:
    """A range to draw from: amounts from `low` to `high`, both included, in one unit."""

    low: Fraction
    high: Fraction
    unit: str
    is_log: bool

    @property
    def is_whole(self) -> bool:
        """Only whole amounts are drawn."""
        return self.low.denominator == 1 and self.high.denominator == 1

    def text(self, amount: Fraction) -> str:
        """Write an amount of the range with its unit."""
        return f"{show_number(amount)}{self.unit}"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One path of the scenario and what it is set to.

    Attributes
    ----------
    path
        As for `--set`.
    values
        In the order they were written; none for a range that only a random design can use.
    span
        The range, where one was written.
    """

    path: str
    values: tuple[str, ...]
    span: Span | None = None


def parse_parameter(text: str) -> Parameter:
    """Read one `path=values`.

    >>> parse_parameter("workloads.reads.iodepth=1,2,4,..,32").values
    ('1', '2', '4', '8', '16', '32')
    >>> parse_parameter("arrays.dev1.ports=1..3").values
    ('1', '2', '3')

    Raises
    ------
    ScenarioError
        It is not a parameter, or its values make no sense.
    """
    path, equals, words = (part.strip() for part in text.partition("="))
    if not equals or not path:
        _refuse(text, "No '=' in it", "Write -p path=1,2,4")
    if not words:
        _refuse(text, "It has no values", "Write -p path=1,2,4")
    match = _RANGE.fullmatch(words)
    if match:
        return _range(text, path, match)
    if words.endswith(":log"):
        _refuse(text, "':log' goes with a range", "Write -p path=1..256:log")
    return Parameter(path, parse_values(_split(text, words), text))


def parse_values(words: list[str], text: str) -> tuple[str, ...]:
    """Spell out the values of a list and refuse what is empty or there twice."""
    values: list[str] = []
    for index, word in enumerate(words):
        if not word:
            _refuse(text, f"Value {index + 1} is empty", "Remove one comma")
        if word != "..":
            values.append(word)
            continue
        if index != len(words) - 2:
            _refuse(text, "'..' is not the last but one", "Write it as 1,2,4,..,256")
        values += _progression(text, values, words[-1])
    _refuse_twice(text, values)
    return tuple(values)


def magnitude(text: str) -> tuple[str, float] | None:
    """Kind and size of a value, to sort and compare by; None for a word.

    >>> magnitude("4KiB"), magnitude("8"), magnitude("read")
    (('size', 4096.0), ('number', 8.0), None)
    """
    for kind in _KINDS:
        amount = _amount(kind, text)
        if amount is not None:
            return kind, amount
    return None


def amounts(values: Sequence[str]) -> list[float] | None:
    """Sizes of values in the one kind that all of them are; None if there is no such kind.

    Alone, 10m may be a size or a length; beside 10km it is a length.

    >>> amounts(["10km", "10m", "50km"]), amounts(["read", "10m"])
    ([10000000.0, 10000.0, 50000000.0], None)
    """
    for kind in _KINDS:
        found = [_amount(kind, value) for value in values]
        sizes = [amount for amount in found if amount is not None]
        if len(sizes) == len(found):
            return sizes
    return None


def _plain_number(text: str) -> float:
    if re.fullmatch(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", text):
        return float(text)
    raise quantities.QuantityError(reason="It is not a number", remedy="Write digits")


def _speed(text: str) -> int:
    return quantities.SPEEDS[quantities.parse_speed(text)]


#: Kinds of values, in the order in which a single value is tried.
_KINDS: Final[dict[str, Callable[[str], float]]] = {
    "number": _plain_number,
    "time": quantities.parse_time,
    "size": quantities.parse_size,
    "rate": quantities.parse_rate,
    "length": quantities.parse_length,
    "share": quantities.parse_share,
    "speed": _speed,
}


def _amount(kind: str, text: str) -> float | None:
    try:
        return float(_KINDS[kind](text))
    except quantities.QuantityError:
        return None


def is_integer(text: str) -> bool:
    """Whether a value is digits alone."""
    return bool(_INTEGER.fullmatch(text)) and -(2**63) <= int(text) < 2**63


def split_number(text: str) -> tuple[Fraction, str] | None:
    """Amount and unit of a value; None for a word.

    >>> split_number("64KiB")
    (Fraction(64, 1), 'KiB')
    """
    match = _NUMBER.fullmatch(text)
    return (Fraction(match[1]), match[2]) if match else None


def show_number(amount: Fraction) -> str:
    """Write a number without an exponent where it is whole."""
    return str(amount.numerator) if amount.denominator == 1 else f"{float(amount):.12g}"


def _range(text: str, path: str, match: re.Match[str]) -> Parameter:
    low, low_unit, high, high_unit, log = match.groups()
    if low_unit != high_unit:
        unit = low_unit or high_unit
        _refuse(text, "The two ends have different units", f"Write both in {unit}")
    span = Span(Fraction(low), Fraction(high), low_unit, log is not None)
    if span.low >= span.high:
        _refuse(text, f"The range from {low} to {high} is empty", "Write the smaller end first")
    if span.is_log and span.low <= 0:
        _refuse(text, "A logarithmic range has no zero in it", "Begin above 0")
    if span.is_log or not span.is_whole:
        return Parameter(path, (), span)
    if span.high - span.low >= MAX_VALUES:
        _refuse(text, f"These are more than {MAX_VALUES} values", "Write fewer, 1,2,4,..,256")
    amounts = range(int(span.low), int(span.high) + 1)
    return Parameter(path, tuple(f"{amount}{span.unit}" for amount in amounts), span)


def _progression(text: str, values: list[str], end: str) -> list[str]:
    """Return what `..` stands for: values between the last one written and the end."""
    matches = [_NUMBER.fullmatch(word) for word in [*values, end]]
    if not values or not all(matches):
        _refuse(text, "'..' goes on between numbers", "Write it as 1,2,4,..,256")
    units = {match[2] for match in matches if match}
    if len(units) > 1:
        _refuse(text, "'..' goes on in one unit", f"Write all of them in {max(units)}")
    *known, last = [Fraction(match[1]) for match in matches if match]
    unit = units.pop()
    rules = _rules(known)
    if not rules:
        _refuse(text, "Before '..' there is neither one step nor one factor", "Write them all")
    readings = [_onward(known[-1], last, step, factor) for step, factor in rules]
    fitting = [between for between, comes_to in readings if comes_to == last]
    if len(fitting) == 2 and fitting[0] != fitting[1]:
        third = [f"'{show_number((*between, last)[0])}{unit}'" for between in fitting]
        remedy = f"Write one value more, {third[0]} or {third[1]}"
        _refuse(text, "'..' may go on by the same step or by the same factor", remedy)
    if not fitting:
        near = " or ".join(dict.fromkeys(f"'{show_number(at)}{unit}'" for _, at in readings))
        _refuse(text, f"'..' does not come to '{end}'", f"The nearest it comes to is {near}")
    return [f"{show_number(value)}{unit}" for value in fitting[0]]


def _rules(known: list[Fraction]) -> list[tuple[Fraction, Fraction]]:
    """Step and factor of each way to go on: `at * factor + step`."""
    if len(known) == 1:
        return [(Fraction(1), Fraction(1))]
    pairs = list(pairwise(known))
    steps = {after - before for before, after in pairs}
    rules = [(steps.pop(), Fraction(1))] if len(steps) == 1 else []
    if 0 not in known:
        factors = {after / before for before, after in pairs}
        rules += [(Fraction(0), factors.pop())] if len(factors) == 1 else []
    return rules


def _onward(
    at: Fraction, last: Fraction, step: Fraction, factor: Fraction
) -> tuple[list[Fraction], Fraction]:
    """Values up to the last, without it, and the last one that the rule comes to."""
    between: list[Fraction] = []
    while True:
        following = at * factor + step
        is_past = following > last if following > at else following < last
        if is_past or following == at or len(between) > MAX_VALUES:
            return between, at
        if following == last:
            return between, following
        between.append(following)
        at = following


def _split(text: str, words: str) -> list[str]:
    """Cut at commas outside brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for char in words:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        depth += (char in "[{") - (char in "]}") if not quote else 0
        if char == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += char
    if depth or quote:
        _refuse(text, "A bracket or quote is open", "Close it")
    return [part.strip() for part in parts]


def _refuse_twice(text: str, values: list[str]) -> None:
    seen: dict[object, str] = {}
    sizes = amounts(values)
    for index, value in enumerate(values):
        same = sizes[index] if sizes else magnitude(value) or value
        if same in seen:
            reason = f"'{value}' is here twice"
            if seen[same] != value:
                reason = f"'{seen[same]}' and '{value}' are the same"
            _refuse(text, reason, "Remove one of them")
        seen[same] = value


def _refuse(text: str, reason: str, remedy: str) -> NoReturn:
    raise ScenarioError([Problem(f"-p {text}", None, None, "", reason, remedy)])
