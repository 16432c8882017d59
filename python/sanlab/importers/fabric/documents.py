"""Outputs in JSON, and in the XML of Brocade's REST interface, as rows with their lines."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from sanlab.importers.fabric.rows import expect, name_at
from sanlab.importers.fabric.texts import problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.importers.fabric.facts import Block, Facts, Source

Row = dict[str, Any]
_JSON = re.compile(r"\s*(?:\{\s*(?:\"|\})|\[\s*[\{\]])")
_XML = re.compile(r"\s*(?:<\?xml[^>]*\?>\s*)?<(?:Response|ins_api)\b")
#: Keys of answers that are errors, of REST and of NX-API.
_ERRORS = {"errors", "clierror"}
#: Texts of a document that a value may be: between quotes, or between tags.
_TEXTS = re.compile(r"\"([^\"]+)\"|>([^<>]+)<")


def is_document(lines: list[str]) -> bool:
    """Tell whether lines are one document in JSON or XML."""
    first = "\n".join(lines[:4])
    return bool(_JSON.match(first) or _XML.match(first))


class Document:
    """A document with the lines of its texts."""

    def __init__(self, block: Block, facts: Facts) -> None:
        self.block, self.facts = block, facts
        text = "\n".join(line for _, line in block.lines)
        self.value: Any = _xml(block, text) if _XML.match(text) else _json(block, facts, text)
        self.lines: dict[str, int] = {}
        for number, shown in block.lines:
            for quoted, tagged in _TEXTS.findall(shown):
                self.lines.setdefault((quoted or tagged).strip().lower(), number)

    def line(self, text: object) -> int:
        """Return the line of a text."""
        return self.lines.get(str(text).lower(), self.block.line)

    def at(self, text: object) -> Source:
        """Return the source of a text."""
        return self.block.at(self.line(text))

    def name(self, row: Row, *keys: str) -> str:
        """Return a world-wide name of a row in normal form, or nothing."""
        text = word(row, *keys)
        return name_at(self.block, self.line(text), text) if text else ""

    def expect(self, row: Row, key: str, found: int, what: str) -> None:
        """Refuse a document that announces more rows than it has, or note it."""
        if row.get(key) is not None:
            expect(self.block, self.facts, self.line(key), (number(row[key]), found), what)


def is_error(value: object) -> bool:
    """Tell whether a document is the error of a switch in place of an output."""
    if isinstance(value, dict):
        return bool(_ERRORS & value.keys()) or any(map(is_error, value.values()))
    return isinstance(value, list) and any(map(is_error, value))


def _json(block: Block, facts: Facts, text: str) -> object:
    """Return a document, or a list of those that follow each other."""
    first = block.lines[0][0] if block.lines else block.line
    found: list[object] = []
    place = 0
    while rest := text[place:].lstrip():
        start = len(text) - len(rest)
        if found and not _JSON.match(rest):
            source = block.at(first + text.count("\n", 0, start))
            facts.skip(source, "text behind a document")
            break
        try:
            value, place = json.JSONDecoder().raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError) as error:
            at = first + getattr(error, "lineno", 1) - 1
            reason = "The JSON document is not complete or not valid"
            raise problem(block.file, at, reason, "Capture it again") from None
        found.append(value)
    return found[0] if len(found) == 1 else found


def _xml(block: Block, text: str) -> object:
    first = block.lines[0][0] if block.lines else block.line
    if "<!" in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL):
        reason = "The XML document has a definition of its own"
        raise problem(block.file, first, reason, "Give the answer of the switch alone")
    found: list[object] = []
    place = 0
    for part in re.split(r"(?=<\?xml\b)", text):
        begin, place = place, place + len(part)
        if part.strip():
            start = first + text.count("\n", 0, begin + len(part) - len(part.lstrip()))
            found.append(_one_xml(block, part.strip(), start))
    return found[0] if len(found) == 1 else found


def _one_xml(block: Block, text: str, first: int) -> Row:
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        at = first + error.position[0] - 1
        reason = "The XML document is not complete or not valid"
        raise problem(block.file, at, reason, "Capture it again") from None
    return {_tag(root): _element(root)}


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _element(element: ElementTree.Element) -> object:
    """Return an element as JSON would have it: a text, a mapping, lists of what is repeated."""
    if not len(element):
        return (element.text or "").strip()
    found: dict[str, Any] = {}
    for part in element:
        value, tag = _element(part), _tag(part)
        found[tag] = [*listed(found[tag]), value] if tag in found else value
    return found


def listed(value: object) -> list[Any]:
    """Return a list, of a single value too."""
    if value is None or value == "":
        return []
    return value if isinstance(value, list) else [value]


def mappings(value: object) -> list[Row]:
    """Return the mappings in a list, or a single one."""
    return [row for row in listed(value) if isinstance(row, dict)]


def number(value: object, base: int = 10) -> int:
    """Return a whole number in a row, 0 for any other text."""
    try:
        return int(str(value), base)
    except ValueError:
        return 0


def word(row: Row, *keys: str) -> str:
    """Return the first text that a row has under some keys, or nothing."""
    texts = (row[key] for key in keys if row.get(key) not in (None, "", "--"))
    return next((str(text).strip() for text in texts if not isinstance(text, dict | list)), "")


def rows_of(value: object, key: str) -> Iterator[Row]:
    """Return the mappings below a key, at any depth."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name == key:
                yield from mappings(part)
            else:
                yield from rows_of(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from rows_of(part, key)
