"""Write the JSON Schema of the scenario file and the OpenAPI document of the server to `schema/`.

With `--check`, write nothing and fail if a file is not up to date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sanlab.scenario.schema import scenario_schema
from sanlab.server.app import create_app

FOLDER = Path(__file__).resolve().parent.parent / "schema"


def contents() -> dict[Path, str]:
    """Text of each generated file."""
    return {
        FOLDER / "scenario.schema.json": _text(scenario_schema()),
        FOLDER / "openapi.json": _text(create_app(FOLDER).openapi()),
    }


def _text(schema: object) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    """Write the files, or compare them."""
    stale = []
    for path, text in contents().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.name)
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if "--check" in sys.argv and stale:
        sys.stderr.write(f"not up to date: {', '.join(stale)}; run tools/gen_schemas.py\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
