"""Routes for one trajectory: its annotations, and the versions stored for annotations."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from spanloom.api.annotations.annotators import Annotator, AnnotatorInQuery, SchemeInQuery
from spanloom.api.annotations.answers import (
    home_of,
    keep,
    listed,
    listed_rows,
    mark_all,
    open_session,
    written,
)
from spanloom.api.annotations.examples import ANNOTATIONS, KEPT, VERSION, WRITTEN
from spanloom.api.annotations.schemas import (
    ANNOTATION_COLUMNS,
    AnnotationList,
    AnnotationsRequest,
    BulkRequest,
    UndoRequest,
)
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.http.unchanged import NOT_MODIFIED, IfNoneMatch, unless_unchanged
from spanloom.api.rows.forms import form_for
from spanloom.api.rows.stream import VARIES, stream_found
from spanloom.api.runs.places import (
    AcceptInHeader,
    ProjectInQuery,
    Reader,
    TextsInQuery,
    TraceIdInPath,
    or_404,
)
from spanloom.api.services import Using
from spanloom.core.formats.entry import JSON
from spanloom.core.formats.parts import with_texts
from spanloom.core.model.access import Scope
from spanloom.core.model.annotation import Origin

router = APIRouter(tags=["annotations"])

_WRITING = store_problems(404, 409, 413)


@router.get(
    "/v1/trajectories/{trace_id}/annotations",
    operation_id="listAnnotations",
    summary="Get the annotations of a trajectory",
    response_model=AnnotationList,
    responses={200: ANNOTATIONS, **NOT_MODIFIED, **store_problems(404, 406)},
)
@needs(Scope.READ)
async def list_annotations(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    reader: Reader,
    project: ProjectInQuery = None,
    scheme: SchemeInQuery = "",
    annotator: AnnotatorInQuery = "",
    *,
    accept: AcceptInHeader = JSON,
    if_none_match: IfNoneMatch = "",
) -> Response:
    """Return the current annotations, each with its state against the current version.

    In a blind queue annotations of others are withheld, and counted, until the reader is done.
    Lines are streamed; only JSON has scores.
    """
    key = await home_of(using, trace_id, callers, project)
    if (form := form_for(accept)) is not None:
        arguments = (using, key, reader, scheme, annotator)
        rows, end_members = await using.calls.run(listed_rows, *arguments)
        return await stream_found(rows, ANNOTATION_COLUMNS, form, using.calls, end_members)
    body = await using.calls.run(listed, using, key, reader, scheme, annotator)
    answer = await using.calls.run(unless_unchanged, body, JSON, if_none_match)
    answer.headers.update(VARIES)
    return answer


@router.post(
    "/v1/trajectories/{trace_id}/annotations",
    operation_id="writeAnnotations",
    summary="Annotate steps",
    response_model=AnnotationList,
    responses={200: WRITTEN, **_WRITING},
)
@needs(Scope.ANNOTATE)
async def write_annotations(
    requested: AnnotationsRequest,
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    annotator: Annotator,
    project: ProjectInQuery = None,
) -> Response:
    """Store all items or none; after the response they survive a crash.

    An item changes the fields that it names. If another write changed one of these since
    `base_revision`, the response is 409 with the current rows; edits of other fields are merged.
    """
    key = await home_of(using, trace_id, callers, project)
    session = await using.calls.run(
        open_session, using, key, requested.scheme, annotator, requested.version
    )
    session = session._replace(origin=Origin(requested.origin), group=requested.group)
    writes = [item.write() for item in requested.items]
    done = await using.calls.run(using.annotating.writing.write, session, writes)
    body = await using.calls.run(written, using, session, done)
    return Response(body, media_type=JSON)


@router.post(
    "/v1/trajectories/{trace_id}/annotations/bulk",
    operation_id="bulkAnnotate",
    summary="Annotate all unjudged steps alike",
    response_model=AnnotationList,
    responses={200: WRITTEN, **_WRITING},
)
@needs(Scope.ANNOTATE)
async def bulk_annotate(
    requested: BulkRequest,
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    annotator: Annotator,
    project: ProjectInQuery = None,
) -> Response:
    """Annotate every step that has no mark yet, in the run or a branch, as one undo group."""
    key = await home_of(using, trace_id, callers, project)
    session = await using.calls.run(
        open_session, using, key, requested.scheme, annotator, requested.version
    )
    session = session._replace(group=requested.write_id)
    rows = await using.calls.run(mark_all, using, session, requested)
    body = await using.calls.run(written, using, session, rows)
    return Response(body, media_type=JSON)


@router.post(
    "/v1/trajectories/{trace_id}/annotations/undo",
    operation_id="undoAnnotations",
    summary="Undo a write, or a group of them",
    response_model=AnnotationList,
    responses={200: WRITTEN, **_WRITING},
)
@needs(Scope.ANNOTATE)
async def undo_annotations(
    requested: UndoRequest,
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    annotator: Annotator,
    project: ProjectInQuery = None,
) -> Response:
    """Restore the previous values as new revisions; their group is this request's write id."""
    key = await home_of(using, trace_id, callers, project)
    session = await using.calls.run(open_session, using, key, requested.scheme, annotator, None)
    undo = using.annotating.writing.undo
    rows = await using.calls.run(undo, session, requested.group, requested.write_id)
    body = await using.calls.run(written, using, session, rows)
    return Response(body, media_type=JSON)


VersionInPath = Annotated[
    int, Path(description="Version of the trajectory.", ge=1, le=2**32 - 1, examples=[1])
]


@router.get(
    "/v1/trajectories/{trace_id}/versions/{version}",
    operation_id="getTrajectoryVersion",
    summary="Get a version that was annotated",
    response_class=Response,
    responses={200: VERSION, **store_problems(404)},
)
@needs(Scope.READ)
async def get_version(
    trace_id: TraceIdInPath,
    version: VersionInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
    texts: TextsInQuery = "raw",
) -> Response:
    """Return the document of a version that was stored for its annotations."""
    key = await home_of(using, trace_id, callers, project)
    document = await using.calls.run(using.annotating.versions.document, key, version)
    whole = or_404(document, f"{trace_id} in version {version}", project)
    return Response(await using.calls.run(with_texts, whole, texts), media_type=JSON)


@router.put(
    "/v1/trajectories/{trace_id}/versions/{version}",
    operation_id="keepTrajectoryVersion",
    summary="Store a version that is about to be annotated",
    response_class=Response,
    responses={200: KEPT, **store_problems(404)},
)
@needs(Scope.ANNOTATE)
async def keep_version(
    trace_id: TraceIdInPath,
    version: VersionInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
) -> Response:
    """Store a version permanently, so that annotations of it can be saved later."""
    key = await home_of(using, trace_id, callers, project)
    found = await using.calls.run(keep, using, key, version)
    return Response(or_404(found, f"{trace_id} in version {version}", project), media_type=JSON)
