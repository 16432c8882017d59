"""The simulated time up to which a run may go, from a pace and the clock."""

from __future__ import annotations

from dataclasses import dataclass

PS_PER_S = 10**12


@dataclass
class Pacing:
    """A pace that can change, and a pause.

    Attributes
    ----------
    pace
        Simulated seconds for each second of the clock; None is as fast as possible.
    is_paused
        Nothing moves on.
    fast_until_ps
        Up to here the pace does not count.
    """

    pace: float | None = None
    is_paused: bool = False
    fast_until_ps: int = 0
    _from_ps: int = 0
    _from_s: float | None = None

    def change(self, pace: float | None, now_ps: int, *, is_paused: bool) -> None:
        """Go on from here at another pace, or wait."""
        self.pace = pace
        self.is_paused = is_paused
        self._from_ps = max(now_ps, self.fast_until_ps)
        self._from_s = None

    def hold_ps(self, now_ps: int, clock_s: float) -> int | None:
        """Return the time to hold at, None to run freely.

        >>> pacing = Pacing(pace=0.5)
        >>> pacing.hold_ps(0, 100.0), pacing.hold_ps(0, 102.0)
        (0, 1000000000000)
        >>> pacing.change(None, 10**12, is_paused=True)
        >>> pacing.hold_ps(10**12, 103.0)
        1000000000000
        """
        if now_ps < self.fast_until_ps:
            self._from_ps = self.fast_until_ps
            return None if self.pace is None and not self.is_paused else self.fast_until_ps
        if self.is_paused:
            return self._from_ps
        if self.pace is None:
            return None
        if self._from_s is None:
            self._from_s = clock_s
        return self._from_ps + int((clock_s - self._from_s) * self.pace * PS_PER_S)
