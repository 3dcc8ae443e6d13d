"""Calls that list, fill and freeze datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.client.request import (
    Call,
    Reply,
    Request,
    as_object,
    get,
    given,
    given_members,
    segment,
    signed,
    typed,
    with_json,
)
from spanloom.core.records.dataset import DatasetItem, DatasetList, DatasetVersionItem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PATH = "/v1/datasets"
MOST = 200
"""Items of one page."""


def datasets(*, project: str | None = None) -> Call[Sequence[DatasetItem]]:
    """Return the datasets of a project by name, with their versions."""

    def read(reply: Reply) -> Sequence[DatasetItem]:
        return DatasetList.model_validate_json(reply.body).items

    return Call(get(_PATH, project=project), read)


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
    """Create a dataset, or change the members that are given.

    ``evaluators`` are mappings as ``spanloom.evaluate`` takes them. ::

        client.put_dataset("trips", evaluators=[{"name": "path", "kind": "match"}])
    """
    body = given_members(description=description, evaluators=evaluators)
    return typed(
        with_json("PUT", _path(name), body, project=project, annotator=annotator), DatasetItem
    )


def delete_dataset(
    name: str, *, project: str | None = None, annotator: str | None = None
) -> Call[DatasetItem]:
    """Delete a dataset with its draft and all versions, and return what was deleted.

    Raises ``NotFoundError``.
    """
    params = given({"project": project})
    request = Request("DELETE", _path(name), params, signed(annotator), is_repeatable=False)
    return typed(request, DatasetItem)


def add_dataset_items(
    name: str, items: Sequence[Mapping[str, Any]], *, project: str | None = None
) -> Call[Mapping[str, Any]]:
    """Put up to 10,000 items into the draft; counts the ``stored``, ``unchanged``, ``rejected``."""
    body = {"items": list(items)}
    return Call(with_json("POST", f"{_path(name)}/items", body, project=project), as_object)


def remove_dataset_item(
    name: str, item_key: str, *, project: str | None = None
) -> Call[DatasetItem]:
    """Remove an item from the draft; versions that have it keep it."""
    path = f"{_path(name)}/items/{segment(item_key)}"
    request = Request("DELETE", path, given({"project": project}), is_repeatable=False)
    return typed(request, DatasetItem)


def commit_dataset(
    name: str, *, project: str | None = None, annotator: str | None = None
) -> Call[DatasetVersionItem]:
    """Freeze the draft as the next version; an unchanged draft returns the last one."""
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
    """Return all items as lines of JSON or a table: CSV, Arrow or Parquet."""
    params = given({"version": version, "project": project})
    path, headers = f"{_path(name)}/items", {"accept": media_type}
    request = Request("GET", path, params, headers, media_type=media_type)
    return Call(request, lambda reply: reply.body)


def _path(name: str) -> str:
    return f"{_PATH}/{segment(name)}"
