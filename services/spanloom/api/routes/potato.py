"""Annotations as Potato's files: a task out, what its users said in."""

import io
import zipfile
from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from spanloom.annotating.blind import withheld_from
from spanloom.api.annotation_examples import IMPORTED, TASK
from spanloom.api.annotators import OneProject, Reader
from spanloom.api.import_schemas import ImportReport
from spanloom.api.needs import needs
from spanloom.api.problems import problem_responses
from spanloom.api.routes.annotation_exchange import (
    DryRunInQuery,
    FromInQuery,
    ToInQuery,
    asked_rows,
)
from spanloom.api.routes.trajectory_annotations import AnnotatorInQuery, SchemeInQuery
from spanloom.api.services import Services, Using
from spanloom.core.annotation.potato.folder import read_files
from spanloom.core.model.access import Scope
from spanloom.core.model.tenancy import Reach

router = APIRouter(tags=["annotations"])

ZIP = "application/zip"


class PotatoFile(BaseModel):
    """One of Potato's files."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Annotated[str, Field(max_length=1_000)]
    text: str


class PotatoFiles(BaseModel):
    """Files of Potato's: user_state.json, CSV, the JSON of agent_eval, and items.json."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    files: Annotated[
        list[PotatoFile],
        Field(
            min_length=1,
            max_length=1_000,
            description="With `items.json` among them steps are found by our ids.",
            examples=[[{"path": "items.json", "text": "[]"}]],
        ),
    ]


@router.get(
    "/v1/annotations/potato",
    operation_id="exportPotatoTask",
    summary="Get a task for Potato",
    response_class=Response,
    responses={200: TASK, **problem_responses(401, 403, 404, 409, 422, 503)},
)
@needs(Scope.READ)
async def export_task(
    project: OneProject,
    using: Using,
    reader: Reader,
    scheme: SchemeInQuery = "",
    annotator: AnnotatorInQuery = "",
    queue: Annotated[
        str, Query(description="The runs of this queue.", max_length=200, examples=[""])
    ] = "",
    since: FromInQuery = None,
    until: ToInQuery = None,
) -> Response:
    """Return a ZIP of `config.yaml`, `items.json` and a `user_state.json` for each annotator.

    What is withheld from the reader is left out. An account has to be made in Potato before the
    folder of its user is copied there.
    """
    asked = asked_rows(scheme, annotator, since, until)

    def write() -> bytes:
        runs = None
        if queue:
            desk = using.annotating.queues.desks.named(project, queue)
            runs = [item.trace_id for item in desk.items]
        withheld = withheld_from(using.store, Reach.only(project), reader)
        return _zip(using.annotating.tasks.files(project, asked, withheld, runs))

    named = {"Content-Disposition": 'attachment; filename="potato-task.zip"'}
    return Response(await using.calls.run(write), headers=named, media_type=ZIP)


@router.post(
    "/v1/annotations/potato",
    operation_id="importPotatoFiles",
    summary="Take what users of Potato said",
    responses={200: IMPORTED, **problem_responses(401, 403, 413, 422, 503)},
)
@needs(Scope.ANNOTATE)
async def import_files(
    wanted: PotatoFiles, project: OneProject, using: Using, dry_run: DryRunInQuery = False
) -> ImportReport:
    """Take files as Potato writes them; the same again adds nothing. A line is an entry of them."""
    files = {file.path: file.text.encode() for file in wanted.files}
    return await using.calls.run(_take, using, project, files, dry_run)


def _take(
    using: Services, project: str, files: Mapping[str, bytes], is_dry_run: bool
) -> ImportReport:
    try:
        entries = list(read_files(files))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise HTTPException(422, f"files: {error}") from error
    take = using.annotating.exchange.take
    return ImportReport.of([take(project, e, is_dry_run=is_dry_run) for e in entries], is_dry_run)


def _zip(files: Mapping[str, bytes]) -> bytes:
    """Return files as a ZIP that is the same for the same files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
