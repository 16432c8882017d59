"""Write the JSON Schema of the scenario file to `schema/`.

With `--check`, write nothing and fail if a file is not up to date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sanlab.scenario import Scenario

if TYPE_CHECKING:
    from pydantic import BaseModel

FOLDER = Path(__file__).resolve().parent.parent / "schema"


def contents() -> dict[Path, str]:
    """Text of each generated file."""
    models: dict[str, type[BaseModel]] = {"scenario": Scenario}
    return {
        FOLDER / f"{name}.schema.json": _text(model.model_json_schema(by_alias=True))
        for name, model in models.items()
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
