"""The names of the package: none hides a module."""

from __future__ import annotations

import ast
from pathlib import Path

PYTHON = Path(__file__).parents[2] / "python"


def module_name(path: Path) -> str:
    parts = path.relative_to(PYTHON).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in PYTHON.rglob("*.py")}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()}


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
