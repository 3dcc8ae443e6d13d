"""Routes of spans as received: one span, and all spans of a trace, as OTLP."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, HTTPException, Response
from fastapi.responses import StreamingResponse
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from spanloom.api.examples import OTLP, SENT_SPAN
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.runs.places import (
    ProjectInQuery,
    SpanIdInPath,
    TraceIdInPath,
    known,
)
from spanloom.api.services import Services, Using
from spanloom.core.formats.otlp import resource_spans_json
from spanloom.core.model.access import Scope
from spanloom.core.model.span import TraceKey

router = APIRouter(tags=["trajectories"])

JSON, PROTOBUF = "application/json", "application/x-protobuf"
SPANS_AT_ONCE = 2_000
"""Spans of one read; larger traces are read and sent in several pieces."""
_OPENING = b'{"resourceSpans":['

AcceptInHeader = Annotated[
    str,
    Header(description="`application/x-protobuf` for protobuf; JSON otherwise.", examples=[JSON]),
]


@router.get(
    "/v1/trajectories/{trace_id}/spans/{span_id}",
    operation_id="getSentSpan",
    summary="Get one span as it was sent",
    response_class=Response,
    responses={200: SENT_SPAN, **problem_responses(401, 403, 404, 422, 503)},
)
@needs(Scope.READ)
async def get_sent_span(
    trace_id: TraceIdInPath,
    span_id: SpanIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
) -> Response:
    """Return a span with its resource and scope in OTLP's JSON: attributes, events, links."""
    found = await using.calls.run(using.store.spans.find_home, trace_id, callers.narrowed(project))
    home = known(found, trace_id, project)
    sent = await using.calls.run(using.store.spans.read_otlp, home, span_id)
    if not sent:
        raise HTTPException(404, f"Trace {trace_id} has no span {span_id}.")
    items = await using.calls.run(resource_spans_json, sent)
    return Response(_OPENING + b",".join(items) + b"]}", media_type=JSON)


@router.get(
    "/v1/trajectories/{trace_id}/otlp",
    operation_id="getTrajectoryOtlp",
    summary="Get all spans as they were sent",
    response_class=Response,
    responses={200: OTLP, **problem_responses(401, 403, 404, 422, 503)},
)
@needs(Scope.READ)
async def get_otlp(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
    accept: AcceptInHeader = JSON,
) -> Response:
    """Return every stored span of the trace, beyond `--max-trace-spans` too, as OTLP.

    The answer can be sent to any OTLP endpoint. Spans are ordered by (start, span id); of a trace
    of more than 2,000 each 2,000 of them are, in the order of their ids.
    """
    found = await using.calls.run(using.store.spans.find_home, trace_id, callers.narrowed(project))
    home = known(found, trace_id, project)
    is_protobuf = PROTOBUF in accept
    first = await using.calls.run(using.store.spans.read_otlp, home, limit=SPANS_AT_ONCE)
    body = _protobuf(home, first, using) if is_protobuf else _json(home, first, using)
    return StreamingResponse(body, media_type=PROTOBUF if is_protobuf else JSON)


async def _protobuf(home: TraceKey, first: bytes, using: Services) -> AsyncIterator[bytes]:
    data = first
    while data:
        yield data
        last = await using.calls.run(_last_of_full, data)
        if not last:
            return
        data = await using.calls.run(
            using.store.spans.read_otlp, home, after=last, limit=SPANS_AT_ONCE
        )


async def _json(home: TraceKey, first: bytes, using: Services) -> AsyncIterator[bytes]:
    before = _OPENING
    async for data in _protobuf(home, first, using):
        for item in await using.calls.run(resource_spans_json, data):
            yield before + item
            before = b","
    yield b"]}" if before == b"," else before + b"]}"


def _last_of_full(data: bytes) -> str:
    """Return the greatest span id of an OTLP message; empty if it is the last piece."""
    groups = TracesData.FromString(data).resource_spans
    ids = [span.span_id for group in groups for scope in group.scope_spans for span in scope.spans]
    return max(ids).hex() if len(ids) >= SPANS_AT_ONCE else ""
