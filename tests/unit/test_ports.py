from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from by_hand import SECOND, link, n_port, n_port_end, port, switch_end

from sanlab.explain.credit import cause_of_waiting, credits_to_fill, queueing
from sanlab.explain.view import Evidences, View
from sanlab.explain.window import whole
from sanlab.results.ports import busiest, credit_wait_share, waiting_for_credit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sanlab.results.run import Run


def chain(
    make_run: Callable[..., Run],
    *,
    numbers: Mapping[str, Mapping[str, float]],
    drain: int | None = None,
    delay_ps: int = 50_000,
) -> Run:
    """dev1.p0 - sw2 - sw1 - host1.p0, data flowing to the host."""
    wires = [("dev1.p0", "sw2.f0"), ("sw2.e1", "sw1.e1"), ("sw1.f0", "host1.p0")]
    ports: list[dict[str, Any]] = []
    for index, (here, there) in enumerate(wires):
        for one, other in ((here, there), (there, here)):
            ports.append(port(one, one.split(".")[0], other, index, **numbers.get(one, {})))
    plan = {
        "n_ports": [n_port("dev1.p0"), n_port("host1.p0", drain)],
        "links": [
            link(n_port_end(0), switch_end(1, 0)),
            link(switch_end(1, 1), switch_end(0, 1), delay_ps),
            link(switch_end(0, 0), n_port_end(1)),
        ],
    }
    return make_run({"ports": ports}, plan)


WAITS_HALF: dict[str, float] = {"tx_credit_wait_ps": SECOND // 2}


def view_of(run: Run) -> View:
    return Evidences(run).view(whole(run))


def cause_at(run: Run, name: str) -> tuple[str, str]:
    view = view_of(run)
    cause = cause_of_waiting(view, view.ports[name])
    return cause.kind, cause.port


def test_the_walk_ends_at_a_slow_device(make_run: Callable[..., Run]) -> None:
    waits = dict.fromkeys(("dev1.p0", "sw2.e1", "sw1.f0"), WAITS_HALF)
    run = chain(make_run, numbers=waits, drain=1_000_000)
    for name in waits:
        assert cause_at(run, name) == ("slow", "host1.p0")


def test_the_walk_ends_at_a_saturated_output(make_run: Callable[..., Run]) -> None:
    full: dict[str, float] = {"tx_utilisation": 0.99, "tx_queue_mean_frames": 8.0}
    run = chain(make_run, numbers={"dev1.p0": WAITS_HALF, "sw2.e1": WAITS_HALF, "sw1.f0": full})
    assert cause_at(run, "dev1.p0") == ("saturated", "sw1.f0")


def test_the_walk_ends_at_a_link_too_long_for_its_credits(make_run: Callable[..., Run]) -> None:
    numbers = {"dev1.p0": WAITS_HALF, "sw2.e1": WAITS_HALF}
    run = chain(make_run, numbers=numbers, delay_ps=250_000_000)
    assert cause_at(run, "dev1.p0") == ("distance", "sw2.e1")


def test_what_the_tables_do_not_show_is_unknown(make_run: Callable[..., Run]) -> None:
    run = chain(make_run, numbers={"dev1.p0": WAITS_HALF})
    assert cause_at(run, "dev1.p0") == ("unknown", "sw2.f0")


@pytest.mark.parametrize(("km", "needed"), [(0, 1.0), (10, 40.1), (50, 196.7)])
def test_credits_to_fill_is_a_round_trip_of_frames(
    make_run: Callable[..., Run], km: int, needed: float
) -> None:
    """2148 bytes and 24 of fill words at 850 MB/s; light takes 5 us for a kilometre."""
    run = chain(make_run, numbers={}, delay_ps=km * 5_000_000)
    row = next(row for row in run.rows("ports") if row["port"] == "sw2.e1")
    assert credits_to_fill(run.plan, row) == pytest.approx(needed, abs=0.1)


def test_busiest_and_longest_come_first(make_run: Callable[..., Run]) -> None:
    run = chain(
        make_run,
        numbers={
            "sw1.f0": {"tx_utilisation": 0.7, "tx_credit_wait_ps": SECOND // 10},
            "sw2.e1": {"tx_utilisation": 0.3, **WAITS_HALF},
        },
    )
    assert [row["port"] for row in busiest(run, 2)] == ["sw1.f0", "sw2.e1"]
    assert [row["port"] for row in waiting_for_credit(run)] == ["sw2.e1", "sw1.f0"]
    assert credit_wait_share(run, waiting_for_credit(run)[0]) == 0.5


def test_the_walk_ends_at_a_queue_that_bursts_leave(make_run: Callable[..., Run]) -> None:
    numbers = {
        "dev1.p0": WAITS_HALF,
        "sw2.e1": {"tx_utilisation": 0.6, "tx_queue_mean_frames": 5.0},
    }
    run = chain(make_run, numbers=numbers)
    assert cause_at(run, "dev1.p0") == ("queued", "sw2.e1")
    assert [row["port"] for row in queueing(view_of(run), "sw2")] == ["sw2.e1"]
