"""Caches of arrays."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field, model_validator

from sanlab.scenario.base import (
    BlockSize,
    LunSize,
    Rate,
    ScenarioModel,
    Share,
    Size,
    Time,
    also,
    refusal,
)

#: Commands at once, or in a row.
Commands = Annotated[int, Field(ge=1, le=1_000_000)]
#: Readers that a cache follows: each read is compared with all of them.
Readers = Annotated[int, Field(ge=1, le=4096)]


def off_is_none(value: object) -> object:
    """Return None for `off`."""
    if isinstance(value, str) and value != "off":
        raise refusal(
            reason=f"'{value}' is not a set of keys",
            remedy="Write 'off', or the keys below it",
        )
    return None if value in ("off", False) else value


class Partner(ScenarioModel):
    """The other controller, which keeps a copy of write data in the cache."""

    time: Time = 0
    """Fixed time of a copy, without the time for its bytes."""
    rate: Rate
    """Rate of the way to its cache, which the copies under way share evenly."""


#: Keys of a cache that have an effect only with `size`.
PAGE_KEYS: Final = (
    "page",
    "prefetch",
    "prefetch_after",
    "prefetch_readers",
    "prefetch_when",
    "low_watermark",
    "high_watermark",
    "write_back",
    "destage",
    "destages",
    "destage_order",
    "destage_age",
    "destage_rest",
    "partner",
)


class Cache(ScenarioModel):
    """Cache of an array: with `read_hit` a fixed share of hits, with `size` a cache of pages.

    The other keys are those of the model, if its cache is of the same kind.
    """

    read_hit: Share = 0
    """Share of reads that find their data; 0% by default."""
    access: Time = 200_000_000
    """Time to serve from the cache; 200us by default."""
    dirty_limit: Size = 0
    """Write data the cache may hold before it is on disk; 0 means write-through. With `size` the
    default is half of `size`."""
    size: LunSize | None = None
    """Capacity. With it, a read hits if its data were read or written before and are still in the
    cache."""
    page: BlockSize | None = None
    """Size of a page, a power of two up to 64KiB; 4KiB by default."""
    prefetch: Size | None = None
    """Bytes read ahead of a sequential reader; 0, no read-ahead, by default."""
    prefetch_when: Literal["half", "miss"] | None = None
    """When the next read-ahead starts. `half`, the default: when the reader has used half of the
    last one. `miss`: when a read misses; the missing data and the read-ahead are then one disk
    request, and the reader waits for all of it."""
    prefetch_after: Commands | None = None
    """Consecutive sequential reads before read-ahead starts; 2 by default."""
    prefetch_readers: Readers | None = None
    """Sequential readers that each controller follows at once; 256 by default. With more of them,
    each loses its read-ahead before it goes on."""
    write_back: bool | None = None
    """Whether writes are answered from the cache; true by default."""
    high_watermark: Share | None = None
    """Destaging begins above this share of `dirty_limit`; 75% by default."""
    low_watermark: Share | None = None
    """Destaging ends at this share of `dirty_limit`; 25% by default."""
    destages: Commands | None = None
    """Destages under way at once; by default one for each disk of the array and 8 for each SSD, and
    at least 8; a group of RAID 3 counts as one disk. Fewer leave drives idle while the cache is
    full."""
    destage_order: Literal["address", "age"] | None = None
    """Which of the data that are due are destaged next. `age`, the default: what has been dirty for
    longest. `address`: the next by address on its disks, round and round, so that arms move little;
    the disk arrays of the catalog have it."""
    destage: Size | None = None
    """Most that is destaged at once, in whole stripes; one stripe by default."""
    destage_age: Time | None = None
    """Age at which dirty data are destaged below the watermarks too; off by default, so they stay.
    Arrays have such a time (`cacheFlushModifier` of IBM DS4000: 250ms to 1h, or none)."""
    destage_rest: Time | None = None
    """Time without a command after which all dirty data are destaged until the next command; off by
    default. Arrays do so (idle flushing of EMC CLARiiON)."""
    partner: Annotated[Partner | None, BeforeValidator(off_is_none), also({"const": "off"})] = None
    """Copy of every cached write to the other controller, or `off`. With several `controllers` it
    goes at their `forward` and `forward_rate` by default; with one, `off` is the default."""

    @property
    def page_key(self) -> str | None:
        """A key that has an effect only in a cache of pages, if there is one."""
        return next((key for key in PAGE_KEYS if getattr(self, key) is not None), None)

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Cache:
        if "read_hit" in self.model_fields_set and self.size is not None:
            raise refusal(
                reason="A cache with 'size' computes its hits, so 'read_hit' has no effect",
                remedy="Remove 'read_hit', or 'size'",
                key="read_hit",
            )
        return self
