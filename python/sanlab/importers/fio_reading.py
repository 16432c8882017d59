"""A job of fio while it becomes a workload."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.importers.fio_values import percent, wrong
from sanlab.importers.generic_san import LUN_BYTES

if TYPE_CHECKING:
    from sanlab.importers.fio_file import FioJob, FioKey
    from sanlab.importers.fio_values import Values
    from sanlab.importers.generic_san import Lun, Work

_SECTOR = 512
#: Percentages of a LUN are rounded to this, which all usual block sizes divide.
_ROUND = 64 * 2**10


@dataclass(slots=True)
class Reading:
    """A job while it is read."""

    job: FioJob
    keys: dict[str, FioKey]
    values: Values
    work: Work
    rw: str = "read"
    luns: list[Lun] = field(default_factory=list)
    is_shared: bool = True
    numjobs: int = 1
    is_timed: bool = False

    def remark(self, text: str) -> None:
        """Say something above the workload."""
        self.work.remarks.append(text)

    def number(self, name: str, default: int, low: int = 0) -> int:
        """Return the number of a key."""
        key = self.keys.get(name)
        return default if key is None else self.values.number(key, low=low)

    @property
    def is_random(self) -> bool:
        """Whether addresses are random."""
        return self.rw.startswith("rand")

    @property
    def is_mixed(self) -> bool:
        """Whether it reads and writes."""
        return self.rw in {"rw", "randrw"}

    def bytes_of(self, name: str) -> int:
        """Return a size in whole sectors, 0 without one; a percentage is one of a LUN."""
        key = self.keys.get(name)
        if key is None:
            return 0
        text = self.values.text(key)
        share = percent(text)
        if share is not None:
            return LUN_BYTES * share // 100 // _ROUND * _ROUND
        # Of a range of file sizes the largest.
        found = self.values.size(key, text.rpartition("-")[2] if name == "filesize" else text)
        if name == "offset" and found % _SECTOR:
            wrong(key, f"'{text}' is not a multiple of {_SECTOR} bytes", "Use whole sectors")
        return found // _SECTOR * _SECTOR
