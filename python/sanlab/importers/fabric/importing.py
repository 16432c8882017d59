"""The whole way from files to a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.importers.fabric.graph import build
from sanlab.importers.fabric.loads import write_workloads
from sanlab.importers.fabric.page import Page, plain
from sanlab.importers.fabric.questions import listed, questions
from sanlab.importers.fabric.reading import ERROR, read_files
from sanlab.importers.fabric.scenario import lay_out, title, write
from sanlab.importers.fabric.texts import problem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sanlab.importers.fabric.facts import Facts, Finding, Skipped
    from sanlab.importers.fabric.page import Origin


@dataclass(frozen=True, slots=True)
class FabricImport:
    """A scenario made of outputs, with origins and open questions.

    Attributes
    ----------
    text
        The scenario, YAML.
    origins
        Every value with the lines it comes from, or with the reason of a guess.
    questions
        What the outputs cannot tell, for the owner of the fabric.
    findings
        Contradictions and gaps.
    skipped
        Parts that were not read.
    counts
        Numbers of blocks, hosts, switches, arrays, LUNs, zones, links between switches.
    """

    text: str
    origins: list[Origin]
    questions: list[str]
    findings: list[Finding]
    skipped: list[Skipped]
    counts: dict[str, int]

    def explain(self, key: str) -> list[Origin]:
        """Return the origins of a key, of all keys below it, or of a pattern with `*`."""
        return Page(origins=self.origins).explain(key)


def import_fabric(
    paths: Sequence[Path], *, partial: bool = False, interval: float | None = None
) -> FabricImport:
    """Return the scenario of a fabric whose outputs are in files, or below folders.

    `interval` is the time between two captures of counters, in seconds.

    Raises
    ------
    ScenarioError
        With file, line, reason and remedy: a file is not a text, an output is cut off, two switches
        have one world-wide name, or no output lists devices.
    """
    facts = read_files(paths, partial=partial)
    if not facts.kinds:
        file = str(paths[0])
        line = facts.skipped[0].source.line if facts.skipped else None
        file = facts.skipped[0].source.file if facts.skipped else file
        reason = "No output of a switch is recognised in the files"
        remedy = (
            "Give outputs of switchshow, nsshow, cfgshow, or show flogi database, show zoneset "
            "active"
        )
        if any(part.what == ERROR for part in facts.skipped):
            reason = f"The file has {ERROR}"
            remedy = "Capture it again: correct the command, or log in anew"
        raise problem(file, line, reason, remedy)
    graph = build(facts)
    layout = lay_out(graph)
    page = Page()
    write(layout, page)
    counted = write_workloads(layout, page, interval)
    asked = questions(layout, counted)
    head = [*_head(facts, paths), title(layout), "seed: 1", ""]
    tail = ["", "# What the outputs do not tell, or tell twice:"]
    tail += listed("Questions to the owner", asked)
    tail += listed(
        "Contradictions and gaps, as the outputs have them", list(map(str, graph.findings))
    )
    tail += listed("Not read", [f"{part.source}: {part.what}" for part in facts.skipped])
    text = "\n".join([*head, *page.lines, *map(plain, tail)]) + "\n"
    counts = {
        "blocks": len(facts.kinds),
        "hosts": len(layout.boxes.hosts),
        "switches": len(graph.nodes),
        "arrays": len(layout.boxes.arrays),
        "luns": len(layout.luns),
        "zones": sum(len(part.zones) for part in layout.zones),
        "isls": len(graph.cables),
        "devices": len(graph.devices),
    }
    found = graph.findings
    return FabricImport(text, page.origins, asked, found, facts.skipped, counts)


def _head(facts: Facts, paths: Sequence[Path]) -> list[str]:
    names = ", ".join(plain(str(path)) for path in paths[:3])
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return [
        f"# Imported from {names}{more}: {len(facts.kinds)} outputs.",
        "# Beside each value stands the line it comes from; 'guessed' marks what no output tells.",
        "# The questions to the owner are at the end.",
    ]
