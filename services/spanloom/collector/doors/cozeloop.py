"""Endpoints for the Coze Loop SDKs: ``POST /v1/loop/traces/ingest`` and the upload of files.

Input: spans as JSON. Output: spans as OTLP protobuf, and responses in the format of Coze Loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import orjson
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from spanloom.collector.doors.door import JSON_ONLY, Accepted, Door, Received
from spanloom.collector.doors.http_messages import Answer, answer_error
from spanloom.collector.doors.otlp.json import load_json
from spanloom.collector.doors.otlp_writing import (
    RequestWriter,
    as_id,
    as_nanoseconds,
    as_text,
    put_attribute,
)
from spanloom.collector.doors.status import MAX_ERROR_BYTES, build_status, clip
from spanloom.collector.intake.findings import Findings, Rejection
from spanloom.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from spanloom.collector.doors.http_messages import RequestHead
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits


SCOPE = "cozeloop"
_NO_PARENT = frozenset({None, "", "0"})
_KEPT = ("span_type", "input", "output", "workspace_id", "log_id", "object_storage")
_TAGS = {
    "tags_string": "cozeloop.tag.",
    "tags_long": "cozeloop.tag.",
    "tags_double": "cozeloop.tag.",
    "tags_bool": "cozeloop.tag.",
    "system_tags_string": "cozeloop.system_tag.",
    "system_tags_long": "cozeloop.system_tag.",
    "system_tags_double": "cozeloop.system_tag.",
}


class Decoded(NamedTuple):
    """A request converted to OTLP, and the number of spans left out, keyed by reason."""

    body: bytes
    findings: Findings


def decode_ingest(body: bytes, limits: Limits) -> Decoded:
    """Return a Coze Loop request as an encoded ``ExportTraceServiceRequest``.

    Only spans with invalid times are left out. Raises ``InvalidRequestError``, which names the
    field, if the request is malformed.
    """
    spans = load_json(body, limits).get("spans")
    if not isinstance(spans, list):
        raise InvalidRequestError("spans: must be an array.")
    writer = RequestWriter(SCOPE)
    findings = Findings()
    for index, coze_span in enumerate(spans):
        if not isinstance(coze_span, dict):
            raise InvalidRequestError(f"spans[{index}]: must be an object.")
        times = _times(coze_span)
        if times is None:
            findings.rejections[Rejection.TIME] += 1
            continue
        _write_span(
            writer.add_span(as_text(coze_span.get("service_name") or "")), coze_span, *times
        )
    return Decoded(writer.encode(), findings)


def _times(coze_span: dict[str, object]) -> tuple[int, int] | None:
    """Return start and end in ns since the epoch; ``None`` if either is invalid."""
    try:
        start = as_nanoseconds(coze_span.get("started_at_micros", 0), "started_at_micros")
        length = as_nanoseconds(coze_span.get("duration_micros", 0), "duration_micros")
    except InvalidRequestError:
        return None
    return start, min(start + length, 2**64 - 1)


def _write_span(span: Span, coze_span: dict[str, object], start_ns: int, end_ns: int) -> None:
    span.trace_id = as_id(coze_span.get("trace_id"))
    span.span_id = as_id(coze_span.get("span_id"))
    parent = coze_span.get("parent_id")
    if not isinstance(parent, str | None) or parent not in _NO_PARENT:
        span.parent_span_id = as_id(parent)
    span.name = as_text(coze_span.get("span_name") or "")
    span.start_time_unix_nano = start_ns
    span.end_time_unix_nano = end_ns
    for field in _KEPT:
        put_attribute(span, f"cozeloop.{field}", coze_span.get(field))
    for field, prefix in _TAGS.items():
        tags = coze_span.get(field)
        for key, value in tags.items() if isinstance(tags, dict) else ():
            put_attribute(span, prefix + key, value)
    _write_status(span, coze_span)


def _write_status(span: Span, coze_span: dict[str, object]) -> None:
    """Set the error status, with the text of the tag ``error``, if Coze Loop's status is not 0."""
    code = coze_span.get("status_code")
    if code in (0, None, ""):
        return
    put_attribute(span, "cozeloop.status_code", code)
    tags = coze_span.get("tags_string")
    span.status.code = Status.STATUS_CODE_ERROR
    span.status.message = as_text(tags.get("error") or "") if isinstance(tags, dict) else ""


def make_cozeloop_doors(exporter: Exporter, limits: Limits) -> Mapping[str, Door]:
    """Return the endpoints for Coze Loop's API, keyed by path."""

    def ingest(request: Received) -> Accepted:
        decoded = decode_ingest(request.body, limits)
        outcome = exporter.export_traces(decoded.body, request.project, decoded.findings)
        return Accepted(_answer(0, outcome.message), outcome.name)

    def upload(_request: Received) -> Accepted:
        """Accept and drop uploaded files, because there is no store for them."""
        exporter.count_dropped("files", 1)
        return Accepted(_answer(0, ""))

    return {
        "/v1/loop/traces/ingest": Door("traces", ingest, _refuse, JSON_ONLY),
        "/v1/loop/files/upload": Door("files", upload, _refuse, None),
    }


def _answer(code: int, message: str) -> Answer:
    """Return a response in the format of Coze Loop, whose SDK retries on every code except 0."""
    return Answer(200, orjson.dumps({"code": code, "msg": clip(message, MAX_ERROR_BYTES)}))


def _refuse(error: Exception, head: RequestHead) -> Answer:
    refusal = answer_error(error, head)
    answer = _answer(refusal.status, build_status(error).message)
    return Answer(refusal.status, answer.body, refusal.headers)
