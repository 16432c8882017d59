"""Run the cells of a notebook and store what they show. Usage: run_notebook.py [--check] FILE...

A cell is run as a notebook would: what its last expression shows is its output. With `--check`,
nothing is written, and it fails where the outputs in the file are not those of today. What depends
on the fonts of the machine does not count.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

Cell = dict[str, Any]

#: Parts of an SVG, with its quotes as in JSON: size, begin of the drawing, titles at the side.
_FONT_SIZES = re.compile(
    r'(?:width|height|viewBox)=\\"[^"]*\\"'
    r'|(?<=stroke-miterlimit=\\"10\\" transform=\\")translate\([^)]*\)'
    r"|translate\([^)]*\)(?= rotate\(-90\))"
)


def main(arguments: list[str]) -> int:
    is_check = "--check" in arguments
    stale = False
    for name in (one for one in arguments if one != "--check"):
        path = Path(name)
        before = path.read_text(encoding="utf-8")
        after = done(json.loads(before))
        if _without_font_sizes(after) == _without_font_sizes(before):
            continue
        if is_check:
            print(f"{path} is not current. Run: python tools/run_notebook.py {path}")
            stale = True
        else:
            path.write_text(after, encoding="utf-8")
            print(path)
    return int(stale)


def _without_font_sizes(text: str) -> str:
    """Leave out what depends on fonts: the room that a chart has for its labels."""
    return _FONT_SIZES.sub("", text)


def done(notebook: dict[str, Any]) -> str:
    """Return the text of a notebook with the outputs of all its cells, run in an empty folder."""
    here = Path.cwd()
    space: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    number += 1
                    cell["execution_count"] = number
                    cell["outputs"] = _outputs("".join(cell["source"]), space, number)
        finally:
            os.chdir(here)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _outputs(source: str, space: dict[str, Any], number: int) -> list[Cell]:
    """Run a cell; what it prints, and what its last expression shows."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    statements = tree.body[:-1] if last else tree.body
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(statements, []), f"cell {number}", "exec"), space)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), space)
    found: list[Cell] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        found.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        shown = {kind: text.splitlines(keepends=True) for kind, text in _shown(value).items()}
        found.append(
            {
                "data": shown,
                "execution_count": number,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return found


def _shown(value: object) -> dict[str, str]:
    """What a value shows, by the kind of its text."""
    bundle = getattr(value, "_repr_mimebundle_", None)
    if bundle is not None and "image/svg+xml" in bundle():
        return {"image/svg+xml": bundle()["image/svg+xml"]}
    html = getattr(value, "_repr_html_", None)
    if html is not None:
        return {"text/html": html()}
    return {"text/plain": repr(value)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
