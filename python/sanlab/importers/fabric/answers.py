"""Answers of a REST interface in one folder, each given to the switch that it comes from.

An answer does not name its switch, but the world-wide names of ports do. Where a folder has the
ports of several switches, their files say by their names which other answers belong to them:
`sw1_fibrechannel.json` and `sw1_fibrechannel-statistics.json`.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from sanlab.errors import ScenarioError
from sanlab.importers.fabric.documents import Document, rows_of
from sanlab.importers.fabric.facts import Facts
from sanlab.importers.fabric.texts import problem

if TYPE_CHECKING:
    from sanlab.importers.fabric.facts import Block

#: Answers about ports that only their switch tells apart.
_OF_PORTS = ("fibrechannel-statistics", "trunk")
#: What names of files have beside that of a switch: the path of an answer.
_RESOURCE = re.compile(
    r"(?<![a-z0-9])(?:rest|running|brocade-(?:interface|fibrechannel(?:-switch|-trunk)?|fabric|zone|"
    r"name-server)|fibrechannel-(?:statistics|name-server|switch)|fibrechannel|fabric-switch|"
    r"(?:effective|defined)-configuration|statistics|name-server|ports|interfaces?|trunks?|zones?)"
    r"(?![a-z0-9])",
    re.IGNORECASE,
)


def name_answers(blocks: list[Block]) -> None:
    """Say of the answers in a folder with ports of several switches who gave each.

    Raises
    ------
    ScenarioError
        An answer about ports has neither their world-wide names nor the name of a switch.
    """
    folders: dict[str, list[tuple[Block, Document]]] = {}
    for block in blocks:
        if block.kind == "json" and not block.switch and (found := _document(block)) is not None:
            folders.setdefault(str(PurePath(block.file).parent), []).append((block, found))
    for folder, answers in folders.items():
        tails = [_tails(document) for _, document in answers]
        if len(set().union(*tails)) < 2 or any(len(each) > 1 for each in tails):
            continue
        names = [_name(block) for (block, _), each in zip(answers, tails, strict=True) if each]
        _give(folder, answers, tails, names)


def _give(
    folder: str,
    answers: list[tuple[Block, Document]],
    tails: list[set[str]],
    names: list[str],
) -> None:
    for (block, document), each in zip(answers, tails, strict=True):
        own = _name(block)
        known = [name for name in names if own == name or own.startswith((f"{name}_", f"{name}-"))]
        if each:
            block.switch = f"{folder}/{own}/"
        elif known:
            block.switch = f"{folder}/{max(known, key=len)}/"
        elif any(True for key in _OF_PORTS for _ in rows_of(document.value, key)):
            shown = ", ".join(sorted(names)[:3])
            reason = f"The answer does not say which switch of its folder gave it ({shown})"
            remedy = "Begin its name with that of the switch, as its ports have it, or put the "
            remedy += "answers of each switch into a folder with its name"
            raise problem(block.file, block.line, reason, remedy)


def _document(block: Block) -> Document | None:
    """Return a document; one that is broken is refused where it is read."""
    try:
        return Document(block, Facts())
    except ScenarioError:
        return None


def _tails(document: Document) -> set[str]:
    """Return the ends of the world-wide names of ports, which those of one switch share."""
    try:
        names = [document.name(row, "wwn") for row in rows_of(document.value, "fibrechannel")]
    except ScenarioError:
        return set()
    return {name[4:] for name in names if name}


def _name(block: Block) -> str:
    """Return the name of a file without the path of its answer."""
    stem = PurePath(block.file).stem
    name = re.sub(r"[_\-. ]{2,}", "_", _RESOURCE.sub("", stem)).strip("_-. ")
    return name if re.search("[A-Za-z]", name) else stem
