"""Where in a trace to look: what several routes take in their path and query."""

from typing import Annotated, Literal, NoReturn

from fastapi import HTTPException, Path, Query
from pydantic import AfterValidator, Field

from spanloom.api.filters import Name
from spanloom.api.schemas import EXAMPLE_TRACE, TraceId

EXAMPLE_SPAN = "a1c4e1b7d2f30002"

TraceIdInPath = Annotated[
    TraceId, Path(description="32 hex digits, in either case.", examples=[EXAMPLE_TRACE])
]
SpanIdInPath = Annotated[
    str,
    Field(pattern="^[0-9a-fA-F]{16}$"),
    AfterValidator(str.lower),
    Path(description="16 hex digits, in either case.", examples=[EXAMPLE_SPAN]),
]
ProjectInQuery = Annotated[
    Name | None,
    Query(
        description="The project to look in; without it, the newest that has the trace.",
        examples=["default"],
    ),
]
TextsInQuery = Annotated[
    Literal["raw", "parsed"],
    Query(
        description="`parsed`: messages, arguments and results as JSON; `raw`: as JSON in texts.",
        examples=["parsed"],
    ),
]


def unknown_trace(trace_id: str, project: str | None) -> NoReturn:
    """Answer 404 for a trace without a trajectory that the caller may see."""
    where = "" if project is None else f" in project {project!r}"
    raise HTTPException(
        404, f"There is no trajectory of trace {trace_id}{where}; a new one takes a few seconds."
    )
