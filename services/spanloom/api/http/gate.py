"""The outermost middleware: host check, security headers, request metrics, unexpected errors.

It also handles export requests that were sent to the API's port by mistake.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders

from spanloom.access.headers import NOT_OURS, SECURITY_HEADERS, Hosts
from spanloom.access.refusals import Cause, RefusalLog
from spanloom.api.http.problems import problem
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from spanloom.metrics import Metrics


class Gate:
    """The outermost layer of the application.

    ``hosts`` are the accepted names in the ``Host`` header; any other name gets status 421. The
    response to an export of spans names ``otlp_http``, the address that accepts them.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, hosts: Hosts, otlp_http: str = "") -> None:
        """Wrap an application."""
        self._app = app
        self._metrics = metrics
        self._hosts = hosts
        self._misdirected = _Misdirected(otlp_http)
        self._log = get_logger("api")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; an unexpected error is logged and gets the response 500."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = perf_counter()
        answer = _Answer(send)
        try:
            await self._chosen(scope)(scope, receive, answer.send)
        except Exception:
            self._log.exception("request failed", route=_route(scope))
            if answer.status:
                raise  # the response has begun, so only the connection can be cut
            failed = problem(scope["path"], 500, "Internal error; see the log.")
            await failed(scope, receive, answer.send)
        finally:
            route = _route(scope)
            self._metrics.api_requests.labels(route, str(answer.status or 500)).inc()
            self._metrics.api_seconds.labels(route).observe(perf_counter() - began)

    def _chosen(self, scope: Scope) -> ASGIApp:
        if self._hosts.answers(Headers(scope=scope).get("host", "")):
            return self._misdirected.answer_to(scope) or self._app
        return problem(scope["path"], 421, NOT_OURS)


_SIGNALS = ("/v1/traces", "/v1/logs", "/v1/metrics")


class _Misdirected:
    """Responds to export requests on the API's port with the address that accepts them.

    ``otlp_http`` is that address, empty in a process that receives no spans.
    """

    def __init__(self, otlp_http: str = "") -> None:
        """Store the address."""
        self._right = otlp_http
        self._log = RefusalLog()

    def answer_to(self, scope: Scope) -> ASGIApp | None:
        """Return the response to an export; ``None`` for any other request.

        The export is logged at once, then at most once a minute for each path and sender.
        """
        path = str(scope["path"])
        if scope["method"] != "POST" or not path.endswith(_SIGNALS):
            return None
        detail = f"This is the port of the API. Send OTLP to {self._address()} instead."
        sender = (scope.get("client") or ("",))[0]
        self._log.note(Cause("misdirected", path, str(sender)), detail)
        return problem(path, 404, detail)

    def _address(self) -> str:
        return self._right or "the port that --otlp-http-port names"


class _Answer:
    """Records the status of a response and adds the security headers."""

    def __init__(self, send: Send) -> None:
        self.status = 0
        self._send = send

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)  # a route may have set some headers itself
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


def _route(scope: Scope) -> str:
    """Return the route's template, never the path, because metric labels must stay few."""
    return getattr(scope.get("route"), "path", "unmatched")
