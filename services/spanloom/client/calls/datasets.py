"""Calls that list, fill and freeze datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.client.request import (
    Call,
    Parameters,
    as_object,
    as_table,
    delete,
    get,
    given_members,
    segment,
    typed,
    typed_items,
    with_json,
)
from spanloom.core.records.dataset import DatasetItem, DatasetList, DatasetVersionItem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PATH = "/v1/datasets"
MOST = 200
"""Items per page."""


def datasets(*, project: str | None = None) -> Call[Sequence[DatasetItem]]:
    """Return the datasets of a project by name, with their versions."""
    return typed_items(get(_PATH, project=project), DatasetList)


def dataset(name: str, *, project: str | None = None) -> Call[DatasetItem]:
    """Return a dataset; raises ``NotFoundError``."""
    return typed(get(_path(name), project=project), DatasetItem)


def put_dataset(
    name: str,
    *,
    description: str | None = None,
    evaluators: Sequence[Mapping[str, Any]] | None = None,
    project: str | None = None,
    annotator: str | None = None,
) -> Call[DatasetItem]:
    """Create a dataset, or change only the arguments that are given.

    ``evaluators`` are mappings like those passed to ``spanloom.evaluate``. ::

        client.put_dataset("trips", evaluators=[{"name": "path", "kind": "match"}])
    """
    body = given_members(description=description, evaluators=evaluators)
    return typed(
        with_json("PUT", _path(name), body, project=project, annotator=annotator), DatasetItem
    )


def delete_dataset(
    name: str, *, project: str | None = None, annotator: str | None = None
) -> Call[DatasetItem]:
    """Delete a dataset with its draft and all versions, and return the deleted dataset.

    Raises ``NotFoundError``.
    """
    return typed(delete(_path(name), annotator, project=project), DatasetItem)


def add_dataset_items(
    name: str, items: Sequence[Mapping[str, Any]], *, project: str | None = None
) -> Call[Mapping[str, Any]]:
    """Put up to 10,000 items into the draft; return the numbers stored, unchanged and rejected."""
    body = {"items": list(items)}
    return Call(with_json("POST", f"{_path(name)}/items", body, project=project), as_object)


def remove_dataset_item(
    name: str, item_key: str, *, project: str | None = None
) -> Call[DatasetItem]:
    """Remove an item from the draft; versions that have it keep it."""
    path = f"{_path(name)}/items/{segment(item_key)}"
    return typed(delete(path, project=project), DatasetItem)


def commit_dataset(
    name: str, *, project: str | None = None, annotator: str | None = None
) -> Call[DatasetVersionItem]:
    """Freeze the draft as the next version; an unchanged draft returns the last version."""
    request = with_json("POST", f"{_path(name)}/commit", {}, project=project, annotator=annotator)
    return typed(request, DatasetVersionItem)


def dataset_page(
    name: str,
    *,
    version: int | None = None,
    project: str | None = None,
    cursor: str | None = None,
) -> Call[Mapping[str, Any]]:
    """Return a page of the items of a version, or of the draft: ``items``, ``next_cursor``."""
    path = f"{_path(name)}/items"
    request = get(path, version=version, project=project, limit=MOST, cursor=cursor)
    return Call(request, as_object)


def dataset_table(
    name: str, media_type: str, *, version: int | None = None, project: str | None = None
) -> Call[bytes]:
    """Return all items as JSON lines or as a table: CSV, Arrow or Parquet."""
    params: Parameters = {"version": version, "project": project}
    return as_table(f"{_path(name)}/items", params, media_type)


def _path(name: str) -> str:
    return f"{_PATH}/{segment(name)}"
