"""End of a run, and bins of its time series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.defaults import DEFAULT_DURATION_PS, DEFAULT_INTERVAL_PS, LATEST_END_PS, given
from sanlab.plan.schema import TimedReplay, TracePattern
from sanlab.quantities import PS_PER_S, counted, format_time

if TYPE_CHECKING:
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import JobPlan, TrafficPlan
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path

_WHOLE_PPM = 1_000_000
#: Bins of the time series of a trace without a `duration`, at most.
_BINS_OF_TRACE = 1000
#: Bins of a time series.
MAX_BINS = 1_000_000


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a plan that set the length of a run."""

    links_count: int
    loops_count: int
    jobs: list[JobPlan]
    traffic: list[TrafficPlan]


def latest_end(links_count: int, loops_count: int = 0) -> int:
    """Return the end of the engine's clock, which shares a 62-bit word with the fibre number."""
    fibres = max(2, 2 * links_count + loops_count)
    return 2**62 >> (fibres - 1).bit_length()


def times_of(scenario: Scenario, parts: Parts, problems: Problems) -> tuple[int, int]:
    """Return the latest end of the run and the length of a bin.

    Without `duration`, a run lasts until its work ends, at most an hour of simulated time; a run
    with work that does not end lasts one second.
    """
    measure = scenario.measure
    limit = latest_end(parts.links_count, parts.loops_count)
    ends_itself = all(
        job.total_bytes is not None or job.stop_ps is not None for job in parts.jobs
    ) and all(flow.frames is not None for flow in parts.traffic)
    traced = _length_of_traces(parts.jobs)
    if traced > limit and measure.duration is None:
        problems.add(
            _place_of_trace(scenario),
            f"The trace lasts {traced // PS_PER_S} s, and with "
            f"{counted(parts.links_count, 'link')} the clock ends at {limit // PS_PER_S} s",
            "Raise 'speed', or replay a part of it with 'measure.duration'",
        )
    latest = max(LATEST_END_PS, traced + LATEST_END_PS if traced else 0)
    default = min(latest, limit) if ends_itself else DEFAULT_DURATION_PS
    end = given(measure.duration, default)
    if end > limit:
        problems.add(
            ("measure", "duration"),
            f"With {counted(parts.links_count, 'link')} the clock ends at "
            f"{limit // PS_PER_S} s of simulated time",
            "Make 'duration' shorter",
        )
    # Bins of a long trace are longer: there is one for each thousandth of it at most.
    coarse = max(DEFAULT_INTERVAL_PS, traced // _BINS_OF_TRACE)
    is_known = measure.duration is not None or not ends_itself
    interval = given(measure.interval, max(1, end // 100) if is_known else coarse)
    if is_known and end // interval > MAX_BINS:
        problems.add(
            ("measure", "interval"),
            f"{format_time(end)} in bins of {format_time(interval)} make more than {MAX_BINS} bins",
            "Make 'interval' longer",
        )
    if measure.duration is not None:
        _check_starts(scenario, end, problems)
    return end, interval


def _length_of_traces(jobs: list[JobPlan]) -> int:
    """Return when the last request of the longest trace is due, 0 without one that is timed."""
    lengths = [0]
    for job in jobs:
        pattern = job.pattern
        if isinstance(pattern, TracePattern) and isinstance(pattern.replay, TimedReplay):
            due = pattern.length_ps * _WHOLE_PPM // pattern.replay.speed_ppm
            lengths.append(job.start_ps + due)
    return max(lengths)


def _place_of_trace(scenario: Scenario) -> Path:
    index = next(index for index, work in enumerate(scenario.workloads) if work.trace is not None)
    return ("workloads", index, "trace")


def _check_starts(scenario: Scenario, end: int, problems: Problems) -> None:
    """Note workloads whose counted time starts after the end."""
    for index, work in enumerate(scenario.workloads):
        counts_from = work.start_delay + work.ramp_time
        if counts_from >= end:
            problems.add(
                ("workloads", index, "ramp_time" if work.ramp_time else "start_delay"),
                f"Counting starts at {format_time(counts_from)}, "
                f"and the run ends at {format_time(end)}",
                "Make 'measure.duration' longer",
            )
