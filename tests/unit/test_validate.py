"""Studies: cases spelled out, figures taken, rows judged."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from rich.console import Console

from sanlab import theory
from sanlab.errors import SanlabError
from sanlab.validate.execute import Validation
from sanlab.validate.metrics import METRICS, measure, title_of
from sanlab.validate.rows import (
    bound_of,
    comparison_rows,
    direction,
    line_rate_rows,
    number_rows,
    shape_rows,
    trend_rows,
)
from sanlab.validate.study import Bound, Case, Published, load_study, spell_out
from sanlab.validate.summary import summary_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def case(name: str, parameters: Mapping[str, int | str], **more: object) -> Case:
    values: dict[str, object] = {
        "name": name,
        "group": "latency",
        "scenario": Path("scenario.yaml"),
        "overrides": {},
        "parameters": dict(parameters),
        "metrics": ["network_latency_mean_us"],
        "published": {},
        "bound": None,
        "has_report": False,
    }
    return Case.model_validate(values | more)


def test_simsans_has_its_twelve_latency_runs_and_its_mirror() -> None:
    cases = spell_out(load_study("simsans"))
    latency = [case for case in cases if case.group == "latency"]
    assert len(latency) == 12
    assert {case.parameters["clients"] for case in latency} == {1, 2, 3, 4}
    assert {case.parameters["size"] for case in latency} == {"16KiB", "32KiB", "64KiB"}
    assert latency[-1].overrides["workloads.clients.bs"] == "64KiB"
    mirror = next(case for case in cases if case.name == "mirror-1786km")
    published = mirror.published["mirroring_throughput_mib_per_s"]
    assert (published.value, published.tolerance) == (97.29, 0.02)


def test_every_metric_of_every_case_exists() -> None:
    for case in spell_out(load_study("simsans")):
        assert set(case.metrics) <= set(METRICS)


def test_unknown_study_names_those_there_are() -> None:
    with pytest.raises(SanlabError, match="simsans"):
        load_study("simsams")
    with pytest.raises(SanlabError, match="no study"):
        load_study("../studies/simsans")


def test_a_row_outside_its_tolerance_is_not_ok() -> None:
    published = {"network_latency_mean_us": Published(value=100, tolerance=0.02)}
    study = load_study("simsans")
    one = case("latency-1", {"clients": 1}, published=published)
    for simulated, is_ok in [(101.9, True), (102.1, False), (97.9, False)]:
        figures = {"latency-1": {"network_latency_mean_us": simulated}}
        (row,) = number_rows(study, [one], figures)
        assert row.ok is is_ok
        assert row.error_percent == pytest.approx(simulated - 100)


def test_a_case_without_published_figure_is_not_judged() -> None:
    study = load_study("simsans")
    figures = {"latency-1": {"network_latency_mean_us": 1.0}}
    (row,) = number_rows(study, [case("latency-1", {"clients": 1})], figures)
    assert row.published is None
    assert row.ok is None


def test_a_case_off_its_closed_form_is_not_ok() -> None:
    bound = Bound(
        formula="credit_limited_copy", speed="1GFC", distance_km=1786, credit=200, tolerance="3%"
    )
    study = load_study("simsans")
    one = case("latency-1", {"credit": 200}, bound=bound)
    for factor, is_ok in [(1.02, True), (0.95, False)]:
        figures = {"latency-1": {"network_latency_mean_us": bound_of(bound) * factor}}
        assert number_rows(study, [one], figures)[0].ok is is_ok


def test_trends_are_judged_for_each_setting_of_the_others() -> None:
    study = load_study("simsans")
    cases, figures = [], {}
    for clients in (1, 2, 3):
        for size in ("16KiB", "32KiB"):
            name = f"latency-{clients}x{size}"
            cases.append(case(name, {"clients": clients, "size": size}))
            # The latency of 32 KiB falls at the last step.
            value = clients if size == "16KiB" or clients < 3 else 0
            figures[name] = dict.fromkeys(METRICS, float(value))
    rows = trend_rows(study, cases, figures)
    along = [row for row in rows if row.metric == "network_latency_mean_us along clients"]
    assert {row.case: row.ok for row in along} == {
        "latency-* (size 16KiB)": True,
        "latency-* (size 32KiB)": False,
    }


def test_equal_neighbours_do_not_rise() -> None:
    assert direction([1.0, 1.0, 2.0]) == "mixed"


def test_titles_are_words() -> None:
    assert title_of("network_latency_mean_us along size") == "mean network latency along size"


def test_unknown_metric_is_refused() -> None:
    with pytest.raises(SanlabError, match="response_time_mean_us"):
        measure("bandwidth", {})


def test_mirroring_throughput_leaves_the_ramp_out() -> None:
    """100 bytes in each of ten intervals but the first two and the last, which bring 10."""
    amounts = [10, 10, *[100] * 7, 10]
    tables = {
        "mirrors": pa.table({"target": ["far.lun1"], "copies_count": [1]}),
        "ports": pa.table({"peer": ["sw1.f0", "near.p0"], "node": ["far", "sw1"]}),
        "port_series": pa.table(
            {
                "port": ["sw1.f0"] * 10,
                "time_ps": [(index + 1) * 10**12 for index in range(10)],
                "tx_payload_bytes": amounts,
            }
        ),
    }
    assert measure("mirroring_throughput_mib_per_s", tables) * 2**20 == pytest.approx(100)


def test_credit_is_needed_up_to_the_round_trip() -> None:
    """The knee is where credit x frame time is the round trip; beyond it the line rate holds."""
    rate = 106.25e6
    full = theory.credit_limited_throughput(credit=10**6, distance_km=100, bytes_per_s=rate)
    knee = (1e-3 + 2088 / rate) / theory.frame_time_s(2048, rate)
    below = theory.credit_limited_throughput(credit=int(knee), distance_km=100, bytes_per_s=rate)
    above = theory.credit_limited_throughput(
        credit=int(knee) + 1, distance_km=100, bytes_per_s=rate
    )
    assert below < full
    assert above == full


def test_the_published_file_and_the_study_say_the_same() -> None:
    """`published.csv` is what people read, `study.yaml` what is judged by."""
    study = load_study("simsans")
    with (study.folder / "published.csv").open(encoding="utf-8") as file:
        rows = [(row["case"], row["metric"], row["value"]) for row in csv.DictReader(file)]
    judged = [
        (group.name, metric, f"{published.value:g}")
        for group in study.cases
        for metric, published in group.published.items()
    ]
    names = {group.key: group.name for group in study.cases}
    shapes = [
        (names[trend.cases], trend.metric, str(trend.expect))
        for trend in study.trends
        if trend.along == "clients"
    ]
    assert sorted(rows) == sorted(judged + shapes)
    drawn = {plot.published for plot in study.plots if plot.published is not None}
    assert drawn == {float(value) for _, _, value in judged}


def test_the_published_file_of_sbod_and_the_study_say_the_same() -> None:
    study = load_study("sbod")
    with (study.folder / "published.csv").open(encoding="utf-8") as file:
        rows = {(row["case"], row["metric"], row["value"]) for row in csv.DictReader(file)}
    numbers = [(peak.name, peak.metric, peak.published) for peak in study.peaks]
    numbers += [(ratio.name, "ratio", ratio.published) for ratio in study.ratios]
    judged = {(name, metric, f"{it.value:.10g}") for name, metric, it in numbers if it is not None}
    shapes = {(shape.name, shape.metric, str(shape.expect)) for shape in study.shapes}
    assert {
        (name, metric, f"{float(value):.10g}") for name, metric, value in rows if value[0].isdigit()
    } == judged
    assert {row for row in rows if not row[2][0].isdigit()} <= shapes


def test_every_fit_of_a_study_names_a_row_it_has() -> None:
    study = load_study("sbod")
    names = {peak.name for peak in study.peaks} | {ratio.name for ratio in study.ratios}
    assert study.fits
    assert {fit.row for fit in study.fits} <= names


@pytest.mark.parametrize("name", ["cxfs", "hba4g", "shadow"])
def test_the_published_file_is_judged_whole(name: str) -> None:
    study = load_study(name)
    with (study.folder / "published.csv").open(encoding="utf-8") as file:
        rows = {(row["case"], row["metric"]): row["value"] for row in csv.DictReader(file)}
    judged: dict[tuple[str, str], float | str] = {
        (case.name, metric): published.value
        for case in spell_out(study)
        for metric, published in case.published.items()
    }
    for difference in study.differences:
        if difference.published is not None:
            judged[difference.name, f"{difference.metric} difference"] = difference.published.value
    judged |= {
        (ratio.name, "ratio"): ratio.published.value for ratio in study.ratios if ratio.published
    }
    for comparison in study.comparisons:
        value = (
            comparison.published.value
            if comparison.published
            else "closes"
            if comparison.closes
            else comparison.at_least
        )
        if value is not None:
            judged[comparison.name, comparison.metric] = value
    judged |= {(shape.name, shape.metric): shape.expect for shape in study.shapes}
    judged |= {(quirk.name, "check"): "named" for quirk in study.quirks}
    assert rows.keys() <= judged.keys()
    said = {key: value if isinstance(value, str) else f"{value:g}" for key, value in judged.items()}
    assert {key: _as_number(value) for key, value in rows.items()} == {
        key: said[key] for key in rows
    }
    numbers = {key for key, value in judged.items() if not isinstance(value, str)}
    assert numbers <= rows.keys()
    assert {fit.row for fit in study.fits} <= {case for case, _ in rows}


def _as_number(value: str) -> str:
    return f"{float(value):g}" if value.lstrip("-")[0].isdigit() else value


def test_a_step_is_where_the_gain_is_largest() -> None:
    study = load_study("cxfs")
    cases = [it for it in spell_out(study) if it.group == "xvm" and it.parameters["op"] == "read"]
    for at, is_there in ((1048576, False), (2097152, True)):
        figures = {
            it.name: {"throughput_mb_per_s": 2.0 if int(it.parameters["size"]) >= at else 1.0}
            for it in cases
        }
        (row,) = shape_rows(study, cases, figures)
        assert (row.case, row.ok) == ("xvm-step", is_there)


def test_a_gap_that_closes_does_so_at_the_last() -> None:
    study = load_study("cxfs")
    cases = [it for it in spell_out(study) if it.group in ("fs", "xvm")]
    for last, closes in ((0.95, True), (0.4, False), (1.1, False)):
        figures = {
            it.name: {
                "throughput_mb_per_s": 1.0
                if it.parameters["op"] != "first"
                else last
                if it.parameters["size"] == 8388608
                else 0.5
            }
            for it in cases
        }
        rows = {row.case: row.ok for row in comparison_rows(study, cases, figures)}
        assert rows["first-write-xfs"] is closes


def test_a_case_is_held_beside_what_its_links_carry() -> None:
    study = load_study("sbod")
    eight = next(line for line in study.line_rates if line.name == "eight-links")
    # 8 links of 212.5 MB/s, 2048 of 2108 bytes.
    for share, is_ok in ((1.0, True), (0.96, False), (1.04, False)):
        figures = {line.case: {line.metric: 1575.2 * share} for line in study.line_rates}
        row = next(it for it in line_rate_rows(study, [], figures) if it.case == eight.name)
        assert row.bound == pytest.approx(1575.2, abs=0.1)
        assert row.ok is is_ok


def test_shadow_has_the_cases_in_between() -> None:
    names = {case.name for case in spell_out(load_study("shadow"))}
    cluster = {
        f"{where}-{switch}-{hosts}x{processes}"
        for where in ("incache", "outcache")
        for switch in ("sanbox", "shadow")
        for hosts in (1, 2, 3, 4)
        for processes in (1, 4, 8)
    }
    limits = {f"qos-1x4-{limit}" for limit in ("none", 50, 100, 150)}
    pairs = {f"qos-pairs-{pair}" for pair in ("1-off", "2-150", "3-100", "4-50", "1-none")}
    yotta = {f"{kind}-{hosts}x1" for kind in ("one-switch", "eport8") for hosts in range(1, 9)}
    others = {"failover-isl", "failover-path", "module-failure", "zoning-on", "zoning-off"}
    assert cluster | limits | pairs | yotta | others <= names


def test_a_case_of_two_runs_takes_each_metric_from_its_own() -> None:
    case = next(it for it in spell_out(load_study("shadow")) if it.name == "outcache-sanbox-1x1")
    assert [run.metrics for run in case.runs] == [
        ["write_throughput_mib_per_s"],
        ["read_throughput_mib_per_s"],
    ]
    assert [run.overrides["workloads.pioraw.rw"] for run in case.runs] == ["write", "read"]
    assert case.metrics == [metric for run in case.runs for metric in run.metrics]


def test_a_published_zero_is_compared_as_it_is() -> None:
    published = {"io_error_count": Published(value=0, tolerance=0.1)}
    one = case("failover", {}, published=published).model_copy(
        update={"metrics": ["io_error_count"]}
    )
    (row,) = number_rows(load_study("simsans"), [one], {"failover": {"io_error_count": 0.0}})
    assert (row.error_percent, row.ok) == (0, True)
    (row,) = number_rows(load_study("simsans"), [one], {"failover": {"io_error_count": 3.0}})
    assert row.ok is False


def test_the_summary_prints_published_figures_first() -> None:
    study = load_study("simsans")
    published = {"network_latency_mean_us": Published(value=100, tolerance=0.02)}
    bound = Bound(
        formula="credit_limited_copy", speed="1GFC", distance_km=1786, credit=200, tolerance="3%"
    )
    cases = [
        case("credit-200", {"credit": 200}, bound=bound),
        case("credit-100", {"credit": 100}, bound=bound),
        case("mirror", {}, published=published),
        case("alone", {}),
    ]
    values = [bound_of(bound), bound_of(bound) * 2, 101.0, 5.0]
    figures = {
        it.name: {"network_latency_mean_us": value} for it, value in zip(cases, values, strict=True)
    }
    rows = number_rows(study, cases, figures)
    console = Console(width=100)
    with console.capture() as capture:
        for part in summary_of(Validation(study, rows, Path("report.html"), {})):
            console.print(part)
    text = capture.get()
    assert text.startswith("Published numbers: 1 of 1 within tolerance")
    assert "Closed forms (not published): 1 of 2 within tolerance" in text
    assert "credit-100" in text
    assert "credit-200" not in text
    assert "2 of 3 comparisons are within tolerance." in text
    assert "Figures without a published value, listed in the report only: 1." in text
