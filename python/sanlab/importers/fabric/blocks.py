"""Pasted text as blocks: one for the output of each command."""

from __future__ import annotations

import re
import textwrap
from pathlib import PurePath
from typing import TYPE_CHECKING

from sanlab.importers.fabric.commands import NESTED, resolve, signature
from sanlab.importers.fabric.facts import Block

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Kinds of output that hosts print.
HOST_KINDS = {
    *("multipath", "lsscsi", "systool", "sysfs", "esxcli", "esxports", "mpclaim"),
    "initiatorport",
}
#: Outputs without the name of their switch that two captures of one switch seldom have.
_OF_ONE_SWITCH = {"flogi", "nsshow", "islshow", "intbrief", "topology"}
_NAME = r"[A-Za-z0-9][\w.-]{0,62}"
_PROMPTS = [
    re.compile(pattern)
    for pattern in (
        r"(?:PS )?[A-Z]:\\[^>]{0,80}>(?P<name>) ?(?P<command>.*)$",
        rf"(?P<name>{_NAME}):(?:FID\d+:)?[\w.@\\-]+> ?(?P<command>.*)$",
        rf"\[[\w.-]+@(?P<name>{_NAME})[^\]]{{0,80}}\][#$]? ?(?P<command>.*)$",
        rf"[\w.-]+@(?P<name>{_NAME}):\S{{1,80}}[#$] ?(?P<command>.*)$",
        rf"(?P<name>{_NAME})(?:\(config[\w-]*\))? ?# ?(?P<command>.*)$",
        r"(?P<name>)> ?(?P<command>[a-z]\S+.*)$",
        rf"(?P<name>{_NAME})> ?(?P<command>.*)$",
    )
]
#: What every prompt has one of; most lines of outputs have none.
_SIGNS = re.compile(r"[>#$@]")
_ON_FID = re.compile(r"\"(?P<command>[\w -]+)\" on FID \d+:")
_QUOTED = re.compile(r"\s*`(?P<command>[^`]+)`\s*$")
#: A heading: a command between signs, `=== show flogi database ===`, or behind a path.
_HEADING = re.compile(
    r"^[\s=#*\-~+\[<]*(?:SWITCHCMD\s+)?(?:/\S*/)?(?P<command>[a-z][\w :./-]*?)[\s=#*\-~+:\]>]*$"
)
#: Beginning and end of a section of supportshow: the path of any command, and a mark.
_SECTION = re.compile(r"/\S+/(?P<command>[a-z]\w*(?: [^:]*?)?)\s*:\s*$")
#: Beginning of the part of a logical switch in a configupload.
_LOGICAL_SWITCH = re.compile(r"\[Switch Configuration Begin : \d+\]")
_SECTION_END = re.compile(r"\*\* SS CMD END \*\*")
_SWITCH_NAME = re.compile(r"(?:switchName:\s*|SwitchName = |switchname )(?P<name>\S+)\s*$")
_VERSION_NAME = re.compile(r"\s*Device name:\s*(?P<name>\S+)")
_HOST_NAME = re.compile(r"[\"<]host_name[\">]:?\s*\"?(?P<name>[\w.-]+)")
_MOST_HEADING = 60
#: Outputs whose first line is in each of them once.
_NAMED_ONCE = {"switchshow", "portshow"}


class _Splitter:
    """The blocks of one file so far."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.blocks: list[Block] = []
        self.is_closed = False
        """Whether the command is known and not read: its lines are not looked at."""
        self.owner = ""

    def begin(self, kind: str, line: int, words: str = "") -> None:
        """Begin a block."""
        self.blocks.append(Block(kind, self.file, [], self.owner, line, words))

    def command(self, text: str, number: int, name: str | None) -> None:
        """Begin the block of a command, or what follows one that is not known."""
        if name:
            self.owner = name
        kind, rest, shown = resolve(text)
        self.is_closed = kind == ""
        last = self.blocks[-1] if self.blocks else None
        if last is not None and kind and last.kind == kind and not _has_text(last):
            self.blocks.pop()  # the command, and then its name in a heading
        self.begin(kind or "", number, rest if kind else shown)

    def add(self, number: int, line: str) -> None:
        """Put a line into the block that it belongs to."""
        if _SECTION_END.match(line):
            self.is_closed = True
            self.begin("", number)
            return
        command, name = _command(line, is_heading_allowed=not self.is_closed)
        if command is not None:
            self.command(command, number, name)
            return
        if self.is_closed:
            return
        if _LOGICAL_SWITCH.match(line) and self.blocks and self.blocks[-1].kind == "configupload":
            self.owner = ""
            self.begin("configupload", number)
        found = signature(line)
        current = self.blocks[-1].kind if self.blocks else ""
        is_nested = found == current or found in NESTED.get(current, ()) or current == "config"
        if found and (not is_nested or (found in _NAMED_ONCE and self._has(line))):
            self.begin(found, number)
        if not self.blocks:
            self.begin("", number, "lines before the first command")
        self.blocks[-1].lines.append((number, line))

    def _has(self, line: str) -> bool:
        """Tell whether the block has a line with the beginning of this one already."""
        return any(text.startswith(line[:11]) for _, text in self.blocks[-1].lines)


def _has_text(block: Block) -> bool:
    return any(re.search(r"\w", text) for _, text in block.lines)


def _command(line: str, *, is_heading_allowed: bool) -> tuple[str | None, str | None]:
    """Return the command of a prompt or a heading, and the name in the prompt."""
    for prompt in _PROMPTS if _SIGNS.search(line) else ():
        match = prompt.match(line)
        if match and _is_command(match["command"]):
            return match["command"].strip(), match["name"]
    for quoted in (_ON_FID, _QUOTED, _SECTION):
        match = quoted.match(line)
        if match:
            return match["command"].strip(), None
    if is_heading_allowed and len(line) < _MOST_HEADING:
        match = _HEADING.match(line)
        if match and resolve(match["command"])[0] and ":" not in match["command"]:
            return match["command"], None
    return None, None


def _is_command(text: str) -> bool:
    return not text.strip() or text.strip()[0].isalpha() or text.strip()[0] in "/!"


def dedented(lines: list[str]) -> list[str]:
    """Return lines without an indent of all, if outputs begin in them only then."""
    if any(line[:1].strip() for line in lines):
        return _outdented(lines)
    plain = textwrap.dedent("\n".join(lines)).split("\n")
    if any(signature(line) for line in lines):
        is_better = any(_command(line, is_heading_allowed=False)[0] for line in plain)
    else:
        is_better = any(signature(line) for line in plain)
    return plain if is_better else lines


def _outdented(lines: list[str]) -> list[str]:
    """Return lines without the indent of the prompts above them, as in the listings of a page."""
    indent = ""
    found = []
    for line in lines:
        if line.strip() and not line.startswith(indent):
            indent = ""
        own = line[: len(line) - len(line.lstrip())]
        if own and own != indent and _SIGNS.search(line):
            command, _ = _command(line.strip(), is_heading_allowed=False)
            indent = own if command and resolve(command)[0] is not None else indent
        found.append(line.removeprefix(indent))
    return found


def split(lines: Iterable[str], file: str) -> list[Block]:
    """Return the blocks of a file, in order, those that are not read included without lines."""
    splitter = _Splitter(file)
    for number, line in enumerate(lines, start=1):
        splitter.add(number, line.rstrip())
    return splitter.blocks


def own_name(block: Block) -> str:
    """Return the name that a block says its switch has."""
    if block.kind == "json":
        shown = "\n".join(line for _, line in block.lines)
        match = _HOST_NAME.search(shown) if "chassis_id" in shown else None
        return match["name"] if match else ""
    if block.kind not in {"switchshow", "showversion", "configupload", "config", "switchname"}:
        return ""
    for _, line in block.lines:
        match = _SWITCH_NAME.match(line) or _VERSION_NAME.match(line)
        if match:
            return match["name"]
        word = line.strip()
        if block.kind == "switchname" and re.fullmatch(_NAME, word):
            return word
    return ""


def name_owners(blocks: list[Block]) -> None:
    """Say of each block who printed it: by a prompt, by itself, by its file, by its folder."""
    by_folder: dict[str, set[str]] = {}
    for file in dict.fromkeys(block.file for block in blocks):
        _name_in_file([block for block in blocks if block.file == file])
    for block in blocks:
        if block.switch and block.kind not in HOST_KINDS:
            by_folder.setdefault(_folder(block.file), set()).add(block.switch)
    alone = _files_of_their_own(blocks)
    for block in blocks:
        if not block.switch and block.file in alone:
            block.switch = f"{PurePath(block.file).with_suffix('')}/"
        if not block.switch:
            names = by_folder.get(_folder(block.file), set())
            is_alone = len(names) == 1 and block.kind not in HOST_KINDS
            block.switch = next(iter(names)) if is_alone else f"{_folder(block.file)}/"


def _files_of_their_own(blocks: list[Block]) -> set[str]:
    """Return files that are each of another host or switch: several of a folder have one output."""
    files: dict[tuple[str, str], set[str]] = {}
    for block in blocks:
        if not block.switch and block.kind in HOST_KINDS | _OF_ONE_SWITCH:
            files.setdefault((_folder(block.file), block.kind), set()).add(block.file)
    return {file for found in files.values() if len(found) > 1 for file in found}


def _name_in_file(blocks: list[Block]) -> None:
    for block in blocks:
        block.switch = own_name(block) or block.switch
    named = [block.switch for block in blocks if block.switch and block.kind not in HOST_KINDS]
    last = named[0] if named else ""
    for block in blocks:
        if block.kind in HOST_KINDS:
            continue
        last = block.switch or last
        block.switch = last


def _folder(file: str) -> str:
    return str(PurePath(file).parent)
