"""Routes for saved views: list, store, rename, replace, delete, set the default of a page."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from spanloom.api.annotations.annotators import OneProject
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.responses import answer
from spanloom.api.runs.places import Reader
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.model.names import MAX_NAME
from spanloom.core.model.notation import MAX_WHERE_BYTES
from spanloom.core.model.saved_view import FORMAT, NOT_OF_VIEWS, ViewPage
from spanloom.core.records.saved_view import EXAMPLE_VIEW, VIEW, ViewItem, ViewList
from spanloom.saved_views.service import ListedView, ViewContent

MOST_PARAMETERS = 20
SEEN = "The revision that you saw: 409 after a later change."
REVISIONS = 2**32


def _one_name(name: str) -> str:
    if not 1 <= len(name.strip()) <= MAX_NAME:
        raise ValueError(f"a view needs a name of 1 to {MAX_NAME} characters; this has {len(name)}")
    return name.strip()


def _lasting(parameters: dict[str, str]) -> dict[str, str]:
    if named := sorted(parameters.keys() & NOT_OF_VIEWS):
        raise ValueError(f"leave out {', '.join(named)}: a view cannot store a position in a list")
    return parameters


def _known_format(number: int) -> int:
    if number > FORMAT:
        raise ValueError(f"this service knows formats up to {FORMAT}: upgrade it")
    return number


class ViewChange(BaseModel):
    """A definition of a view."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[
        str,
        AfterValidator(_one_name),
        Field(
            description=f"Up to {MAX_NAME} characters, unique on its page.",
            examples=["Failures of the week"],
            json_schema_extra={"minLength": 1, "maxLength": MAX_NAME},
        ),
    ]
    parameters: Annotated[
        dict[
            Annotated[str, Field(pattern="^[a-z][a-z_]{0,39}$")],
            Annotated[str, Field(min_length=1, max_length=MAX_WHERE_BYTES)],
        ],
        AfterValidator(_lasting),
        Field(
            max_length=MOST_PARAMETERS,
            description="Parameters of the page's address, as they were typed.",
            examples=[{"where": "outcome = failed", "since": "7d"}],
        ),
    ]

    def content(self) -> ViewContent:
        """Return the name and the parameters of the view."""
        return ViewContent(self.name, self.parameters)


class ViewRequest(ViewChange):
    """A view to make."""

    page: Annotated[ViewPage, Field(description="The page to which it belongs.", examples=["runs"])]
    format: Annotated[
        int,
        AfterValidator(_known_format),
        Field(ge=1, description="Format of the parameters.", examples=[1]),
    ] = FORMAT


class ViewRevision(ViewChange):
    """A new definition of a view, and the revision that was seen."""

    revision: Annotated[
        int,
        Field(ge=1, lt=REVISIONS, description=SEEN, examples=[1]),
    ]


class ViewDefault(BaseModel):
    """Whether a view is the default of its page."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    default: Annotated[bool, Field(description="A page has at most one default.", examples=[True])]


router = APIRouter(tags=["views"])
_VIEW = answer("The view.", "ViewItem", VIEW.example)
_VIEWS = answer("The views.", "ViewList", {"items": [VIEW.example]})

ViewIdInPath = Annotated[
    str,
    Path(description="Id of the view.", pattern="^[0-9a-f]{16}$", examples=[EXAMPLE_VIEW]),
]
PageInQuery = Annotated[
    ViewPage | None, Query(description="Only the views of this page.", examples=["runs"])
]
RevisionInQuery = Annotated[
    int,
    Query(ge=1, lt=REVISIONS, description=SEEN, examples=[1]),
]
WRITING = store_problems(404, 409, 413)


def item_of(using: Using, listed: ListedView) -> ViewItem:
    """Return a view with its faults as a response model."""
    faults = using.saved_views.faults(listed.view)
    return ViewItem.made_of(listed.view, default=listed.is_default, faults=faults)


@router.get(
    "/v1/views",
    operation_id="listViews",
    summary="List saved views",
    responses={200: _VIEWS, **store_problems()},
)
@needs(Scope.READ)
async def list_views(project: OneProject, using: Using, page: PageInQuery = None) -> ViewList:
    """Return the views of a project by page and name; `faults` say which cannot be used."""

    def read() -> ViewList:
        found = using.saved_views.listed(project, page)
        return ViewList(items=[item_of(using, listed) for listed in found])

    return await using.calls.run(read)


@router.post(
    "/v1/views",
    operation_id="makeView",
    summary="Save a view",
    responses={200: _VIEW, **store_problems(409, 413)},
)
@needs(Scope.ANNOTATE)
async def make_view(
    content: ViewRequest, project: OneProject, using: Using, reader: Reader
) -> ViewItem:
    """Store a view for everybody who reads the project; its owner is the annotator.

    Storing the same view again changes nothing. A different view with its name is 409.
    """
    make = using.saved_views.make
    return item_of(
        using, await using.calls.run(make, project, content.page, content.content(), reader)
    )


@router.put(
    "/v1/views/{view_id}",
    operation_id="changeView",
    summary="Rename or replace a view",
    responses={200: _VIEW, **WRITING},
)
@needs(Scope.ANNOTATE)
async def change_view(
    view_id: ViewIdInPath, content: ViewRevision, project: OneProject, using: Using, reader: Reader
) -> ViewItem:
    """Store the next revision of a view; 409 with `current` if `revision` is not the newest."""
    change = using.saved_views.change
    return item_of(
        using,
        await using.calls.run(
            change, project, view_id, content.content(), content.revision, reader
        ),
    )


@router.delete(
    "/v1/views/{view_id}",
    operation_id="deleteView",
    summary="Delete a view",
    responses={200: _VIEW, **WRITING},
)
@needs(Scope.ANNOTATE)
async def delete_view(
    view_id: ViewIdInPath,
    revision: RevisionInQuery,
    project: OneProject,
    using: Using,
    reader: Reader,
) -> ViewItem:
    """Delete a view; 409 if it changed after `revision`. If it was a default, its page has none."""
    delete = using.saved_views.delete
    return item_of(using, await using.calls.run(delete, project, view_id, revision, reader))


@router.put(
    "/v1/views/{view_id}/default",
    operation_id="setDefaultView",
    summary="Choose the default view of a page",
    responses={200: _VIEW, **WRITING},
)
@needs(Scope.ANNOTATE)
async def set_default(
    view_id: ViewIdInPath, content: ViewDefault, project: OneProject, using: Using
) -> ViewItem:
    """Set or unset the view with which the page opens if its address has no parameters."""

    def choose() -> ListedView:
        return using.saved_views.set_default(project, view_id, is_default=content.default)

    return item_of(using, await using.calls.run(choose))
