"""What the manual adds to its pages when it is built: the examples, and a notebook as a page.

The examples stay in their folders. Their READMEs become pages below `examples/`, each with the
drawing of its scenario; links from the manual to `../examples/` lead there.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
NOTEBOOKS = EXAMPLES / "notebook"
#: Endings of files of an example that pages show or link to.
SHOWN = (".svg", ".yaml", ".txt", ".icf", ".fio", ".csv", ".toml")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the examples to the files of the manual."""
    from mkdocs.structure.files import File

    def add(name: str, content: str) -> None:
        files.append(File.generated(config, name, content=content))

    for path in sorted(EXAMPLES.rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if path.name == "README.md":
            add(name, _page(path))
        elif path.suffix in SHOWN and path.is_file():
            add(name, path.read_text(encoding="utf-8"))
        elif path.suffix == ".ipynb":
            add(name.removesuffix(".ipynb") + ".md", _notebook(path))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Lead links to the folder of the examples to their pages."""
    if page.file.src_uri.startswith("examples/"):
        return markdown
    return markdown.replace("](../examples/", "](examples/").replace(".ipynb)", ".md)")


def _page(readme: Path) -> str:
    """Return the page of an example: its README, with a drawing of its scenario."""
    text = re.sub(r"\]\((?:\.\./)+docs/", "](../../", readme.read_text(encoding="utf-8"))
    scenario = readme.parent / "scenario.yaml"
    if not scenario.is_file():
        return text
    title, _, rest = text.partition("\n")
    listing = scenario.read_text(encoding="utf-8").rstrip()
    return (
        f"{title}\n{rest.rstrip()}\n\n## The scenario\n\n{_drawing(scenario)}\n\n"
        f"```yaml\n{listing}\n```\n"
    )


def _drawing(scenario: Path) -> str:
    from sanlab.exporters.drawing import drawing
    from sanlab.plan.compile import compile_plan
    from sanlab.scenario.load import load_scenario

    svg = drawing(compile_plan(load_scenario(scenario)).to_json())
    return "\n".join(line for line in svg.splitlines() if line.strip())


def _notebook(path: Path) -> str:
    """Return a notebook as a page: text, cells, and what they show."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source.replace("](../../docs/", "](../../"))
            continue
        parts.append(f"```python\n{source}\n```")
        parts += [_shown(output) for output in cell["outputs"]]
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return "```text\n" + "".join(output["text"]).rstrip() + "\n```"
    data = output["data"]
    for kind in ("image/svg+xml", "text/html"):
        if kind in data:
            return "".join(data[kind])
    return "```text\n" + "".join(data["text/plain"]).rstrip() + "\n```"
