"""Frames of chosen ports in a capture file that Wireshark and tshark read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sanlab.errors import RunError, SanlabError
from sanlab.plan.explain import end_names
from sanlab.plan.names import Names
from sanlab.scenario.groups import GroupError
from sanlab.simulation.execute import Capture, prepare, simulate
from sanlab.simulation.folder import growing_file, require_free

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sanlab.plan.schema import Plan
    from sanlab.scenario.scenario import Scenario

#: Default number of frames after which a trace ends: some 10 GB of full frames.
DEFAULT_LIMIT = 5_000_000

#: A comma that is not within the brackets of a group.
_COMMA = re.compile(r",(?![^\[]*\])")


@dataclass(frozen=True, slots=True)
class Trace:
    """A capture file and what it holds.

    Attributes
    ----------
    interfaces
        The ports, in the order of the file's interfaces.
    frames_count
        Frames in the file; one that two of the ports saw counts twice.
    exchanges_count
        SCSI commands with at least one frame in the file.
    simulated_ps
        Where the simulation ended.
    fingerprint
        That of the run; None if it ended early.
    is_complete
        The simulation went to its end.
    is_cut
        The limit was reached: later frames are not in the file.
    """

    file: Path
    bytes: int
    interfaces: tuple[str, ...]
    frames_count: int
    exchanges_count: int
    simulated_ps: int
    seed: int
    fingerprint: str | None
    is_complete: bool
    is_cut: bool


def trace(  # noqa: PLR0913  one option each
    source: str | Path | Scenario,
    output: str | Path,
    *,
    ports: str | Sequence[str] | None = None,
    overrides: Mapping[str, object] | None = None,
    seed: int | None = None,
    limit: int = DEFAULT_LIMIT,
    force: bool = False,
    show_progress: bool = False,
) -> Trace:
    """Simulate a scenario and write the frames of chosen ports to a pcapng file.

    The file appears under its name only when it is whole; a failure leaves nothing.

    Parameters
    ----------
    source
        A scenario file, or a scenario made in Python.
    output
        The file to write. It must not exist yet, unless `force` is set.
    ports
        Names of ports, `host1.hba0.p0`, `sw1.f3`, `sw1.e16`, `dev1.p0`, with `*`, `?` and groups
        `host[1..4].*`; the name of a box alone means all its ports. Several in a list, or with
        commas in one text. Default: all ports of hosts.
    overrides
        Values that replace those of the file, by path.
    seed
        Replaces the seed of the scenario.
    limit
        The simulation stops after this many frames in the file.
    show_progress
        Draw a progress line on standard error, if that is a terminal.

    Examples
    --------
    >>> import sanlab
    >>> sanlab.trace("scenario.yaml", "out.pcapng", ports="sw1.e*").frames_count  # doctest: +SKIP
    18204
    """
    target = Path(output)
    require_free(target, force=force)
    prepared = prepare(source, overrides or {}, seed)
    plan = prepared.plan
    ends = choose_ports(plan, ports)
    with growing_file(target) as path:
        capture = Capture(ends=tuple(ends.values()), path=path, limit=limit)
        try:
            outcome = simulate(
                plan, capture=capture, show_progress=show_progress, title=prepared.stem
            )
        except RunError as error:
            if not str(error).startswith("the capture"):
                raise
            reason = f"{target}: {error}"
            raise RunError(reason) from error
        size = path.stat().st_size
    is_complete = bool(outcome.summary["is_complete"])
    return Trace(
        file=target,
        bytes=size,
        interfaces=tuple(ends),
        simulated_ps=outcome.summary["simulated_ps"],
        seed=plan.seed,
        fingerprint=outcome.summary["fingerprint"] if is_complete else None,
        is_complete=is_complete,
        **outcome.capture,
    )


def choose_ports(plan: Plan, patterns: str | Sequence[str] | None) -> dict[str, tuple[int, int]]:
    """Ports that patterns mean, each with its link and the end of it, 0 for `a` and 1 for `b`.

    Raises
    ------
    SanlabError
        A pattern means no port.
    """
    names: Names[tuple[int, int]] = Names("port")
    names.items = end_names(plan)
    if patterns is None:
        of_hosts = [
            plan.n_ports[adapter.n_port].name for host in plan.hosts for adapter in host.adapters
        ]
        wanted = of_hosts or [port.name for port in plan.n_ports]
        return {name: names[name] for name in wanted}
    words = _COMMA.split(patterns) if isinstance(patterns, str) else patterns
    chosen: dict[str, tuple[int, int]] = {}
    for word in words:
        hits = _match(names, word.strip())
        if not hits:
            reason, remedy = names.unknown(word.strip())
            message = f"{reason}. {remedy}"
            raise SanlabError(message)
        chosen |= {name: names[name] for name in hits}
    return chosen


def _match(names: Names[tuple[int, int]], word: str) -> list[str]:
    try:
        return names.match(word) or (names.match(f"{word}.*") if word else [])
    except GroupError as error:
        raise SanlabError(str(error)) from error
