"""`load` of a workload, and phases: from the scenario to the plan."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario
from sanlab.scenario.load_curve import Load

TEXT = """\
hosts: [{name: host1}]
arrays: [{name: dev1, luns: [{name: lun1, size: 1GiB}]}]
links: [{from: host1, to: dev1}]
workloads:
  - {name: oltp, hosts: host1, targets: dev1.lun1, rate_iops: 1000}
measure: {duration: 10ms}
"""


def load(**keys: object) -> Load:
    return Load.model_validate(keys)


def test_a_list_is_short_for_points() -> None:
    curve = [["0s", "20%"], ["1ms", "100%"], ["1ms", "0%"]]
    overrides = {"workloads.oltp.load": curve}
    (job,) = compile_plan(parse_scenario(TEXT, overrides=overrides)).jobs
    assert job.load is not None
    assert [(point.at_ps, point.share_ppm) for point in job.load.points] == [
        (0, 200_000),
        (10**9, 1_000_000),
        (10**9, 0),
    ]
    assert not job.load.repeats


def test_a_point_of_a_list_can_be_varied() -> None:
    overrides = {
        "workloads.oltp.load": [["0s", "20%"], ["1ms", "100%"]],
        "workloads.oltp.load.points[1].share": "70%",
    }
    scenario = parse_scenario(TEXT, overrides=overrides)
    found = scenario.workloads[0].load
    assert found is not None
    assert found.points[1].share == 700_000


def test_steps_hold_until_the_next_point() -> None:
    steps = load(points=[["0s", "10%"], ["1s", "50%"], ["2s", "0%"]], shape="steps")
    s = 10**12
    assert steps.table == [(0, 10**5), (s, 10**5), (s, 5 * 10**5), (2 * s, 5 * 10**5), (2 * s, 0)]


def test_a_day_may_take_seconds() -> None:
    day = load(points=[["0s", "10%"], ["6h", "50%"], ["24h", "0%"]], duration="2.4s")
    assert [at for at, _ in day.table] == [0, 600 * 10**9, 2400 * 10**9]


@given(
    times=st.lists(st.integers(0, 10**15), min_size=1, max_size=8),
    duration=st.integers(1, 10**13),
    shape=st.sampled_from(["ramps", "steps"]),
)
def test_scaled_times_stay_in_order(times: list[int], duration: int, shape: str) -> None:
    points = [[f"{at}ps", "50%"] for at in [0, *sorted(times), 10**15]]
    table = load(points=points, duration=f"{duration}ps", shape=shape).table
    assert table[0][0] == 0
    assert table[-1][0] == duration
    assert all(before <= after for (before, _), (after, _) in pairwise(table))


def test_streams_of_spc1_follow_the_load() -> None:
    overrides = {
        "workloads": [
            {
                "name": "spc1",
                "hosts": "host1",
                "targets": "dev1.lun1",
                "spc1": {"bsus": 2},
                "load": [["0s", "50%"]],
            }
        ]
    }
    jobs = compile_plan(parse_scenario(TEXT, overrides=overrides)).jobs
    assert len(jobs) == 8
    assert all(job.load is not None for job in jobs)


@pytest.mark.parametrize(
    ("phases", "spans"),
    [
        ([{"name": "a"}], [(0, None)]),
        ([{"name": "a", "to": "1ms"}, {"name": "b"}], [(0, 10**9), (10**9, None)]),
        (
            [
                {"name": "a"},
                {"name": "b", "from": "2ms", "to": "3ms"},
                {"name": "c", "from": "5ms"},
            ],
            [(0, 2 * 10**9), (2 * 10**9, 3 * 10**9), (5 * 10**9, None)],
        ),
    ],
)
def test_phases_fill_in_what_they_leave_out(
    phases: list[dict[str, str]], spans: list[tuple[int, int | None]]
) -> None:
    plan = compile_plan(parse_scenario(TEXT, overrides={"phases": phases}))
    assert [(phase.from_ps, phase.to_ps) for phase in plan.phases] == spans
