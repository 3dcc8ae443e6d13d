"""Answers some requests of a page instead of the service, or at a time that a test chooses.

``page.route`` of Playwright handles every request of a page and turns its cache off, so that a page
takes twice as long to load. Here only the requests with a matching address are handled by the test.
Modules need ``page.route``, because the browser may have them in memory and not request them.
"""

from __future__ import annotations

import base64
from json import dumps
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import APIResponse, CDPSession, Page

_GONE = "Invalid InterceptionId"
"""The browser's error for a request that the page has aborted."""
_SENT_ON = {"Accept", "Content-Type", "X-Spanloom-Annotator"}
"""Headers of a request that the service reads."""
_NOT_SENT_AGAIN = {"content-encoding", "content-length", "transfer-encoding"}
"""Headers of a response that no longer apply to its decoded body."""


class Held:
    """A request that waits for its response."""

    def __init__(self, page: Page, session: CDPSession, event: dict[str, Any]) -> None:
        self._page = page
        self._session = session
        self._id: str = event["requestId"]
        self._request: dict[str, Any] = event["request"]

    @property
    def request(self) -> dict[str, Any]:
        """The request: ``method``, ``url``, ``headers``, and ``postData`` if there is any."""
        return self._request

    def continue_(self) -> None:
        """Let the service answer the request."""
        self._send("Fetch.continueRequest", {})

    def fetch(self) -> APIResponse:
        """Return the response of the service; the request keeps waiting."""
        asked = self._request
        headers = {
            name: asked["headers"][name] for name in asked["headers"] if name.title() in _SENT_ON
        }
        return self._page.request.fetch(
            asked["url"], method=asked["method"], headers=headers, data=asked.get("postData")
        )

    def fulfill(
        self,
        *,
        status: int = 200,
        body: bytes | str = b"",
        json: object = None,
        response: APIResponse | None = None,
    ) -> None:
        """Answer with a body or a value, with status and headers of a response if there is one."""
        headers = response.headers if response else {"content-type": "application/json"}
        if json is not None:
            body = dumps(json)
        elif response and not body:
            body = response.body()
        content = body.encode() if isinstance(body, str) else body
        named = [
            {"name": name, "value": value}
            for name, value in headers.items()
            if name not in _NOT_SENT_AGAIN
        ]
        answer = {"responseCode": response.status if response else status}
        packed = base64.b64encode(content).decode()
        self._send("Fetch.fulfillRequest", {**answer, "responseHeaders": named, "body": packed})

    def abort(self) -> None:
        """Make the request fail, as without a network."""
        self._send("Fetch.failRequest", {"errorReason": "Failed"})

    def _send(self, method: str, answer: dict[str, object]) -> None:
        """Send a response, unless the page no longer waits for it."""
        try:
            self._session.send(method, {"requestId": self._id, **answer})
        except Error as error:
            if _GONE not in error.message:
                raise


def intercept(page: Page, address: str, answer: Callable[[Held], None]) -> Callable[[], None]:
    """Call ``answer`` for matching requests from now on; return a function that stops it.

    In an address ``*`` matches any text.
    """
    session = page.context.new_cdp_session(page)
    session.on("Fetch.requestPaused", lambda event: answer(Held(page, session, event)))
    pattern = {"urlPattern": address.replace("?", "\\?")}
    session.send("Fetch.enable", {"patterns": [pattern]})
    return session.detach
