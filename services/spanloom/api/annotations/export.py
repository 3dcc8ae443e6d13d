"""Routes that export annotations of many trajectories, as lines, tables or training examples."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from enum import StrEnum
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from fastapi import APIRouter, Header, HTTPException, Query, Response
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse

from spanloom.annotation.examples import LineWriter, sft_lines
from spanloom.annotation.reading import withheld_from
from spanloom.api.annotations.annotators import AskedAnnotations, Reader
from spanloom.api.annotations.examples import CORRECTIONS, ENTRIES
from spanloom.api.annotations.schemas import COLUMNS, rows_of
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.rows.forms import Ndjson, form_for
from spanloom.api.rows.stream import stream_found
from spanloom.api.runs.places import ProjectInQuery
from spanloom.api.services import Services, Using
from spanloom.core.formats.entry import NDJSON, PARQUET, Of, Via
from spanloom.core.formats.registry import formats_of, named_by
from spanloom.core.model.access import Scope

router = APIRouter(tags=["annotations"])

AT_ONCE = 50
"""Entries that are written in one blocking call."""
_LINES = formats_of(Of.ANNOTATIONS, Via.QUERY)
if TYPE_CHECKING:  # mypy can't derive members from a mapping
    Form = StrEnum
else:
    Form = StrEnum("Form", {name.upper(): name for name in _LINES})
    Form.__doc__ = "What the lines of an export are."
_ENTRIES = Form("jsonl")
FormInQuery = Annotated[
    Form,
    Query(
        alias="format",
        description="What a line is: what somebody says of a run, an example to train on, a run.",
        examples=["sft"],
    ),
]


TableInHeader = Annotated[
    str,
    Header(
        description=f"{named_by(formats_of(Of.ANNOTATIONS, Via.ACCEPT), 'or')}.",
        examples=[PARQUET],
    ),
]


class Corrections(BaseModel):
    """What becomes of corrections."""

    written: int = 0
    unedited: Annotated[int, Field(description="They say what was there.")] = 0
    changed: Annotated[int, Field(description="What they correct says something else now.")] = 0
    orphaned: Annotated[int, Field(description="Their steps have gone.")] = 0
    no_answer: Annotated[int, Field(description="Not of what a model answered.")] = 0
    unreadable: Annotated[int, Field(description="Without texts, or of no place.")] = 0


@router.get(
    "/v1/annotations",
    operation_id="exportAnnotations",
    summary="Get annotations of many trajectories",
    response_class=Response,
    responses={200: ENTRIES, **problem_responses(401, 403, 406, 422, 503)},
)
@needs(Scope.READ)
async def export_annotations(
    callers: CallersReach,
    using: Using,
    reader: Reader,
    asked: AskedAnnotations,
    project: ProjectInQuery = None,
    *,
    form: FormInQuery = _ENTRIES,
    accept: TableInHeader = NDJSON,
) -> Response:
    """Return a line of JSON for each annotator and trajectory, with all that is said of its steps.

    As a table there is a row for each step that somebody judged, and one for the run as a whole.
    `POST /v1/annotations/import` takes such lines. What is withheld from the reader is left out.
    `format=sft` and `format=dpo` give a line for each answer of a model that somebody corrected,
    as far as it still stands: `GET /v1/annotations/corrections` counts what is not written.
    `format=invariant` and `format=snorkel` give the runs themselves, with what was said of them.
    """
    reach = callers.narrowed(project)
    withheld = await using.calls.run(withheld_from, using.store.queues, reach, reader)
    found = using.annotating.exchange.entries(reach, asked, withheld)
    if (table := form_for(accept)) not in (None, Ndjson):
        if form is not _ENTRIES:
            raise HTTPException(406, f"format={form} is lines of JSON: accept {NDJSON}.")
        rows = chain.from_iterable(map(rows_of, found))
        return await stream_found(rows, COLUMNS, table, using.calls)
    write: LineWriter = _LINES[form].load_writer()
    entries = write(using.store.documents, found, Counter())
    first = await using.calls.run(_some, entries)
    return StreamingResponse(_lines(using, entries, first), media_type=NDJSON)


@router.get(
    "/v1/annotations/corrections",
    operation_id="countCorrections",
    summary="Count corrections by what becomes of them in an export",
    responses={200: CORRECTIONS, **problem_responses(401, 403, 422, 503)},
)
@needs(Scope.READ)
async def count_corrections(
    callers: CallersReach,
    using: Using,
    reader: Reader,
    asked: AskedAnnotations,
    project: ProjectInQuery = None,
) -> Corrections:
    """Return how many corrections `format=sft` and `format=dpo` write, and why not the others."""
    reach, counts = callers.narrowed(project), Counter[str]()
    withheld = await using.calls.run(withheld_from, using.store.queues, reach, reader)
    entries = using.annotating.exchange.entries(reach, asked, withheld)
    examples = sft_lines(using.store.documents, entries, counts)
    while await using.calls.run(_some, examples):
        pass
    return Corrections(**counts)


def _some(entries: Iterator[Any]) -> bytes:
    """Return the next entries as lines; empty after the last."""
    return b"".join(orjson.dumps(entry) + b"\n" for entry in islice(entries, AT_ONCE))


async def _lines(using: Services, entries: Iterator[Any], first: bytes) -> AsyncIterator[bytes]:
    lines = first
    while lines:
        yield lines
        lines = await using.calls.run(_some, entries)
