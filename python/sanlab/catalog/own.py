"""Entries of your own: files that an environment variable names, beside those of the package."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sanlab.catalog.entries import MODELS
from sanlab.errors import SanlabError, refuse
from sanlab.quantities import nearest
from sanlab.scenario.document import MarkedMap, read_document

if TYPE_CHECKING:
    from collections.abc import Callable

#: The variable: files separated by colons.
VARIABLE: Final = "SANLAB_CATALOG"
#: State of the files that it names; another state is read again.
FileStates = tuple[tuple[str, int], ...]


def own_entries(kind: str, is_known: Callable[[str], bool]) -> dict[str, MarkedMap]:
    """Return the entries of one kind, by name.

    Parameters
    ----------
    is_known
        Whether the package has an entry of this name.

    Raises
    ------
    SanlabError
        A file cannot be read, or is not of this form.
    """
    found = _read(state()).get(kind, {})
    for name, entry in found.items():
        if is_known(name):
            refuse(
                entry.mark.file, entry.mark.line, f"{kind}.{name}",
                f"The catalog of {kind} has a '{name}' already", "Give it another name",
            )  # fmt: skip
    return found


def state() -> FileStates:
    """Return the files that the variable names, with the times of their last change.

    Raises
    ------
    SanlabError
        A file cannot be read.
    """
    names = [name for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]
    found = []
    for name in names:
        try:
            found.append((str(Path(name).absolute()), Path(name).stat().st_mtime_ns))
        except OSError as error:
            reason = f"{name}, which {VARIABLE} names, cannot be read: {error.strerror}"
            raise SanlabError(reason) from None
    return tuple(found)


@cache
def _read(files: FileStates) -> dict[str, dict[str, MarkedMap]]:
    found: dict[str, dict[str, MarkedMap]] = {}
    for name, _ in files:
        try:
            text = Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = f"{name}, which {VARIABLE} names, cannot be read: {error}"
            raise SanlabError(reason) from None
        document = read_document(text, name)
        for kind, entries in document.items():
            line = document.key_marks[kind].line
            if kind not in MODELS:
                guess = nearest(kind, list(MODELS))
                hint = f"Did you mean '{guess}'? " if guess else ""
                refuse(
                    name, line, kind, f"The catalog has no kind '{kind}'",
                    f"{hint}Kinds are {', '.join(MODELS)}",
                )  # fmt: skip
            if not isinstance(entries, MarkedMap):
                refuse(
                    name,
                    line,
                    kind,
                    "A mapping is expected here",
                    "Write NAME: {about: ..., like: ...}",
                )
            for entry, values in entries.items():
                place = f"{kind}.{entry}"
                line = entries.key_marks[entry].line
                if not isinstance(values, MarkedMap):
                    refuse(
                        name,
                        line,
                        place,
                        "A mapping is expected here",
                        "Write about: ... and like: ...",
                    )
                if entry in found.get(kind, {}):
                    refuse(name, line, place, "Two files have this entry", "Rename one of them")
                found.setdefault(kind, {})[entry] = values
    return found
