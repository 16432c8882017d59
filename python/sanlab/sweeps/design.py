"""The points of a sweep."""

from __future__ import annotations

import csv
import itertools
import math
import random
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, NoReturn

from sanlab.errors import Problem, ScenarioError
from sanlab.sweeps.syntax import parse_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sanlab.sweeps.syntax import Parameter

Kind = Literal["grid", "zip", "points", "random"]
#: A point of the design: text of each parameter by path.
Setting = dict[str, str]


@dataclass(frozen=True)
class Design:
    """The settings of a sweep, in order.

    Attributes
    ----------
    kind
        `grid`: every combination, the last parameter fastest. `zip`: first values together, second
        values together, and so on. `points`: as listed in a file. `random`: a Latin hypercube.
    values
        Values of each parameter by path; of a grid all of them, else one for each setting.
    """

    kind: Kind
    values: dict[str, tuple[str, ...]]

    @property
    def count(self) -> int:
        """How many settings there are."""
        lengths = [len(values) for values in self.values.values()]
        return math.prod(lengths) if self.kind == "grid" else lengths[0]

    def __iter__(self) -> Iterator[Setting]:
        paths, columns = list(self.values), list(self.values.values())
        combine = itertools.product if self.kind == "grid" else zip
        for values in combine(*columns):
            yield dict(zip(paths, values, strict=True))


def grid(parameters: Sequence[Parameter]) -> Design:
    """Every combination of the values."""
    return Design("grid", {p.path: _listed(p) for p in _distinct(parameters)})


def zipped(parameters: Sequence[Parameter]) -> Design:
    """First values together, second values together, and so on."""
    values = {p.path: _listed(p) for p in _distinct(parameters)}
    first, *others = values.items()
    for path, found in others:
        if len(found) != len(first[1]):
            reason = f"{len(found)} values, and '{first[0]}' has {len(first[1])}"
            _refuse(f"-p {path}", reason, "With --zip all have equally many")
    return Design("zip", values)


def from_file(path: Path) -> Design:
    """Points listed in a CSV file: paths in its first line, a point in each other line."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [(line, row) for line, row in _lines(file) if any(row)]
    except OSError as error:
        _refuse(str(path), f"It cannot be read: {error.strerror}", "Check its name")
    except (UnicodeDecodeError, csv.Error):
        _refuse(str(path), "It is not CSV in UTF-8", "Save it as CSV")
    if len(rows) < 2:
        _refuse(str(path), "It has no points", "Write paths, then one point on each line")
    _, head = rows[0]
    if not all(head) or len(set(head)) < len(head):
        _refuse(str(path), "A path is empty or there twice", "Give each column its path", 1)
    for name in head:
        _refuse_seed(str(path), name, 1)
    seen: dict[tuple[str, ...], int] = {}
    for line, row in rows[1:]:
        if len(row) != len(head) or not all(row):
            reason = f"{sum(map(bool, row))} values for {len(head)} paths"
            _refuse(str(path), reason, "Give each path a value", line)
        if tuple(row) in seen:
            reason = f"The same point as on line {seen[tuple(row)]}"
            _refuse(str(path), reason, "Remove one of them", line)
        seen[tuple(row)] = line
    return Design("points", dict(zip(head, zip(*seen, strict=True), strict=True)))


def latin_hypercube(parameters: Sequence[Parameter], count: int, seed: int) -> Design:
    """Random points that spread evenly over each parameter.

    The range of each parameter is cut into `count` equal strata and one value is drawn from each,
    in an order of its own: McKay, Beckman and Conover, Technometrics 21 (1979). A list is used
    evenly. Each parameter draws from its own stream, named by its path and the seed.
    """
    columns = {p.path: _drawn(p, count, seed) for p in _distinct(parameters)}
    distinct = dict.fromkeys(zip(*columns.values(), strict=True))
    return Design("random", dict(zip(columns, zip(*distinct, strict=True), strict=True)))


def _drawn(parameter: Parameter, count: int, seed: int) -> tuple[str, ...]:
    stream = random.Random(f"{seed}/{parameter.path}")
    strata = list(range(count))
    stream.shuffle(strata)
    shares = [(stratum + stream.random()) / count for stratum in strata]
    span = parameter.span
    if span is None:
        return tuple(parameter.values[int(s * len(parameter.values))] for s in shares)
    if span.is_whole:
        low, high = float(span.low) - 0.5, float(span.high) + 0.5
        if span.is_log:
            low = max(low, float(span.low) / 2)
        amounts = [Fraction(round(_between(low, high, s, is_log=span.is_log))) for s in shares]
        amounts = [min(max(amount, span.low), span.high) for amount in amounts]
    else:
        low, high = float(span.low), float(span.high)
        drawn = [_between(low, high, share, is_log=span.is_log) for share in shares]
        amounts = [Fraction(f"{value:.6g}") for value in drawn]
    return tuple(span.text(amount) for amount in amounts)


def _between(low: float, high: float, share: float, *, is_log: bool) -> float:
    if is_log:
        return float(low * (high / low) ** share)
    return low + share * (high - low)


def _listed(parameter: Parameter) -> tuple[str, ...]:
    if not parameter.values:
        reason = "A range of fractions or with ':log' has no values of its own"
        _refuse(f"-p {parameter.path}", reason, "List the values, or add --random N")
    return parameter.values


def _distinct(parameters: Sequence[Parameter]) -> Sequence[Parameter]:
    seen: set[str] = set()
    for parameter in parameters:
        if parameter.path in seen:
            reason = "The path is given twice"
            _refuse(f"-p {parameter.path}", reason, "Put all its values into one -p")
        _refuse_seed(f"-p {parameter.path}", parameter.path)
        seen.add(parameter.path)
    return parameters


def _refuse_seed(place: str, path: str, line: int | None = None) -> None:
    """Refuse the seed as a parameter: each repeat of a setting has a seed of its own."""
    if path == "seed":
        reason = "A seed is not a parameter: each repeat of a setting has one of its own"
        _refuse(
            place, reason, "Write --repeats N for N seeds, or --seed N for another first one", line
        )


def _lines(file: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(file)
    for row in reader:
        yield reader.line_num, [cell.strip() for cell in row]


def _refuse(place: str, reason: str, remedy: str, line: int | None = None) -> NoReturn:
    raise ScenarioError([Problem(place, line, None, "", reason, remedy)]) from None


def check_list(path: str, values: Sequence[object]) -> Parameter:
    """Make a parameter of values given in Python."""
    from sanlab.sweeps.syntax import Parameter

    words = [_word(value) for value in values]
    text = f"{path}={','.join(words)}"
    if not words:
        _refuse(f"-p {path}=", "It has no values", "Write -p path=1,2,4")
    return Parameter(path, parse_values(words, text))


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).strip()
