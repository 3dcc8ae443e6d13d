"""Routes that return a part of a run: a step with its spans, a span, or all spans as received."""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Literal, NamedTuple

import orjson
from fastapi import APIRouter, Header, HTTPException, Query, Response
from fastapi.responses import StreamingResponse

from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.run_views import kept_documents
from spanloom.api.runs.examples import OTLP, SENT_SPAN, STEP
from spanloom.api.runs.places import (
    ProjectInQuery,
    SpanIdInPath,
    TextsInQuery,
    TraceIdInPath,
    VersionInQuery,
    or_404,
    refuse_other,
)
from spanloom.api.services import Services, Using
from spanloom.core.document import Document
from spanloom.core.formats.json_bytes import Json
from spanloom.core.formats.otlp import resource_spans_json, span_ids_of
from spanloom.core.formats.parts import Texts, find_step, spans_under, turn_texts_of
from spanloom.core.model.access import Reach, Scope
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.reading import Documents, ReadingStore

router = APIRouter(tags=["trajectories"])

MAX_LISTED = 1_000
"""Maximum spans listed for one step."""
MAX_SENT = 16
"""Maximum spans returned as OTLP: the step's own span, and the earliest merged spans."""


@router.get(
    "/v1/trajectories/{trace_id}/steps/{step_id}",
    operation_id="getTrajectoryStep",
    summary="Get one step",
    response_class=Response,
    responses={200: STEP, **store_problems(404, 409)},
)
@needs(Scope.READ)
async def get_step(
    trace_id: TraceIdInPath,
    step_id: SpanIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
    texts: TextsInQuery = "raw",
    with_: Annotated[
        Literal["spans"] | None,
        Query(
            alias="with",
            description="`spans`: also the spans that it was built from, each with its rule and "
            "as it was sent.",
            examples=["spans"],
        ),
    ] = None,
    version: VersionInQuery = None,
) -> Response:
    """Return one step of the document, the root included, with the agent that owns it.

    `with=spans` adds `version`, of the document; `spans`, the items of `/spans` that count for the
    step, its own span first, at most 1,000 (`span_count` counts all); and `resourceSpans`, its own
    span and up to 15 merged spans as they were sent, in OTLP's JSON.
    """
    reach = callers.narrowed(project)
    home = or_404(
        await using.calls.run(using.store.spans.find_home, trace_id, reach), trace_id, project
    )
    requested = _StepRequest(step_id, texts, with_ is not None, version)
    body = await using.calls.run(_step_body, using.store, home, requested)
    if body is None:
        raise HTTPException(
            404,
            f"Trace {trace_id} has no step {step_id}; /spans shows the step that it counts for.",
        )
    return Response(body, media_type="application/json")


class _StepRequest(NamedTuple):
    step_id: str
    texts: Texts
    with_spans: bool
    version: int | None


def _step_body(store: ReadingStore, home: TraceKey, requested: _StepRequest) -> bytes | None:
    """Return one step as JSON, ``None`` if there is none; parses the document, so it may block."""
    found = _documents(store, home, requested)
    if found is None:  # deleted since
        return None
    whole: Json = orjson.loads(found.document)
    version = Document(whole).extraction.version
    refuse_other(version, requested.version)
    step = find_step(whole, requested.step_id)
    if step is None:
        return None
    turn_texts_of(step, requested.texts)
    if requested.with_spans:
        step["version"] = version
        step |= _made_of(store, home, found.spans, requested.step_id)
    return orjson.dumps(step)


def _documents(store: ReadingStore, home: TraceKey, requested: _StepRequest) -> Documents | None:
    own = Reach.only(home.project)
    if requested.version not in (None, store.versions.current(home)):
        kept = kept_documents(store.versions, home, requested.version or 0)
        if kept is not None:
            return kept
    if requested.with_spans:
        return store.documents.both(home.trace_id, own)
    document = store.documents.get(home.trace_id, own)
    return None if document is None else Documents(document, b"[]")


def _made_of(store: ReadingStore, home: TraceKey, spans: bytes, step_id: str) -> Json:
    spans_of_step = spans_under(spans, step_id)
    sent = b"".join(
        store.spans.read_otlp(home, span["span_id"]) for span in spans_of_step[:MAX_SENT]
    )
    return {
        "span_count": len(spans_of_step),
        "spans": spans_of_step[:MAX_LISTED],
        "resourceSpans": [orjson.Fragment(item) for item in resource_spans_json(sent)],
    }


JSON, PROTOBUF = "application/json", "application/x-protobuf"
SPANS_AT_ONCE = 2_000
"""Spans per read; larger traces are read and sent in several chunks."""
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
    responses={200: SENT_SPAN, **store_problems(404)},
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
    home = or_404(found, trace_id, project)
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
    responses={200: OTLP, **store_problems(404)},
)
@needs(Scope.READ)
async def get_otlp(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
    accept: AcceptInHeader = JSON,
) -> Response:
    """Return every stored span of the trace as OTLP, also beyond `--max-trace-spans`.

    The answer can be sent to any OTLP endpoint. Spans are ordered by (start, span id); a trace of
    more than 2,000 spans is read by span id, in batches of 2,000 that are each ordered so. Spans of
    other traces of the same run follow, under their own trace ids.
    """
    found = await using.calls.run(using.store.spans.find_home, trace_id, callers.narrowed(project))
    home = or_404(found, trace_id, project)
    is_protobuf = PROTOBUF in accept
    parts = await using.calls.run(using.store.spans.parts_shown, home)
    first = await using.calls.run(using.store.spans.read_otlp, home, limit=SPANS_AT_ONCE)
    body = _protobuf((home, *parts), first, using)
    if not is_protobuf:
        body = _json(body, using)
    return StreamingResponse(body, media_type=PROTOBUF if is_protobuf else JSON)


async def _protobuf(
    keys: Sequence[TraceKey], first: bytes, using: Services
) -> AsyncIterator[bytes]:
    home, *parts = keys
    async for data in _spans_of(home, first, using):
        yield data
    for part in parts:
        data = await using.calls.run(using.store.spans.read_otlp, part, limit=SPANS_AT_ONCE)
        async for more in _spans_of(part, data, using):
            yield more


async def _spans_of(home: TraceKey, first: bytes, using: Services) -> AsyncIterator[bytes]:
    data = first
    while data:
        yield data
        last = await using.calls.run(_last_of_full, data)
        if not last:
            return
        data = await using.calls.run(
            using.store.spans.read_otlp, home, after=last, limit=SPANS_AT_ONCE
        )


async def _json(pieces: AsyncIterator[bytes], using: Services) -> AsyncIterator[bytes]:
    before = _OPENING
    async for data in pieces:
        for item in await using.calls.run(resource_spans_json, data):
            yield before + item
            before = b","
    yield b"]}" if before == b"," else before + b"]}"


def _last_of_full(data: bytes) -> str:
    """Return the greatest span id of an OTLP message; "" if the message is not full.

    A message that is not full is the last one of its trace.
    """
    ids = span_ids_of(data)
    return max(ids) if len(ids) >= SPANS_AT_ONCE else ""
