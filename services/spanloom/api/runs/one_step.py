"""The route of one step of a trajectory, with the spans that it was made of."""

from typing import Annotated, Literal, NamedTuple

import orjson
from fastapi import APIRouter, HTTPException, Query, Response

from spanloom.api.examples import STEP
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.runs.places import (
    ProjectInQuery,
    SpanIdInPath,
    TextsInQuery,
    TraceIdInPath,
    VersionInQuery,
    known,
    refuse_other,
)
from spanloom.api.runs.views import kept_documents
from spanloom.api.services import Using
from spanloom.core.formats.json_bytes import Json
from spanloom.core.formats.otlp import resource_spans_json
from spanloom.core.formats.parts import Texts, find_step, spans_under, turn_texts_of
from spanloom.core.model.access import Reach, Scope
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.reading import Documents, ReadingStore

router = APIRouter(tags=["trajectories"])

MAX_TOLD = 1_000
"""Maximum of spans listed for one step."""
MAX_SENT = 16
"""Maximum of spans returned as OTLP: the step's own, and the earliest of the merged ones."""


@router.get(
    "/v1/trajectories/{trace_id}/steps/{step_id}",
    operation_id="getTrajectoryStep",
    summary="Get one step",
    response_class=Response,
    responses={200: STEP, **problem_responses(401, 403, 404, 409, 422, 503)},
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
            description="`spans`: also what it was made of, each span with the rule that decided, "
            "and as it was sent.",
            examples=["spans"],
        ),
    ] = None,
    version: VersionInQuery = None,
) -> Response:
    """Return one step of the document, the root included, with the agent that owns it.

    With `with=spans` it has three members more. `version` is that of the document. `spans` is what
    `/spans` tells of each span that counts under it, its own first, 1,000 at most (`span_count`
    counts all). `resourceSpans` has its own and up to 15 merged ones as they were sent, in OTLP's
    JSON.
    """
    reach = callers.narrowed(project)
    home = known(
        await using.calls.run(using.store.spans.find_home, trace_id, reach), trace_id, project
    )
    asked = _Asked(step_id, texts, with_ is not None, version)
    body = await using.calls.run(_step_body, using.store, home, asked)
    if body is None:
        raise HTTPException(
            404,
            f"Trace {trace_id} has no step {step_id}; its /spans say under which one it counts.",
        )
    return Response(body, media_type="application/json")


class _Asked(NamedTuple):
    step_id: str
    texts: Texts
    with_spans: bool
    version: int | None


def _step_body(store: ReadingStore, home: TraceKey, asked: _Asked) -> bytes | None:
    """Return one step as JSON, ``None`` if there is none; parses the document, so it may block."""
    found = _documents(store, home, asked)
    if found is None:  # deleted meanwhile
        return None
    whole: Json = orjson.loads(found.document)
    refuse_other(whole["extraction"]["version"], asked.version)
    step = find_step(whole, asked.step_id)
    if step is None:
        return None
    turn_texts_of(step, asked.texts)
    if asked.with_spans:
        step["version"] = whole["extraction"]["version"]
        step |= _made_of(store, home, found.spans, asked.step_id)
    return orjson.dumps(step)


def _documents(store: ReadingStore, home: TraceKey, asked: _Asked) -> Documents | None:
    own = Reach.only(home.project)
    if asked.version not in (None, store.versions.current(home)):
        kept = kept_documents(store.versions, home, asked.version or 0)
        if kept is not None:
            return kept
    if asked.with_spans:
        return store.documents.both(home.trace_id, own)
    document = store.documents.get(home.trace_id, own)
    return None if document is None else Documents(document, b"[]")


def _made_of(store: ReadingStore, home: TraceKey, spans: bytes, step_id: str) -> Json:
    told = spans_under(spans, step_id)
    sent = b"".join(store.spans.read_otlp(home, span["span_id"]) for span in told[:MAX_SENT])
    return {
        "span_count": len(told),
        "spans": told[:MAX_TOLD],
        "resourceSpans": [orjson.Fragment(item) for item in resource_spans_json(sent)],
    }
