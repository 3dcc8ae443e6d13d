"""Routes for showing one run: outline, rows, text search, graph, and one HTML file."""

from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.http.unchanged import NOT_MODIFIED, IfNoneMatch, unless_unchanged
from spanloom.api.runs.examples import EXPORT_HTML
from spanloom.api.runs.outline_schemas import (
    FOUND,
    GRAPH,
    MAX_FOUND,
    MAX_ROWS,
    OUTLINE,
    ROWS,
    FoundItem,
    FoundList,
    RowItem,
    RowList,
    RunGraph,
)
from spanloom.api.runs.places import (
    ProjectInQuery,
    TraceIdInPath,
    VersionInQuery,
    or_404,
    refuse_other,
)
from spanloom.api.services import Services, Using
from spanloom.core.formats.entry import HTML
from spanloom.core.model.access import Reach, Scope
from spanloom.core.outline.columns import MEDIA_TYPE, encode_outline
from spanloom.core.outline.graph import run_graph
from spanloom.core.outline.view import RunView, WholeRun, find_rows
from spanloom.core.showing.html.page import POLICY, run_page

router = APIRouter(tags=["trajectories"])


@router.get(
    "/v1/trajectories/{trace_id}/outline",
    operation_id="getOutline",
    summary="Get the structure of a run",
    response_class=Response,
    responses={200: OUTLINE, **NOT_MODIFIED, **store_problems(404, 409)},
)
@needs(Scope.READ)
async def get_outline(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
    version: VersionInQuery = None,
    if_none_match: IfNoneMatch = "",
) -> Response:
    """Return a row for every stored span, in the order of a tree, as binary columns.

    The format is described in `docs/adr/038-a-viewer-without-a-build.md`. Texts are not in it.
    """
    reach = callers.narrowed(project)
    found = await using.calls.run(using.views.view, trace_id, reach, version)
    view = _of_version(or_404(found, trace_id, project), version)
    body = await using.calls.run(encode_outline, view.rows, view.version)
    return await using.calls.run(unless_unchanged, body, MEDIA_TYPE, if_none_match)


@router.get(
    "/v1/trajectories/{trace_id}/rows",
    operation_id="getOutlineRows",
    summary="Get rows of a run, each with the beginning of its text",
    responses={200: ROWS, **store_problems(404, 409)},
)
@needs(Scope.READ)
async def get_rows(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
    version: VersionInQuery = None,
    from_: Annotated[
        int, Query(alias="from", ge=0, description="The first row.", examples=[0])
    ] = 0,
    to: Annotated[
        int | None,
        Query(
            ge=0,
            description=f"The row after the last one, at most {MAX_ROWS} after `from`.",
            examples=[128],
        ),
    ] = None,
) -> RowList:
    """Return rows by their numbers in the outline: beginning of text, model, cost, failure."""
    reach = callers.narrowed(project)
    found = await using.calls.run(using.views.view, trace_id, reach, version)
    view = _of_version(or_404(found, trace_id, project), version)
    end = min(from_ + MAX_ROWS, len(view.rows) if to is None else to, len(view.rows))
    items = await using.calls.run(_items, view, range(from_, end))
    return RowList(version=view.version, rows=len(view.rows), items=items)


@router.get(
    "/v1/trajectories/{trace_id}/search",
    operation_id="searchTrajectory",
    summary="Find a text in one run",
    responses={200: FOUND, **store_problems(404, 409)},
)
@needs(Scope.READ)
async def search_run(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    q: Annotated[
        str,
        Query(
            min_length=1, max_length=200, description="Any text; case is ignored.", examples=["429"]
        ),
    ],
    project: ProjectInQuery = None,
    version: VersionInQuery = None,
) -> FoundList:
    """Return the rows whose name, input, output or error contains a text, parts of words too."""
    reach = callers.narrowed(project)
    found = await using.calls.run(using.views.whole, trace_id, reach, version)
    run = or_404(found, trace_id, project)
    _of_version(run.view, version)
    items = await using.calls.run(_found, run, q)
    return FoundList(
        version=run.view.version, items=items[:MAX_FOUND], truncated=len(items) > MAX_FOUND
    )


@router.get(
    "/v1/trajectories/{trace_id}/graph",
    operation_id="getRunGraph",
    summary="Get the call graph of a run",
    responses={200: GRAPH, **store_problems(404, 409)},
)
@needs(Scope.READ)
async def get_graph(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
    version: VersionInQuery = None,
) -> RunGraph:
    """Return agents, models, tools and graphs as nodes, and the calls that the spans show.

    In a run of up to 250 steps each step is a node; in a longer run all calls of one name by one
    agent are one node, and `is_aggregated` is true.
    """
    reach = callers.narrowed(project)
    found = await using.calls.run(using.views.whole, trace_id, reach, version)
    run = or_404(found, trace_id, project)
    _of_version(run.view, version)
    graph: dict[str, Any] = await using.calls.run(run_graph, run.view.rows, run.steps)
    return RunGraph.model_validate({"version": run.view.version, **graph})


def _of_version(view: RunView, version: int | None) -> RunView:
    refuse_other(view.version, version)
    return view


def _items(view: RunView, numbers: range) -> list[RowItem]:
    return [RowItem.of(view, number) for number in numbers]


def _found(run: WholeRun, text: str) -> list[FoundItem]:
    found = find_rows(run.view.rows, run.steps, text)
    return [FoundItem.of(each) for each in islice(found, MAX_FOUND + 1)]


def document_of(using: Services, trace_id: str, reach: Reach, version: int | None) -> bytes | None:
    """Return the document of a version, by default the newest; ``None`` if there is no such run.

    Raises 409 for a version that is not stored any more.
    """
    home = using.store.spans.find_home(trace_id, reach)
    if home is None:
        return None
    own = Reach.only(home.project)
    if version is None:
        return using.store.documents.get(trace_id, own)
    found = using.annotating.versions.document(home, version)
    if found is None:
        refuse_other(using.store.versions.current(home), version)
    return found


@router.get(
    "/v1/trajectories/{trace_id}/export.html",
    operation_id="exportRunPage",
    summary="Get a run as one file of HTML",
    response_class=Response,
    responses={200: EXPORT_HTML, **store_problems(404, 409)},
)
@needs(Scope.READ)
async def export_page(
    trace_id: TraceIdInPath,
    callers: CallersReach,
    using: Using,
    project: ProjectInQuery = None,
    version: VersionInQuery = None,
) -> Response:
    """Return the steps of a run as a tree that opens by click and in print, without a script.

    The file has at most the earliest 5,000 steps, 20,000 characters of each text and the last 200
    messages of each list, and says what was left out.
    """
    reach = callers.narrowed(project)
    found = await using.calls.run(document_of, using, trace_id, reach, version)
    body = await using.calls.run(run_page, or_404(found, trace_id, project))
    return Response(body, headers=file_headers(trace_id), media_type=HTML)


def file_headers(name: str) -> dict[str, str]:
    """Return headers that make a browser save the file, and forbid scripts in it."""
    return {
        "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
        "Content-Disposition": f'attachment; filename="{name}.html"',
        "X-Content-Type-Options": "nosniff",
    }
