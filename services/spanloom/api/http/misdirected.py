"""Spans sent to the API's port: where they belong, to the sender and in the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.access.refusals import Cause, RefusalLog
from spanloom.api.http.problems import problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Scope

_SIGNALS = ("/v1/traces", "/v1/logs", "/v1/metrics")


class Misdirected:
    """Answers requests of OTLP exporters with the address that takes them.

    ``otlp_http`` is that address, empty in a process that takes no spans.
    """

    def __init__(self, otlp_http: str = "") -> None:
        """Know the address."""
        self._right = otlp_http
        self._log = RefusalLog()

    def answer_to(self, scope: Scope) -> ASGIApp | None:
        """Return the answer to an export; ``None`` for any other request.

        It is logged at once, then at most once a minute for each path and sender.
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
