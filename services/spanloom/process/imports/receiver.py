"""Passes a file's spans from the client library to the collector of the same process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.client.http_library import httpx
from spanloom.collector.doors.otlp.door import encode_response
from spanloom.collector.doors.otlp.json import decode_traces
from spanloom.collector.doors.status import (
    Encoding,
    build_status,
    encode_status,
    retry_after_s,
    status_codes,
)
from spanloom.core.errors import RequestTooLargeError
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.collector.intake.export import Exporter, ExportOutcome
    from spanloom.collector.intake.limits import Limits

_JSON = {"content-type": Encoding.JSON.value}
_INTERNAL = 500


class OwnReceiver(httpx.BaseTransport):
    """Answers OTLP/JSON requests as the HTTP port does, without a network."""

    def __init__(
        self, exporter: Exporter, limits: Limits, project: str, ensure: Callable[[], None]
    ) -> None:
        """Store spans in ``project``, the project of the caller's key.

        If ``project`` is empty, spans are stored in the projects that they name. ``ensure`` raises
        when the import must stop; the caller of the transport gets that exception.
        """
        self._exporter, self._limits, self._project = exporter, limits, project
        self._ensure = ensure

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Store the spans of a request; they are fsynced if the response has the status 200."""
        self._ensure()
        try:
            outcome = self._export(request.read())
        except Exception as error:  # the outermost handler, as in ``collector/doors/http.py``
            return self._refuse(error)
        self._exporter.count_request("traces", "import", outcome.name)
        return httpx.Response(200, headers=_JSON, content=encode_response(outcome, Encoding.JSON))

    def _export(self, body: bytes) -> ExportOutcome:
        exporter, most = self._exporter, self._limits.max_request_bytes
        if len(body) > most:
            raise RequestTooLargeError(f"It is longer than {most} bytes, the most of a request.")
        exporter.admit(self._project)
        with exporter.budget.reserve() as share, exporter.handling(len(body), self._project):
            share.grow(len(body))
            return exporter.export_traces(decode_traces(body, self._limits), self._project)

    def _refuse(self, error: Exception) -> httpx.Response:
        codes = status_codes(error)
        self._exporter.count_request("traces", "import", codes.outcome)
        if codes.http == _INTERNAL:
            get_logger("imports").error("a request failed", exc_info=error)
        pause_s = retry_after_s(error)
        headers = _JSON | ({} if pause_s is None else {"retry-after": str(pause_s)})
        body = encode_status(build_status(error), Encoding.JSON)
        return httpx.Response(codes.http, headers=headers, content=body)
