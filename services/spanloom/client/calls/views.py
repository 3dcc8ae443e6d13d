"""Calls that list and change saved views of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.client.request import Call, delete, get, segment, typed, typed_items, with_json
from spanloom.core.records.saved_view import ViewItem, ViewList

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PATH = "/v1/views"


def views(*, page: str | None = None, project: str | None = None) -> Call[Sequence[ViewItem]]:
    """Return the saved views of a project, or of one page, by page and name.

    The pages are ``runs``, ``steps``, ``conversations`` and ``overview``.
    """
    return typed_items(get(_PATH, page=page, project=project), ViewList)


def make_view(
    name: str,
    parameters: Mapping[str, str],
    *,
    page: str = "runs",
    project: str | None = None,
    annotator: str | None = None,
) -> Call[ViewItem]:
    """Save a view for all readers of the project; saving the same view again changes nothing.

    ``parameters`` are the parameters in the page's URL: ``{"where": "has_error", "since": "7d"}``.
    ``annotator`` becomes the owner. Raises ``ConflictError`` if another view has the name. ::

        client.make_view("slow calls", {"order": "-duration"}, page="steps")
    """
    body = {"page": page, "name": name, "parameters": dict(parameters)}
    return typed(with_json("POST", _PATH, body, project=project, annotator=annotator), ViewItem)


def change_view(
    view: ViewItem,
    *,
    name: str | None = None,
    parameters: Mapping[str, str] | None = None,
    annotator: str | None = None,
) -> Call[ViewItem]:
    """Rename a view, or replace its parameters; omitted arguments stay as in ``view``.

    Raises ``ConflictError`` if the view was changed since it was read.
    """
    body = {
        "name": view.name if name is None else name,
        "parameters": dict(view.parameters if parameters is None else parameters),
        "revision": view.revision,
    }
    return typed(
        with_json("PUT", _path(view), body, project=view.project, annotator=annotator), ViewItem
    )


def delete_view(view: ViewItem, *, annotator: str | None = None) -> Call[ViewItem]:
    """Delete a view; raises ``ConflictError`` if it was changed since it was read."""
    request = delete(_path(view), annotator, project=view.project, revision=view.revision)
    return typed(request, ViewItem)


def set_default_view(view: ViewItem, *, default: bool = True) -> Call[ViewItem]:
    """Set a view as the default of its page, or clear the default if ``default`` is false."""
    request = with_json("PUT", f"{_path(view)}/default", {"default": default}, project=view.project)
    return typed(request, ViewItem)


def _path(view: ViewItem) -> str:
    return f"{_PATH}/{segment(view.id)}"
