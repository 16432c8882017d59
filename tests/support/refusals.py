"""Inputs that must be refused, and the words a person gets to read.

`tests/reject/` has one file for each topic. A file starts with a good input (`base`, or `base_file`
for one of the examples); each table below is a case, named by its key. A case changes the base and
says what a person reads:

    [lun-name-taken]
    after = "        size: 1GiB"       # behind this text, which occurs once ...
    add = "      - name: lun1"         # ... these lines are added
    words = "10: arrays[0].luns[1].name: The name 'lun1' is taken on line 8. ..."

`old` and `new` replace text that occurs once; `edits` is a list of such changes; `whole` is a text
of its own; `cut` drops the rest of the base from this text on; `args` is a command line. The words
start behind `NAME.yaml:`. `python tests/support/refusals.py` lists every refusal as it is today,
and with `--write` puts today's words into the files: read the difference before you commit it.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import tempfile
import tomllib
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from sanlab.cli.main import app
from sanlab.errors import Problem

ROOT = Path(__file__).parents[2]
REJECT = ROOT / "tests" / "reject"
KNEE = ROOT / "examples" / "queue-depth-knee" / "scenario.yaml"
#: Cases of `sanlab import`, each file named by the suffix of its inputs.
IMPORTS = [REJECT / f"{suffix}.toml" for suffix in ("icf", "fio", "parm", "cmd", "xml")]
BAD_INPUT = 2


@dataclass(frozen=True)
class Case:
    """One input that must be refused."""

    file: Path
    name: str
    text: str
    """The input itself; of a sweep its arguments."""
    words: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Refusal:
    """What the command line answered."""

    text: str
    """What a person reads, without `NAME.yaml:`."""
    problems: tuple[Problem, ...]


def cases(file: Path) -> list[Case]:
    """All cases of a file.

    >>> names = [case.name for case in cases(REJECT / "sweeps.toml")]
    >>> "zip-lengths" in names
    True
    """
    tables: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    base = tables.pop("base", "")
    if path := tables.pop("base_file", None):
        base = (ROOT / path).read_text(encoding="utf-8")
    return [Case(file, name, _text(base, table), table["words"]) for name, table in tables.items()]


def base_of(file: Path) -> str:
    """The good input that the cases of a file change."""
    return str(tomllib.loads(file.read_text(encoding="utf-8"))["base"])


def _text(base: str, change: dict[str, Any]) -> str:
    """The input of a case; a change that does not fit its base raises an error."""
    match sorted(change.keys() - {"words"}):
        case ["whole" | "args" as key]:
            return str(change[key])
        case ["cut"]:
            return base[: _place(base, change["cut"])]
        case ["edits"]:
            for edit in change["edits"]:
                base = _edited(base, **edit)
            return base
        case keys:
            return _edited(base, **{key: change[key] for key in keys})


def _edited(
    base: str,
    old: str | None = None,
    new: str | None = None,
    after: str | None = None,
    add: str | None = None,
) -> str:
    if after is not None and add is not None:
        old, new = after, f"{after}\n{add}".removesuffix("\n")
    if old is None or new is None:
        msg = "a change has 'old' and 'new', or 'after' and 'add'"
        raise ValueError(msg)
    place = _place(base, old)
    return base[:place] + new + base[place + len(old) :]


def _place(base: str, text: str) -> int:
    if base.count(text) != 1:
        msg = f"{text!r} occurs {base.count(text)} times in the base"
        raise ValueError(msg)
    return base.index(text)


def refused(case: Case, folder: Path) -> Refusal:
    """Run the command that a case is for once, in a folder."""
    match case.file.stem:
        case "sweeps":
            (folder / "san.yaml").write_bytes(KNEE.read_bytes())
            return run(folder, "sweep", "san.yaml", *shlex.split(case.text))
        case "icf" | "fio" | "parm" | "cmd" | "xml" as suffix:
            command, name = "import", f"{case.name}.{suffix}"
        case _:
            command, name = "check", f"{case.name}.yaml"
    (folder / name).write_text(case.text, encoding="utf-8", newline="")
    return run(folder, command, name)


def run(folder: Path, command: str, file: str, *options: str) -> Refusal:
    """Run a command that is to refuse a file, with `--json`, which has the text for people too."""
    with chdir(folder):
        result = CliRunner().invoke(app, [command, file, *options, "--json"])
    assert result.exit_code == BAD_INPUT, result.output
    error = json.loads(result.stdout)["error"]
    problems = tuple(Problem(**problem) for problem in error.get("problems", ()))
    return Refusal(error["message"].removeprefix(f"{file}:"), problems)


def topics() -> list[Path]:
    """The files whose cases are scenarios."""
    return sorted((REJECT / "scenarios").glob("*.toml"))


def write_words(file: Path, words: dict[str, str]) -> None:
    """Put words into a file of cases, each in the place of the old."""
    text = file.read_text(encoding="utf-8")
    for name, line in words.items():
        table = re.compile(rf"^(\[{name}\]\n(?:(?!\[).*\n)*?)words = .*$", re.MULTILINE)
        quoted = json.dumps(line, ensure_ascii=False)
        match = table.search(text)
        assert match, name
        text = f"{text[: match.end(1)]}words = {quoted}{text[match.end() :]}"
    file.write_text(text, encoding="utf-8")


def main() -> None:
    """List the refusals, or write them."""
    parser = argparse.ArgumentParser(description="List every refusal as it is today.")
    parser.add_argument("--write", action="store_true", help="put the words into the files")
    write = parser.parse_args().write
    for file in [*topics(), *IMPORTS, REJECT / "sweeps.toml"]:
        words = {}
        for case in cases(file):
            with tempfile.TemporaryDirectory() as folder:
                words[case.name] = refused(case, Path(folder)).text
            print(f"{file.stem}/{case.name}\t{words[case.name]}")
        if write:
            write_words(file, words)


if __name__ == "__main__":
    main()
