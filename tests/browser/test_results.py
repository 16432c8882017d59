"""Finished runs: found, looked at, compared, downloaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from browsing import ENGINE
from playwright.sync_api import expect

if TYPE_CHECKING:
    from pathlib import Path

    from browsing import Visit
    from serving import Server

pytestmark = pytest.mark.xdist_group("browser")

RUN = "runs:san"
#: The block type of the first block of a pcapng file.
PCAPNG = b"\x0a\x0d\x0d\x0a"


def test_a_port_is_found_by_host_and_by_wwpn(tab: Visit, server: Server) -> None:
    page = tab.open("run", RUN, "ports")
    find = page.get_by_label("Find a port by host")
    find.fill("host2")
    expect(page.get_by_role("status")).to_contain_text("1 port: sw1.f1")
    ports = server.get(f"/runs/{RUN}/topology")["ports"]
    wwpn = next(port["wwpn"] for port in ports if port["name"] == "host1.hba0.p0")
    find.fill(wwpn)
    expect(page.get_by_role("status")).to_contain_text("1 port: sw1.f0")
    page.locator("button.port.found").click()
    expect(page.locator(".facts")).to_contain_text("host1.hba0.p0")
    page.locator(".facts").get_by_role("link", name="On the map").click()
    details = page.get_by_role("complementary", name="Details")
    expect(details.get_by_role("heading", name="sw1.f0")).to_be_visible()
    page.get_by_role("combobox").fill("host2")
    page.keyboard.press("Enter")
    expect(details.get_by_role("heading", name="host2", exact=True)).to_be_visible()


def test_two_runs_are_compared(tab: Visit) -> None:
    page = tab.open()
    page.get_by_label("Compare runs:san").check()
    page.get_by_label("Compare runs:deep").check()
    page.get_by_role("button", name="Compare the two").click()
    changes = page.get_by_role("region", name="Table of changes")
    expect(changes.or_(page.get_by_text("iodepth")).first).to_be_visible()
    expect(page.get_by_text("iodepth").first).to_be_visible()
    expect(page.get_by_role("cell", name="Throughput").first).to_be_visible()
    figures = page.get_by_role("region", name="Table of figures")
    names = figures.locator("tbody tr td:nth-child(2)").all_inner_texts()
    assert {"I/Os per second", "Mean response", "Longest credit wait of a port"} <= set(names)
    assert not any("_" in name for name in names)
    heads = page.get_by_role("region", name="Table of differences").locator("thead th")
    assert [head.strip(" ▲▼") for head in heads.all_inner_texts()] == [
        "Value of the scenario",
        "Before",
        "After",
    ]


def test_a_sweep_has_words_for_its_columns(tab: Visit) -> None:
    page = tab.open("sweeps")
    page.get_by_role("link", name="depths").click()
    table = page.get_by_role("region", name="Table of points")
    expect(table.locator("tbody tr").first).to_be_visible()
    heads = " ".join(table.locator("thead th").all_inner_texts())
    for words in ("iodepth", "Mean response time", "I/Os per second", "Busiest element"):
        assert words in heads
    assert "_" not in heads
    figure = page.get_by_label("Figure")
    assert "Throughput" in figure.locator("option").all_inner_texts()
    assert not any("_" in text for text in figure.locator("option").all_inner_texts())


@pytest.mark.parametrize(
    ("place", "message", "link", "lands"),
    [
        (
            ("run", RUN, "nothing"),
            "A run has no part 'nothing'",
            "To the summary of this run",
            "Summary",
        ),
        (("run", "runs:nothing"), "nothing", "To the runs of the workspace", "Workspace"),
    ],
)
def test_an_unknown_part_of_an_address_says_so_and_leads_back(
    tab: Visit, place: tuple[str, ...], message: str, link: str, lands: str
) -> None:
    tab.expected.append("404")  # the run that is not there
    page = tab.open(*place)
    expect(page.get_by_role("alert")).to_contain_text(message)
    page.get_by_role("link", name=link).click()
    expect(page.get_by_role("link", name=lands, exact=True)).to_have_attribute(
        "aria-current", "page"
    )


def test_the_slowest_io_is_a_ladder_and_a_capture(tab: Visit, tmp_path: Path) -> None:
    page = tab.open("run", RUN, "io")
    name = page.locator("tbody a").first
    title = name.inner_text()
    name.click()
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    ladder = page.get_by_role("group", name="Ladder of")
    expect(ladder).to_contain_text("FCP_CMND")
    expect(ladder).to_contain_text("host CPU")
    with page.expect_download() as download:
        page.get_by_role("link", name="pcapng").click()
    target = tmp_path / "io.pcapng"
    download.value.save_as(target)
    assert target.read_bytes().startswith(PCAPNG)


def test_tables_filter_sort_and_download(tab: Visit, tmp_path: Path) -> None:
    page = tab.open("run", RUN, "tables", "ports")
    table = page.get_by_role("region", name="Table of ports")
    everything = table.locator("tbody tr").count() if table.count() else 0
    expect(table.locator("tbody tr").nth(3)).to_be_visible()
    page.get_by_label("Filter, for example").fill("port~sw1")
    page.keyboard.press("Enter")
    expect(table.locator("tbody tr")).to_have_count(4)
    assert everything != 4
    heading = table.get_by_role("columnheader").filter(has_text="tx_bytes").first
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    download.value.save_as(tmp_path / "ports.csv")
    assert "tx_bytes" in (tmp_path / "ports.csv").read_text(encoding="utf-8").splitlines()[0]


def test_rows_of_the_page_filter_sort_and_download(tab: Visit, tmp_path: Path) -> None:
    page = tab.open("run", RUN, "io")
    table = page.get_by_role("region", name="Table of slowest I/Os")
    first = table.locator("tbody tr").first.inner_text()
    table.get_by_role("button", name="Response").click()
    expect(table.locator("tbody tr").first).not_to_have_text(first)
    page.get_by_label("Filter slowest I/Os").fill("host2")
    expect(table.locator("tbody tr").first).to_contain_text("host2")
    # Firefox reports no download that a page has in memory.
    page.evaluate(
        """() => {
          const { createObjectURL } = URL;
          URL.createObjectURL = (blob) => { window.saved = blob; return createObjectURL(blob); };
        }"""
    )
    page.get_by_role("button", name="Download CSV").click()
    text = page.evaluate("() => window.saved.text()")
    assert "host2" in text
    assert "host1" not in text
    if ENGINE == "chromium":
        with page.expect_download() as download:
            page.get_by_role("button", name="Download CSV").click()
        download.value.save_as(tmp_path / "io.csv")
        assert (tmp_path / "io.csv").read_text(encoding="utf-8") == text


def test_time_recolours_the_map(tab: Visit) -> None:
    page = tab.open("run", "runs:pulled", "topology")
    expect(page.locator("svg.map .wire.was_down")).to_have_count(1)
    time = page.get_by_label("Time", exact=True)
    time.fill("20")
    expect(page.locator("svg.map .wire.down")).to_have_count(1)
    expect(page.locator("output")).to_contain_text("of")
    page.get_by_role("button", name="Play").click()
    expect(time).not_to_have_value("20")
    expect(page.locator("svg.map .wire.was_down")).to_have_count(1)
    page.get_by_role("button", name="Whole run").click()
    expect(page.locator("output")).to_have_text("whole run")


def test_findings_lead_to_their_places(tab: Visit) -> None:
    page = tab.open("run", "runs:deep")
    expect(page.get_by_role("heading", name="Limits", exact=True)).to_be_visible()
    place = page.locator("article").get_by_role("link").first
    name = place.inner_text()
    place.click()
    details = page.get_by_role("complementary", name="Details")
    expect(details.get_by_role("heading")).to_contain_text(name.split(" ")[0])


def test_charts_share_a_time_axis(tab: Visit) -> None:
    page = tab.open("run", "runs:pulled", "charts", show="port:sw1.e2,workload:load")
    expect(page.locator(".uplot").nth(2)).to_be_visible()
    page.get_by_label("Filter things to plot").fill("sw1.e3")
    page.get_by_label("sw1.e3").check()
    expect(page.locator(".u-legend").filter(has_text="sw1.e3").first).to_be_visible()


def test_zones_and_conflicts_are_on_one_screen(tab: Visit) -> None:
    page = tab.open("run", "runs:zoned", "zones")
    expect(page.get_by_role("heading", name="Conflicts")).to_be_visible()
    expect(page.get_by_role("region", name="Table of LUNs that hosts see")).to_contain_text("db1")
