"""No circle of files: what a file uses does not use that file, over any number of steps.

The imports of `crates/` and `python/` are read from the sources.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
Graph = dict[str, set[str]]


def circles(uses: Graph) -> list[set[str]]:
    """Files that use each other, over any number of steps (Tarjan's algorithm).

    >>> circles({"a": {"b"}, "b": {"a"}, "c": {"a"}}) == [{"a", "b"}]
    True
    """
    found: list[set[str]] = []
    order: dict[str, int] = {}
    stack: list[str] = []

    def visit(file: str) -> int:
        lowest = order[file] = len(order)
        stack.append(file)
        for used in sorted(uses.get(file, ())):
            if used not in order:
                lowest = min(lowest, visit(used))
            elif used in stack:
                lowest = min(lowest, order[used])
        if lowest == order[file]:
            place = stack.index(file)
            if len(stack) - place > 1:
                found.append(set(stack[place:]))
            del stack[place:]
        return lowest

    for file in sorted(uses):
        if file not in order:
            visit(file)
    return found


def python_uses() -> Graph:
    """Imports of the package, in functions and for types too."""
    files = {
        ".".join(path.relative_to(ROOT / "python").with_suffix("").parts): path
        for path in (ROOT / "python" / "sanlab").rglob("*.py*")
        if path.suffix in {".py", ".pyi"}
    }
    names = {name.removesuffix(".__init__"): _name(path) for name, path in files.items()}
    uses: Graph = {}
    for path in files.values():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {word for node in ast.walk(tree) for word in _imported(node)}
        # `from a import b` is the module a.b where there is one, else a name in a.
        targets = {names.get(word) or names.get(word.rpartition(".")[0]) for word in imported}
        uses[_name(path)] = {target for target in targets if target} - {_name(path)}
    return uses


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


Module = tuple[str, ...]
#: Paths from the crate, the module above or this module, where a name may be a list in braces.
RUST_PATH = re.compile(r"\b(?:crate|super|self)::(?:\w+::)*(?:\w+|\{[^;]*?\}(?=;))")
RUST_TESTS = re.compile(r"^#\[cfg\(test\)\]\n(?:#.*\n)*mod \w+ \{.*?^\}", re.MULTILINE | re.DOTALL)
RUST_REEXPORT = re.compile(r"^pub(?:\([^)]*\))? use [^;]+;", re.MULTILINE)


def rust_uses(source: Path) -> Graph:
    """Imports inside a crate; a name that a module passes on counts where it comes from."""
    texts = {_module(source, path): _code(path) for path in source.rglob("*.rs")}
    files = {_module(source, path): _name(path) for path in source.rglob("*.rs")}
    passed_on = {
        (*module, path[-1]): _absolute(module, path)
        for module, text in texts.items()
        for statement in RUST_REEXPORT.findall(text)
        for path in _spelled_out(statement.partition("use ")[2].rstrip(";"))
    }
    uses: Graph = {}
    for module, text in texts.items():
        used: set[str] = set()
        for path in RUST_PATH.findall(RUST_REEXPORT.sub("", text)):
            for spelled in _spelled_out(path):
                place = _absolute(module, spelled)
                place = next((passed_on[p] for p in _prefixes(place) if p in passed_on), place)
                used.add(next(files[p] for p in _prefixes(place) if p in files))
        uses[files[module]] = used - {files[module]}
    return uses


def _code(path: Path) -> str:
    """A file without its comments and its tests."""
    if path.name == "tests.rs":
        return ""
    return RUST_TESTS.sub("", re.sub(r"//.*", "", path.read_text(encoding="utf-8")))


def _module(source: Path, path: Path) -> Module:
    parts = path.relative_to(source).with_suffix("").parts
    return parts[:-1] if parts[-1] in {"lib", "mod"} else parts


def _spelled_out(path: str) -> list[Module]:
    """`a::{b, c::d as e}` as a::b and a::c::d.

    >>> _spelled_out("crate::{a, b::{self, C as D}}")
    [('crate', 'a'), ('crate', 'b'), ('crate', 'b', 'C')]
    """
    head, brace, inner = re.sub(r"\s+(as \w+)?", "", path).partition("{")
    if not brace:
        return [tuple(word for word in head.split("::") if word not in {"", "*"})]
    before = tuple(word for word in head.split("::") if word)
    parts, depth, part = [], 0, ""
    for letter in inner.removesuffix("}"):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    inside = [path for text in [*parts, part] if text for path in _spelled_out(text)]
    return [before + (path[1:] if path[0] == "self" else path) for path in inside]


def _absolute(module: Module, path: Module) -> Module:
    """A path from the root of its crate."""
    match path:
        case ("crate", *rest):
            return tuple(rest)
        case ("super", *rest):
            return _absolute(module[:-1], ("self", *rest))
        case ("self", "super", *rest):
            return _absolute(module, ("super", *rest))
        case ("self", *rest):
            return (*module, *rest)
    return (*module, *path)


def _prefixes(path: Module) -> Iterator[Module]:
    """The path itself, then what it begins with, down to the crate."""
    return (path[:length] for length in range(len(path), -1, -1))


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_no_circle() -> None:
    uses = python_uses()
    for source in ROOT.glob("crates/*/src"):
        uses |= rust_uses(source)
    assert sum(map(len, uses.values())) > 500, "imports are read"
    assert circles(uses) == []
