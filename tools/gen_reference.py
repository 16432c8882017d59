"""Write the reference pages and lists that come from the code.

Whole pages: commands, scenario file, tables. In hand-written pages, the text between
`<!-- generated: NAME -->` and `<!-- end -->`. With `--check`, write nothing and fail if a page is
not up to date.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer.main

from sanlab.cli.main import app
from sanlab.explain.limit import KINDS
from sanlab.results.columns import STAGES, TABLES
from sanlab.scenario.schema import scenario_schema
from sanlab.server.app import create_app
from sanlab.simulation.tables import unit_of
from sanlab.validate.study import load_study, study_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DOCS = Path(__file__).resolve().parent.parent / "docs"
FOLDER = DOCS / "reference"
EXAMPLES = DOCS.parent / "examples"
GENERATED = "<!-- Written by tools/gen_reference.py; change the code instead. -->"

ABOUT_TABLES = """\
This page lists every table and column of a run. Each table is a Parquet file in the
[run folder](run-folder.md). The end of a column's name is its unit: `_ps` whole picoseconds (means
have decimals), `_bytes` bytes, `_bytes_per_s` bytes per second, `_count` a count. Shares and
utilisations are fractions of one."""
ABOUT_COMMANDS = """\
This page lists every command and option. In a clone of the repository, type `./sanlab` instead of
`sanlab`. Data goes to standard output; progress and errors go to standard error, progress only if
it is a terminal. `--json` prints one JSON document, also for an error."""
ABOUT_SCENARIOS = """\
This page lists every key of a scenario, which is one YAML document. sanlab refuses an unknown key
and suggests the nearest valid one. Quantities have a unit: sizes `4k`, `64KiB`, `100GB`; times
`10us`, `1.5ms`, `2s`; lengths `10m`, `50km`; rates `100MB/s`; speeds `16GFC`; shares `70%`.
`host[1..4]` stands for `host1` to `host4`. A key that you leave out has a default;
`sanlab plan FILE` shows it. `sanlab schema` prints the JSON Schema for editors."""


def pages() -> dict[Path, str]:
    """Text of each page."""
    whole = {
        FOLDER / "tables.md": "\n".join(_tables()) + "\n",
        FOLDER / "cli.md": "\n".join(_commands()) + "\n",
        FOLDER / "scenario-file.md": "\n".join(_scenario()) + "\n",
    }
    by_hand = [path for path in sorted(DOCS.rglob("*.md")) if path not in whole]
    return whole | {path: _with_lists(path.read_text(encoding="utf-8")) for path in by_hand}


def _with_lists(text: str) -> str:
    """Fill in the lists of a hand-written page."""

    def filled(match: re.Match[str]) -> str:
        lines = LISTS[match["name"]]()
        return "\n".join([match["start"], "", *lines, "", match["end"]])

    return re.sub(
        r"(?P<start><!-- generated: (?P<name>[\w-]+) -->)\n.*?(?P<end><!-- end -->)",
        filled,
        text,
        flags=re.DOTALL,
    )


def _stages() -> Iterator[str]:
    yield from ("| stage | time spent |", "|---|---|")
    for stage, meaning in STAGES.items():
        yield f"| `{stage}` | {_cell(meaning)} |"


def _table_names() -> Iterator[str]:
    yield from ("| table | contents |", "|---|---|")
    for name, (what, _) in TABLES.items():
        yield f"| [`{name}`](tables.md#{name}) | {_cell(what)} |"


def _limits() -> Iterator[str]:
    yield from ("| kind | domain | what limits |", "|---|---|---|")
    for kind, (domain, meaning) in KINDS.items():
        yield f"| `{kind}` | {domain} | {_cell(meaning)} |"


#: Lists for hand-written pages, by the name in their marker.
def _routes() -> Iterator[str]:
    yield from ("| request | answer |", "|---|---|")
    for path, methods in create_app(DOCS).openapi()["paths"].items():
        for method, route in methods.items():
            query = [one["name"] for one in route.get("parameters", []) if one["in"] == "query"]
            names = f" with {', '.join(f'`{name}`' for name in query)}" if query else ""
            about = " ".join(route["description"].split())
            yield f"| `{method.upper()} {path}`{names} | {_cell(about)} |"


def _studies() -> Iterator[str]:
    for name in study_names():
        study = load_study(name)
        yield from _card(
            study.title, study.question, f"accuracy/{name}-1.svg", f"accuracy/{name}.md"
        )


def _examples() -> Iterator[str]:
    """Every example with its picture, if it has one, in the order of their list."""
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for name, question in re.findall(r"^\| \[([\w-]+)\]\([^)]*\) \| (.*?) \|$", text, re.MULTILINE):
        pictures = sorted((EXAMPLES / name).glob("*.svg"))
        picture = f"../examples/{name}/{pictures[0].name}" if pictures else None
        yield from _card(question, "", picture, f"../examples/{name}/README.md")


def _card(title: str, text: str, picture: str | None, link: str) -> Iterator[str]:
    yield from ('<div class="card" markdown="1">', "")
    if picture is not None:
        yield from (f"[![{title}]({picture})]({link})", "")
    yield from (
        f"[{title}]({link}){'<br>' if text else ''}{' '.join(text.split())}",
        "",
        "</div>",
        "",
    )


LISTS: dict[str, Callable[[], Iterator[str]]] = {
    "limits": _limits,
    "stages": _stages,
    "studies": _studies,
    "examples": _examples,
    "tables": _table_names,
    "routes": _routes,
}


def _tables() -> Iterator[str]:
    yield from (
        "# Tables",
        GENERATED,
        "",
        ABOUT_TABLES,
    )
    for name, (what, columns) in TABLES.items():
        yield from ("", f"## {name}", "", what, "", "| column | unit | meaning |", "|---|---|---|")
        for column, meaning in columns.items():
            yield f"| `{column}` | {unit_of(column) or ''} | {_cell(meaning)} |"
    yield from ("", "## Stages of an I/O", "", "In the order in which an I/O passes them:", "")
    yield from _stages()


def _commands() -> Iterator[str]:
    group = typer.main.get_command(app)
    yield from (
        "# Commands",
        GENERATED,
        "",
        ABOUT_COMMANDS,
        "",
        "| exit code | meaning |",
        "|---|---|",
        "| 0 | success |",
        "| 1 | the run failed or was stopped, or a disk is full |",
        "| 2 | the input is invalid |",
        "| 3 | a comparison or a benchmark is outside its tolerance |",
        "| 130 | Ctrl-C before the command had a result to keep |",
    )
    for name, command in _leaves(group, ""):
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        usage = " ".join(["sanlab", name, *(_argument(p) for p in arguments), "[OPTIONS]"])
        yield from ("", f"## {name}", "", f"`{usage}`", "", *_paragraphs(command.help), "")
        yield from ("| option | meaning |", "|---|---|")
        for parameter in command.params:
            if parameter.name == "help":
                continue
            yield f"| {_flags(parameter)} | {_cell(getattr(parameter, 'help', '') or '')} |"


def _leaves(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """Commands by their words; those of a command with subcommands in its place."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _leaves(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


def _argument(parameter: Any) -> str:  # noqa: ANN401  a parameter of whatever Typer is built on
    name = parameter.metavar or parameter.name.upper()
    one = str(name) if parameter.required else f"[{name}]"
    return f"{one}..." if parameter.nargs == -1 else one


def _flags(parameter: Any) -> str:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    value = "" if parameter.is_flag else f" {parameter.metavar or 'VALUE'}"
    return ", ".join(f"`{flag}{value}`" for flag in parameter.opts)


def _paragraphs(text: str | None) -> list[str]:
    return [line.strip() for line in (text or "").splitlines()]


def _scenario() -> Iterator[str]:
    schema = scenario_schema()
    yield from (
        "# The scenario file",
        GENERATED,
        "",
        ABOUT_SCENARIOS,
    )
    definitions = schema.get("$defs", {})
    names: list[str] = []
    yield from _section("The document", schema, names)
    for name in names:  # grows while the sections name others
        yield from _section(name, definitions[name], names)


def _section(title: str, schema: dict[str, Any], seen: list[str]) -> Iterator[str]:
    description = " ".join(str(schema.get("description", "")).split())
    yield from (
        "",
        f"## {title}",
        "",
        description,
        "",
        "| key | value | meaning |",
        "|---|---|---|",
    )
    required = schema.get("required", [])
    for key, value in schema.get("properties", {}).items():
        for name in _references(value):
            if name not in seen:
                seen.append(name)
        needed = ", **required**" if key in required else ""
        meaning = " ".join(str(value.get("description", "")).split())
        yield f"| `{key}` | {_kind(value)}{needed} | {_cell(meaning)} |"


def _references(value: Any) -> list[str]:  # noqa: ANN401  any JSON
    if isinstance(value, dict):
        own = [value["$ref"].rsplit("/", 1)[-1]] if "$ref" in value else []
        return own + [name for part in value.values() for name in _references(part)]
    if isinstance(value, list):
        return [name for part in value for name in _references(part)]
    return []


def _kind(value: dict[str, Any]) -> str:
    if "$ref" in value:
        name = value["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in value:
        kinds = [_kind(part) for part in value["anyOf"] if part.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in value:
        return ", ".join(f"`{word}`" for word in value["enum"])
    if "const" in value:
        return f"`{value['const']}`"
    kind = value.get("type", "")
    if kind == "array":
        return f"list of {_kind(value.get('items', {}))}"
    shown = ", ".join(f"`{example}`" for example in value.get("examples", [])[:2])
    name = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{name}, such as {shown}" if shown else name


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Write the pages, or compare them."""
    stale = [
        path
        for path, text in pages().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.name} is not up to date: run tools/gen_reference.py", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(pages()[path], encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
