"""`sanlab check`."""

from __future__ import annotations

import typer

from sanlab.cli.outcome import FileArgument, JsonOption, SetOption, load, outcome, show_json

#: Most sentences of a kind that are shown.
MAX_SENTENCES = 20


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(check)


def check(file: FileArgument, sets: SetOption = None, as_json: JsonOption = False) -> None:
    """Check a scenario; print each error with its line, reason and remedy."""
    with outcome(as_json=as_json):
        from sanlab.plan.compile import compile_plan
        from sanlab.plan.explain import remarks, stack_names, totals
        from sanlab.plan.served import served
        from sanlab.plan.warnings import warnings

        plan = compile_plan(load(file, sets))
        counts, degraded = totals(plan), warnings(plan)
        notes, devices = remarks(plan), served(plan, stack_names(plan))
        if as_json:
            valid = {"file": file, "is_valid": True, "totals": counts}
            show_json(valid | {"devices": devices, "warnings": degraded, "notes": notes})
            return
        shown = [f"{n} {_noun(key, n)}" for key, n in counts.items() if n and _noun(key, n)]
        typer.echo(f"{file}: good. {', '.join(shown)}")
        _echo("", devices)
        _echo("note: ", notes)
        _echo("degraded: ", degraded)


def _echo(kind: str, sentences: list[str]) -> None:
    """Print the first sentences of a kind."""
    for sentence in sentences[:MAX_SENTENCES]:
        typer.echo(f"  {kind}{sentence}")
    if len(sentences) > MAX_SENTENCES:
        typer.echo(f"  and {len(sentences) - MAX_SENTENCES} more; --json lists all")


_NOUNS = {
    "hosts_count": ("host", "hosts"),
    "switches_count": ("switch", "switches"),
    "arrays_count": ("array", "arrays"),
    "luns_count": ("LUN", "LUNs"),
    "stacks_count": ("stack", "stacks"),
    "loops_count": ("loop", "loops"),
    "disks_count": ("disk", "disks"),
    "ssds_count": ("SSD", "SSDs"),
    "links_count": ("link", "links"),
    "jobs_count": ("job", "jobs"),
    "traffic_count": ("frame stream", "frame streams"),
}


def _noun(key: str, count: int) -> str:
    singular, plural = _NOUNS.get(key, ("", ""))
    return singular if count == 1 else plural
