"""Pages of the studies in the manual: what they say is what the studies say."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pyarrow as pa
import pytest
from rich.console import Console

from sanlab.errors import SanlabError
from sanlab.validate.accuracy import accuracy_folder
from sanlab.validate.execute import Validation
from sanlab.validate.page import show
from sanlab.validate.quirks import answer
from sanlab.validate.rows import Row
from sanlab.validate.screen import screen_of
from sanlab.validate.slots import drivers
from sanlab.validate.study import Quirk, Timeline, load_study, spell_out, study_names
from sanlab.validate.timelines import rates

if TYPE_CHECKING:
    from sanlab.results.record import Record

FOLDER = accuracy_folder()
MIB = 2**20


@pytest.mark.parametrize("name", study_names())
def test_a_page_is_as_new_as_its_study(name: str) -> None:
    study = load_study(name)
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    for said in (study.question, study.bench, *study.learned, *study.wrong):
        assert said.strip()
        assert said.strip() in text
    assert all(miss.why.strip() in text for miss in study.known_misses)
    titles = [slot.title for slot in study.slots] + [plot.title for plot in study.plots]
    titles += [timeline.title for timeline in study.timelines]
    assert re.findall(r"^### (.*)$", text, re.MULTILINE) == titles
    drawn = sorted(path.name for path in FOLDER.glob(f"{name}-*.svg"))
    linked = sorted(re.findall(r"\]\(([^)]*\.svg)\)", text))
    assert drawn == linked


@pytest.mark.parametrize("name", study_names())
def test_every_published_number_is_on_the_page_of_all(name: str) -> None:
    page = (FOLDER / "index.md").read_text(encoding="utf-8")
    with (load_study(name).folder / "published.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["value"].lstrip("-")[0].isdigit()]
    for row in rows:
        lines = [line for line in page.splitlines() if line.startswith(f"| {row['case']} |")]
        value = show(float(row["value"]))
        assert any(value in line for line in lines), row


def test_pictures_of_a_run_are_of_cases_with_a_report() -> None:
    for name in study_names():
        study = load_study(name)
        reported = {case.name for case in spell_out(study) if case.has_report}
        drawn = {bench.case for bench in study.benches} | {it.case for it in study.timelines}
        assert drawn <= reported


@pytest.mark.parametrize("quirk", load_study("shadow").quirks, ids=lambda quirk: quirk.name)
def test_a_check_says_why_the_evaluators_had_trouble(quirk: Quirk) -> None:
    study = load_study("shadow")
    assert quirk.says in answer(quirk, study.folder)
    without = quirk.model_copy(update={"set": {}})
    assert answer(without, study.folder) == "good"


class TwoPorts:
    """A run with two ports and two bins of half a second."""

    def table(self, name: str) -> pa.Table:
        assert name == "port_series"
        half = 500_000_000_000
        return pa.table(
            {
                "port": ["sw.f0", "sw.f1", "sw.f0", "sw.f1"],
                "time_ps": [half, half, 2 * half, 2 * half],
                "tx_payload_bytes": [MIB, 2 * MIB, 3 * MIB, 4 * MIB],
            }
        )


def test_a_timeline_adds_the_data_of_its_ports_and_divides_by_the_bin() -> None:
    lines = {"one": ["sw.f0"], "both": ["sw.*"]}
    points = rates(Timeline(title="", case="", ports=lines), cast("Record", TwoPorts()))
    assert [point["y"] for point in points if point["line"] == "one"] == [2, 6]
    assert [point["y"] for point in points if point["line"] == "both"] == [6, 14]
    assert [point["s"] for point in points if point["line"] == "one"] == [0.5, 1]


def test_a_timeline_of_a_port_that_is_not_there_is_refused() -> None:
    timeline = Timeline(title="rates", case="a", ports={"one": ["sw.f0"], "two": ["sw.e*"]})
    with pytest.raises(SanlabError, match="'rates': no port of a fits 'two'"):
        rates(timeline, cast("Record", TwoPorts()))


def test_every_figure_has_axes_with_units() -> None:
    for name in study_names():
        for plot in load_study(name).plots:
            assert plot.x_title
            assert plot.y_title


def test_links_drive_the_slots_that_the_evaluation_says() -> None:
    from sanlab.plan.compile import compile_plan
    from sanlab.scenario.load import load_scenario

    study = load_study("sbod")
    slots = study.slots[0]
    case = next(case for case in spell_out(study) if case.name == slots.case)
    found = drivers(compile_plan(load_scenario(case.scenario, case.overrides)))
    links = [slots.links[found[number]] for number in range(112)]
    assert set(links[:96]) == {"1", "2'", "3", "4'"}
    assert set(links[96:]) == {"5", "6'", "7", "8'"}
    assert all(links.count(name) == 24 for name in set(links[:96]))


def row(case: str, error: float, *, ok: bool, known: str = "") -> Row:
    return Row(
        study="cxfs",
        case=case,
        metric="iops",
        published=100.0,
        simulated=100.0 + error,
        unit="IOPS",
        error_percent=error,
        ok=ok,
        known_miss=known,
    )


def test_the_screen_has_a_line_for_each_study_and_each_miss() -> None:
    rows = [row("a", 1, ok=True), row("b", 9, ok=False), row("c", -12, ok=False, known="drives")]
    study = Validation(load_study("cxfs"), rows, Path("report.html"), {}, run_count=3)
    console = Console(width=120)
    with console.capture() as capture:
        for part in screen_of([study, study]):
            console.print(part)
    lines = capture.get().splitlines()
    assert sum("9.0 %" in line and "12.0 %" in line for line in lines) == 3
    assert "  cxfs b, I/O rate: published 100, simulated 109 IOPS, +9.0 % (OUTSIDE)" in lines
    assert "  cxfs c, I/O rate: published 100, simulated 88 IOPS, -12.0 % (known)" in lines
    assert len(lines) < 24
