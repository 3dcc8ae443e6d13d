"""Two trajectories side by side."""

from typing import Annotated

import orjson
from fastapi import APIRouter, Query, Response

from spanloom.api.access import CallersReach
from spanloom.api.diff_schemas import DiffQuery
from spanloom.api.examples import DIFF
from spanloom.api.needs import needs
from spanloom.api.problems import problem_responses
from spanloom.api.routes.places import TraceIdInPath, known
from spanloom.api.services import Services, Using
from spanloom.core.diff.diff import diff_documents
from spanloom.core.diff.shown import show_diff
from spanloom.core.formats.registry import CANONICAL
from spanloom.core.model.access import Scope
from spanloom.core.model.tenancy import Reach

router = APIRouter(tags=["trajectories"])


@router.get(
    "/v1/trajectories/{trace_id}/diff/{other_trace_id}",
    operation_id="diffTrajectories",
    summary="See what differs between two runs",
    response_class=Response,
    responses={200: DIFF, **problem_responses(401, 403, 404, 422, 503)},
)
@needs(Scope.READ)
async def get_diff(
    trace_id: TraceIdInPath,
    other_trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    query: Annotated[DiffQuery, Query()],
) -> Response:
    """Lay two runs side by side, or two versions of one, agent by agent.

    Versions that can be read are the newest and those that were annotated. `a` is the run that is
    named first. Steps that ran at the same time have no order. Of model calls the messages are
    compared that no earlier call was given, ids of tool calls left out.
    """
    sides = (
        (trace_id, query.project, query.version),
        (other_trace_id, query.other_project or query.project, query.other_version),
    )
    documents = []
    for wanted, own, version in sides:
        found = await using.calls.run(_document, using, wanted, callers.narrowed(own), version)
        named = wanted if version is None else f"{wanted} in version {version}"
        documents.append(known(found, named, own))
    body = await using.calls.run(_body, *documents, every=query.every, texts=query.whole_texts)
    return Response(body, media_type=CANONICAL.media_type)


def _document(using: Services, trace_id: str, reach: Reach, version: int | None) -> bytes | None:
    if version is None:
        return using.store.document(trace_id, reach)
    home = using.store.find_home(trace_id, reach)
    return None if home is None else using.annotating.versions.document(home, version)


def _body(first: bytes, second: bytes, *, every: bool, texts: bool) -> bytes:
    a, b = orjson.loads(first), orjson.loads(second)
    return orjson.dumps(show_diff(a, b, diff_documents(a, b), every=every, texts=texts))
