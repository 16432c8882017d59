"""The files of the catalog: each is read once, and each entry parsed when it is asked for."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sanlab.catalog.entries import MODELS
from sanlab.catalog.own import own_entries, state
from sanlab.errors import ScenarioError, refuse
from sanlab.quantities import nearest, not_simulated
from sanlab.scenario.document import MarkedMap, read_document
from sanlab.scenario.messages import problems_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from sanlab.catalog.entries import Entry

#: Kinds of hardware, each a file of this package.
KINDS = tuple(MODELS)
#: Where an entry begins: its name stands at the start of a line.
_NAME = re.compile(r"^([\w.-]+):", re.MULTILINE)


#: Most names that an error lists.
_MOST_NAMES = 16
#: Kinds whose models a transport decides.
_WITH_PORTS = ("hbas", "switches")


class UnknownEntryError(LookupError):
    """A model the catalog does not have."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        guess = nearest(name, known)
        self.guess = guess
        self.reason = f"The catalog of {kind} has no model '{name}'"
        other = not_simulated(name) if kind in _WITH_PORTS else None
        if other is not None:
            self.reason += f": {other} is not simulated"
        homes = [home for home in KINDS if home != kind and name in names_of(home)]
        if homes:
            self.reason += f": it is in the catalog of {homes[0]}"
        hint = f"Did you mean '{guess}'? " if guess and other is None and not homes else ""
        if len(known) <= _MOST_NAMES:
            self.remedy = f"{hint}It has {', '.join(known)}"
        else:
            self.remedy = f"{hint}'sanlab catalog {kind}' lists its {len(known)} models"
        super().__init__(f"{self.reason}. {self.remedy}")


def entry(kind: str, name: str) -> Entry:
    """Return one entry, `entry("hbas", "qla2340")`.

    Raises
    ------
    UnknownEntryError
        The catalog has no such entry; the error names the nearest one.
    """
    if name in _texts(kind):
        return _entry(kind, name)
    if name in _own(kind):
        return _own_entry(kind, name, state())
    raise UnknownEntryError(kind, name, names_of(kind))


def names_of(kind: str) -> list[str]:
    """Return the names of all entries of one kind, in the order of its file, your own last."""
    return [*_texts(kind), *_own(kind)]


def entries_of(kind: str) -> Mapping[str, Entry]:
    """Return all entries of one kind, in the order of its file, your own last."""
    return {name: entry(kind, name) for name in names_of(kind)}


def search(words: list[str], kinds: Iterable[str] = KINDS) -> dict[str, list[str]]:
    """Return the names of entries whose name, description or source match all words, by kind.

    Case does not matter. A word matches a part of a word, except that one which begins with a digit
    does not match the end of a longer number: `8g` is not found in 128GFC.
    """
    patterns = [
        re.compile(("(?<![0-9.])" if word[:1].isdigit() else "") + re.escape(word.lower()))
        for word in words
    ]
    found = {
        kind: [
            name
            for name in names_of(kind)
            if all(pattern.search(_searched(kind, name, state())) for pattern in patterns)
        ]
        for kind in kinds
    }
    return {kind: names for kind, names in found.items() if names}


@cache
def _searched(kind: str, name: str, own: Hashable) -> str:
    """Text of an entry in which a search looks, in lower case; `own` is the state of your files."""
    del own
    values = _filled(kind, name)
    words = [kind, name, *(str(values[key]) for key in ("about", "source") if key in values)]
    return "\n".join(words).lower()


def written(kind: str, name: str) -> dict[str, Any]:
    """Return an entry as it is written, `like` filled in."""
    entry(kind, name)
    return dict(_filled(kind, name))


def described(kind: str, name: str) -> dict[str, Any]:
    """Return an entry with its values as they are written, units included, and what follows."""
    document = written(kind, name)
    computed = entry(kind, name).computed
    return document | {"computed": computed} if computed else document


@cache
def _texts(kind: str) -> dict[str, str]:
    """Text of each entry of one kind, with empty lines for what stands above it in the file."""
    text = (files("sanlab.catalog") / f"{kind}.yaml").read_text(encoding="utf-8")
    starts = [*_NAME.finditer(text)]
    ends = [start.start() for start in starts[1:]] + [len(text)]
    return {
        start[1]: "\n" * text.count("\n", 0, start.start()) + text[start.start() : end]
        for start, end in zip(starts, ends, strict=True)
    }


def _source(kind: str, name: str) -> MarkedMap:
    """One entry as it stands in its file, your own or one of the package."""
    return _written(kind, name) if name in _texts(kind) else _own(kind)[name]


@cache
def _written(kind: str, name: str) -> MarkedMap:
    """One entry as it stands in the file."""
    entry: MarkedMap = read_document(_texts(kind)[name], f"{kind}.yaml")[name]
    return entry


def _own(kind: str) -> Mapping[str, MarkedMap]:
    """Entries of your own, by name."""
    return own_entries(kind, _texts(kind).__contains__)


@cache
def _own_entry(kind: str, name: str, own: Hashable) -> Entry:
    """An entry of your own; `own` is the state of your files."""
    del own
    return _made(kind, name)


@cache
def _entry(kind: str, name: str) -> Entry:
    return _made(kind, name)


def _made(kind: str, name: str) -> Entry:
    values = _filled(kind, name)
    try:
        return MODELS[kind].model_validate(values)
    except ValidationError as error:
        raise ScenarioError(problems_of(error, MODELS[kind], values)) from error


def _filled(kind: str, name: str) -> MarkedMap:
    """Values of one entry; `like` takes over all keys of another that it does not have."""
    values = _source(kind, name).copy()
    instead = MODELS[kind].instead
    seen = {name}
    while "like" in values:
        mark = values.value_marks["like"]
        other = values.pop("like")
        if other in seen or other not in names_of(kind):
            reason = (
                f"'{other}' is like itself"
                if other in seen
                else f"The catalog of {kind} has no model '{other}'"
            )
            refuse(
                mark.file, mark.line, "like", reason, f"'sanlab catalog {kind}' lists its models"
            )
        seen.add(other)
        base = _source(kind, other)
        replaced = {other for key in values for other in instead.get(key, ())}
        for key in base:
            if key not in values and key not in replaced:
                values.put(key, base[key], base.key_marks[key], base.value_marks[key])
    return values
