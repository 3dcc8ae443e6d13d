"""A page in a real browser; console errors, policy violations and foreign requests are faults."""

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

    from playwright.sync_api import Browser, Page, Playwright, Request

NO_CHROMIUM = "there is no `chromium` on the path: apt-get install chromium"
HOST = "127.0.0.1"
"""The host of the services. Requests to other hosts fail, so that they are noticed."""
NO_BROWSER = "there is no Chromium on the path: apt-get install chromium-headless-shell chromium"
WAIT_MS = 15_000
SHOW_VIOLATIONS = """
addEventListener('securitypolicyviolation', (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`))
"""
OF_THE_SITE = "/healthz"
"""An empty page; while it is open, the browser process of its site stays."""
STORED = "local_storage,indexeddb,cache_storage,service_workers"
FRAME = "new Promise((then) => requestAnimationFrame(() => setTimeout(then, 200)))"
"""A promise that resolves 200 ms after the next frame, when the work after a frame is done."""
_EXPECTED = "Failed to load resource"
"""The browser's message for a status above 399, which the page reports itself."""


def chromium() -> str | None:
    """Return the path of Debian's Chromium, or ``None``."""
    return shutil.which("chromium")


def lightest_browser() -> str | None:
    """Return the path of headless Chromium, or else of Chromium, or ``None``.

    Chromium creates a window for each context even when hidden, which takes a third of the time of
    the page tests. The rendering is the same, except for the edges of letters.
    """
    return shutil.which("chromium-headless-shell") or chromium()


@contextmanager
def open_browser(path: str | None = None) -> Iterator[Browser]:
    """Start the installed browser, or ``chromium()``, without a window."""
    with sync_playwright() as playwright:
        browser = launch(playwright, path)
        yield browser
        browser.close()


def launch(playwright: Playwright, path: str | None = None) -> Browser:
    """Start another browser with a running driver, because only one driver runs at a time."""
    arguments = ["--process-per-site", "--in-process-gpu"]  # without them pages take 50 % longer
    arguments.append("--js-flags=--no-turbofan --no-maglev")  # pages close before that pays off
    arguments.append(f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}")
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    expect.set_options(timeout=WAIT_MS)  # the default is 5 s
    return playwright.chromium.launch(executable_path=path or chromium(), args=arguments)


def wait_until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait for a condition on data that the test records of a page, such as its requests."""
    until = time.monotonic() + WAIT_MS / 1000
    while not holds():
        assert time.monotonic() < until, "it did not come about"
        page.wait_for_timeout(20)


class Watch:
    """Collects faults of a page: errors, policy violations, requests to other hosts."""

    def __init__(self, page: Page) -> None:
        self._faults: list[str] = []
        self._page = page
        self._origins: set[str] = set()
        self._failed: list[str] = []
        page.set_default_timeout(WAIT_MS)
        page.add_init_script(SHOW_VIOLATIONS)
        slow_down(page)
        page.on("pageerror", lambda error: self._faults.append(f"error: {error}"))
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("framenavigated", lambda frame: self._arrive(frame.url))
        page.on("requestfailed", self._look)  # hearing all requests costs a tenth

    @property
    def faults(self) -> list[str]:
        """The faults of the page so far."""
        elsewhere = (url for url in self._failed if urlsplit(url).netloc not in self._origins)
        return self._faults + [f"asked elsewhere: {url}" for url in elsewhere]

    @property
    def sites(self) -> list[str]:
        """The URLs of the services whose pages were open."""
        return [f"http://{origin}" for origin in sorted(self._origins)]

    def begin(self) -> None:
        """Forget faults and addresses, because another test uses the page from now on."""
        self._faults.clear()
        self._failed.clear()
        self._origins.clear()

    def forget(self, but: Page | None = None) -> None:
        """Close the context's pages, except the first and ``but``, and delete their stored data."""
        context = self._page.context
        first, *others = context.pages
        if but is None and self._origins and urlsplit(first.url).netloc not in self._origins:
            with suppress(Error):  # the service of the test has ended
                first.goto(f"http://{min(self._origins)}{OF_THE_SITE}")
        for page in others:
            if page is not but:
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
            self._faults.append(f"{kind}: {text}")

    def _arrive(self, url: str) -> None:
        if urlsplit(url).scheme in ("http", "https"):
            self._origins.add(urlsplit(url).netloc)

    def _look(self, request: Request) -> None:
        is_page = request.is_navigation_request()
        if not is_page and urlsplit(request.url).scheme in ("http", "https"):
            self._failed.append(request.url)
