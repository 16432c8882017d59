"""A study file: which runs stand for which published figure."""

from __future__ import annotations

import csv
import os
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from sanlab.errors import SanlabError
from sanlab.scenario.overrides import as_texts

#: Where studies are looked for when the working directory has none.
_IN_THE_PACKAGE = Path(__file__).resolve().parents[1] / "studies"


def _share(value: object) -> object:
    """Read `2%` as 0.02."""
    if isinstance(value, str) and value.endswith("%"):
        return float(value.removesuffix("%")) / 100
    return value


Share = Annotated[float, BeforeValidator(_share), Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Published(_Part):
    """A published number and how far off it we may be."""

    value: float
    tolerance: Share
    first_prediction: float | None = None
    """What was simulated before the number was known; None if it was known before."""


class Bound(_Part):
    """A closed form that a case must reach and not exceed."""

    formula: Literal["credit_limited_copy"]
    speed: str
    distance_km: float | str
    credit: int | str
    tolerance: Share


class Values(_Part):
    """Values of one key of the scenario."""

    key: str
    values: list[int | str]
    unit: str = ""


class RunPart(_Part):
    """One of several runs of a case, and the metrics taken from it."""

    set: dict[str, Any] = {}
    metrics: list[str]


class CaseGroup(_Part):
    """Runs of one scenario that differ in parameters."""

    name: str
    scenario: str
    set: dict[str, Any] = {}
    parameters: dict[str, Values | dict[int | str, dict[str, Any]]] = {}
    metrics: list[str] = []
    runs: dict[str, RunPart] = {}
    """Several runs for each case, such as one that writes and one that reads."""
    workload: str | None = None
    """The workload that is measured, or those that `name-*` fits; all by default."""
    published: dict[str, Published] = {}
    published_for: dict[str, dict[str, Published]] = {}
    """What is published of some of its cases, by their names."""
    bound: Bound | None = None
    report: str | None = None
    in_bulk: bool = False
    """Too many to list one by one: what is taken from them has rows of its own."""

    @property
    def key(self) -> str:
        """Its name without parameters: `latency` of `latency-{clients}x{size}`."""
        return self.name.split("{", 1)[0].rstrip("-")

    @property
    def all_metrics(self) -> list[str]:
        """Metrics of all its runs."""
        return [*self.metrics, *(metric for run in self.runs.values() for metric in run.metrics)]


class LineRate(_Part):
    """What links carry in full frames, which a case must reach and not exceed."""

    name: str
    about: str
    case: str
    metric: str
    links: int
    """Links that work at once; one that carries data both ways counts twice."""
    speed: str
    tolerance: Share


class Figures(_Part):
    """Published numbers in a file: `case,metric,value,first_prediction`."""

    file: str
    tolerance: Share
    repeats: str | None = None
    """File of measurements that were made twice: `case,metric,first,second`."""


class Trend(_Part):
    """A published shape: a metric rises strictly along a parameter, the others held."""

    metric: str
    cases: str
    along: str
    expect: Literal["increasing", "decreasing"]


class Peak(_Part):
    """The largest value of a metric over some cases."""

    name: str
    metric: str
    cases: str
    where: dict[str, int | str] = {}
    published: Published | None = None


class Ratio(_Part):
    """One peak over another."""

    name: str
    of: tuple[str, str]
    published: Published | None = None


class Difference(_Part):
    """By how much one case differs from another, in percent of that."""

    name: str
    metric: str
    of: tuple[str, str]
    published: Published | None = None


class Comparison(_Part):
    """Cases over other cases with the same value of a parameter.

    The row is the ratio farthest from what is published, over all values of it.
    """

    name: str
    metric: str
    cases: str
    where: dict[str, int | str] = {}
    over: str
    over_where: dict[str, int | str] = {}
    along: str
    at_least: float | None = None
    """Instead of a published value: a bound that every ratio keeps."""
    closes: bool = False
    """Instead of a published value: every ratio is below 1, and the last is the largest."""
    published: Published | None = None


class Shape(_Part):
    """How a metric goes along a parameter, the best of the other parameters taken.

    `flat`: the last value is within the tolerance of the largest. `linear`: the value for each unit
    of the parameter falls by no more than the tolerance from `since` on. `rolls_off`: the last
    value is below the largest by more than the tolerance, and below that of the cases `below`.
    `sooner`: the largest value, less the tolerance, is reached at an earlier value of the parameter
    than by the same cases with `than` in place of `where`. `earlier`: so is the largest value of
    each of the two. `steps`: of all neighbours along the
    parameter, the value rises most, as a share, between the two that `between` names.
    """

    name: str
    metric: str
    cases: str
    along: str
    expect: Literal["flat", "linear", "rolls_off", "sooner", "earlier", "steps"]
    tolerance: Share = 0.0
    where: dict[str, int | str] = {}
    below: str | None = None
    than: dict[str, int | str] = {}
    between: tuple[int | str, int | str] | None = None
    since: int = 0


class Fit(_Part):
    """A parameter that was set so that one row comes out."""

    name: str
    key: str
    value: str
    row: str
    metric: str = ""
    """The metric of that row; all by default."""
    expected: str
    """What a data sheet or a measurement elsewhere would let one expect, with its source."""


class KnownMiss(_Part):
    """A row outside its tolerance, and why it stays there."""

    row: str
    metric: str = ""
    """The metric of that row; all by default."""
    why: str


class Plot(_Part):
    """A metric against a parameter."""

    title: str
    cases: str | list[str]
    metric: str
    x: str
    x_title: str
    y_title: str
    series: str | None = None
    """Parameter, or `cases` for one line for each group. A group without it is one line, too."""
    facet: str | None = None
    """Parameter, or `cases` for one panel for each group."""
    where: dict[str, int | str] = {}
    best_of: str | None = None
    """Parameter whose best value is drawn."""
    log_x: bool = False
    x_bytes: bool = False
    """Whether the parameter is a size in bytes, to be written as 64K or 2M."""
    bars: bool = False
    """Bars beside each other in place of lines."""
    labels: dict[str, str] = {}
    """Names for values of `series` and `facet` that a reader would not know."""
    points: dict[int | str, dict[str, str]] = {}
    """Cases whose published values belong to other points: value of `x`, series, case."""
    published: float | None = None
    """A published value that belongs to no single point."""
    caption: str = ""
    """What it shows, for the page of the study."""

    @property
    def groups(self) -> list[str]:
        """Groups of cases it draws."""
        return [self.cases] if isinstance(self.cases, str) else self.cases


class Slots(_Part):
    """A picture of a stack of enclosures: which link drives the disk in each slot."""

    title: str
    case: str
    columns: int
    """Slots of an enclosure."""
    links: dict[str, str]
    """Ports of hosts, and the names of their links."""
    caption: str = ""


class Bench(_Part):
    """A picture of what a case stands on: boxes and cables, coloured by their load."""

    title: str
    case: str
    """A case with a report."""
    caption: str = ""


class Timeline(_Part):
    """Data that ports send over the time of a case, as a monitor of a switch shows them."""

    title: str
    case: str
    """A case with a report."""
    ports: dict[str, list[str]]
    """Lines by their names: ports whose data are added, `sw1.f0` or `host*`."""
    moments: dict[str, float] = {}
    """Moments to mark, in seconds."""
    published: list[float] = []
    """Published rates to mark, in MiB/s."""
    caption: str = ""


class Quirk(_Part):
    """What the evaluators met with a configuration, and what `sanlab check` says of it."""

    name: str
    met: str
    scenario: str
    set: dict[str, Any] = {}
    says: str
    """A part of the answer that makes the cause clear."""


class Study(_Part):
    """A published evaluation."""

    name: str
    folder: Path
    title: str
    source: str
    cases: list[CaseGroup]
    trends: list[Trend] = []
    peaks: list[Peak] = []
    ratios: list[Ratio] = []
    differences: list[Difference] = []
    figures: Figures | None = None
    comparisons: list[Comparison] = []
    shapes: list[Shape] = []
    fits: list[Fit] = []
    known_misses: list[KnownMiss] = []
    plots: list[Plot] = []
    slots: list[Slots] = []
    benches: list[Bench] = []
    timelines: list[Timeline] = []
    quirks: list[Quirk] = []
    line_rates: list[LineRate] = []
    question: str = ""
    """What the evaluation asked."""
    bench: str = ""
    """What stood on its bench."""
    learned: list[str] = []
    """What one learns from it."""
    wrong: list[str] = []
    """What the evaluation, or the model, has wrong or leaves open."""


class Run(_Part):
    """A simulation, and what is taken from it."""

    overrides: dict[str, str]
    metrics: list[str]


class Case(_Part):
    """One run of a study, or several that differ in what is done."""

    name: str
    group: str
    scenario: Path
    overrides: dict[str, str]
    parameters: dict[str, int | str]
    metrics: list[str]
    runs: list[Run] = []
    workload: str | None = None
    published: dict[str, Published]
    bound: Bound | None
    has_report: bool
    in_bulk: bool = False

    def fits(self, group: str, where: dict[str, int | str]) -> bool:
        """Whether it belongs to a group and has these parameters."""
        mine = self.parameters
        return self.group == group and all(mine.get(key) == value for key, value in where.items())


def studies_folder() -> Path:
    """Find the folder of studies: `studies` here, else the one in the package."""
    here = Path("studies")
    return here if here.is_dir() else _IN_THE_PACKAGE


def study_names() -> list[str]:
    """Names of the studies there are."""
    return sorted(path.parent.name for path in studies_folder().glob("*/study.yaml"))


def load_study(name: str) -> Study:
    """Read a study by name.

    Raises
    ------
    SanlabError
        The study does not exist, or its file is invalid.
    """
    path = studies_folder() / name / "study.yaml"
    if os.sep in name or not path.is_file():
        reason = (
            f"there is no study called '{name}'; studies are {', '.join(study_names()) or 'none'}"
        )
        raise SanlabError(reason)
    try:
        data = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
        return Study(name=name, folder=path.parent, **data)
    except (YAMLError, ValidationError, TypeError) as error:
        reason = f"{path}: {error}"
        raise SanlabError(reason) from error


def spell_out(study: Study) -> list[Case]:
    """Every run of a study, in the order of its file."""
    published = _published(study)
    return [case for group in study.cases for case in _cases(study, group, published)]


def _published(study: Study) -> dict[tuple[str, str], Published]:
    """Numbers of the study's file, by case and metric."""
    if study.figures is None:
        return {}
    found: dict[tuple[str, str], Published] = {}
    with (study.folder / study.figures.file).open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            try:
                value = float(row["value"])
            except ValueError:
                continue
            first = row.get("first_prediction")
            found[row["case"], row["metric"]] = Published(
                value=value,
                tolerance=study.figures.tolerance,
                first_prediction=float(first) if first else None,
            )
    return found


def repeat_spreads(study: Study) -> list[float]:
    """Differences of measurements that were made twice, in percent of the first."""
    if study.figures is None or study.figures.repeats is None:
        return []
    with (study.folder / study.figures.repeats).open(encoding="utf-8") as file:
        return [
            100 * abs(float(row["second"]) / float(row["first"]) - 1)
            for row in csv.DictReader(file)
        ]


def _cases(
    study: Study, group: CaseGroup, published: dict[tuple[str, str], Published]
) -> list[Case]:
    choices = [_choices(name, of) for name, of in group.parameters.items()]
    cases = []
    for combination in product(*choices):
        parameters = {name: value for name, value, _ in combination}
        overrides = dict(group.set)
        for _, _, settings in combination:
            overrides |= settings
        name = group.name.format(**parameters)
        cases.append(
            Case(
                name=name,
                group=group.key,
                scenario=study.folder / group.scenario,
                overrides=as_texts(overrides),
                parameters=parameters,
                metrics=group.all_metrics,
                runs=[
                    Run(overrides=as_texts(overrides | run.set), metrics=run.metrics)
                    for run in group.runs.values()
                ],
                workload=group.workload and group.workload.format(**parameters),
                published=group.published
                | group.published_for.get(name, {})
                | {
                    metric: published[name, metric]
                    for metric in group.all_metrics
                    if (name, metric) in published
                },
                bound=group.bound and _filled(group.bound, parameters),
                has_report=name == group.report,
                in_bulk=group.in_bulk,
            )
        )
    return cases


_Choice = tuple[str, int | str, dict[str, Any]]


def _choices(name: str, of: Values | dict[int | str, dict[str, Any]]) -> list[_Choice]:
    if isinstance(of, Values):
        return [(name, value, {of.key: f"{value}{of.unit}"}) for value in of.values]
    return [(name, value, settings) for value, settings in of.items()]


def _filled(bound: Bound, parameters: dict[str, int | str]) -> Bound:
    def fill(value: float | str) -> float | str:
        return float(value.format(**parameters)) if isinstance(value, str) else value

    update = {"distance_km": fill(bound.distance_km), "credit": int(fill(bound.credit))}
    return bound.model_copy(update=update)
