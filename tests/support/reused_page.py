"""One page for many tests, because opening and closing a page takes as long as loading it.

A test gets the page in the state of a new one: no stored data, the original size, no listener or
script of another test. If a test does something that cannot be undone, such as adding a script for
all loads, the page is closed, and the next test gets a new page.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error
from tests.support.browser import OF_THE_SITE, Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, CDPSession, Frame, Page

LASTING = (
    *("add_init_script", "add_locator_handler", "emulate_media", "expose_binding"),
    *("expose_function", "on", "once", "set_extra_http_headers"),
)
"""Methods of a page whose effect stays until it is closed."""
STORE = "([name, value]) => localStorage.setItem(name, value)"
EMPTY = "() => { localStorage.clear(); sessionStorage.clear(); }"


class ReusedPage:
    """Lends one page of a context; closes it when it cannot be lent again."""

    def __init__(self, context: BrowserContext) -> None:
        """Open only the page that keeps the common browser process alive."""
        self._context = context
        self._page: Page | None = None
        self._size = context.new_page().viewport_size  # it stays, with the process of all pages
        self._is_worn = False
        self._sessions: list[CDPSession] = []
        self._open_session = context.new_cdp_session
        context.new_cdp_session = self._note_session  # type: ignore[method-assign]

    def lend(self) -> tuple[Page, Watch]:
        """Return the page, and the object that collects its faults from now on."""
        if self._page is None:
            self._page = self._context.new_page()
            self._watch = Watch(self._page)
            self._is_worn = False
            for name in LASTING:
                setattr(self._page, name, self._wearing(getattr(self._page, name)))
        self._watch.begin()
        return self._page, self._watch

    def take_back(self) -> None:
        """Leave the site's address, and delete what the test stored; close the page if worn."""
        page = self._page
        assert page is not None
        for session in self._sessions:
            with suppress(Error):  # the session has ended before
                session.detach()
        self._sessions.clear()
        self._is_worn = self._is_worn or page.is_closed() or not self._is_left(page)
        self._watch.forget(but=None if self._is_worn else page)
        if self._is_worn:
            self._page = None

    def _note_session(self, page: Page | Frame) -> CDPSession:
        """Open a session of the browser's protocol, which ends with the test."""
        self._sessions.append(self._open_session(page))
        return self._sessions[-1]

    def _is_left(self, page: Page) -> bool:
        """Go to an empty page of the same site; return whether that was possible."""
        with suppress(Error):
            page.unroute_all()
            page.mouse.move(0, 0)
            if page.viewport_size != self._size and self._size:
                page.set_viewport_size(self._size)
            for site in self._watch.sites:
                page.goto(f"{site}{OF_THE_SITE}")
                page.evaluate(EMPTY)
            return True
        return False

    def _wearing(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self._is_worn = True
            return method(*arguments, **named)

        return call


def remember(page: Page, api: str, name: str, value: object) -> None:
    """Store a setting in the browser, as the page of that service does, before it is loaded."""
    if not page.url.startswith(f"{api}/"):
        page.goto(f"{api}{OF_THE_SITE}")
    page.evaluate(STORE, [f"spanloom.{name}", json.dumps(value)])
