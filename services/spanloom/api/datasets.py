"""Routes for datasets: store them, fill and read drafts, freeze versions."""

from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import AfterValidator

from spanloom.api.annotations.annotators import OneProject
from spanloom.api.bodies import ALSO_YAML, YamlRoute
from spanloom.api.dataset_schemas import (
    COMMITTED,
    DATASET,
    DATASETS,
    ROWS,
    TAKEN,
    DatasetRequest,
    DatasetRowList,
    ItemsRequest,
    RowsQuery,
    TakenRows,
    item_of,
)
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.rows.columns import columns_of
from spanloom.api.rows.forms import form_for
from spanloom.api.rows.stream import stream_found
from spanloom.api.runs.places import AcceptInHeader, Reader
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.model.dataset import MAX_KEY
from spanloom.core.model.names import named_with_version
from spanloom.core.records.dataset import (
    EXAMPLE_DATASET,
    DatasetItem,
    DatasetList,
    DatasetRow,
    DatasetVersionItem,
)

router = APIRouter(tags=["datasets"], route_class=YamlRoute)

NameInPath = Annotated[
    str,
    Path(description="Name of the dataset.", examples=[EXAMPLE_DATASET]),
    AfterValidator(named_with_version),
]
KeyInPath = Annotated[
    str,
    Path(description="Key of the item.", min_length=1, max_length=MAX_KEY, examples=["first"]),
]
READING = store_problems(404)
WRITING = store_problems(404, 409, 413)


@router.get(
    "/v1/datasets",
    operation_id="listDatasets",
    summary="List datasets",
    responses={200: DATASETS, **store_problems()},
)
@needs(Scope.READ)
async def list_datasets(project: OneProject, using: Using) -> DatasetList:
    """Return the datasets of a project by name, with their versions."""
    found = await using.calls.run(using.datasets.listed, project)
    return DatasetList(items=list(map(item_of, found)))


@router.get(
    "/v1/datasets/{name}",
    operation_id="getDataset",
    summary="Get a dataset",
    responses={200: DATASET, **READING},
)
@needs(Scope.READ)
async def get_dataset(name: NameInPath, project: OneProject, using: Using) -> DatasetItem:
    """Return a dataset with the number of items of its draft, and its versions."""
    return item_of(await using.calls.run(using.datasets.get, project, name))


@router.put(
    "/v1/datasets/{name}",
    operation_id="putDataset",
    summary="Make or change a dataset",
    openapi_extra=ALSO_YAML,
    responses={200: DATASET, **store_problems(409, 413)},
)
@needs(Scope.ANNOTATE)
async def put_dataset(
    name: NameInPath, requested: DatasetRequest, project: OneProject, using: Using, reader: Reader
) -> DatasetItem:
    """Store description and evaluators; a member that is left out stays as it is.

    An invalid evaluator is 422 with its position and the reason. Evaluators that run the code of a
    file are refused.
    """
    put = using.datasets.put
    return item_of(
        await using.calls.run(
            put, project, name, requested.description, requested.evaluators, reader
        )
    )


@router.delete(
    "/v1/datasets/{name}",
    operation_id="deleteDataset",
    summary="Delete a dataset",
    responses={200: DATASET, **READING},
)
@needs(Scope.ADMIN)
async def delete_dataset(
    name: NameInPath, project: OneProject, using: Using, reader: Reader
) -> DatasetItem:
    """Delete a dataset, its draft, all versions and the copied runs; return the deleted dataset.

    Scores of experiments on it stay. Its name can be used again within a minute.
    """
    return item_of(await using.calls.run(using.datasets.delete, project, name, reader))


@router.post(
    "/v1/datasets/{name}/items",
    operation_id="addDatasetItems",
    summary="Put items into the draft of a dataset",
    responses={200: TAKEN, **WRITING},
)
@needs(Scope.ANNOTATE)
async def add_items(
    name: NameInPath, requested: ItemsRequest, project: OneProject, using: Using
) -> TakenRows:
    """Store items by `item_key`: an equal item changes nothing, a different one replaces it.

    A refused item does not affect the others; `refused` has the reason.
    """
    added = await using.calls.run(using.datasets.add, project, name, requested.items)
    return TakenRows.of(added)


@router.delete(
    "/v1/datasets/{name}/items/{item_key:path}",  # keys that the page makes contain slashes
    operation_id="removeDatasetItem",
    summary="Remove an item from the draft of a dataset",
    responses={200: DATASET, **WRITING},
)
@needs(Scope.ANNOTATE)
async def remove_item(
    name: NameInPath, item_key: KeyInPath, project: OneProject, using: Using
) -> DatasetItem:
    """Remove an item; versions that have it keep it."""

    def remove() -> DatasetItem:
        using.datasets.remove(project, name, item_key)
        return item_of(using.datasets.get(project, name))

    return await using.calls.run(remove)


@router.post(
    "/v1/datasets/{name}/commit",
    operation_id="commitDataset",
    summary="Freeze the draft of a dataset as its next version",
    responses={200: COMMITTED, **WRITING},
)
@needs(Scope.ANNOTATE)
async def commit_dataset(
    name: NameInPath, project: OneProject, using: Using, reader: Reader
) -> DatasetVersionItem:
    """Return the new version, or the last one if the draft is unchanged; 409 if it is empty."""
    version_row = await using.calls.run(using.datasets.commit, project, name, reader)
    return DatasetVersionItem.made_of(version_row)


@router.get(
    "/v1/datasets/{name}/items",
    operation_id="listDatasetItems",
    summary="List the items of a dataset",
    response_model=DatasetRowList,
    responses={200: ROWS, **store_problems(404, 406)},
)
@needs(Scope.READ)
async def list_items(
    name: NameInPath,
    project: OneProject,
    using: Using,
    query: Annotated[RowsQuery, Query()],
    accept: AcceptInHeader = "application/json",
) -> Response | DatasetRowList:
    """Return one page of the items of a version, or of the draft, by key.

    A page has fewer items than `limit` if they are large. Forms other than JSON have all items,
    unless `limit` is set.
    """
    after = query.after(name)
    version = await using.calls.run(using.datasets.version, project, name, query.version)
    if (form := form_for(accept)) is not None:
        most = query.limit if "limit" in query.model_fields_set else None
        found = islice(using.datasets.rows(project, name, version, after), most)
        return await stream_found(found, columns_of(DatasetRow), form, using.calls)
    page = await using.calls.run(using.datasets.page, project, name, version, after, query.limit)
    items = [DatasetRow.trusted(dict(row)) for row in page.rows]
    next_cursor = None if page.last is None else query.cursor_after(name, page.last)
    return DatasetRowList(items=items, next_cursor=next_cursor)
