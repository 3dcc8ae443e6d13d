"""Routes for Potato's files: export a task as a ZIP archive, import its users' annotations."""

import zipfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import IO, Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import StreamingResponse

from spanloom.annotation.reading import withheld_from
from spanloom.api.annotations.annotators import AnnotationFilters, OneProject
from spanloom.api.annotations.examples import IMPORTED, TASK
from spanloom.api.annotations.exchange import DryRunInQuery, import_all
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.rows.forms import Drain
from spanloom.api.runs.places import Reader
from spanloom.api.services import Services, Using
from spanloom.core.annotation.potato.folder import read_files
from spanloom.core.formats.entry import Of
from spanloom.core.formats.registry import formats_of
from spanloom.core.model.access import Reach, Scope
from spanloom.core.records.scheme import ImportReport

PIECE = 64 * 1024
"""Minimum bytes of a chunk, except the last."""


def zipped(write: Callable[[Callable[[str], IO[bytes]]], Iterator[None]]) -> Iterator[bytes]:
    """Yield a ZIP archive in chunks; the same files result in the same bytes.

    ``write`` receives a function that opens a new file in the archive by its path, and yields
    whenever bytes may be sent.
    """
    pipe = Drain()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:

        def create(path: str) -> IO[bytes]:
            info = zipfile.ZipInfo(path)
            info.compress_type = zipfile.ZIP_DEFLATED
            return archive.open(info, "w", force_zip64=True)

        for _ in write(create):
            if pipe.held >= PIECE:
                yield pipe.drained()
    yield pipe.drained()


router = APIRouter(tags=["annotations"])

ZIP = formats_of(Of.ANNOTATIONS)["potato"].media_type


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
    responses={200: TASK, **store_problems(404)},
)
@needs(Scope.READ)
async def export_task(
    project: OneProject,
    using: Using,
    reader: Reader,
    filters: AnnotationFilters,
    queue: Annotated[
        str, Query(description="The runs of this queue.", max_length=200, examples=[""])
    ] = "",
) -> Response:
    """Return a ZIP of `config.yaml`, `items.json` and a `user_state.json` for each annotator.

    It may have any number of runs: it is sent while it is written. Annotations that the reader may
    not see yet are left out. Create the account of a user in Potato before you copy the user's
    folder there.
    """

    def begin() -> tuple[Iterator[bytes], bytes]:
        runs = None
        if queue:
            view = using.annotating.queues.views.named(project, queue)
            runs = [item.trace_id for item in view.items]
        withheld = withheld_from(using.store.queues, Reach.only(project), reader)
        write = using.annotating.tasks.write
        pieces = zipped(lambda create: write(create, project, filters, withheld, runs))
        return pieces, next(pieces, b"")

    pieces, first = await using.calls.run(begin)
    named = {"Content-Disposition": 'attachment; filename="potato-task.zip"'}
    return StreamingResponse(_rest(using, pieces, first), headers=named, media_type=ZIP)


@router.post(
    "/v1/annotations/potato",
    operation_id="importPotatoFiles",
    summary="Import annotations from Potato",
    responses={200: IMPORTED, **store_problems(413)},
)
@needs(Scope.ANNOTATE)
async def import_files(
    requested: PotatoFiles, project: OneProject, using: Using, dry_run: DryRunInQuery = False
) -> ImportReport:
    """Import files of Potato; importing them again adds nothing. `line` counts their entries."""
    files = {file.path: file.text.encode() for file in requested.files}
    entries = await using.calls.run(_read, files)
    return await import_all(using, project, entries, is_dry_run=dry_run)


def _read(files: Mapping[str, bytes]) -> list[dict[str, Any]]:
    try:
        return list(read_files(files))
    except ValueError as error:
        raise HTTPException(422, f"files: {error}") from error


async def _rest(using: Services, pieces: Iterator[bytes], first: bytes) -> AsyncIterator[bytes]:
    piece = first
    while piece:
        yield piece
        piece = await using.calls.run(next, pieces, b"")
