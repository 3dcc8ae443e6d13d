"""The route that imports annotations made elsewhere."""

from collections.abc import Sequence
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, HTTPException, Query, Request

from spanloom.annotation.exchange import ImportOutcome
from spanloom.annotation.writing import MOST_ROWS
from spanloom.api.annotations.annotators import OneProject
from spanloom.api.annotations.examples import IMPORTED
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.services import Services, Using
from spanloom.core.model.access import Scope
from spanloom.core.records.scheme import ImportFinding, ImportReport


def report_of(taken: Sequence[ImportOutcome], *, is_dry_run: bool) -> ImportReport:
    """Return the report of an import, with its lines in order."""
    refused = [(at, one.refused) for at, one in enumerate(taken, 1) if one.refused]
    flags = [(at, flag) for at, one in enumerate(taken, 1) for flag in one.flags]
    return ImportReport(
        dry_run=is_dry_run,
        added=sum(one.added for one in taken),
        there=sum(one.there for one in taken),
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


router = APIRouter(tags=["annotations"])

TAKEN_AT_ONCE = 20
"""Entries that are imported in one blocking call."""
DryRunInQuery = Annotated[
    bool, Query(description="Only say what would be stored.", examples=[True])
]


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


async def take_all(
    using: Services, project: str, entries: Sequence[dict[str, Any]], *, is_dry_run: bool
) -> ImportReport:
    """Import entries, each entirely or not at all; in batches, so that no call takes long."""
    taken: list[ImportOutcome] = []
    for start in range(0, len(entries), TAKEN_AT_ONCE):
        some = entries[start : start + TAKEN_AT_ONCE]
        taken += await using.calls.run(_take, using, project, some, is_dry_run)
    return report_of(taken, is_dry_run=is_dry_run)


def _take(
    using: Services, project: str, entries: Sequence[dict[str, Any]], is_dry_run: bool
) -> Sequence[ImportOutcome]:
    import_entry = using.annotating.exchange.import_entry
    return [import_entry(project, entry, is_dry_run=is_dry_run) for entry in entries]
