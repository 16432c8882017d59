"""Find phrases that make the project's English hard to read, in documents and in code."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: A phrase, and what to write instead.
PHRASES = {
    r"(is|are|was|were|be|been|being) told\b": "is reported, is listed, is notified",
    r"(it|page|table|file|report|line) tells\b": "shows, lists, explains",
    r"tells? of\b": "reports, shows",
    r"(?:(?<=^)|(?<=[.:;|] ))who [^?]*$": "a noun as the subject",
    r"whoever\b": "a noun as the subject",
    r"(nobody|somebody|everybody|anybody)\b": "the component or person, by name",
    r"there (is|are) none\b": "no ports, no data, ...",
    r"is not one\b": "repeat the noun",
    r"(?<!there )(is|are) no (?!longer|more|less|later|earlier)\w+": "is not a",
    r"of which\b": "a second sentence",
    r"of whose\b": "a second sentence",
    r"at hand\b": "available, present",
    r"leave to \w+": "permission, a free place",
    r"held against\b|held up by\b": "compared with, delayed by",
    r"what is so\b|what there is\b|what came of\b|what comes of\b": "a noun",
    r"where nothing is said\b|where nothing else is said\b": "by default",
    r"for ever\b": "indefinitely, permanently",
    r"one behind the other\b|one after the other, whoever": "one after another",
    r"stands? (behind|beside|still|there|in the way|in nobody)\b": "waits, is stored, is listed",
    r"a clear end\b": "stop with an error",
    r"asked for by\b|that nobody asked\b": "requested",
    r"ours to mend\b|to be mended\b": "an error in sanlab",
    r"is had\b|can be had\b": "is available",
    r"comes? about\b": "is computed, is produced",
    r"goes on (by itself|where|with)\b": "continues",
    r"in the eyes of\b": "for",
    r"by its own word\b": "as configured",
    r"where (it|this) is left out\b": "by default",
    r"leaves? (it )?no room\b": "excludes, does not fit",
    r"means nothing (to|with|without)\b": "has no effect",
    r"takes? no part\b": "is not simulated, is not used",
    r"what (one|people) calls?\b": "the name",
    r"what became of\b": "the outcome",
    r"(in nobody's|in the) way\b(?! [a-z])": "blocks, delays",
}
WORDS = re.compile("|".join(rf"\b(?:{phrase})" for phrase in PHRASES), re.IGNORECASE)

#: Lists in documents that come from texts in code.
GENERATED = re.compile(r"<!-- generated: [\w-]+ -->.*?<!-- end -->", re.DOTALL)
#: Patches in documents show lines of code, which count where they come from.
PATCHES = re.compile(r"^```diff\n.*?^```", re.DOTALL | re.MULTILINE)
#: Written by sanlab from texts in code, or the list above.
NOT_BY_HAND = {
    "docs/reference/cli.md",
    "docs/reference/scenario-file.md",
    "docs/reference/tables.md",
    "tools/check_words.py",
}
#: Refused scenarios are data, not documents.
REFUSED = ("tests/reject/",)


@dataclass(frozen=True)
class Hit:
    """A phrase in a file."""

    file: str
    line: int
    phrase: str

    def __str__(self) -> str:
        instead = next(
            text for phrase, text in PHRASES.items() if re.match(phrase, self.phrase, re.IGNORECASE)
        )
        return f"{self.file}:{self.line}: '{self.phrase}'; write: {instead}"


def hits_in(file: str) -> list[Hit]:
    """Find the phrases in one file, except in lists and patches that come from code."""
    text = (ROOT / file).read_text(encoding="utf-8")
    for other in (GENERATED, PATCHES):
        text = other.sub(lambda match: "\n" * match.group().count("\n"), text)
    lines = text.splitlines()
    return [
        Hit(file, number, match.group())
        for number, line in enumerate(lines, 1)
        for match in WORDS.finditer(line)
    ]


def is_read(file: str) -> bool:
    """Whether people read the file: code with its messages, the catalog, documents."""
    return file.endswith((".py", ".rs", ".md", ".yaml", ".yml"))


def tracked_files() -> list[str]:
    """List the files of the repository."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def main() -> int:
    """Check documents and code; print each phrase with its place."""
    files = [name for name in tracked_files() if name not in NOT_BY_HAND]
    read = [name for name in files if not name.startswith(REFUSED) and is_read(name)]
    hits = [hit for name in read for hit in hits_in(name)]
    for hit in hits:
        print(hit, file=sys.stderr)
    return 1 if hits else 0


if __name__ == "__main__":
    sys.exit(main())
