"""The report of a run as a file: usable in narrow and wide windows, with long names, and folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from browsing import WIDTHS, faults_of, sideways
from playwright.sync_api import expect
from serving import SCENARIO

import sanlab

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext
    from serving import Server

pytestmark = pytest.mark.xdist_group("browser")


def report_of(folder: Path) -> str:
    """Return the address of a report."""
    return sanlab.Run.open(folder).report().absolute().as_uri()


def require_usable(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(address)
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        assert sideways(page) <= 0, width
        assert faults_of(page) == [], width
    page.emulate_media(color_scheme="dark")
    assert faults_of(page, ["color-contrast"]) == []
    page.close()


def test_a_report_is_usable(context: BrowserContext, server: Server) -> None:
    require_usable(context, report_of(server.folder / "runs/pulled"))


def test_a_report_with_long_names_is_usable(context: BrowserContext, tmp_path: Path) -> None:
    name = "x" * 120
    text = (
        SCENARIO.replace("host[", f"host{name}[").replace("sw1", name).replace("dev1", f"d{name}")
    )
    text = text.replace("name: load", f"name: w{name}").replace("Two hosts", "T" * 300)
    (tmp_path / "long.yaml").write_text(text, encoding="utf-8")
    sanlab.run(tmp_path / "long.yaml", folder=tmp_path / "run")
    require_usable(context, report_of(tmp_path / "run"))


def test_what_few_read_is_folded_until_it_is_asked_for(
    context: BrowserContext, server: Server
) -> None:
    page = context.new_page()
    page.goto(report_of(server.folder / "runs/pulled"))
    expect(page.locator("#stages")).to_contain_text("The slowest I/Os")
    for name in ("Stations", "Checks", "Scenario"):
        section = page.locator(f"#{name.lower()}")
        folded = section.locator("table, pre").first
        expect(section.get_by_role("heading", name=name)).to_be_visible()
        expect(folded).not_to_be_visible()
        page.get_by_role("navigation").get_by_role("link", name=name).click()
        expect(folded).to_be_visible()
    page.goto("about:blank")
    page.goto(report_of(server.folder / "runs/pulled"))
    expect(page.locator("#scenario pre").last).not_to_be_visible()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("#scenario pre").last).to_be_visible()
    page.close()
