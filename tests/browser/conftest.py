"""One browser, one server and one workspace with finished runs for all tests of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from browsing import ENGINE, PATIENCE_MS, Visit, launch, program, visit
from playwright.sync_api import expect, sync_playwright
from serving import SCENARIO, Server, serving
from workspaces import LIVE, PULLED, ZONED

import sanlab

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Browser, BrowserContext


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if program() is None:
        pytest.skip(f"no {ENGINE} (package {ENGINE}): the page is not tested")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("workspace")
    texts = {"san": SCENARIO, "deep": SCENARIO.replace("iodepth: 4", "iodepth: 32")}
    texts |= {"pulled": PULLED, "zoned": ZONED}
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        sanlab.run(folder / f"{name}.yaml", folder=folder / "runs" / name)
    depths: dict[str, str | Sequence[object]] = {
        "workloads.load.iodepth": [1, 4, 16],
        "workloads.load.bs": ["4k", "64k"],
    }
    sanlab.sweep(folder / "san.yaml", depths, folder=folder / "sweeps" / "depths")
    (folder / "live.yaml").write_text(LIVE, encoding="utf-8")
    with serving(folder) as server:
        yield server


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context
    context.close()


@pytest.fixture
def tab(context: BrowserContext, server: Server) -> Iterator[Visit]:
    """A page that must write nothing to the console."""
    tab = visit(context, server.url)
    yield tab
    tab.require_quiet()
