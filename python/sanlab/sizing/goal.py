"""Goals: a figure of a workload and its bound, `oltp.p99 < 2ms`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NoReturn

from sanlab.compare.figures import METRICS
from sanlab.errors import SanlabError
from sanlab.quantities import QuantityError, nearest, parse_rate, parse_share, parse_time

#: Metrics by the name that a goal uses.
NAMES: Final[dict[str, str]] = {
    "throughput": "throughput",
    "iops": "iops",
    "mean": "mean",
    "p50": "p50",
    "p99": "p99",
    "p99.9": "p99_9",
    "worst": "worst",
    "errors": "errors",
    "cpu": "cpu",
}
#: Metrics of the SAN as a whole.
_OF_THE_SAN = ("cpu",)
_GOAL = re.compile(
    r"\s*(?:(?P<workload>.+)\.)??(?P<metric>p99\.9|[a-z0-9]+)\s*(?P<sign><=|>=|<|>)\s*(?P<bound>.+?)\s*"
)


@dataclass(frozen=True)
class Goal:
    """What has to hold.

    Attributes
    ----------
    workload
        None for all workloads together.
    metric
        One of `sanlab.compare.figures.METRICS`.
    is_upper
        The bound is the most that is allowed, else the least.
    bound
        In the unit of the metric.
    text
        As it was written.
    """

    workload: str | None
    metric: str
    is_upper: bool
    bound: float
    text: str

    def is_met_by(self, value: float) -> bool:
        """Whether a value is within the bound; the bound itself is."""
        return value <= self.bound if self.is_upper else value >= self.bound


def parse_goal(text: str) -> Goal:
    """Read a goal.

    >>> parse_goal("oltp.p99 < 2ms")
    Goal(workload='oltp', metric='p99', is_upper=True, bound=2000000000.0, text='oltp.p99 < 2ms')
    >>> parse_goal("iops >= 20000").bound
    20000.0

    Raises
    ------
    SanlabError
        It has no metric that is known, no sign, or a bound in another unit.
    """
    match = _GOAL.fullmatch(text)
    if match is None:
        _refuse(
            text, "it is not a comparison", "Write a goal as 'oltp.p99 < 2ms' or 'iops > 20000'"
        )
    name = match["metric"]
    if name not in NAMES:
        guess = nearest(name, list(NAMES))
        hint = f"did you mean '{guess}'? " if guess else ""
        _refuse(text, f"there is no figure '{name}'", f"{hint}Figures are {', '.join(NAMES)}")
    metric = NAMES[name]
    if match["workload"] and metric in _OF_THE_SAN:
        _refuse(text, f"'{name}' is a figure of the whole SAN", f"Leave out '{match['workload']}.'")
    try:
        bound = _bound(METRICS[metric].unit, match["bound"])
    except QuantityError as error:
        _refuse(text, error.reason, error.remedy)
    return Goal(match["workload"], metric, match["sign"][0] == "<", bound, text.strip())


def _bound(unit: str, text: str) -> float:
    if unit == "ps":
        return float(parse_time(text))
    if unit == "B/s":
        return float(parse_rate(text))
    if unit == "1":
        return parse_share(text) / 1e6
    try:
        return float(text)
    except ValueError:
        reason = f"'{text}' is not a number"
        raise QuantityError(reason, "Write digits, 20000") from None


def _refuse(text: str, reason: str, remedy: str) -> NoReturn:
    message = f"--goal {text}: {reason}. {remedy}"
    raise SanlabError(message)
