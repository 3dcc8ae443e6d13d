"""Annotations that others made: in."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from spanloom.annotation.exchange import Taken
from spanloom.api.annotations.annotators import OneProject
from spanloom.api.annotations.examples import IMPORTED
from spanloom.api.annotations.import_schemas import ImportReport, read_entries
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses
from spanloom.api.services import Services, Using
from spanloom.core.model.access import Scope

router = APIRouter(tags=["annotations"])

TAKEN_AT_ONCE = 20
"""Entries that are taken by one call."""
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
