"""The imports of the package: no circle of files, no name that hides a module."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PYTHON = Path(__file__).parents[2] / "python"


def module_name(path: Path) -> str:
    parts = path.relative_to(PYTHON).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in PYTHON.rglob("*.py")}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()}


def imports_of(name: str) -> set[str]:
    """Modules of the package that a module names in an import, wherever the import stands."""
    names: set[str] = set()
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            members = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {member if member in FILES else node.module for member in members}
    return (names & FILES.keys()) - {name}


def test_no_circle_of_files() -> None:
    # The package itself names the public functions of all others; it is imported by none of them
    # but for its version.
    graph = {
        name: imports_of(name) - {"sanlab"} for name in FILES if not name.startswith("sanlab.plan")
    }
    circle: list[str] = []
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = error.args[1]
    assert not circle, " -> ".join(circle)


def test_no_name_hides_a_module() -> None:
    for package, path in FILES.items():
        if path.name != "__init__.py":
            continue
        modules = {
            name.removeprefix(f"{package}.")
            for name in FILES
            if name.startswith(f"{package}.") and "." not in name.removeprefix(f"{package}.")
        }
        defined = {
            alias.asname or alias.name
            for node in ast.walk(TREES[package])
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if f"{node.module}.{alias.name}" not in FILES
        }
        defined |= {
            node.name
            for node in TREES[package].body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        }
        assert not defined & modules, package
