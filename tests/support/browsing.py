"""A real browser without a window, and pages of a server in it."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from playwright.sync_api import (
        Browser,
        BrowserContext,
        ConsoleMessage,
        Locator,
        Page,
        Playwright,
    )

#: The browser of the tests: chromium, or firefox (`make firefox`).
ENGINE = os.environ.get("SANLAB_BROWSER", "chromium")
#: Programs of each browser, by the names that distributions give them.
NAMES = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "firefox": ("firefox", "firefox-esr"),
}
#: Without what a browser does on its own: updates, first steps, a sandbox that root cannot have.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
#: How long a page may take for something, in milliseconds; long, for a machine with other work.
PATIENCE_MS = 20_000
WIDTHS = {390: 844, 1280: 900, 2560: 1300}


def program() -> str | None:
    """Return the path of the system's browser."""
    return next(filter(None, map(shutil.which, NAMES[ENGINE])), None)


def launch(playwright: Playwright) -> Browser:
    """Start the system's browser."""
    if ENGINE == "firefox":
        # By WebDriver BiDi, which every Firefox speaks: Playwright's own build is not needed.
        return playwright.firefox.launch(channel="moz-firefox", executable_path=program())
    return playwright.chromium.launch(executable_path=program(), args=ARGUMENTS)


@dataclass
class Visit:
    """A page of a server, and what it wrote to the console.

    Attributes
    ----------
    expected
        Words of messages on the console that the test brings about.
    """

    page: Page
    url: str
    errors: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.errors.append(error.message))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def open(self, *parts: str, **query: str) -> Page:
        """Open a view by its address."""
        target = self.url.partition("?")[0] + address(*parts, **query)
        self.page.goto("about:blank")
        self.page.goto(target)
        return self.page

    def require_quiet(self) -> None:
        """Fail if the page wrote an error or a warning that nothing expected."""
        found = [text for text in self.errors if not any(word in text for word in self.expected)]
        assert found == []

    def box(self, name: str) -> Locator:
        """Return a box of the map."""
        return self.page.locator(f'[data-box="{name}"]')

    def choose(self, name: str) -> Locator:
        """Choose a box of the map by its keys; return its details."""
        self.box(name).focus()
        self.page.keyboard.press("Enter")
        details = self.page.get_by_role("complementary", name="Details")
        details.get_by_role("heading", name=name, exact=True).wait_for()
        return details

    def choose_link(self, node: str, port: str) -> Locator:
        """Choose the link at a port of a box; return its details."""
        details = self.choose(node)
        details.get_by_role("button", name=re.compile(rf"\b{re.escape(port)}\b")).first.click()
        details.get_by_role("button", name="Its link").click()
        return details


def address(*parts: str, **query: str) -> str:
    """Return the address of a view below that of the page.

    >>> address("run", "runs:one", "io", io="a#1")
    '#/run/runs%3Aone/io?io=a%231'
    """
    path = "/".join(quote(part, safe="") for part in parts)
    return f"#/{path}" + (f"?{urlencode(query)}" if query else "")


def visit(context: BrowserContext, url: str) -> Visit:
    """Return a new page in a context."""
    return Visit(context.new_page(), url)


def faults_of(page: Page, rules: list[str] | None = None) -> list[str]:
    """Return what axe finds that hinders people: of serious or critical impact."""
    if not page.evaluate("() => Boolean(window.axe)"):
        source = resources.files("axe_playwright_python").joinpath("axe.min.js")
        page.evaluate(source.read_text(encoding="utf-8"))
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": rules}
    found = page.evaluate(
        "async (options) => (await axe.run(document, options)).violations", options
    )
    return [
        f"{one['id']}: {json.dumps([node['html'][:160] for node in one['nodes'][:3]])}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def sideways(page: Page) -> int:
    """Return by how many pixels a page is wider than its window."""
    found: int = page.evaluate(
        "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found
