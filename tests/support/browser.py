"""A page in a real browser that takes nothing lightly: what it complains about is a fault."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Error, expect, sync_playwright
from tests.support.slow_page import slow_down

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page, Request

NO_CHROMIUM = "there is no `chromium` on the path: apt-get install chromium"
NO_BROWSER = "there is no Chromium on the path: apt-get install chromium-headless-shell chromium"
WAIT_MS = 15_000
SHOW_VIOLATIONS = """
addEventListener('securitypolicyviolation', (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`))
"""
OF_THE_SITE = "/healthz"
"""A page that does nothing: while it is open, the process of its site stays."""
STORED = "local_storage,indexeddb,cache_storage,service_workers"
_EXPECTED = "Failed to load resource"
"""What the browser says of any answer above 399; the page tells of those itself."""


def chromium() -> str | None:
    """Return where Debian's Chromium is, or ``None``."""
    return shutil.which("chromium")


def lightest_browser() -> str | None:
    """Return where Chromium without its windows is, else Chromium, or ``None``.

    Even where it shows none, Chromium makes a window for each context, which is a third of what
    the tests of the page take. What it makes of a page is the same, but for the edges of letters.
    """
    return shutil.which("chromium-headless-shell") or chromium()


@contextmanager
def open_browser(path: str | None = None) -> Iterator[Browser]:
    """Start the browser that is there, or ``chromium()``, without showing a window."""
    arguments = ["--process-per-site", "--in-process-gpu"]  # else pages take half as much again
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    expect.set_options(timeout=WAIT_MS)  # of its own it waits for 5 s, whatever the page does
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path or chromium(), args=arguments)
        yield browser
        browser.close()


def wait_until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait for what a test notes of a page by itself, such as what the page asked for."""
    until = time.monotonic() + WAIT_MS / 1000
    while not holds():
        assert time.monotonic() < until, "it did not come about"
        page.wait_for_timeout(20)


class Watch:
    """Collects what must not happen on a page: errors, violations, requests to elsewhere."""

    def __init__(self, page: Page) -> None:
        self.faults: list[str] = []
        self._page = page
        self._origins: set[str] = set()
        page.set_default_timeout(WAIT_MS)
        page.add_init_script(SHOW_VIOLATIONS)
        slow_down(page)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("console", lambda said: self._note(said.type, said.text))
        page.on("request", self._look)

    def forget(self) -> None:
        """Close all pages of the context but the first, and delete what they stored."""
        context = self._page.context
        first, *others = context.pages
        if not first.url.startswith("http") and self._origins:
            with suppress(Error):  # the service of the test has ended
                first.goto(f"http://{min(self._origins)}{OF_THE_SITE}")
        for page in others:
            page.close()
        session = context.new_cdp_session(first)
        for origin in self._origins:
            stored = {"origin": f"http://{origin}", "storageTypes": STORED}
            session.send("Storage.clearDataForOrigin", stored)
        session.detach()
        context.set_offline(False)
        context.unroute_all()
        context.clear_cookies()
        context.clear_permissions()

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not text.startswith(_EXPECTED):
            self.faults.append(f"{kind}: {text}")

    def _look(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if request.is_navigation_request():
            self._origins.add(parts.netloc)
        elif parts.scheme in ("http", "https") and parts.netloc not in self._origins:
            self.faults.append(f"asked elsewhere: {request.url}")
