"""The workloads of a scenario as a job file of fio.

A scenario's workloads have the names of fio's options, so most keys are written as they are. The
targets are left to the person who runs it: `filename` comes from an environment variable for each
LUN, and fio refuses a job whose variable is not set.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sanlab.errors import SanlabError
from sanlab.plan.presets import filled_workloads
from sanlab.quantities import PS_PER_S
from sanlab.scenario.groups import expand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sanlab.scenario.scenario import Scenario
    from sanlab.scenario.workload import Workload

#: I/Os that a job with a rate may have open, so that the rate is what limits it.
OPEN_DEPTH = 1024
#: Most LUNs that a job lists one by one.
TARGETS_SHOWN = 64
#: Parts per million of a whole.
_WHOLE = 1_000_000
#: Share of reads of a mixed load without one of its own.
_HALF = 500_000


def fio_job(scenario: Scenario) -> str:
    """Return the workloads as a job file; those that fio cannot do are named in comments.

    Raises
    ------
    SanlabError
        There is no workload that fio can do.
    """
    works = filled_workloads(scenario)
    known = [work for work in works if not refusal(work)]
    if not known:
        reasons = [f"{work.name}: {refusal(work)}" for work in works]
        reason = f"no workload of this scenario can be a job of fio. {'; '.join(reasons)}".strip()
        raise SanlabError(reason)
    lines = [
        "; Each filename is an environment variable: set it to the device or file of that LUN.",
        "; Jobs that write destroy what is there.",
        "[global]",
        "ioengine=libaio",
        "direct=1",
        "group_reporting=1",
        "",
    ]
    for work in works:
        why = refusal(work)
        if why:
            lines += [f"; {work.name} is left out: {why}", ""]
            continue
        lines += [_place(work), f"[{work.name}]", *options(work), ""]
    return "\n".join(lines)


def refusal(work: Workload) -> str:
    """Why a workload cannot be a job; empty if it can."""
    if work.spc1 is not None:
        return "SPC-1 streams have no option of fio"
    if work.trace is not None:
        return "fio replays a trace of its own form (read_iolog), not this file"
    if work.access:
        return "lines of an Iometer access specification have no option of fio"
    if work.load is not None:
        return "a rate that changes over time has no option of fio"
    return ""


def _place(work: Workload) -> str:
    """Where a job runs, as a comment."""
    hosts = [name for pattern in work.hosts for name in expand(pattern)]
    where = f"; on {', '.join(work.hosts)}"
    if len(hosts) > 1 and len(_targets(work)) == len(hosts) and work.spread in (None, "pair"):
        where += ": on each host with its own LUN alone"
    return where


def options(work: Workload) -> Iterator[str]:
    """Yield the options of a workload's section, one a line."""
    yield f"filename={':'.join(f'${{{_variable(target)}}}' for target in _targets(work))}"
    yield f"rw={work.rw or 'read'}"
    yield f"bs={_size(work.bs)}"
    yield f"iodepth={work.iodepth if work.arrivals == 'closed' else OPEN_DEPTH}"
    yield from _amounts(work)
    yield from _times(work)
    if work.rwmixread is not None and work.rw in ("rw", "readwrite", "randrw"):
        yield f"rwmixread={round(100 * work.rwmixread / _WHOLE)}"
    if work.arrivals == "poisson":
        yield "rate_process=poisson"
    if work.random_distribution:
        yield f"random_distribution=zipf:{work.random_distribution / 1000:g}"
    if work.after:
        yield f"wait_for={work.after[-1]}"


def _amounts(work: Workload) -> Iterator[str]:
    for key, usual in (("numjobs", 1), ("loops", 1)):
        if getattr(work, key) != usual:
            yield f"{key}={getattr(work, key)}"
    for key in ("offset", "size", "io_size"):
        value = getattr(work, key)
        if value:
            yield f"{key}={_size(value)}"
    if work.numjobs > 1 and not work.is_random:
        # Sequential jobs have adjacent regions; fio's own begin at the same block.
        part = _size(work.size) if work.size else f"{100 // work.numjobs}%"
        yield f"offset_increment={part}"
        if not work.size:
            yield f"size={part}"
    if work.rate is not None:
        yield f"rate={_of_directions(work, work.rate, _size)}"
    if work.rate_iops is not None:
        yield f"rate_iops={_of_directions(work, work.rate_iops, str)}"


def _of_directions(work: Workload, rate: int, write: Callable[[int], str]) -> str:
    """A rate as fio takes it: of a mixed load one of reads and one of writes."""
    if work.rw not in ("rw", "readwrite", "randrw"):
        return write(rate)
    reads = _HALF if work.rwmixread is None else work.rwmixread
    parts = (round(rate * reads / _WHOLE), round(rate * (_WHOLE - reads) / _WHOLE))
    return ",".join(write(max(1, part)) for part in parts)


def _times(work: Workload) -> Iterator[str]:
    """Times with their unit, microseconds: without one fio reads some as seconds."""
    for key, option in (
        ("runtime", "runtime"),
        ("ramp_time", "ramp_time"),
        ("start_delay", "startdelay"),
        ("thinktime", "thinktime"),
    ):
        value = getattr(work, key)
        if value:
            yield f"{option}={max(1, round(value * 1_000_000 / PS_PER_S))}us"
    if work.time_based or (work.runtime and work.io_size is None):
        yield "time_based=1"


def _size(count: int) -> str:
    """A size as fio writes it; its `k` is 1024 bytes.

    >>> _size(8192), _size(1000)
    ('8k', '1000')
    """
    return f"{count // 1024}k" if count % 1024 == 0 and count else str(count)


def _targets(work: Workload) -> list[str]:
    """The LUNs of a workload, those of groups one by one where they are few."""
    names = [name for pattern in work.targets for name in expand(pattern)]
    return names if len(names) <= TARGETS_SHOWN else list(work.targets)


def _variable(target: str) -> str:
    """The environment variable of a target."""
    return re.sub(r"[^A-Za-z0-9]+", "_", target).strip("_").upper()
