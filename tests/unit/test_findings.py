from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from by_hand import SECOND, link, n_port, n_port_end, port, switch_end

from sanlab.explain.findings import Finding, find, write
from sanlab.results.throughput import totals

if TYPE_CHECKING:
    from collections.abc import Callable

    from sanlab.results.run import Run


def one(findings: list[Finding], kind: str) -> Finding:
    found = [finding for finding in findings if finding.id == kind]
    assert len(found) == 1, [finding.id for finding in findings]
    return found[0]


def two_ports(make_run: Callable[..., Run], *, is_complete: bool = True, **numbers: float) -> Run:
    ports = [
        port("host1.p0", "host1", "sw1.f0", 0, **numbers),
        port("sw1.f0", "sw1", "host1.p0", 0),
    ]
    plan = {
        "n_ports": [n_port("host1.p0")],
        "links": [link(n_port_end(0), switch_end(0, 0))],
    }
    return make_run({"ports": ports}, plan, is_complete=is_complete)


def test_a_full_link_limits(make_run: Callable[..., Run]) -> None:
    finding = one(find(two_ports(make_run, tx_utilisation=0.97)), "limit_link")
    assert finding.severity == "problem"
    assert finding.number == pytest.approx(0.97)
    assert finding.evidence[0].where == {"port": "host1.p0"}


def test_an_idle_link_does_not(make_run: Callable[..., Run]) -> None:
    finding = one(find(two_ports(make_run, tx_utilisation=0.2)), "busiest_element")
    assert finding.severity == "notice"
    assert "Nothing is saturated" in finding.detail


def test_no_waiting_is_good(make_run: Callable[..., Run]) -> None:
    assert one(find(two_ports(make_run)), "credit_wait").severity == "good"


def test_a_run_that_was_stopped_says_so(make_run: Callable[..., Run]) -> None:
    findings = find(two_ports(make_run, is_complete=False))
    assert findings[0].id == "stopped_early"


def test_tables_that_are_missing_are_said(make_run: Callable[..., Run]) -> None:
    findings = find(make_run({}))
    assert findings
    assert all(finding.title.startswith("Not enough data") for finding in findings)
    assert all(finding.number is None for finding in findings)


def test_failed_ios_are_a_problem(make_run: Callable[..., Run]) -> None:
    own = {"op": "read", "iops": 1.0, "throughput_bytes_per_s": 1.0, "queue_full_count": 0}
    times = {"response_mean_ps": 2.0, "response_p50_ps": 2, "response_p99_ps": 2}
    rows = [
        own | times | {"workload": "above", "io_count": 900, "error_count": 0},
        own | times | {"workload": "dark", "io_count": 50, "error_count": 1096},
        own | times | {"workload": "noisy", "io_count": 50, "error_count": 4},
    ]
    run = make_run({"workloads": rows})
    finding = one(find(run), "errors")
    assert finding.severity == "problem"
    assert finding.number == totals(run).error_count == 1100
    assert finding.title == "1\u202f100 I/Os failed, 1\u202f096 of them of dark"
    assert [evidence.where["workload"] for evidence in finding.evidence] == ["dark", "noisy"]


def with_series(make_run: Callable[..., Run], counts: list[int]) -> Run:
    bins = len(counts)
    series = [
        {
            "workload": "w", "op": "read", "time_ps": (index + 1) * SECOND // bins,
            "io_count": count, "bytes": count, "response_sum_ps": count, "response_max_ps": 1,
        }
        for index, count in enumerate(counts)
    ]  # fmt: skip
    workloads: list[dict[str, Any]] = [
        {
            "workload": "w", "op": "read", "io_count": 5000, "iops": 1.0, "queue_full_count": 40,
            "throughput_bytes_per_s": 1.0, "response_mean_ps": 2.0, "response_p50_ps": 10,
            "response_p99_ps": 400,
        }
    ]  # fmt: skip
    own = {"workload": "w", "op": "read"}
    stages = [
        own | {"stage": "lun_queue", "total_ps": 60, "mean_ps": 6.0, "share": 0.6},
        own | {"stage": "media", "total_ps": 40, "mean_ps": 4.0, "share": 0.4},
    ]
    return make_run({"workload_series": series, "workloads": workloads, "stages": stages})


@pytest.mark.parametrize(
    ("counts", "severity"),
    [
        ([100] * 40, "good"),
        ([10 + 5 * n for n in range(40)], "problem"),
        ([100, 20, 180] * 3 + [30], "good"),
    ],
)
def test_steady(make_run: Callable[..., Run], counts: list[int], severity: str) -> None:
    assert one(find(with_series(make_run, counts)), "steady").severity == severity


def test_rejected_commands_and_tails_are_counted(make_run: Callable[..., Run]) -> None:
    findings = find(with_series(make_run, [100] * 12))
    assert one(findings, "task_set_full").number == 40
    assert one(findings, "long_tail").number == 40


def test_findings_are_written_for_scripts(make_run: Callable[..., Run]) -> None:
    run = two_ports(make_run, tx_utilisation=0.97)
    write(run, find(run))
    document = json.loads((run.folder / "findings.json").read_text(encoding="utf-8"))
    first = document["findings"][0]
    assert first["id"] == "limit_link"
    assert first["evidence"][0]["table"] == "ports"
