"""`sanlab check`."""

from __future__ import annotations

import typer

from sanlab.cli.outcome import FileArgument, JsonOption, SetOption, load, outcome, show_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(check)


def check(file: FileArgument, sets: SetOption = None, as_json: JsonOption = False) -> None:
    """Check a scenario: every error with its line, what is wrong and what would be right."""
    with outcome(as_json=as_json):
        from sanlab.plan.compile import compile_plan
        from sanlab.plan.explain import totals

        counts = totals(compile_plan(load(file, sets)))
        if as_json:
            show_json({"file": file, "is_valid": True, "totals": counts})
            return
        shown = [f"{n} {_noun(key, n)}" for key, n in counts.items() if n and _noun(key, n)]
        typer.echo(f"{file}: good. {', '.join(shown)}")


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
