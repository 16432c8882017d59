"""Headline numbers of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sanlab.explain.stalls import stalls
from sanlab.results.latency import response_percentiles
from sanlab.results.ports import credit_wait_share, on_links, waiting_for_credit
from sanlab.results.steady import half_widths
from sanlab.words import show_count, show_half_width, show_percent, show_rate, show_time, whole

if TYPE_CHECKING:
    from sanlab.results.run import Run


@dataclass(frozen=True)
class Card:
    """One headline number."""

    label: str
    value: str
    note: str = ""


def cards_of(run: Run) -> list[Card]:
    """Headline numbers, the most important first."""
    summary = run.summary()

    ports = on_links(run)
    waited = max((credit_wait_share(run, row) for row in ports), default=0.0)
    longest = next((row["port"] for row in waiting_for_credit(run)[:1]), "no port waited")
    cards = _rate_cards(run, summary) + _response_cards(run)
    if not run.rows("workloads"):
        cards = _frame_cards(run)
    if summary["error_count"]:
        cards.append(Card("Errors", show_count(summary["error_count"]), "I/Os that failed"))
    stalled = stalls(run)
    if stalled:
        worst = stalled[0]
        since = f"{worst.workload}{worst.where}, from {show_time(worst.from_ps)} on"
        cards.append(Card("Longest stall", show_time(worst.span_ps), since))
    if ports:
        cards.append(
            Card(
                "Busiest link",
                show_percent(summary["busiest_link_utilisation"]),
                summary["busiest_link"],
            )
        )
        cards.append(Card("Credit wait", show_percent(waited), longest))
    if summary["busiest_loop"]:
        share = show_percent(summary["busiest_loop_share"])
        cards.append(Card("Busiest loop", share, summary["busiest_loop"]))
    return cards


#: Workloads with a card of their own; the table of workloads has all.
WORKLOADS_SHOWN = 3


def _rate_cards(run: Run, summary: dict[str, Any]) -> list[Card]:
    halves = half_widths(run)
    throughput, iops = summary["throughput_bytes_per_s"], summary["iops"]
    span = summary["span_note"] or "all workloads"
    shown = "–" if summary["iops"] is None else show_count(whole(summary["iops"]))
    return [
        Card(
            "Throughput",
            show_rate(throughput),
            _spread(summary["throughput_note"] or span, throughput, halves.throughput_bytes_per_s),
        ),
        Card(
            "I/Os per second",
            shown,
            _spread(f"{show_count(summary['io_count'])} I/Os", iops, halves.iops),
        ),
    ]


def _response_cards(run: Run) -> list[Card]:
    """Response times of each workload: one mean of unlike workloads describes none of them."""
    names = list(dict.fromkeys(row["workload"] for row in run.rows("workloads")))
    if len(names) == 1:
        return _tail_cards(run, names[0])
    cards = []
    for name in names[:WORKLOADS_SHOWN]:
        rows = [row for row in run.rows("workloads") if row["workload"] == name]
        count = sum(row["io_count"] for row in rows)
        if not count:
            continue
        spent = sum(row["response_mean_ps"] * row["io_count"] for row in rows)
        tail = response_percentiles(run, (99.0,), workload=name)
        p99 = f"p99 {show_time(tail[99.0])}" if tail else "too few I/Os for p99"
        mean = spent / count
        note = _spread(p99, mean, half_widths(run, name).response_mean_ps)
        cards.append(Card(f"Mean response, {name}", show_time(mean), note))
    return cards


def _tail_cards(run: Run, workload: str) -> list[Card]:
    """Mean, p99 and p99.99 of a workload that is alone."""
    summary = run.summary()
    half = half_widths(run, workload).response_mean_ps
    mean = summary["response_mean_us"]

    def time_of(key: str) -> str:
        value = summary[key]
        return "–" if value is None else show_time(value * 1e6)

    def rarity(key: str, number: str) -> str:
        return "too few I/Os" if summary[key] is None else f"1 I/O in {number} is slower"

    return [
        Card(
            "Mean response",
            time_of("response_mean_us"),
            _spread(
                f"median {time_of('response_p50_us')}", None if mean is None else mean * 1e6, half
            ),
        ),
        Card("p99 response", time_of("response_p99_us"), rarity("response_p99_us", "100")),
        Card(
            "p99.99 response",
            time_of("response_p99_99_us"),
            rarity("response_p99_99_us", "10\u202f000"),
        ),
    ]


def _spread(note: str, value: float | None, half: float | None) -> str:
    """A note, and half of the 95 % interval of the number above it, if it is known."""
    return f"{show_half_width(half / value)}, {note}" if half and value else note


def _frame_cards(run: Run) -> list[Card]:
    rows = run.rows("frames")
    count = sum(row["frames_count"] for row in rows)
    cards = [Card("Frames delivered", show_count(count), "no workload completed an I/O")]
    if count:
        spent = sum(row["network_mean_ps"] * row["frames_count"] for row in rows)
        cards.append(Card("Mean frame latency", show_time(spent / count), "in the network"))
        seconds = run.manifest.simulated_ps / 1e12
        rate = sum(row["payload_bytes"] for row in rows) / seconds if seconds else None
        cards.append(Card("Payload", show_rate(rate), "all flows"))
    return cards
