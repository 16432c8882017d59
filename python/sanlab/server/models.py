"""Requests and answers of the HTTP interface; the OpenAPI document is made of them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sanlab.topology import Topology

#: Longest text of a scenario in a request.
MAX_TEXT = 16 * 2**20
#: Longest text of another tool in a request.
MAX_SOURCE = 64 * 2**20
#: Most edits in a request.
MAX_EDITS = 1000

Text = Annotated[str, Field(max_length=MAX_TEXT)]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
#: Simulated seconds for each second of the clock.
Pace = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)]
State = Literal["queued", "running", "paused", "done", "stopped", "failed"]


class Request(BaseModel):
    """A body of a request; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


class ErrorDetail(BaseModel):
    """What is wrong, where, and what to do instead."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None
    remedy: str | None = None


class ErrorAnswer(BaseModel):
    """The body of every answer that is an error."""

    error: ErrorDetail


class About(BaseModel):
    """The server."""

    version: str
    workspace: str


class CatalogEntry(BaseModel):
    """A model of the catalog with its values as they are written."""

    name: str
    about: str
    values: dict[str, Any]


class ScenarioRow(BaseModel):
    """A scenario file of the workspace; `modified` is a date and time in UTC."""

    path: str
    title: str
    modified: str


class ScenarioText(BaseModel):
    """A scenario file; `digest` is that of the text on disk."""

    path: str
    text: str
    digest: str


class SaveRequest(Request):
    """A new text, and the digest of the text it replaces; None for a new file."""

    text: Text
    digest: Annotated[str, Field(max_length=64)] | None = None


class Problem(BaseModel):
    """One error in a scenario."""

    line: int | None
    column: int | None
    key: str
    message: str
    remedy: str


class CheckRequest(Request):
    """A text to check; `path` is the name of its file."""

    text: Text
    path: Annotated[str, Field(max_length=1000)] | None = None


class CheckAnswer(BaseModel):
    """Problems of a text; without one, also what `sanlab check` prints, and the map."""

    problems: list[Problem]
    warnings: list[str]
    notes: list[str]
    totals: dict[str, int]
    topology: Topology | None


class AccessRequest(Request):
    """A text, and a host that may see LUNs, at a time."""

    text: Text
    host: Annotated[str, Field(max_length=1000)]
    at_ps: Annotated[int, Field(ge=0, le=2**63)] = 0


class Edit(Request):
    """A change of a scenario's text at a path, written as after `--set`.

    `set` replaces or adds the value of a key. `insert` puts a value into a list before the item at
    the path, or at the end of the list that the path names. `remove` takes a key or an item out.
    """

    op: Literal["set", "insert", "remove"]
    path: Annotated[str, Field(max_length=1000)]
    value: Any = None


class EditRequest(Request):
    """A text and its changes, in their order."""

    text: Text
    edits: Annotated[list[Edit], Field(max_length=MAX_EDITS)]
    path: Annotated[str, Field(max_length=1000)] | None = None


class CableRequest(Request):
    """A change of one cable of a text: `link` is its id on the map of the text.

    `values` sets keys of the cable, `end` and `to` plug the port `end` in elsewhere, `is_removed`
    takes the cable away. The other cables of the same item of `links` stay as they are, unless
    `is_whole` sets the values for all of them.
    """

    text: Text
    link: Annotated[int, Field(ge=0, le=2**31)]
    values: Annotated[dict[str, Any], Field(max_length=MAX_EDITS)] = Field(default_factory=dict)
    end: Annotated[str, Field(max_length=1000)] | None = None
    to: Annotated[str, Field(max_length=1000)] | None = None
    is_removed: bool = False
    is_whole: bool = False
    path: Annotated[str, Field(max_length=1000)] | None = None


class ZoneRequest(Request):
    """A new zone of a text, in the active zone set where there is one."""

    text: Text
    name: Annotated[str, Field(min_length=1, max_length=200)]
    members: Annotated[list[str], Field(min_length=1, max_length=MAX_EDITS)]
    path: Annotated[str, Field(max_length=1000)] | None = None


class EditAnswer(CheckAnswer):
    """The changed text, and how it differs from the one before (unified diff)."""

    text: str
    diff: str


class JobRequest(Request):
    """A simulation to start: the `path` of a scenario file, or a `text`."""

    path: Annotated[str, Field(max_length=1000)] | None = None
    text: Text | None = None
    overrides: Annotated[dict[str, str], Field(max_length=MAX_EDITS)] = Field(default_factory=dict)
    seed: Seed | None = None
    pace: Pace | None = None


class FailuresRequest(Request):
    """A failure matrix to compute, of a scenario file."""

    path: Annotated[str, Field(max_length=1000)]
    overrides: Annotated[dict[str, str], Field(max_length=MAX_EDITS)] = Field(default_factory=dict)
    kinds: Annotated[list[str], Field(max_length=20)] = Field(default_factory=list)
    with_pairs: bool = False


class PaceRequest(Request):
    """How fast a simulation runs; `pace` None is as fast as it can."""

    pace: Pace | None = None
    is_paused: bool = False


class ChangesRequest(Request):
    """Changes of the scenario at the present simulated time."""

    edits: Annotated[list[Edit], Field(min_length=1, max_length=MAX_EDITS)]


class Job(BaseModel):
    """A simulation that was asked for.

    `end_ps` is None where the end is not known beforehand; of a failure matrix `now_ps` and
    `end_ps` count failures. `run` is the id of the run folder when it is there. `text` is the
    scenario that is simulated, `changed_at_ps` the simulated time of its last change. Samples name
    ports and workloads by their places in `port_names` and `workload_names`.
    """

    id: str
    kind: Literal["run", "failures"]
    title: str
    state: State
    now_ps: int
    end_ps: int | None
    events: int
    run: str | None
    error: ErrorDetail | None
    problems: list[Problem]
    text: str
    pace: float | None
    port_names: list[str]
    workload_names: list[str]
    changed_at_ps: int | None
    matrix: dict[str, Any] | None


class JobRow(BaseModel):
    """A job in the list of all."""

    id: str
    kind: Literal["run", "failures"]
    title: str
    state: State
    now_ps: int
    end_ps: int | None
    run: str | None


class ChangesAnswer(BaseModel):
    """Changes made during a simulation: when, the difference of the text, and the job."""

    at_ps: int
    diff: str
    job: Job


class StageRow(BaseModel):
    """A stage of an I/O: as answers have it, as people read it, and the time that it includes."""

    stage: str
    name: str
    meaning: str


class PresentMap(BaseModel):
    """The map of a simulation at its present time; it stays so until `next_ps`."""

    topology: Topology
    next_ps: int | None


class RunRow(BaseModel):
    """A run folder of the workspace; times are None with too few I/Os.

    Attributes
    ----------
    planned_end_ps
        Of a run that was stopped: when it was to end, None where that is when its work is done.
    """

    id: str
    title: str
    created: str
    seed: int
    fingerprint: str
    is_complete: bool
    is_measured: bool
    simulated_ps: int
    planned_end_ps: int | None
    workloads: list[str]
    iops: float | None
    bytes_per_s: float | None
    mean_ps: float | None
    p99_ps: float | None
    error_count: int


class RunDetail(BaseModel):
    """One run: `summary` as `sanlab run --json` prints it, the manifest, figures by workload.

    `planned_end_ps` is as in the list of runs.
    """

    id: str
    planned_end_ps: int | None
    summary: dict[str, Any]
    manifest: dict[str, Any]
    workloads: list[dict[str, Any]]
    has_scenario: bool
    has_report: bool


class SeriesRow(BaseModel):
    """Something whose metrics over time are known."""

    kind: str
    name: str
    metrics: list[str]


class Series(BaseModel):
    """A metric over simulated time: a value for each bin, by the end of the bin."""

    kind: str
    name: str
    metric: str
    unit: str
    at_s: list[float]
    values: list[float | None]


class Happening(BaseModel):
    """An event of a run."""

    at_ps: int
    what: str


class PhaseRow(BaseModel):
    """A phase of a run: its name and figures by workload and operation."""

    rows: list[dict[str, Any]]


class ExplainedWorkload(BaseModel):
    """What limits a workload, over the whole run and in each window; `places` are names."""

    workload: str
    limit: dict[str, Any]
    windows: list[dict[str, Any]]
    domains: dict[str, float]
    stages: dict[str, float]
    places: list[str]


class FindingRow(BaseModel):
    """A finding; `places` are names of boxes and ports it is about."""

    id: str
    severity: Literal["problem", "notice", "good"]
    title: str
    detail: str
    number: float | None
    unit: str
    evidence: list[dict[str, Any]]
    places: list[str]


class Explanation(BaseModel):
    """Limits of each workload, and the findings of a run."""

    workloads: list[ExplainedWorkload]
    findings: list[FindingRow]


class Column(BaseModel):
    """A column of a table; the unit is None for text and plain numbers."""

    name: str
    meaning: str
    unit: str | None
    is_text: bool


class TableRow(BaseModel):
    """A table of a run."""

    name: str
    rows: int
    meaning: str
    columns: list[Column]


class TablePage(BaseModel):
    """A part of a table; `total` counts the rows that pass the filters."""

    total: int
    offset: int
    columns: list[Column]
    rows: list[list[Any]]


class SweepRow(BaseModel):
    """A sweep folder of the workspace."""

    id: str
    title: str
    created: str
    parameters: list[str]
    points: int
    failed: int


class SweepDetail(BaseModel):
    """A sweep: the mean of each metric for each setting, as `Sweep.summary` gives it."""

    id: str
    title: str
    parameters: list[str]
    workloads: list[str]
    metrics: list[str]
    headings: dict[str, str]
    """Words for the columns of `rows` and `failed`."""
    rows: list[dict[str, Any]]
    failed: list[dict[str, Any]]


class SourceFile(Request):
    """A file of another tool, by its name, which may have folders before it: `sw1/ports.json`."""

    name: Annotated[
        str,
        Field(max_length=200, pattern=r"^([\w][\w .()+@=,-]*/){0,8}[\w][\w .()+@=,-]*$"),
    ]
    text: Annotated[str, Field(max_length=MAX_SOURCE)]


#: A time with its unit, such as `60s`.
Time = Annotated[str, Field(min_length=1, max_length=40)]


class ImportRequest(Request):
    """Outputs of switches and hosts; with `is_partial`, also those that were cut off.

    `interval` is the time between two captures of counters of ports, where they have no times.
    """

    files: Annotated[list[SourceFile], Field(min_length=1, max_length=1000)]
    is_partial: bool = False
    interval: Time | None = None


class ImportLoadRequest(Request):
    """A file of Iometer, fio, vdbench or diskspd, a trace, or counters.

    `variables` and `jobs` are those of fio; `interval` is the time between reports of counters.
    """

    file: SourceFile
    interval: Time | None = None
    variables: Annotated[dict[str, str], Field(max_length=100)] = Field(default_factory=dict)
    jobs: Annotated[list[str], Field(max_length=1000)] = Field(default_factory=list)


class ImportAnswer(BaseModel):
    """A scenario made of other tools' files, with what they do not tell."""

    text: str
    questions: list[str]
    contradictions: list[str]
    skipped: list[str]
    counts: dict[str, int]


class LeftOut(BaseModel):
    """A key without a part in the scenario."""

    file: str
    line: int
    key: str
    reason: str


class ImportLoadAnswer(BaseModel):
    """A scenario made of another tool's load."""

    text: str
    points: list[dict[str, str]]
    left_out: list[LeftOut]
