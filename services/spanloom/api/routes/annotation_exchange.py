"""Annotations of many trajectories: out and in."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse

from spanloom.annotating.blind import withheld_from
from spanloom.annotating.examples import Form, in_form
from spanloom.annotating.exchange import Taken
from spanloom.api.access import CallersReach
from spanloom.api.annotation_examples import CORRECTIONS, ENTRIES, IMPORTED
from spanloom.api.annotators import OneProject, Reader
from spanloom.api.filters import Instant
from spanloom.api.import_schemas import ImportReport, read_entries
from spanloom.api.needs import needs
from spanloom.api.problems import problem_responses
from spanloom.api.routes.places import ProjectInQuery
from spanloom.api.routes.trajectory_annotations import AnnotatorInQuery, SchemeInQuery
from spanloom.api.services import Services, Using
from spanloom.core.model.access import Scope
from spanloom.core.ports.annotations import AnnotationQuery

router = APIRouter(tags=["annotations"])

NDJSON = "application/x-ndjson"
AT_ONCE = 50
"""Entries that are written at once."""
TAKEN_AT_ONCE = 20
"""Entries that are taken by one call."""
FromInQuery = Annotated[
    Instant | None,
    Query(
        alias="from",
        description="Only what was said at this time or later.",
        examples=["2026-01-31T12:00:00Z"],
    ),
]
ToInQuery = Annotated[
    Instant | None,
    Query(alias="to", description="Only what was said before.", examples=["2126-01-31T12:00:00Z"]),
]
DryRunInQuery = Annotated[
    bool, Query(description="Only say what would be stored.", examples=[True])
]


FormInQuery = Annotated[
    Form,
    Query(
        alias="format",
        description="What a line is: what somebody says of a run, or an example to train on.",
        examples=["sft"],
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
    responses={200: ENTRIES, **problem_responses(401, 403, 422, 503)},
)
@needs(Scope.READ)
async def export_annotations(
    callers: CallersReach,
    using: Using,
    reader: Reader,
    project: ProjectInQuery = None,
    scheme: SchemeInQuery = "",
    annotator: AnnotatorInQuery = "",
    since: FromInQuery = None,
    until: ToInQuery = None,
    *,
    form: FormInQuery = Form.JSONL,
) -> Response:
    """Return a line of JSON for each annotator and trajectory, with all that is said of its steps.

    `POST /v1/annotations/import` takes such lines. What is withheld from the reader is left out.
    `format=sft` and `format=dpo` give a line for each answer of a model that somebody corrected,
    as far as it still stands: `GET /v1/annotations/corrections` counts what is not written.
    """
    reach = callers.narrowed(project)
    asked = asked_rows(scheme, annotator, since, until)
    withheld = await using.calls.run(withheld_from, using.store, reach, reader)
    found = using.annotating.exchange.entries(reach, asked, withheld)
    entries = in_form(using.store, found, form, Counter())
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
    project: ProjectInQuery = None,
    scheme: SchemeInQuery = "",
    annotator: AnnotatorInQuery = "",
    since: FromInQuery = None,
    until: ToInQuery = None,
) -> Corrections:
    """Return how many corrections `format=sft` and `format=dpo` write, and why not the others."""
    reach, counts = callers.narrowed(project), Counter[str]()
    asked = asked_rows(scheme, annotator, since, until)
    withheld = await using.calls.run(withheld_from, using.store, reach, reader)
    entries = using.annotating.exchange.entries(reach, asked, withheld)
    examples = in_form(using.store, entries, Form.SFT, counts)
    while await using.calls.run(_some, examples):
        pass
    return Corrections(**counts)


@router.post(
    "/v1/annotations/import",
    operation_id="importAnnotations",
    summary="Take annotations that others made",
    responses={200: IMPORTED, **problem_responses(401, 403, 413, 422, 503)},
)
@needs(Scope.ANNOTATE)
async def import_annotations(
    request: Request, project: OneProject, using: Using, dry_run: DryRunInQuery = False
) -> ImportReport:
    """Take lines as the export has them; the same again adds nothing.

    A line is taken whole or not at all. Steps are found by `step_id`, or by `step_index` where the
    trajectory has as many steps as the line says. Options that the scheme does not have are kept,
    and named in `flags`.
    """
    entries = read_entries(await request.body())
    return await take_all(using, project, entries, is_dry_run=dry_run)


def asked_rows(
    scheme: str, annotator: str, since: int | None, until: int | None
) -> AnnotationQuery:
    """Return which annotations are asked for, by times in nanoseconds."""
    from_us = 0 if since is None else since // 1_000
    before_us = 2**63 if until is None else until // 1_000
    return AnnotationQuery(None, scheme, annotator, from_us, before_us)


def _some(entries: Iterator[Any]) -> bytes:
    """Return the next entries as lines; empty behind the last."""
    return b"".join(orjson.dumps(entry) + b"\n" for entry in islice(entries, AT_ONCE))


async def _lines(using: Services, entries: Iterator[Any], first: bytes) -> AsyncIterator[bytes]:
    lines = first
    while lines:
        yield lines
        lines = await using.calls.run(_some, entries)


async def take_all(
    using: Services, project: str, entries: Sequence[dict[str, Any]], *, is_dry_run: bool
) -> ImportReport:
    """Take entries a few at a time, each whole or not at all: however many, no call is long."""
    taken: list[Taken] = []
    for start in range(0, len(entries), TAKEN_AT_ONCE):
        some = entries[start : start + TAKEN_AT_ONCE]
        taken += await using.calls.run(_take, using, project, some, is_dry_run)
    return ImportReport.of(taken, is_dry_run)


def _take(
    using: Services, project: str, entries: Sequence[dict[str, Any]], is_dry_run: bool
) -> Sequence[Taken]:
    take = using.annotating.exchange.take
    return [take(project, entry, is_dry_run=is_dry_run) for entry in entries]
