"""Saved views in ClickHouse: a row for each revision, and one for each page's default."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import orjson

from spanloom.core.model.saved_view import FORMAT, SavedView
from spanloom.storage.engine.columns import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row


class ClickHouseViews:
    """``ViewStore`` in ClickHouse.

    It writes with the extractor's connection, and reads with the readers' connection.
    """

    def __init__(self, worker: Connection, reader: Connection) -> None:
        """Use the connections; the caller closes them."""
        self._worker = worker
        self._reader = reader

    def add(self, view: SavedView) -> None:
        """See ``ViewStore.add``."""
        self._worker.insert_objects("saved_views", [_row(view)])

    def list(self, project: str) -> Sequence[SavedView]:
        """See ``ViewStore.list``."""
        rows = self._reader.rows("saved_views", project=project)
        return sorted((_view(project, row) for row in rows), key=attrgetter("page", "name", "id"))

    def defaults(self, project: str) -> Mapping[str, str]:
        """See ``ViewStore.defaults``."""
        rows = self._reader.rows("view_defaults", project=project)
        return {row.Page: row.ViewId for row in rows if row.ViewId}

    def set_default(self, project: str, page: str, view_id: str, at_us: int) -> None:
        """See ``ViewStore.set_default``."""
        row = {"Project": project, "Page": page, "ViewId": view_id, "AtUnixMicro": at_us}
        self._worker.insert_objects("view_defaults", [row])


def _row(view: SavedView) -> Mapping[str, object]:
    return {
        "Project": view.project,
        "Id": view.id,
        "Revision": view.revision,
        "AtUnixMicro": view.at_us,
        "Change": view.change,
        "Page": view.page,
        "Name": view.name,
        "Format": view.format,
        "Parameters": to_json(view.parameters),
        "Owner": view.owner,
        "ChangedBy": view.changed_by,
        "IsDeleted": view.is_deleted,
    }


def _view(project: str, row: Row) -> SavedView:
    return SavedView(
        project=project,
        id=row.Id,
        page=row.Page,
        name=row.Name,
        parameters=orjson.loads(row.Parameters) if row.Format <= FORMAT else {},
        owner=row.Owner,
        changed_by=row.ChangedBy,
        revision=row.Revision,
        at_us=row.AtUnixMicro,
        format=row.Format,
        is_deleted=bool(row.IsDeleted),
        change=row.Change,
    )
