"""diskspd's profiles (XML) and command lines as time spans with targets.

A profile names each setting by an element; a command line has a letter for it (diskspd wiki,
"Command line and parameters", release 2.2). Both become the same settings here, under the names of
the elements.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from xml.parsers import expat

from sanlab.errors import refuse

_MOST_ELEMENTS = 100_000
_MOST_SPANS = 1000


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting with its text, the unit beside it, and its place."""

    key: str
    text: str
    unit: str
    file: str
    line: int


@dataclass(slots=True)
class Target:
    """A file or disk, and what is done on it."""

    line: int
    settings: dict[str, Setting] = field(default_factory=dict)


@dataclass(slots=True)
class TimeSpan:
    """Targets that are used at the same time."""

    line: int
    settings: dict[str, Setting] = field(default_factory=dict)
    targets: list[Target] = field(default_factory=list)


def looks_like_diskspd(text: str) -> bool:
    """Whether a text is a profile, a result with its profile, or command lines."""
    if re.search(r"<(Profile|TimeSpans?)[\s>]", text):
        return True
    return any(_is_command(line) for line in text.splitlines())


def read_diskspd(text: str, file: str) -> list[TimeSpan]:
    """Return the time spans of a profile or of command lines.

    Raises
    ------
    ScenarioError
        At the first line that is wrong.
    """
    spans = _Profile(file).read(text) if text.lstrip().startswith("<") else _commands(text, file)
    if not spans:
        reason = "The file has no time span"
        refuse(file, 1, "TimeSpan", reason, "Name a profile, or a line that begins with diskspd")
    return spans


class _Profile:
    """Goes through the elements of a profile once."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.spans: list[TimeSpan] = []
        self.path: list[str] = []
        self.text = ""
        self.unit = ""
        self.line = 0
        self.elements_count = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.data
        self.parser.StartDoctypeDeclHandler = self.doctype

    def read(self, text: str) -> list[TimeSpan]:
        # The text is decoded already, whatever encoding its first line names.
        body = re.sub(r"^\s*<\?xml[^>]*\?>", lambda found: "\n" * found[0].count("\n"), text)
        try:
            self.parser.Parse(body.lstrip(" \t"), True)
        except expat.ExpatError as error:
            reason = f"The XML is broken: {expat.errors.messages[error.code]}"
            refuse(self.file, error.lineno, "", reason, "Copy the whole file")
        return self.spans

    def doctype(self, *_: object) -> None:
        line = self.parser.CurrentLineNumber
        refuse(self.file, line, "", "A profile has no document type", "Remove the DOCTYPE")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.elements_count += 1
        self.line = self.parser.CurrentLineNumber
        if self.elements_count > _MOST_ELEMENTS:
            refuse(self.file, self.line, name, "The profile has too many elements", "Split it")
        self.path.append(name)
        self.text, self.unit = "", attributes.get("unit", "")
        if name == "TimeSpan" and "Profile" in self.path:
            self.spans.append(TimeSpan(self.line))
        elif name == "Target" and self.spans and "Targets" in self.path:
            self.spans[-1].targets.append(Target(self.line))

    def data(self, text: str) -> None:
        self.text += text

    def end(self, name: str) -> None:
        self.path.pop()
        if not self.path or not self.spans or "Profile" not in self.path:
            return
        setting = Setting(name, self.text.strip(), self.unit, self.file, self.line)
        mine = self.spans[-1].targets[-1].settings if self.spans[-1].targets else {}
        if name == "ThreadTarget":
            mine["ThreadTargets"] = Setting("ThreadTargets", "true", "", self.file, self.line)
        elif name == "ThreadTargets" and name in mine:
            pass  # its targets say that it is used
        elif self.path[-1] == "Target" and self.spans[-1].targets:
            mine[name] = setting
        elif self.path[-1] == "TimeSpan" and name != "Targets":
            self.spans[-1].settings[name] = setting
        self.text = ""


#: Letters of a command line whose value is a setting of a target.
_OF_TARGET = {
    "b": "BlockSize",
    "B": "BaseFileOffset",
    "c": "FileSize",
    "f": "MaxFileSize",
    "g": "Throughput",
    "i": "BurstSize",
    "j": "ThinkTime",
    "o": "RequestCount",
    "t": "ThreadsPerFile",
    "T": "ThreadStride",
    "w": "WriteRatio",
}
#: Letters whose value is a setting of the time span.
_OF_SPAN = {
    "d": "Duration",
    "W": "Warmup",
    "C": "Cooldown",
    "z": "RandSeed",
    "F": "ThreadCount",
    "O": "RequestCount",
}
#: Letters that only shape output, processors or caches of the host.
_OF_HOST = "aADILMnNRSYZehlpuvxy"
_IN_BYTES = (
    *("BlockSize", "BaseFileOffset", "FileSize", "MaxFileSize", "Random", "StrideSize"),
    "ThreadStride",
)


#: The call of diskspd at the beginning of a line of cmd or PowerShell.
_CALL = re.compile(
    r"\s*(?:@|&\s*)?(?:\"[^\"]*?[\\/]?|\S*[\\/])?diskspd(?:64)?(?:\.exe)?\"?\s", re.IGNORECASE
)
#: Where the output of a command goes, or another command begins.
_END = re.compile(r"\s(?:\d?>>?|\||&&?|;)")


def _is_command(line: str) -> bool:
    return bool(_CALL.match(line))


def _commands(text: str, file: str) -> list[TimeSpan]:
    spans: list[TimeSpan] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not _is_command(line):
            continue
        if len(spans) >= _MOST_SPANS:
            refuse(file, number, "", f"More than {_MOST_SPANS} command lines", "Split the file")
        spans.append(_command(line, file, number))
    return spans


def _command(line: str, file: str, number: int) -> TimeSpan:
    try:
        call = _CALL.match(line)
        given = _END.split(line[call.end() if call else 0 :])[0]
        words = shlex.split(given.replace("\\", "/"))
    except ValueError:
        refuse(file, number, "", "The command line has an open quotation mark", "Close it")
    span = TimeSpan(number)
    common: dict[str, Setting] = {}
    for word in words:
        if word[0] != "-" or len(word) < 2:
            place = Setting("Path", word, "", file, number)
            span.targets.append(Target(number, {"Path": place}))
            continue
        for of_span, setting in _settings(word, file, number):
            (span.settings if of_span else common)[setting.key] = setting
    if not span.targets:
        refuse(file, number, "", "The command line names no file or disk", "Write it at the end")
    block = common.get("BlockSize")
    for target in span.targets:
        target.settings.update(common)
    _in_bytes(common, span, block)
    return span


def _settings(word: str, file: str, number: int) -> list[tuple[bool, Setting]]:
    """Return the settings of a word, each with whether it is one of the time span."""

    def setting(key: str, text: str, unit: str = "") -> Setting:
        return Setting(key, text, unit, file, number)

    letter, rest = word[1], word[2:]
    if letter in "PX" or word[1:3] == "rd":
        reason = f"'{word}' takes the load from elsewhere, or from a distribution"
        refuse(file, number, word[:2], reason, "Import the profile itself, or remove it")
    if word[1:3] == "rs":
        return [(False, setting("RandomRatio", rest[1:]))]
    if letter == "r":
        return [(False, setting("Random", rest or "block"))]
    if letter == "s":
        shared = [(False, setting("InterlockedSequential", "true"))] if rest[:1] == "i" else []
        step = rest.removeprefix("i")
        return shared + ([(False, setting("StrideSize", step))] if step else [])
    if letter not in {*_OF_TARGET, *_OF_SPAN, *_OF_HOST}:
        reason = f"'{word}' is not a parameter of diskspd that sanlab knows"
        refuse(file, number, word, reason, "Remove it")
    if word == "-z":  # a seed by the clock
        return [(True, setting(word, "true"))]
    unit = "IOPS" if letter == "g" and rest.endswith("i") else ""
    key = _OF_TARGET.get(letter) or _OF_SPAN.get(letter)
    text = rest.removesuffix("i") if unit else rest
    return [(letter in _OF_SPAN, setting(key or word, text if key else "true", unit))]


def _in_bytes(common: dict[str, Setting], span: TimeSpan, block: Setting | None) -> None:
    """Write sizes of a command line, 64K or 2b for blocks, as bytes."""
    size = 65536 if block is None else _bytes(block, 1)
    for key in _IN_BYTES:
        given = common.get(key)
        if given is None:
            continue
        count = size if given.text == "block" else _bytes(given, size)
        plain = Setting(key, str(count), "", given.file, given.line)
        for target in span.targets:
            target.settings[key] = plain


def _bytes(setting: Setting, block: int) -> int:
    found = re.fullmatch(r"(\d{1,15})([bkmgt]?)", setting.text.lower())
    if found is None:
        reason = f"'{setting.text}' is not a size"
        refuse(setting.file, setting.line, setting.key, reason, "Write 65536, 64K or 1M")
    factors = {"": 1, "b": block, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
    return int(found[1]) * factors[found[2]]
