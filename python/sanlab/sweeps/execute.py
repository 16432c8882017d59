"""A sweep from its request to its data set."""

from __future__ import annotations

import random
import signal
import threading
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sanlab.errors import Problem, SanlabError, ScenarioError
from sanlab.results.steady import RULES
from sanlab.sweeps import design as designs
from sanlab.sweeps.point import Compiler, versions
from sanlab.sweeps.pool import Answer, Cluster, Threads, workers_here
from sanlab.sweeps.progress import SweepLine
from sanlab.sweeps.schedule import Schedule
from sanlab.sweeps.store import Request, Store, choose_folder, type_of
from sanlab.sweeps.syntax import magnitude, parse_parameter
from sanlab.sweeps.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sanlab.sweeps.design import Design, Setting
    from sanlab.sweeps.measure import Row
    from sanlab.sweeps.options import SweepOptions
    from sanlab.sweeps.point import Point
    from sanlab.sweeps.pool import Pool
    from sanlab.sweeps.schedule import Rules
    from sanlab.sweeps.syntax import Parameter

#: Points from which on a sweep must be asked for twice.
MANY = 1_000_000
#: Settings that are resolved before the first one is simulated.
CHECKED = 256
#: Metrics that `--until` and `--refine` look at.
METRICS = (
    "iops",
    "throughput_bytes_per_s",
    "response_mean_ps",
    "response_p50_ps",
    "response_p95_ps",
    "response_p99_ps",
    "limiting_utilisation",
)


def execute(
    source: Path, parameters: Sequence[Parameter], options: SweepOptions
) -> tuple[Path, Tally]:
    """Run a sweep, or the rest of one; return its folder and the number of points by outcome.

    `parameters` are those of the options, parsed.

    Raises
    ------
    ScenarioError
        A path, a value or the scenario makes no sense.
    SanlabError
        The folder, the cluster or an option cannot be used.
    RunError
        Results cannot be written any more, or the cluster is gone.
    """
    _check(options)
    compiler = Compiler(source, options.overrides or {}, options.seed)
    design = make_design(parameters, options, compiler.seed)
    refine_path = _refine_path(options, design)
    count = design.count * options.repeats
    if count > MANY and not options.allow_many:
        reason = f"These are {count} points. Write fewer values, or add --yes"
        raise SanlabError(reason)
    _check_settings(compiler, design)
    request = _request(compiler, design, options)
    target = None if options.folder is None else Path(options.folder)
    folder = choose_folder(target, compiler.stem, request, extend=options.extend)
    # Workers first: without workers nothing is written.
    with closing(_pool(options)) as pool, Store(folder, request, compiler.text) as store:
        known = store.finished()
        sweep = _Sweep(compiler, Schedule(design, options, refine_path), store, pool, known)
        sweep.tally.damaged = store.damaged_count
        with SweepLine(compiler.stem, is_wanted=options.show_progress) as line:
            sweep.run(line)
    return folder, sweep.tally


def make_design(parameters: Sequence[Parameter], options: SweepOptions, seed: int) -> Design:
    """Choose the design that the options ask for."""
    if options.points is not None:
        if parameters or options.random or options.is_zipped:
            reason = "--points lists all points. Leave out -p, --random and --zip"
            raise SanlabError(reason)
        return designs.from_file(Path(options.points))
    if not parameters:
        reason = "There is nothing to vary. Add -p path=1,2,4"
        raise SanlabError(reason)
    if options.random is not None and options.is_zipped:
        reason = "--random draws its own points. Leave out --zip"
        raise SanlabError(reason)
    if options.random is not None:
        return designs.latin_hypercube(parameters, options.random, seed)
    return designs.zipped(parameters) if options.is_zipped else designs.grid(parameters)


class _Sweep:
    """The loop: hand out points, take answers, keep them."""

    def __init__(
        self,
        compiler: Compiler,
        schedule: Schedule,
        store: Store,
        pool: Pool,
        known: dict[str, Row],
    ) -> None:
        self.compiler = compiler
        self.schedule = schedule
        self.store = store
        self.pool = pool
        self.known = known
        self.under_way = 0
        self.tally = Tally()

    def run(self, line: SweepLine) -> None:
        """Simulate all points; Ctrl-C keeps what is finished."""
        try:
            while True:
                while self.under_way < self.pool.size and (item := self.schedule.next()):
                    self.hand_out(*item)
                    line.update(self.tally, self.schedule.total)
                if self.under_way:
                    self.take(self.pool.answer())
                    line.update(self.tally, self.schedule.total)
                elif not self.schedule.refine():
                    break
        except KeyboardInterrupt:
            self.tally.is_stopped = True
        self.tally.unsure, self.tally.added = self.schedule.unsure, self.schedule.added

    def hand_out(self, setting: Setting, repeat: int) -> None:
        """Give a point to the workers, unless its result is there."""
        try:
            point = self.compiler.point(setting, repeat)
        except ScenarioError as error:
            # Each value is good by itself, as was checked before; these do not go together.
            reason = str(error.problems[0])
            point = self.compiler.refused(setting, repeat, reason)
            if point.key not in self.known:
                self.under_way += 1
                self.take(Answer(point, failure=reason), is_impossible=True)
                return
        if point.key not in self.known:
            self.pool.submit(point)
            self.under_way += 1
            return
        row = self.known[point.key]
        self.tally.found += 1
        self.count(row["status"])
        if row["status"] != "done":
            self.note(row["reason"])
        self.schedule.done(setting, repeat, row if row["status"] == "done" else None)

    def take(self, answer: Answer, *, is_impossible: bool = False) -> None:
        """Keep an answer, durably, before anything follows from it."""
        self.under_way -= 1
        point = answer.point
        if answer.lost is not None:
            self.tally.lost += 1
            self.note(answer.lost)
            self.schedule.done(point.setting, point.repeat, None)
            return
        common = _columns(point, self.store.request.types)
        if answer.rows is not None:
            rows = [common | {"status": "done"} | row for row in answer.rows]
        else:
            status = "impossible" if is_impossible else "failed"
            rows = [common | {"status": status, "reason": answer.failure}]
        with uninterrupted():
            self.store.add(rows)
            self.known[point.key] = rows[0]
            self.count(rows[0]["status"])
        if answer.failure:
            self.note(answer.failure)
        self.schedule.done(point.setting, point.repeat, rows[0] if answer.rows else None)

    def count(self, status: str) -> None:
        """Count a point with its outcome."""
        self.tally.done += status == "done"
        self.tally.failed += status == "failed"
        self.tally.impossible += status == "impossible"

    def note(self, reason: str) -> None:
        """Remember why points have no result, each reason once."""
        if reason not in self.tally.reasons and len(self.tally.reasons) < 10:
            self.tally.reasons.append(reason)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off to the end of the block, so that what is counted is what is kept."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is interrupted
        return
    asked: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def _columns(point: Point, types: Mapping[str, str]) -> Row:
    convert = {"int64": int, "double": float, "string": str}
    setting = {path: convert[types[path]](text) for path, text in point.setting.items()}
    return {"point": point.key, "repeat": point.repeat, "seed": point.seed, **setting}


def _pool(options: SweepOptions) -> Pool:
    if options.cluster is not None:
        return Cluster(options.cluster, options.warm_up)
    return Threads(options.workers or workers_here(), options.warm_up)


def _check(options: SweepOptions) -> None:
    if options.cluster is not None and options.workers is not None:
        reason = "--workers counts threads here. Leave it out with --cluster"
        raise SanlabError(reason)
    if options.warm_up not in RULES:
        reason = f"There is no rule '{options.warm_up}' for the warm-up. Rules are " + ", ".join(
            RULES
        )
        raise SanlabError(reason)
    for option, metric in (("--metric", options.metric), ("--refine", options.refine)):
        if metric is not None and metric not in METRICS:
            reason = f"{option} {metric}: there is no such metric. Metrics are {', '.join(METRICS)}"
            raise SanlabError(reason)
    if options.until is not None and options.max_repeats < options.repeats:
        reason = (
            f"--max-repeats {options.max_repeats} is less than --repeats {options.repeats}."
            " Make it more"
        )
        raise SanlabError(reason)


def _refine_path(rules: Rules, design: Design) -> str:
    """Find the parameter that a refined curve is drawn against; empty where none is refined."""
    if rules.refine is None:
        return ""
    if design.kind != "grid":
        reason = "--refine adds to a grid. Leave out --random, --points and --zip"
        raise SanlabError(reason)
    for path, values in design.values.items():
        units = {value.lstrip("+-0123456789.") for value in values}
        if len(values) >= 3 and len(units) == 1 and all(magnitude(value) for value in values):
            return path
    reason = "--refine needs a parameter with three numbers or more, in one unit"
    raise SanlabError(reason)


def _check_settings(compiler: Compiler, design: Design) -> None:
    """Resolve a setting with each value of each parameter, to report bad values at once.

    A value is bad if no setting tried with it is good: 48 disks need three enclosures, regardless
    of the first setting. Other settings that are refused are impossible combinations, which a
    sweep marks.
    """
    unseen = {path: set(values) for path, values in design.values.items()}
    checked = 0
    paths = list(design.values)
    base = {path: values[0] for path, values in design.values.items()}
    if design.kind == "grid":
        settings = [base | {path: value} for path in paths for value in design.values[path]]
    else:
        settings = list(design)
    for setting in settings:
        fresh = [path for path, value in setting.items() if value in unseen[path]]
        if not fresh:
            continue
        if checked == CHECKED:
            return
        checked += 1
        for path in fresh:
            unseen[path].discard(setting[path])
        try:
            compiler.plan(setting)
        except ScenarioError as error:
            bad = [p for p in fresh if not _is_good_elsewhere(compiler, design, setting, p)]
            if bad:
                raise _with_values(error, {path: setting[path] for path in bad}) from None


def _with_values(error: ScenarioError, values: Setting) -> ScenarioError:
    """Name the values with which a place in the file is wrong."""
    named = ", ".join(f"-p {path}={value}" for path, value in values.items())
    return ScenarioError(
        [
            problem
            if problem.file.startswith("-")
            else replace(problem, reason=f"With {named}: {problem.reason}")
            for problem in error.problems
        ]
    )


def _is_good_elsewhere(compiler: Compiler, design: Design, setting: Setting, path: str) -> bool:
    """Whether the value of a path is good in some other setting.

    Settings of a grid that have the value are tried. In another design most values are there once:
    then the value also replaces that of other settings. In a random design of a range, where every
    value is good or none, any other setting will do.
    """
    value = {path: setting[path]}
    others = [other for other in design if other != setting]
    tried = [other for other in others if other[path] == setting[path]]
    if not tried and design.kind == "random":
        tried = others
    elif design.kind in {"zip", "points"}:
        tried += [swapped for other in others if (swapped := other | value) != setting]
        tried.append(value)
    # Anywhere in the grid: neighbours share most of their values.
    for other in random.Random(path).sample(tried, min(CHECKED, len(tried))):
        try:
            compiler.plan(other)
        except ScenarioError:
            continue
        return True
    return False


def _request(compiler: Compiler, design: Design, options: SweepOptions) -> Request:
    identity: dict[str, Any] = {
        "scenario": compiler.text,
        "overrides": compiler.overrides,
        "seed": options.seed,
        "parameters": sorted(design.values),
        "versions": versions(),
        "warm_up": options.warm_up,
    }
    traces = compiler.traces()
    if traces is not None:
        identity["traces"] = traces
    extent: dict[str, Any] = {
        "design": design.kind,
        "values": {path: list(values) for path, values in design.values.items()},
        "repeats": options.repeats,
        "until": options.until,
        "metric": options.metric,
        "max_repeats": options.max_repeats,
        "refine": options.refine,
        "max_points": options.max_points if options.refine else None,
    }
    return Request(identity, extent, {path: type_of(v) for path, v in design.values.items()})


def parse_all(texts: Sequence[str]) -> list[Parameter]:
    """Read all `-p` of a command, and say everything that is wrong with them."""
    parameters: list[Parameter] = []
    problems: list[Problem] = []
    for text in texts:
        try:
            parameters.append(parse_parameter(text))
        except ScenarioError as error:
            problems += error.problems
    if problems:
        raise ScenarioError(problems)
    return parameters
