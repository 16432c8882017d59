"""Parts that all pages of sanlab share: templates, style and plotting library."""

from __future__ import annotations

import contextlib
import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from sanlab.simulation.folder import write_file

if TYPE_CHECKING:
    from jinja2.bccache import Bucket

#: Templates of the report; other pages use parts of them.
TEMPLATES = Path(__file__).parent / "templates"
#: Style of every page that sanlab writes.
STYLE = TEMPLATES / "report.css"
#: Script that draws charts and sorts tables.
REPORT_SCRIPT = TEMPLATES / "report.js"


def template(folder: Path, name: str) -> jinja2.Template:
    """Return a template of a page; its compiled form is kept in the user's cache."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_compiled_templates(),
    )
    return environment.get_template(name)


def _compiled_templates() -> jinja2.BytecodeCache | None:
    folder = _user_cache() / "templates"
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return _Compiled(str(folder)) if os.access(folder, os.W_OK) else None


class _Compiled(jinja2.FileSystemBytecodeCache):
    """Compiled templates on a disk that may be full: then they are compiled again."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):
            super().dump_bytecode(bucket)


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sanlab"


def json_in_html(data: dict[str, Any]) -> str:
    """Return JSON that cannot end the script element that contains it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def vega() -> str:
    """Return the plotting library, once for all charts of a page (0.9 MB).

    Building it takes longer than the rest of the report, so it is kept in the user's cache.
    """
    cache = _user_cache()
    kept = cache / f"vega-{version('vl-convert-python')}.js"
    try:
        return kept.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        pass
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    bundle = bundle.replace("</script", "<\\/script")
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        write_file(kept, bundle)
    return bundle
