"""Shared parameters: the annotator's name, the project, and filters for annotations."""

from typing import Annotated

from fastapi import Depends, HTTPException, Query, Request

from spanloom.access.authenticate import require_project
from spanloom.api.http.doorkeeper import caller_of
from spanloom.api.query import Instant, Name
from spanloom.api.runs.places import AnnotatorInHeader, reader_of
from spanloom.core.model.access import ALL_PROJECTS, DEFAULT_PROJECT, Caller
from spanloom.core.model.annotation import ANNOTATOR_HEADER
from spanloom.core.ports.annotations import AnnotationQuery


def annotator_of(annotator: AnnotatorInHeader = "") -> str:
    """Return the writer's name; raises 422 if it is missing or invalid."""
    name = reader_of(annotator)
    if not name:
        raise HTTPException(422, f"{ANNOTATOR_HEADER}: say who annotates, in this header.")
    return name


def project_of(
    request: Request,
    project: Annotated[
        Name | None,
        Query(
            description="The project; without it the key's project, or `default`.",
            examples=["default"],
        ),
    ] = None,
) -> str:
    """Return the project of a request; raises 403 if the key has no access to it."""
    return project_for(caller_of(request), project)


def project_for(caller: Caller, project: str | None) -> str:
    """Return the project to which a caller writes; raises ``PermissionDeniedError``."""
    if project is None:
        return DEFAULT_PROJECT if caller.project == ALL_PROJECTS else caller.project
    require_project(caller, is_open=caller.may_see(project))
    return project


Annotator = Annotated[str, Depends(annotator_of)]
OneProject = Annotated[str, Depends(project_of)]


SchemeInQuery = Annotated[
    str, Query(description="Only of this scheme.", max_length=200, examples=["step_evaluation"])
]
AnnotatorInQuery = Annotated[
    str, Query(description="Only by this annotator.", max_length=100, examples=["ada"])
]
SinceInQuery = Annotated[
    Instant | None,
    Query(
        description="Only annotations of this time or later.",
        examples=["2026-01-31T12:00:00Z"],
    ),
]
UntilInQuery = Annotated[
    Instant | None,
    Query(description="Only annotations from before this time.", examples=["2126-01-31T12:00:00Z"]),
]


def annotation_query(
    scheme: SchemeInQuery = "",
    annotator: AnnotatorInQuery = "",
    since: SinceInQuery = None,
    until: UntilInQuery = None,
) -> AnnotationQuery:
    """Return the filters for annotations; ``since`` and ``until`` are in ns since the epoch."""
    from_us = 0 if since is None else since // 1_000
    before_us = 2**63 if until is None else until // 1_000
    return AnnotationQuery(None, scheme, annotator, from_us, before_us)


AnnotationFilters = Annotated[AnnotationQuery, Depends(annotation_query)]
