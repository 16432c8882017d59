"""Controllers, cache and pool of an array: those of its model, changed by its scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sanlab.scenario.arrays import Raid, WholePool
from sanlab.scenario.base import overlaid
from sanlab.scenario.controllers import CountedControllers

if TYPE_CHECKING:
    from pydantic import BaseModel

    from sanlab.catalog.entries import ArrayEntry
    from sanlab.plan.names import Problems
    from sanlab.scenario.arrays import Array
    from sanlab.scenario.caches import Cache
    from sanlab.scenario.document import Path

#: Has all ports.
ONE_CONTROLLER: Final = CountedControllers(count=1)
#: Keys without an empty value: those of the model hold.
_NEVER_EMPTY: Final = frozenset({"count", "level", "drives", "raid"})


def controllers_of_model(
    spec: Array, model: ArrayEntry, path: Path, problems: Problems
) -> CountedControllers:
    """Return the controllers of an array; one that has all ports where nothing says otherwise."""
    base = model.controllers
    if spec.controllers is None:
        return base or ONE_CONTROLLER
    if base is None:
        _require(spec.controllers, ("count",), (*path, "controllers"), problems)
    return overlaid(base or ONE_CONTROLLER, _own(spec.controllers))


def cache_of_model(spec: Array, model: ArrayEntry, path: Path, problems: Problems) -> Cache | None:
    """Return the cache of each controller of an array, if it has one.

    A cache of pages takes over nothing from one with a fixed share of hits, nor the other way.
    """
    own, base = spec.cache, model.cache
    if own is None:
        return None if "cache" in spec.model_fields_set else base
    is_other_kind = base is not None and (
        (own.size is not None and base.size is None)
        or (base.size is not None and "read_hit" in own.model_fields_set)
    )
    cache = own if base is None or is_other_kind else overlaid(base, _own(own))
    if cache.size is None and (key := own.page_key) is not None:
        problems.add(
            (*path, "cache", key),
            f"'{key}' has no effect without 'size'",
            "Add 'size', the capacity of the cache",
        )
    return cache


def pool_of_model(
    spec: Array, model: ArrayEntry, path: Path, problems: Problems
) -> WholePool | None:
    """Return the pool of an array, if it has one."""
    own, base = spec.pool, model.pool
    if own is None:
        return None if "pool" in spec.model_fields_set else base
    if base is None:
        place = (*path, "pool")
        if not _require(own, ("raid",), place, problems) or own.raid is None:
            return None
        if not _require(own.raid, ("level", "drives"), (*place, "raid"), problems):
            return None
        base = WholePool(raid=Raid(level=0, drives=1))
    raid = base.raid if own.raid is None else overlaid(base.raid, _own(own.raid))
    return overlaid(base, _own(own) | {"raid": raid})


def _require(part: BaseModel, keys: tuple[str, ...], path: Path, problems: Problems) -> bool:
    """Note keys that are missing, since no model has them."""
    missing = [key for key in keys if getattr(part, key) is None]
    for key in missing:
        problems.add((*path, key), f"The key '{key}' is missing", f"Add '{key}:'")
    return not missing


def _own(part: BaseModel) -> dict[str, object]:
    """Values that a part of a scenario has of its own; a required one that is empty is none."""
    return {
        key: value
        for key in type(part).model_fields
        if key in part.model_fields_set
        and ((value := getattr(part, key)) is not None or key not in _NEVER_EMPTY)
    }
