"""From a scenario to a run folder."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sanlab.errors import RunError, SanlabError
from sanlab.plan.defaults import LATEST_END_PS
from sanlab.simulation import folder as run_folder
from sanlab.simulation.manifest import Manifest, sanlab_version
from sanlab.simulation.progress import ProgressLine
from sanlab.simulation.tables import from_native
from sanlab.traces.table import KEPT, tables_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from sanlab.plan.schema import Plan
    from sanlab.scenario.scenario import Scenario

#: How often the engine is asked where it is, in seconds.
POLL_S = 0.1


@dataclass(frozen=True)
class Outcome:
    """What the engine hands back: a summary and the tables."""

    summary: dict[str, Any]
    tables: dict[str, pa.Table]
    #: What was captured; empty without a capture.
    capture: dict[str, Any]


@dataclass(frozen=True)
class Capture:
    """Frames to write while simulating."""

    #: Ends of links: link, and 0 for `a` or 1 for `b`.
    ends: tuple[tuple[int, int], ...]
    path: Path
    #: The simulation stops after this many frames.
    limit: int
    #: Frames of these exchanges alone: N_Port of the originator, OX_ID, and when it was opened.
    only: tuple[tuple[int, int, int], ...] | None = None


def simulate(
    plan: Plan,
    *,
    capture: Capture | None = None,
    stop_at_ps: int | None = None,
    show_progress: bool = False,
    title: str = "",
) -> Outcome:
    """Simulate a plan in a worker thread, to its end or to `stop_at_ps`; the interpreter is free.

    The first Ctrl-C stops the engine and keeps what it has (`summary["is_complete"]` is False).
    A second one gives up at once.

    Raises
    ------
    RunError
        A check of the engine failed, or it refused the plan.
    """
    import sanlab._native as _native  # noqa: PLR0402  reading a run folder needs no engine

    control = _native.Control()
    answer: list[Any] = []
    failure: list[BaseException] = []

    options: dict[str, Any] = {"traces": _traces()}
    if capture is not None:
        options |= {
            "capture": list(capture.ends),
            "capture_path": str(capture.path),
            "capture_limit": capture.limit,
            "capture_only": None if capture.only is None else list(capture.only),
        }
    if stop_at_ps is not None:
        control.hold(stop_at_ps)

    # Not the thread's own join: interrupted, Python before 3.13 takes the thread for dead.
    is_done = threading.Event()

    def work() -> None:
        try:
            answer.append(_native.run(plan.to_json(), control, **options))
        except BaseException as error:
            failure.append(error)
        finally:
            is_done.set()

    worker = threading.Thread(target=work, name="sanlab-engine", daemon=True)
    # A run that ends with its jobs has no time that is known beforehand.
    end_ps = plan.end_ps if plan.end_ps < LATEST_END_PS else None
    with ProgressLine(title, end_ps, is_wanted=show_progress) as line:
        worker.start()
        try:
            while not is_done.wait(POLL_S):
                line.update(control)
                if stop_at_ps is not None and control.now_ps >= stop_at_ps:
                    control.stop()
        except KeyboardInterrupt:
            control.stop()
            is_done.wait()
    if failure:
        raise _as_run_error(failure[0]) from failure[0]
    return _outcome_of(answer[0])


def simulate_here(plan_json: str, control: Any = None) -> Outcome:  # noqa: ANN401  ours, compiled
    """Simulate a plan in this thread, without progress; the interpreter is free meanwhile.

    Raises
    ------
    RunError
        A check of the engine failed, or it refused the plan.
    """
    import sanlab._native as _native  # noqa: PLR0402  reading a run folder needs no engine

    try:
        return _outcome_of(_native.run(plan_json, control, traces=_traces()))
    except (_native.PlanError, _native.RunError) as error:
        raise _as_run_error(error) from error


def simulate_one_io(plan_json: str, job: int, number: int) -> dict[str, pa.Table]:
    """Simulate a plan up to the end of one I/O of a job, and return what it did step by step.

    The tables are `requests`, `exchanges`, `hops` and `steps`.

    Raises
    ------
    RunError
        A check of the engine failed, or it refused the plan.
    """
    import sanlab._native as _native  # noqa: PLR0402  reading a run folder needs no engine

    try:
        result = _native.run(plan_json, ladder=(job, number), traces=_traces())
    except (_native.PlanError, _native.RunError) as error:
        raise _as_run_error(error) from error
    return {name: from_native(columns) for name, columns in result["ladder"].items()}


def _outcome_of(result: dict[str, Any]) -> Outcome:
    tables = {name: from_native(columns) for name, columns in result["tables"].items()}
    return Outcome(result["summary"], tables, result.get("capture", {}))


@dataclass(frozen=True)
class Prepared:
    """A plan and where it comes from."""

    plan: Plan
    text: str | None
    file: str
    stem: str
    overrides: Mapping[str, str]
    wall_s: float
    """Wall time it took."""
    traces: str | None = None
    """The tables of its traces, for the run folder."""


def prepare_text(  # noqa: PLR0913  one for each part of what is asked for
    text: str,
    file: str,
    stem: str,
    overrides: Mapping[str, object],
    seed: int | None = None,
    *,
    root: Path | None = None,
) -> Prepared:
    """Read and compile the text of a scenario; `file` is the name that problems are of.

    With a `root`, the scenario is that file below it, and names no file outside of it.
    """
    from sanlab.plan.compile import compile_plan
    from sanlab.plan.replay import kept_traces
    from sanlab.scenario.load import parse_scenario
    from sanlab.scenario.overrides import as_texts

    started = time.perf_counter()
    changes = as_texts(overrides)
    scenario = parse_scenario(text, file, changes)
    if root is not None:
        scenario.confine((root / file).parent, root)
    plan = compile_plan(seeded(scenario, seed))
    wall_s = time.perf_counter() - started
    return Prepared(plan, text, Path(file).name, stem, changes, wall_s, kept_traces(scenario))


def prepare(
    source: str | Path | Scenario, overrides: Mapping[str, object], seed: int | None = None
) -> Prepared:
    """Read and compile a scenario, under another seed than its own if one is given."""
    from sanlab.plan.compile import compile_plan
    from sanlab.plan.replay import kept_traces
    from sanlab.scenario.load import load_scenario
    from sanlab.scenario.overrides import as_texts

    started = time.perf_counter()
    if not isinstance(source, str | Path):
        if overrides:
            reason = "overrides apply to a file; change a scenario made in Python itself"
            raise SanlabError(reason)
        plan, text = compile_plan(seeded(source, seed)), _as_yaml(source)
        wall_s = time.perf_counter() - started
        return Prepared(plan, text, "", "run", {}, wall_s, kept_traces(source))
    path = Path(source)
    changes = as_texts(overrides)
    scenario = load_scenario(path, changes)
    text = path.read_text(encoding="utf-8")
    plan = compile_plan(seeded(scenario, seed))
    wall_s = time.perf_counter() - started
    traces = kept_traces(scenario)
    return Prepared(plan, text, path.name, stem_of(path), changes, wall_s, traces)


def seeded(scenario: Scenario, seed: int | None) -> Scenario:
    """Return a scenario under another seed, if one is given."""
    return scenario if seed is None else scenario.model_copy(update={"seed": seed})


def execute(prepared: Prepared, target: Path | None, *, show_progress: bool = False) -> Path:
    """Simulate a plan and write its run folder; returns the folder.

    Parameters
    ----------
    prepared
        The plan and where it comes from.
    target
        Run folder to write; it must not exist yet. Default: `runs/` and the name of the scenario.
    show_progress
        Draw a progress line on standard error, if that is a terminal.
    """
    outcome = simulate(prepared.plan, show_progress=show_progress, title=prepared.stem)
    return keep(prepared, outcome, target)


def keep(prepared: Prepared, outcome: Outcome, target: Path | None) -> Path:
    """Write the run folder of a simulated plan; returns the folder."""
    plan = prepared.plan
    setup_s = prepared.wall_s + outcome.summary["setup_s"]
    manifest = Manifest(
        sanlab_version=sanlab_version(),
        title=plan.title,
        scenario_file=prepared.file,
        overrides=dict(prepared.overrides),
        seed=plan.seed,
        tables=tuple(sorted(outcome.tables)),
        **outcome.summary | {"setup_s": setup_s},
    )
    return run_folder.write(
        target,
        prepared.stem,
        scenario=prepared.text,
        plan=msgspec.json.format(plan.to_json(), indent=1) + "\n",
        manifest=manifest,
        tables=outcome.tables,
        extras={} if prepared.traces is None else {KEPT: prepared.traces},
    )


def stem_of(path: Path) -> str:
    """Name a run gets from its scenario file; its folder's where the file is called scenario.yaml.

    >>> stem_of(Path("examples/slow-drain/scenario.yaml")), stem_of(Path("my san.yaml"))
    ('slow-drain', 'my-san')
    """
    name = path.stem if path.stem != "scenario" else path.resolve().parent.name
    return "-".join(name.split()).strip(".-") or "run"


def _as_yaml(scenario: Scenario) -> str | None:
    """The scenario as JSON, which is YAML as well."""
    return json.dumps(scenario.model_dump(mode="json", exclude_none=True), indent=2) + "\n"


def _traces() -> str:
    """Where the engine finds the tables of traces that jobs replay."""
    return str(tables_folder())


def _as_run_error(error: BaseException) -> BaseException:
    kind = type(error).__name__
    if kind == "PlanError":
        return RunError(f"The engine refused the plan, which is a fault of sanlab: {error}")
    if kind == "RunError":
        return RunError(str(error))
    return error
