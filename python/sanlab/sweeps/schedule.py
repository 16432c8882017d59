"""Order of points: repeats, more repeats until a mean is precise, more points at a bend."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from sanlab.stats.interval import mean_interval
from sanlab.sweeps.refine import curves, halfway_points

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.sweeps.design import Design, Setting
    from sanlab.sweeps.measure import Row

Key = tuple[tuple[str, str], ...]

#: Fewest repeats that `--until` judges by.
LEAST_REPEATS = 3


@dataclass(frozen=True, kw_only=True)
class Rules:
    """When a setting has enough repeats, and a curve enough points.

    Attributes
    ----------
    repeats
        Of each setting at least.
    metric
        Column that `until` looks at.
    until
        Relative half width of the 95 % interval to come below; None: no more than `repeats`.
    max_repeats
        Most repeats of a setting.
    refine
        Column whose curve gets more points where it bends; None: none.
    max_points
        Most settings added.
    """

    repeats: int = 1
    metric: str = "iops"
    until: float | None = None
    max_repeats: int = 30
    refine: str | None = None
    max_points: int = 16


@dataclass
class _Progress:
    values: dict[int, float | None] = field(default_factory=dict)
    refined: dict[int, float | None] = field(default_factory=dict)
    asked: int = 0


class Schedule:
    """Hands out settings and repeats; what it hands out follows from results alone."""

    def __init__(self, design: Design, rules: Rules, refine_path: str = "") -> None:
        self._rules = rules
        #: Parameter that a refined curve is drawn against.
        self._refine_path = refine_path
        first = rules.repeats if rules.until is None else max(rules.repeats, LEAST_REPEATS)
        self._first = first
        self._design: Iterator[Setting] = iter(design)
        self._current: Iterator[tuple[Setting, int]] = iter(())
        self._more: deque[tuple[Setting, int]] = deque()
        self._progress: dict[Key, _Progress] = {}
        self._added = 0
        #: Points known so far, for progress.
        self.total = design.count * first
        #: Settings that came to `max_repeats` without being sure.
        self.unsure: list[Setting] = []
        self.added: list[Setting] = []

    def next(self) -> tuple[Setting, int] | None:
        """Return the next setting and repeat, or None."""
        if self._more:
            return self._more.popleft()
        following = next(self._current, None)
        if following is None:
            setting = next(self._design, None)
            if setting is None:
                return None
            self._begin(setting)
            following = next(self._current)
        return following

    def _begin(self, setting: Setting) -> None:
        self._progress[tuple(setting.items())] = _Progress(asked=self._first)
        self._current = ((setting, repeat) for repeat in range(self._first))

    def done(self, setting: Setting, repeat: int, total: Row | None) -> None:
        """Take note of a finished point: its row of all I/Os, None if it failed."""
        rules = self._rules
        progress = self._progress[tuple(setting.items())]
        progress.values[repeat] = total[rules.metric] if total else None
        if rules.refine:
            progress.refined[repeat] = total[rules.refine] if total else None
        if rules.until is None or len(progress.values) < progress.asked:
            return
        values = [value for value in progress.values.values() if value is not None]
        if len(values) < len(progress.values) or is_sure(values, rules.until):
            return
        if progress.asked >= rules.max_repeats:
            self.unsure.append(setting)
            return
        self._more.append((setting, progress.asked))
        progress.asked += 1
        self.total += 1

    def refine(self) -> bool:
        """Add settings where curves bend; return whether there were any."""
        rules = self._rules
        if not rules.refine:
            return False
        means: dict[Key, float] = {}
        for key, progress in self._progress.items():
            values = [v for v in progress.refined.values() if v is not None]
            if values:
                means[key] = mean_interval(values).mean
        wanted = (
            setting
            for curve in curves(self._refine_path, means)
            for setting in halfway_points(curve)
        )
        order = list(next(iter(self._progress), ()))
        paths = [path for path, _ in order]
        ordered = ({path: setting[path] for path in paths} for setting in wanted)
        fresh = [s for s in ordered if tuple(s.items()) not in self._progress]
        fresh = list(islice(fresh, max(0, rules.max_points - self._added)))
        self._design = iter(fresh)
        self._added += len(fresh)
        self.added += fresh
        self.total += len(fresh) * self._first
        return bool(fresh)


def is_sure(values: list[float], until: float) -> bool:
    """Whether the 95 % interval of the mean is narrower than `until` on each side."""
    interval = mean_interval(values)
    if interval.half_width == 0:
        return True
    return interval.relative is not None and interval.relative <= until
