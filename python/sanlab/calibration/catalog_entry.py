"""Fitted values as entries of the catalog, which scenarios name as a `model`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import yaml

from sanlab.catalog.entries import MODELS
from sanlab.catalog.own import VARIABLE
from sanlab.errors import SanlabError
from sanlab.plan.defaults import generic
from sanlab.scenario.document import read_document
from sanlab.scenario.overrides import apply_overrides

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.calibration.fit import Fit

#: Media of a LUN that an entry of an array has.
_MEDIA: Final = ("memory", "ram", "flash")
#: Where the values of an entry stand in a scenario.
_FORMS: Final = (
    "arrays.NAME.KEY, arrays.NAME.luns.NAME.memory.KEY (or ram, flash), switches.NAME.KEY"
)


def catalog_entries(scenario: str, fit: Fit, runs: list[str]) -> str:
    """Return a file of catalog entries, one for each array and switch with fitted values.

    Parameters
    ----------
    scenario
        Its text.
    runs
        Names of the runs that were fitted.

    Raises
    ------
    SanlabError
        A fitted value is none of a catalog entry.
    """
    document = read_document(scenario, "scenario")
    apply_overrides(document, {}, ("--free", fit.overrides))
    entries: dict[str, dict[str, dict[str, Any]]] = {}
    for one in fit.parameters:
        kind, name = _box_of(one.parameter.path)
        entry = entries.setdefault(kind, {}).setdefault(f"{name}-fitted", _empty(fit, runs))
        box = next((box for box in document[kind] if box["name"] == name), None)
        if box is None:
            reason = f"--catalog-entry: {one.parameter.path} is not of one box. Name a single one"
            raise SanlabError(reason)
        entry["like"] = box.get("model") or generic(box.get("speed"))
        key = _take(entry, kind, box, one.parameter.path)
        if not one.is_known or one.is_at_bound:
            entry["uncertain"] = sorted({*entry.get("uncertain", []), key})
    head = (
        f"# Entries fitted by sanlab calibrate. With {VARIABLE} set to the name of this file,\n"
        "# a scenario uses one as 'model: NAME'.\n"
    )
    text: str = yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=110)
    return head + text


def refuse_others(paths: Iterable[str]) -> None:
    """Raise if one of the values cannot be in an entry, before anything is fitted.

    Raises
    ------
    SanlabError
        It is of a host, a link or a workload, or it is another value of a LUN than its media.
    """
    for path in paths:
        kind, _ = _box_of(path)
        _key_of(kind, path)


def _box_of(path: str) -> tuple[str, str]:
    """Kind and name of the box that a value is of."""
    kind, _, rest = path.partition(".")
    name, _, keys = rest.partition(".")
    if kind not in ("arrays", "switches") or not keys:
        reason = f"--catalog-entry: {path} does not belong to a catalog entry; those are {_FORMS}"
        raise SanlabError(reason)
    return kind, name


def _empty(fit: Fit, runs: list[str]) -> dict[str, Any]:
    off = [abs(row.difference) for row in fit.rows if row.is_fitted]
    predicted = [abs(row.difference) for row in fit.rows if not row.is_fitted]
    source = f"Fitted by sanlab calibrate to {', '.join(runs)}: {_percent(off)}"
    if predicted:
        source += f"; other runs predicted {_percent(predicted)}"
    return {"like": "", "about": "Fitted to measurements", "source": source}


def _percent(differences: list[float]) -> str:
    mean = 100 * sum(differences) / len(differences)
    return f"{mean:.1f} % off on average, {100 * max(differences):.1f} % at most"


def _take(entry: dict[str, Any], kind: str, box: dict[str, Any], path: str) -> str:
    """Take the values of a box over into its entry; return the key of the fitted one."""
    fields = MODELS[kind].model_fields
    for key, value in box.items():
        if key in fields and key != "disk":
            entry[key] = None if value == "off" else _plain(value)
    found = _key_of(kind, path)
    if found in box:
        return found
    media, name = found, path.split(".")[3]
    lun = next((lun for lun in box["luns"] if lun["name"] == name), None)
    if lun is None:
        reason = f"--catalog-entry: {path} is not of one LUN. Name a single one"
        raise SanlabError(reason)
    values = _plain(lun[media])
    if entry.setdefault(media, values) != values or entry.setdefault("media", media) != media:
        reason = (
            f"--catalog-entry: {path} is one of several values, and an entry has one for all LUNs"
            " of an array. Write the fitted values into the scenario instead (-o)"
        )
        raise SanlabError(reason)
    entry["pool"] = None
    return media


def _key_of(kind: str, path: str) -> str:
    """The key of an entry that holds a value."""
    keys = path.split(".")[2:]
    if keys[0] in MODELS[kind].model_fields:
        return keys[0]
    if kind == "arrays" and len(keys) == 4 and keys[0] == "luns" and keys[2] in _MEDIA:
        return keys[2]
    reason = f"--catalog-entry: {path} does not belong to a catalog entry; those are {_FORMS}"
    raise SanlabError(reason)


def _plain(value: Any) -> Any:  # noqa: ANN401  of a document
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list) else value
