"""Two sweeps side by side: the settings that both have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sanlab.compare.figures import Figure
from sanlab.compare.verdict import TOLERANCE, joined, line_of
from sanlab.errors import SanlabError

if TYPE_CHECKING:
    from sanlab.compare.verdict import Line, Verdict
    from sanlab.sweeps.result import Sweep

#: Columns of a summary by metric.
_COLUMNS: Final[dict[str, str]] = {
    "throughput": "throughput_bytes_per_s",
    "iops": "iops",
    "mean": "response_mean_ps",
    "p99": "response_p99_ps",
}


@dataclass(frozen=True)
class SettingLines:
    """One setting in two sweeps; `setting` has the values by path."""

    setting: dict[str, Any]
    lines: list[Line]

    @property
    def verdict(self) -> Verdict:
        """Of its figures together."""
        return joined([line.verdict for line in self.lines if line.verdict is not None])


@dataclass(frozen=True)
class SweepComparison:
    """A sweep against the first one.

    Attributes
    ----------
    settings
        Those that both have, in the order of the first.
    only_before, only_after
        How many settings the other sweep does not have.
    """

    before: Sweep
    after: Sweep
    settings: list[SettingLines]
    only_before: int
    only_after: int

    @property
    def verdict(self) -> Verdict:
        """Of all settings together."""
        return joined([one.verdict for one in self.settings])


def compare_sweeps(before: Sweep, after: Sweep, tolerance: float = TOLERANCE) -> SweepComparison:
    """Compare the settings that two sweeps have in common.

    Raises
    ------
    SanlabError
        They vary other parameters, or have no setting in common.
    """
    if sorted(before.parameters) != sorted(after.parameters):
        reason = (
            f"{before.folder} varies {', '.join(before.parameters)}, and {after.folder}"
            f" {', '.join(after.parameters)}: compare sweeps of the same parameters"
        )
        raise SanlabError(reason)
    one, other = _by_setting(before), _by_setting(after)
    common = [key for key in one if key in other]
    if not common:
        reason = f"{before.folder} and {after.folder} have no setting in common"
        raise SanlabError(reason)
    settings = [
        SettingLines(
            dict(key),
            [
                line_of(None, metric, _figure(one[key], name), _figure(other[key], name), tolerance)
                for metric, name in _COLUMNS.items()
            ],
        )
        for key in common
    ]
    return SweepComparison(
        before, after, settings, len(one) - len(common), len(other) - len(common)
    )


def _by_setting(sweep: Sweep) -> dict[tuple[tuple[str, Any], ...], dict[str, Any]]:
    paths = sorted(sweep.parameters)
    return {
        tuple((path, row[path]) for path in paths): row
        for row in sweep.summary()
        if row["iops"] is not None
    }


def _figure(row: dict[str, Any], column: str) -> Figure | None:
    value = row.get(column)
    if value is None or not math.isfinite(value):
        return None
    return Figure(float(value), row.get(f"{column}_half_width"))
