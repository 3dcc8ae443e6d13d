"""Which annotations of many trajectories are asked for: what several routes take in their query."""

from typing import Annotated

from fastapi import Depends, Query

from spanloom.api.filters import Instant
from spanloom.core.ports.annotations import AnnotationQuery

SchemeInQuery = Annotated[
    str, Query(description="Only of this scheme.", max_length=200, examples=["step_evaluation"])
]
AnnotatorInQuery = Annotated[
    str, Query(description="Only by this annotator.", max_length=100, examples=["ada"])
]
SinceInQuery = Annotated[
    Instant | None,
    Query(
        description="Only what was said at this time or later.",
        examples=["2026-01-31T12:00:00Z"],
    ),
]
UntilInQuery = Annotated[
    Instant | None,
    Query(description="Only what was said before.", examples=["2126-01-31T12:00:00Z"]),
]


def asked_rows(
    scheme: SchemeInQuery = "",
    annotator: AnnotatorInQuery = "",
    since: SinceInQuery = None,
    until: UntilInQuery = None,
) -> AnnotationQuery:
    """Return which annotations are asked for, by times in nanoseconds."""
    from_us = 0 if since is None else since // 1_000
    before_us = 2**63 if until is None else until // 1_000
    return AnnotationQuery(None, scheme, annotator, from_us, before_us)


AskedAnnotations = Annotated[AnnotationQuery, Depends(asked_rows)]
