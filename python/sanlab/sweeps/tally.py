"""Numbers of points of a sweep by outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sanlab.sweeps.design import Setting


@dataclass
class Tally:
    """Numbers of points by outcome.

    Attributes
    ----------
    done, failed, impossible, lost
        Points simulated; those whose run failed and those whose setting the scenario does not
        allow, which are kept with their reason; those without a result because workers died, which
        the next call does again.
    found
        Of the first three, those that were there already.
    """

    done: int = 0
    failed: int = 0
    impossible: int = 0
    lost: int = 0
    found: int = 0
    is_stopped: bool = False
    unsure: list[Setting] = field(default_factory=list)
    added: list[Setting] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    damaged: int = 0

    @property
    def is_good(self) -> bool:
        """Everything that was asked for and is possible is there."""
        return not (self.failed or self.lost or self.is_stopped)
