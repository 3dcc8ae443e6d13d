"""The Coze Loop SDKs' own interface over HTTP: spans as JSON, files beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.collector.doors.cozeloop.ingest import decode_ingest
from spanloom.collector.doors.door import JSON_ONLY, Door, Received, Taken
from spanloom.collector.doors.http_messages import Answer, answer_error
from spanloom.collector.doors.status import MAX_ERROR_BYTES, build_status, clip

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.collector.doors.http_messages import RequestHead
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits


def make_cozeloop_doors(exporter: Exporter, limits: Limits) -> Mapping[str, Door]:
    """Return the doors of Coze Loop's own interface, by path."""

    def ingest(request: Received) -> Taken:
        decoded = decode_ingest(request.body, limits)
        outcome = exporter.export_traces(decoded.body, request.project, decoded.findings)
        return Taken(_answer(0, outcome.message), outcome.name)

    def upload(_request: Received) -> Taken:
        """Take and drop what the SDKs upload beside spans: there is no store for files."""
        exporter.count_dropped("files", 1)
        return Taken(_answer(0, ""))

    return {
        "/v1/loop/traces/ingest": Door("traces", ingest, _refuse, JSON_ONLY),
        "/v1/loop/files/upload": Door("files", upload, _refuse, None),
    }


def _answer(code: int, message: str) -> Answer:
    """Answer in Coze Loop's form: any code but 0 has the SDK send it again."""
    return Answer(200, orjson.dumps({"code": code, "msg": clip(message, MAX_ERROR_BYTES)}))


def _refuse(error: Exception, head: RequestHead) -> Answer:
    refusal = answer_error(error, head)
    answer = _answer(refusal.status, build_status(error).message)
    return Answer(refusal.status, answer.body, refusal.headers)
