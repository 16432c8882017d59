"""Headline numbers of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.explain.stalls import stalls
from sanlab.results.ports import credit_wait_share, on_links, waiting_for_credit
from sanlab.words import show_count, show_percent, show_rate, show_time, whole

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

    def time_of(key: str) -> str:
        value = summary[key]
        return "–" if value is None else show_time(value * 1e6)

    def rarity(key: str, number: str) -> str:
        return "too few I/Os" if summary[key] is None else f"1 I/O in {number} is slower"

    ports = on_links(run)
    waited = max((credit_wait_share(run, row) for row in ports), default=0.0)
    longest = next((row["port"] for row in waiting_for_credit(run)[:1]), "no port waited")
    cards = [
        Card(
            "Throughput",
            show_rate(summary["throughput_bytes_per_s"]),
            summary["throughput_note"] or "all workloads",
        ),
        Card(
            "I/Os per second",
            "–" if summary["iops"] is None else show_count(whole(summary["iops"])),
            f"{show_count(summary['io_count'])} I/Os",
        ),
        Card("Mean response", time_of("response_mean_us"), f"median {time_of('response_p50_us')}"),
        Card("p99 response", time_of("response_p99_us"), rarity("response_p99_us", "100")),
        Card(
            "p99.99 response",
            time_of("response_p99_99_us"),
            rarity("response_p99_99_us", "10\u202f000"),
        ),
    ]
    if not run.rows("workloads"):
        cards = _frame_cards(run)
    if summary["error_count"]:
        cards.append(Card("Errors", show_count(summary["error_count"]), "I/Os that failed"))
    stalled = stalls(run)
    if stalled:
        worst = stalled[0]
        since = f"{worst.workload}, from {show_time(worst.from_ps)} on"
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
