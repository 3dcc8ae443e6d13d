"""Routes that export annotations of many trajectories, and import annotations made elsewhere."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from enum import StrEnum
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from fastapi import APIRouter, Header, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse

from spanloom.annotation.entries import LineWriter, sft_lines
from spanloom.annotation.exchange import ImportOutcome
from spanloom.annotation.reading import withheld_from
from spanloom.annotation.writing import MOST_ROWS
from spanloom.api.annotations.annotators import AnnotationFilters, OneProject
from spanloom.api.annotations.examples import CORRECTIONS, ENTRIES, IMPORTED
from spanloom.api.annotations.schemas import COLUMNS, rows_of
from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.rows.forms import Ndjson, form_for
from spanloom.api.rows.stream import stream_found
from spanloom.api.runs.places import ProjectInQuery, Reader
from spanloom.api.services import Services, Using
from spanloom.core.formats.entry import NDJSON, PARQUET, Of, Via
from spanloom.core.formats.registry import formats_of, named_by
from spanloom.core.model.access import Scope
from spanloom.core.records.scheme import ImportFinding, ImportReport

router = APIRouter(tags=["annotations"])

AT_ONCE = 50
"""Entries written in one blocking call."""
_LINES = formats_of(Of.ANNOTATIONS, Via.QUERY)
if TYPE_CHECKING:  # mypy can't derive members from a mapping
    Form = StrEnum
else:
    Form = StrEnum("Form", {name.upper(): name for name in _LINES})
    Form.__doc__ = "The format of the lines of an export."
_ENTRIES = Form("jsonl")
FormInQuery = Annotated[
    Form,
    Query(
        alias="format",
        description="Content of a line: annotations of a run, a training example, or a run.",
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
    """How many corrections an export writes or leaves out, and why."""

    written: int = 0
    unedited: Annotated[int, Field(description="Equal to the original.")] = 0
    changed: Annotated[int, Field(description="The text of the corrected step has changed.")] = 0
    orphaned: Annotated[int, Field(description="The corrected step no longer exists.")] = 0
    no_answer: Annotated[int, Field(description="The corrected text is not a model's answer.")] = 0
    unreadable: Annotated[int, Field(description="Without texts, or with an invalid position.")] = 0


@router.get(
    "/v1/annotations",
    operation_id="exportAnnotations",
    summary="Get annotations of many trajectories",
    response_class=Response,
    responses={200: ENTRIES, **store_problems(406)},
)
@needs(Scope.READ)
async def export_annotations(
    callers: CallersReach,
    using: Using,
    reader: Reader,
    filters: AnnotationFilters,
    project: ProjectInQuery = None,
    *,
    form: FormInQuery = _ENTRIES,
    accept: TableInHeader = NDJSON,
) -> Response:
    """Return a line of JSON for each annotator and trajectory, with all annotations of its steps.

    A table has a row for each annotated step, and one for the run as a whole. Lines can be imported
    by `POST /v1/annotations/import`. Annotations that the reader may not see yet are left out.
    `format=sft` and `format=dpo` have a line for each corrected model answer that is still current;
    `GET /v1/annotations/corrections` counts those that are left out. `format=invariant` and
    `format=snorkel` have the runs themselves, with their annotations.
    """
    reach = callers.narrowed(project)
    withheld = await using.calls.run(withheld_from, using.store.queues, reach, reader)
    found = using.annotating.exchange.entries(reach, filters, withheld)
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
    summary="Count corrections that an export writes or leaves out",
    responses={200: CORRECTIONS, **store_problems()},
)
@needs(Scope.READ)
async def count_corrections(
    callers: CallersReach,
    using: Using,
    reader: Reader,
    filters: AnnotationFilters,
    project: ProjectInQuery = None,
) -> Corrections:
    """Return how many corrections `format=sft` and `format=dpo` write or leave out, and why."""
    reach, counts = callers.narrowed(project), Counter[str]()
    withheld = await using.calls.run(withheld_from, using.store.queues, reach, reader)
    entries = using.annotating.exchange.entries(reach, filters, withheld)
    examples = sft_lines(using.store.documents, entries, counts)
    while await using.calls.run(_some, examples):
        pass
    return Corrections(**counts)


def _some(entries: Iterator[Any]) -> bytes:
    """Return the next entries as JSON lines; empty after the last entry."""
    return b"".join(orjson.dumps(entry) + b"\n" for entry in islice(entries, AT_ONCE))


async def _lines(using: Services, entries: Iterator[Any], first: bytes) -> AsyncIterator[bytes]:
    lines = first
    while lines:
        yield lines
        lines = await using.calls.run(_some, entries)


def report_of(outcomes: Sequence[ImportOutcome], *, is_dry_run: bool) -> ImportReport:
    """Return the report of an import, with its lines in order."""
    refused = [(at, one.refused) for at, one in enumerate(outcomes, 1) if one.refused]
    flags = [(at, flag) for at, one in enumerate(outcomes, 1) for flag in one.flags]
    return ImportReport(
        dry_run=is_dry_run,
        added=sum(one.added for one in outcomes),
        there=sum(one.there for one in outcomes),
        refused=[ImportFinding(line=at, detail=detail) for at, detail in refused],
        flags=[ImportFinding(line=at, detail=flag) for at, flag in flags],
    )


def read_entries(body: bytes) -> list[dict[str, Any]]:
    """Return entries from JSON lines or a JSON list; raises 422 for anything else or too many."""
    lines = [line for line in body.split(b"\n") if line.strip()]
    entries = [_parsed(at, line) for at, line in enumerate(lines, 1)]
    if len(entries) == 1 and isinstance(entries[0], list):
        entries = entries[0]
    for at, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            raise HTTPException(422, f"Line {at} is no JSON object.")
    rows = sum(len(steps) for e in entries if isinstance(steps := e.get("steps"), list))
    if rows > MOST_ROWS:
        raise HTTPException(422, f"{rows:,} steps are too many: at most {MOST_ROWS:,} a request.")
    return entries


def _parsed(at: int, line: bytes) -> Any:  # any JSON value
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise HTTPException(422, f"Line {at} is no JSON: {error}") from error


IMPORTED_AT_ONCE = 20
"""Entries that are imported in one blocking call."""
DryRunInQuery = Annotated[
    bool, Query(description="Only report what would be stored.", examples=[True])
]


@router.post(
    "/v1/annotations/import",
    operation_id="importAnnotations",
    summary="Import annotations",
    responses={200: IMPORTED, **store_problems(413)},
)
@needs(Scope.ANNOTATE)
async def import_annotations(
    request: Request, project: OneProject, using: Using, dry_run: DryRunInQuery = False
) -> ImportReport:
    """Import lines as the export writes them; importing them again adds nothing.

    A line is stored whole or not at all. Steps are found by `step_id`, or by `step_index` if the
    trajectory has as many steps as the line says. Options that the scheme does not have are stored,
    and named in `flags`.
    """
    entries = read_entries(await request.body())
    return await import_all(using, project, entries, is_dry_run=dry_run)


async def import_all(
    using: Services, project: str, entries: Sequence[dict[str, Any]], *, is_dry_run: bool
) -> ImportReport:
    """Import entries, each entirely or not at all; in batches, so that no call takes long."""
    outcomes: list[ImportOutcome] = []
    for start in range(0, len(entries), IMPORTED_AT_ONCE):
        some = entries[start : start + IMPORTED_AT_ONCE]
        outcomes += await using.calls.run(_import, using, project, some, is_dry_run)
    return report_of(outcomes, is_dry_run=is_dry_run)


def _import(
    using: Services, project: str, entries: Sequence[dict[str, Any]], is_dry_run: bool
) -> Sequence[ImportOutcome]:
    import_entry = using.annotating.exchange.import_entry
    return [import_entry(project, entry, is_dry_run=is_dry_run) for entry in entries]
