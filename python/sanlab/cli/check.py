"""`sanlab check`."""

from __future__ import annotations

import typer

from sanlab.cli.outcome import FileArgument, JsonOption, SetOption, load, outcome, show_json

#: Most warnings that are shown.
MAX_WARNINGS = 20


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(check)


def check(file: FileArgument, sets: SetOption = None, as_json: JsonOption = False) -> None:
    """Check a scenario; print each error with its line, reason and remedy."""
    with outcome(as_json=as_json):
        from sanlab.plan.compile import compile_plan
        from sanlab.plan.explain import remarks, totals
        from sanlab.plan.warnings import warnings

        plan = compile_plan(load(file, sets))
        counts, degraded = totals(plan), warnings(plan)
        notes = remarks(plan)
        if as_json:
            valid = {"file": file, "is_valid": True, "totals": counts}
            show_json(valid | {"warnings": degraded, "notes": notes})
            return
        shown = [f"{n} {_noun(key, n)}" for key, n in counts.items() if n and _noun(key, n)]
        typer.echo(f"{file}: good. {', '.join(shown)}")
        for sentence in notes:
            typer.echo(f"  note: {sentence}")
        for sentence in degraded[:MAX_WARNINGS]:
            typer.echo(f"  degraded: {sentence}")
        if len(degraded) > MAX_WARNINGS:
            typer.echo(f"  and {len(degraded) - MAX_WARNINGS} more; --json lists all")


_NOUNS = {
    "hosts_count": ("host", "hosts"),
    "switches_count": ("switch", "switches"),
    "arrays_count": ("array", "arrays"),
    "luns_count": ("LUN", "LUNs"),
    "stacks_count": ("stack", "stacks"),
    "loops_count": ("loop", "loops"),
    "disks_count": ("disk", "disks"),
    "links_count": ("link", "links"),
    "jobs_count": ("job", "jobs"),
    "traffic_count": ("frame stream", "frame streams"),
}


def _noun(key: str, count: int) -> str:
    singular, plural = _NOUNS.get(key, ("", ""))
    return singular if count == 1 else plural
