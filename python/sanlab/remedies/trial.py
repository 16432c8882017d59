"""Remedies simulated, compared with the run they are for, and ranked."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sanlab.compare.figures import Figure
from sanlab.compare.verdict import TOLERANCE, line_of
from sanlab.errors import SanlabError, ScenarioError
from sanlab.explain.explanation import explain, explain_flows
from sanlab.explain.flows import window_of_flow
from sanlab.explain.view import Evidences
from sanlab.plan.compile import compile_plan
from sanlab.remedies.paired import Bins, paired, repeated
from sanlab.remedies.proposals import cost_of_sharing, propose
from sanlab.remedies.remedy import Remedy
from sanlab.remedies.scene import Scene
from sanlab.scenario.document import MarkedList, read_document
from sanlab.scenario.load import check_document
from sanlab.scenario.overrides import apply_overrides
from sanlab.trials.variants import in_parallel, judged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sanlab.compare.verdict import Line, Verdict
    from sanlab.explain.explanation import Explained
    from sanlab.explain.window import Window
    from sanlab.results.record import Record
    from sanlab.results.run import Run
    from sanlab.scenario.document import MarkedMap
    from sanlab.trials.places import Seat

#: Seeds of a trial whose bins cannot tell whether it helps.
REPEATS = 5
#: Most workloads that nothing limits for which the cost of sharing is tried.
MOST_BESIDE = 8
#: Figures of a trial: those of each workload by metric, and what limits each workload.
Answer = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """A remedy and what it did.

    Attributes
    ----------
    throughput, mean
        Of the workload, before and after.
    others
        Throughput and mean response time of the other workloads that change.
    limit_after
        What limits the workload then, in one sentence.
    refusal
        Why it could not be simulated; empty if it was.
    is_open
        The workload has a rate, so its response time is what can improve.
    is_stream
        It is a stream of plain frames, whose response time is the delay of its frames.
    """

    workload: str
    remedy: Remedy
    throughput: Line | None = None
    mean: Line | None = None
    others: tuple[Line, ...] = ()
    limit_after: str = ""
    refusal: str = ""
    is_open: bool = False
    is_stream: bool = False

    @property
    def decisive(self) -> Line | None:
        """The figure that says whether it helps: response time at a rate, else throughput."""
        return self.mean if self.is_open and self.mean is not None else self.throughput

    @property
    def verdict(self) -> Verdict | None:
        """Whether the workload is better; None if it could not be simulated."""
        line = self.decisive
        return None if line is None else line.verdict

    @property
    def gain(self) -> float:
        """Relative gain of the decisive figure, for ranking; a loss is negative."""
        line = self.decisive
        if line is None or line.difference is None:
            return 0.0
        if line.metric == "mean":
            return 1 / (1 + line.difference) - 1 if line.difference > -1 else 0.0
        return line.difference


def try_remedies(
    run: Run,
    *,
    workload: str | None = None,
    cache: Path | None = None,
    on_done: Callable[[int, int], None] | None = None,
) -> list[Trial]:
    """Simulate the remedies that fit what limits the workloads of a run.

    Parameters
    ----------
    workload
        Only for this one; else for all that are limited, or for all if none is. Of those that
        nothing limits and that share something busy only the cost of sharing is tried.
    cache
        Folder that keeps the results, so that an interrupted command goes on.
    on_done
        Called with the number of simulations done and of all.

    Returns
    -------
    list of Trial
        By workload in the order of the scenario; those that help come first, best first.

    Raises
    ------
    SanlabError
        The run has no scenario, was stopped early, or has no such workload.
    """
    if not run.manifest.is_complete:
        reason = f"{run.folder} was stopped before its end: run it again to try remedies"
        raise SanlabError(reason)
    document = _document(run)
    explained = [*explain(run), *explain_flows(run)]
    scenes = _scenes(run, document, workload, explained)
    # The figures of streams have no interval but that of several seeds.
    is_repeated = bool(run.plan["traffic"])
    is_asked = workload is not None or all(scene.limit.is_harmless for scene in scenes)
    wanted = [
        (scene, remedy)
        for scene in scenes
        for remedy in (
            propose(scene) if is_asked or not scene.limit.is_harmless else cost_of_sharing(scene)
        )
    ]
    before = _answer(run)
    unchanged = _changed(run, Remedy("nothing"))

    def answer(plan_json: str, seat: Seat) -> Answer:
        found: Answer = judged(plan_json, "bins and limits", _answer, cache, seat)
        return found

    def one(pair: tuple[Scene, Remedy], seat: Seat) -> Trial:
        scene, remedy = pair
        try:
            plan_json = _changed(run, remedy)
        except ScenarioError as error:
            return Trial(scene.limit.workload, remedy, refusal=error.problems[0].reason)
        first = before, answer(plan_json, seat)
        trial = _compared(scene, remedy, [first])
        if trial.verdict != "can't tell" and not is_repeated:
            return trial
        pairs = [
            tuple(answer(_with_seed(plan, seed), seat) for plan in (unchanged, plan_json))
            for seed in range(run.manifest.seed + 1, run.manifest.seed + REPEATS)
        ]
        return _compared(scene, remedy, [first, *pairs])

    trials = in_parallel(wanted, one, on_done)
    order = [scene.limit.workload for scene in scenes]
    return sorted(trials, key=lambda trial: (order.index(trial.workload), *_rank(trial)))


def _rank(trial: Trial) -> tuple[int, float]:
    """What helps first, then what is uncertain, then the rest; best first."""
    if trial.remedy.sort == "alone":
        return 9, 0.0
    ranks = {"better": 0, "mixed": 1, "can't tell": 1, "same": 2, "worse": 3, None: 4}
    return ranks[trial.verdict], -trial.gain


def _scenes(
    run: Run, document: MarkedMap, workload: str | None, explained: list[Explained]
) -> list[Scene]:
    names = [one.workload for one in explained]
    if workload is not None and workload not in names:
        reason = f"{run.folder} has no workload '{workload}'; its workloads are {', '.join(names)}"
        raise SanlabError(reason)
    chosen = [one.overall for one in explained if workload in (None, one.workload)]
    if workload is None:
        limited = [limit for limit in chosen if not limit.is_harmless]
        beside = [limit for limit in chosen if limit.is_harmless and limit.culprits]
        chosen = [*limited, *beside[:MOST_BESIDE]] if limited else chosen
    evidences = Evidences(run)
    return [Scene(document, limit, evidences.view(limit.window)) for limit in chosen]


def _document(run: Run) -> MarkedMap:
    """The scenario of a run with its overrides."""
    if run.scenario is None:
        reason = f"{run.folder} has no scenario.yaml, so nothing can be changed in it"
        raise SanlabError(reason)
    document = read_document(run.scenario, str(run.folder / "scenario.yaml"))
    apply_overrides(document, run.manifest.overrides)
    document["seed"] = run.manifest.seed
    return document


def _changed(run: Run, remedy: Remedy) -> str:
    """The plan with the remedy."""
    try:
        document = _document(run)
        apply_overrides(document, remedy.sets)
        for section, index in remedy.removes:
            _keep(document, section, [n for n in range(len(document[section])) if n != index])
        for section, kept in remedy.keeps.items():
            if section in document:
                _keep(document, section, list(kept))
        return compile_plan(check_document(document)).to_json()
    except ScenarioError:
        if remedy.edit is None:
            raise
    plan = json.loads(compile_plan(check_document(_document(run))).to_json())
    remedy.edit(plan)
    return json.dumps(plan)


def _keep(document: MarkedMap, section: str, indices: list[int]) -> None:
    """Keep only some items of a list."""
    items = document[section]
    if not isinstance(items, MarkedList):
        if not indices:
            del document[section]
        return
    kept = [(items[index], items.item_marks[index]) for index in indices]
    items.clear()
    items.item_marks.clear()
    for item, mark in kept:
        items.put(item, mark)
    if not kept:
        del document[section]


def _answer(run: Record) -> Answer:
    """What each workload gets over time, each stream in all, and what limits it, for JSON."""
    workloads = {
        one.workload: {
            "bins": Bins.of(run, one.workload).as_lists(),
            "limit": one.overall.headline,
        }
        for one in explain(run)
    }
    return workloads | dict(_streams(run))


def _streams(run: Record) -> Iterator[tuple[str, Answer]]:
    """What each stream delivers while its port sends, and the mean delay of its frames."""
    evidences = Evidences(run)
    for stream, one in zip(run.plan["traffic"], explain_flows(run), strict=True):
        row = evidences.flows[one.workload]
        span_ps = max(1, window_of_flow(evidences, stream).span_ps)
        yield (
            one.workload,
            {
                "delivered": row["payload_bytes"] / (span_ps / 1e12),
                "delay_ps": row["end_to_end_mean_ps"],
                "limit": one.overall.headline,
            },
        )


def _with_seed(plan_json: str, seed: int) -> str:
    plan = json.loads(plan_json)
    plan["seed"] = seed % 2**64
    return json.dumps(plan)


def _compared(scene: Scene, remedy: Remedy, pairs: list[tuple[Answer, ...]]) -> Trial:
    """Compare pairs of runs, each of one seed; several pairs make intervals of their own."""
    name = scene.limit.workload
    asking = scene.view.evidences.asking
    before, after = pairs[0]
    window = _window(scene, remedy)
    lines = {other: _lines(scene, other, pairs, window) for other in before if other in after}
    throughput, mean = lines.pop(name)
    others = tuple(
        line
        for pair in lines.values()
        for line in pair
        if line is not None and line.verdict in ("better", "worse")
    )
    return Trial(
        name,
        remedy,
        throughput,
        mean,
        others,
        after[name]["limit"],
        is_open=any(one.job["arrivals"] is not None for one in asking.get(name, ())),
        is_stream=scene.is_stream,
    )


def _window(scene: Scene, remedy: Remedy) -> Window:
    """The time that is compared: that of the limit, or its last third if it comes again later."""
    window = scene.limit.window
    if not remedy.only_delays:
        return window
    return replace(window, from_ps=window.to_ps - window.span_ps // 3, is_whole=False)


def _lines(
    scene: Scene, workload: str, pairs: list[tuple[Answer, ...]], window: Window
) -> tuple[Line | None, Line | None]:
    """Throughput and mean response of a workload or a stream in a window."""
    if "delivered" in pairs[0][0][workload]:
        found = [_of_stream(workload, pair) for pair in pairs]
    else:
        found = [_of_workload(scene, workload, pair, window) for pair in pairs]
    if len(found) == 1:
        return found[0]
    return repeated([line for line, _ in found]), repeated([line for _, line in found])


def _of_workload(
    scene: Scene, workload: str, pair: tuple[Answer, ...], window: Window
) -> tuple[Line | None, Line | None]:
    jobs = [one.job for one in scene.view.evidences.asking.get(workload, ())]
    stops = [job["stop_ps"] for job in jobs if job["stop_ps"] is not None]
    begin = max((job["start_ps"] + job["ramp_ps"] for job in jobs), default=0)
    end = min([scene.view.run.manifest.simulated_ps, *stops])
    one, other = (Bins.from_lists(answer[workload]["bins"]) for answer in pair)
    return paired(workload, one, other, window, (begin, end))


def _of_stream(stream: str, pair: tuple[Answer, ...]) -> tuple[Line | None, Line | None]:
    """A stream has no time line, so both figures are of the whole run, without an interval."""
    one, other = (answer[stream] for answer in pair)
    return (
        _stream_line(stream, "throughput", one["delivered"], other["delivered"]),
        _stream_line(stream, "mean", one["delay_ps"], other["delay_ps"]),
    )


def _stream_line(stream: str, metric: str, before: float, after: float) -> Line:
    return line_of(stream, metric, Figure(before), Figure(after), TOLERANCE)
