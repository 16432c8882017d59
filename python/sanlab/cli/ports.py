"""`sanlab ports`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sanlab.cli.outcome import FileArgument, JsonOption, SetOption, load, outcome, show_json
from sanlab.cli.text_table import text_table
from sanlab.errors import SanlabError

if TYPE_CHECKING:
    from sanlab.topology import Port, Topology

#: Most rows that are printed.
MAX_ROWS = 200
#: The latest time the page accepts as well.
LATEST_PS = 2**63


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ports")(ports)


def ports(
    file: FileArgument,
    find: Annotated[
        str | None,
        typer.Option(
            "--find",
            metavar="TEXT",
            help="Only ports with this text in a name, a world-wide name, an address or a zone.",
        ),
    ] = None,
    at: Annotated[
        str, typer.Option("--at", metavar="TIME", help="Time of the states, such as 5s.")
    ] = "0s",
    sets: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """List every port: its state and the reason, what is attached, its logins and its zones.

    Conflicts between switches stand below, whenever they come.
    """
    with outcome(as_json=as_json):
        import dataclasses
        import json

        from sanlab.cli.outcome import parsed
        from sanlab.plan.compile import compile_plan
        from sanlab.quantities import parse_time
        from sanlab.topology import topology_of
        from sanlab.words import show_time

        at_ps = parsed("--at", at, parse_time)
        scenario = load(file, sets)
        plan = json.loads(compile_plan(scenario).to_json())
        if at_ps > LATEST_PS:
            reason = f"--at {at} is too late. Name a time up to {show_time(LATEST_PS)}"
            raise SanlabError(reason)
        topology = topology_of(plan, scenario=scenario, at_ps=at_ps)
        found = topology.find_ports(find) if find else topology.ports
        if as_json:
            shown = [dataclasses.asdict(port) for port in found]
            show_json(
                {"file": file, "at_ps": at_ps, "ports": shown, "conflicts": topology.conflicts}
            )
            return
        _print(topology, found, is_search=find is not None)
        if at_ps > plan["end_ps"]:
            typer.echo(f"note: a run ends at {show_time(plan['end_ps'])}, before --at {at}")


def _print(topology: Topology, found: tuple[Port, ...], *, is_search: bool) -> None:
    # Of ports without a cable only their number is of interest, unless one is searched for.
    rows = [port for port in found if is_search or port.peer is not None]
    if not rows:
        typer.echo("no port found" if is_search else "no port has a cable")
    header = ("box", "port", "kind", "speed", "state", "attached", "logged in", "zones", "wwpn")
    if rows:
        cells = [header, *(_cells(port) for port in rows[:MAX_ROWS])]
        for line in text_table(cells, words=range(len(header))):
            typer.echo(line)
    if len(rows) > MAX_ROWS:
        typer.echo(f"and {len(rows) - MAX_ROWS} more; --find narrows, --json lists all")
    for port in rows[:MAX_ROWS]:
        if port.reason and port.peer is not None:
            typer.echo(f"{port.name}: {port.reason}")
    for sentence in topology.conflicts:
        typer.echo(f"conflict: {sentence}")


def _cells(port: Port) -> tuple[str, ...]:
    return (
        port.node,
        port.label,
        port.kind.upper().replace("_PORT", "_Port"),
        port.speed or "",
        port.state,
        port.peer or "",
        ", ".join(port.logins),
        ", ".join(port.zones),
        port.wwpn or "",
    )
