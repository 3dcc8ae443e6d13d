"""The route of a run as one HTML file."""

from fastapi import APIRouter, Response

from spanloom.api.examples import EXPORT_HTML
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.runs.places import ProjectInQuery, TraceIdInPath, VersionInQuery, known
from spanloom.api.runs.read_versions import document_of
from spanloom.api.services import Using
from spanloom.core.formats.entry import HTML
from spanloom.core.model.access import Scope
from spanloom.core.showing.html.page import POLICY, run_page

router = APIRouter(tags=["trajectories"])


@router.get(
    "/v1/trajectories/{trace_id}/export.html",
    operation_id="exportRunPage",
    summary="Get a run as one file of HTML",
    response_class=Response,
    responses={200: EXPORT_HTML, **problem_responses(401, 403, 404, 409, 422, 503)},
)
@needs(Scope.READ)
async def export_page(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
    version: VersionInQuery = None,
) -> Response:
    """Return its steps as a tree that opens by click and in print, without script.

    At most the earliest 5,000 steps, 20,000 characters of a text and the last 200 messages of a
    list are in it; it says what is missing.
    """
    reach = callers.narrowed(project)
    found = await using.calls.run(document_of, using, trace_id, reach, version)
    body = await using.calls.run(run_page, known(found, trace_id, project))
    return Response(body, headers=file_headers(trace_id), media_type=HTML)


def file_headers(name: str) -> dict[str, str]:
    """Return headers that make a browser save the file, and forbid scripts in it."""
    return {
        "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
        "Content-Disposition": f'attachment; filename="{name}.html"',
        "X-Content-Type-Options": "nosniff",
    }
