"""Path, query and header parameters that several routes share."""

from typing import Annotated, TypeVar
from urllib.parse import unquote

from fastapi import Depends, Header, HTTPException, Path, Query
from pydantic import AfterValidator, Field

from spanloom.api.query import Name
from spanloom.api.schemas import EXAMPLE_TRACE, PageQuery, TraceId
from spanloom.core.formats.entry import JSON, NDJSON, Of, Via
from spanloom.core.formats.parts import Texts
from spanloom.core.formats.registry import formats_of, named_by
from spanloom.core.model.annotation import ANNOTATOR_HEADER, LONGEST_ANNOTATOR

T = TypeVar("T")

EXAMPLE_SPAN = "a1c4e1b7d2f30002"

TraceIdInPath = Annotated[
    TraceId, Path(description="32 hex digits, upper or lower case.", examples=[EXAMPLE_TRACE])
]
SpanIdInPath = Annotated[
    str,
    Field(pattern="^[0-9a-fA-F]{16}$"),
    AfterValidator(str.lower),
    Path(description="16 hex digits, upper or lower case.", examples=[EXAMPLE_SPAN]),
]
ProjectInQuery = Annotated[
    Name | None,
    Query(
        description="The project to look in; without it, the newest that has the trace.",
        examples=["default"],
    ),
]
TextsInQuery = Annotated[
    Texts,
    Query(
        description="`parsed`: messages, arguments and results as JSON; `raw`: as JSON in texts;"
        " `last`: only the last message, as text: the question, the answer;"
        " `none`: every `input` and `output` empty.",
        examples=["parsed"],
    ),
]

VersionInQuery = Annotated[
    int | None,
    Query(ge=1, description="The version that you have: 409 if it no longer exists.", examples=[1]),
]

AcceptInHeader = Annotated[
    str,
    Header(
        description=f"{named_by(formats_of(Of.ROWS, Via.ACCEPT), 'and')}; `{JSON}`: a page.",
        examples=[NDJSON],
    ),
]

AnnotatorInHeader = Annotated[
    str,
    Header(
        alias=ANNOTATOR_HEADER,
        description="Name of the annotator, percent-encoded if not ASCII. It is not verified.",
        examples=["ada"],
        max_length=9 * LONGEST_ANNOTATOR,
    ),
]


def reader_of(annotator: AnnotatorInHeader = "") -> str:
    """Return the reader's name, empty without the header; raises 422 for an invalid name."""
    name = unquote(annotator).strip()
    if len(name) > LONGEST_ANNOTATOR or not name.isprintable():
        raise HTTPException(
            422, f"{ANNOTATOR_HEADER}: at most {LONGEST_ANNOTATOR} printable characters."
        )
    return name


Reader = Annotated[str, Depends(reader_of)]


def most_of(query: PageQuery) -> int | None:
    """Return the maximum rows of a streamed response; ``None`` (all) unless `limit` is set."""
    return query.limit if "limit" in query.model_fields_set else None


def refuse_other(stored: int, requested: int | None) -> None:
    """Raise 409 if the requested version is not the stored version; ``None`` requests any."""
    if requested not in (None, stored):
        raise HTTPException(
            409, f"Version {requested} is no longer stored: the newest is {stored}."
        )


def or_404(found: T | None, trace_id: str, project: str | None) -> T:
    """Return ``found``; raises 404 if it is ``None``: the caller may see no such trajectory."""
    if found is not None:
        return found
    where = "" if project is None else f" in project {project!r}"
    raise HTTPException(
        404, f"There is no trajectory of trace {trace_id}{where}; a new one takes a few seconds."
    )
