"""Tried remedies as text and as JSON."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Final

from sanlab.cli.prose import wrapped
from sanlab.cli.text_table import text_table
from sanlab.quantities import counted

if TYPE_CHECKING:
    from sanlab.compare.verdict import Line
    from sanlab.remedies.trial import Trial

#: Verdicts on remedies in words.
_WORDS: Final[dict[str | None, str]] = {
    "better": "helps",
    "same": "does not help",
    "worse": "makes it worse",
    "mixed": "mixed",
    "can't tell": "can't tell",
    None: "",
}
#: Verdicts on a load without others in words.
_SHARING: Final[dict[str | None, str]] = {
    "better": "the cost of sharing",
    "same": "sharing costs nothing",
    "worse": "sharing helps",
    "mixed": "mixed",
    "can't tell": "can't tell",
    None: "",
}
_METRICS: Final[dict[str, str]] = {"throughput": "throughput", "mean": "mean response"}
#: What is changed, where it is not the SAN.
_SORTS: Final[dict[str, str]] = {"san": "", "load": "another load: ", "fault": "", "alone": ""}
#: Most other workloads that are named for a remedy.
OTHERS_SHOWN = 3
#: Characters of a title in one line.
WIDTH: Final = 50


def trial_lines(trials: list[Trial]) -> list[str]:
    """Return a table for each workload, best remedies first, and how to apply those that help."""
    lines: list[str] = []
    for workload in dict.fromkeys(trial.workload for trial in trials):
        own = [trial for trial in trials if trial.workload == workload]
        lines += ["", f"What would change it for {workload}, each simulated:"]
        done = [trial for trial in own if not trial.refusal]
        response = "mean delay" if own[0].is_stream else "mean response"
        table = [["  change", "throughput", response, ""]]
        for trial in done:
            table += _cells(trial)
        if done:
            lines += text_table(table, words={0, 3})
        remedies = [trial for trial in done if trial.remedy.sort != "alone"]
        best = [trial for trial in remedies if trial.verdict == "better"][:1]
        lines += [line for trial in best for line in wrapped(_then(trial))]
        lines += [f"  to apply: {trial.remedy.command}" for trial in best if trial.remedy.command]
        lines += [
            line
            for trial in own
            if trial.refusal
            for line in wrapped(f"  not possible here: {trial.remedy.title} ({trial.refusal})")
        ]
        if not done:
            lines.append("  no remedy is known that could be simulated here")
    return lines


def trial_document(trials: list[Trial]) -> list[dict[str, Any]]:
    """Return all trials as JSON shows them."""
    return [
        {
            "workload": trial.workload,
            "remedy": trial.remedy.title,
            "sort": trial.remedy.sort,
            "is_of_last_third": trial.remedy.only_delays,
            "set": trial.remedy.sets,
            "remove": [f"{name}[{index}]" for name, index in trial.remedy.removes],
            "verdict": trial.verdict,
            "gain": trial.gain,
            "throughput": _line_document(trial.throughput),
            "mean_response": _line_document(trial.mean),
            "others": [
                {"workload": line.workload, "metric": line.metric} | (_line_document(line) or {})
                for line in trial.others
            ],
            "limit_after": trial.limit_after,
            "refusal": trial.refusal,
        }
        for trial in trials
    ]


def _cells(trial: Trial) -> list[list[str]]:
    """The row of a trial; further rows for a long title and for what it does to others."""
    words = _SHARING if trial.remedy.sort == "alone" else _WORDS
    verdict = words[trial.verdict]
    title = f"{_SORTS[trial.remedy.sort]}{trial.remedy.title}"
    if trial.remedy.only_delays:
        title += ", in the last third of the time: it fills later"
    first, *more = textwrap.wrap(title, WIDTH, break_long_words=False, break_on_hyphens=False)
    more += [f"  {text}" for text in _others(trial)]
    row = [f"  {first}", _difference(trial.throughput), _difference(trial.mean), verdict]
    return [row, *([f"    {text}", "", "", ""] for text in more)]


def _then(trial: Trial) -> str:
    return f"  after the first: {trial.limit_after}"


def _difference(line: Line | None) -> str:
    from sanlab.compare.verdict import difference_text

    return "" if line is None else difference_text(line)


def _others(trial: Trial) -> list[str]:
    """What it does to other workloads, the largest differences first; throughput if it differs."""
    from sanlab.compare.verdict import difference_text

    chosen: dict[str | None, Line] = {}
    for line in trial.others:
        chosen.setdefault(line.workload, line)
    ranked = sorted(chosen.values(), key=lambda line: -abs(line.difference or 0.0))
    parts = [
        f"{line.workload}: {_METRICS[line.metric]} {difference_text(line)}"
        for line in ranked[:OTHERS_SHOWN]
    ]
    more = len(chosen) - OTHERS_SHOWN
    return [*parts, *([f"{counted(more, 'workload')} more"] if more > 0 else [])]


def _line_document(line: Line | None) -> dict[str, Any] | None:
    from sanlab.compare.document import judgement_document

    if line is None:
        return None
    return {
        "before": None if line.before is None else line.before.value,
        "after": None if line.after is None else line.after.value,
    } | judgement_document(line)
