"""Calls that list and change saved views of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import orjson

from spanloom.client.request import JSON, Call, Reply, Request, get, given, typed
from spanloom.core.records.saved_view import ViewItem, ViewList

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PATH = "/v1/views"
_ANNOTATOR = "x-spanloom-annotator"


def views(*, page: str | None = None, project: str | None = None) -> Call[Sequence[ViewItem]]:
    """Return the saved views of a project, or those of one page, by page and name.

    The pages are ``runs``, ``steps``, ``conversations`` and ``overview``.
    """

    def read(reply: Reply) -> Sequence[ViewItem]:
        return ViewList.model_validate_json(reply.body).items

    return Call(get(_PATH, page=page, project=project), read)


def make_view(
    name: str,
    parameters: Mapping[str, str],
    *,
    page: str = "runs",
    project: str | None = None,
    annotator: str | None = None,
) -> Call[ViewItem]:
    """Save a view for everybody who reads the project; the same again is returned as it is.

    ``parameters`` are those of the page's address: ``{"where": "has_error", "since": "7d"}``.
    ``annotator`` becomes its owner. Raises ``ConflictError`` if another view has the name. ::

        client.make_view("slow calls", {"order": "-duration"}, page="steps")
    """
    body = {"page": page, "name": name, "parameters": dict(parameters)}
    return typed(_writing("POST", _PATH, project, annotator, body), ViewItem)


def change_view(
    view: ViewItem,
    *,
    name: str | None = None,
    parameters: Mapping[str, str] | None = None,
    annotator: str | None = None,
) -> Call[ViewItem]:
    """Rename a view, or replace its parameters; what is not given stays as in ``view``.

    Raises ``ConflictError`` if somebody has changed it since it was read.
    """
    body = {
        "name": view.name if name is None else name,
        "parameters": dict(view.parameters if parameters is None else parameters),
        "revision": view.revision,
    }
    return typed(_writing("PUT", _path(view), view.project, annotator, body), ViewItem)


def delete_view(view: ViewItem, *, annotator: str | None = None) -> Call[ViewItem]:
    """Delete a view; raises ``ConflictError`` if somebody has changed it since it was read."""
    params = given({"project": view.project, "revision": view.revision})
    headers = _signed(annotator)
    return typed(Request("DELETE", _path(view), params, headers, is_repeatable=False), ViewItem)


def set_default_view(view: ViewItem, *, default: bool = True) -> Call[ViewItem]:
    """Make a view the one with which its page opens, or no longer."""
    request = _writing("PUT", f"{_path(view)}/default", view.project, None, {"default": default})
    return typed(request, ViewItem)


def _path(view: ViewItem) -> str:
    return f"{_PATH}/{quote(view.id, safe='')}"


def _writing(
    method: str,
    path: str,
    project: str | None,
    annotator: str | None,
    body: Mapping[str, object],
) -> Request:
    """Return the request of a change, which has the same effect if it is sent twice."""
    headers = {"content-type": JSON, **_signed(annotator)}
    return Request(method, path, given({"project": project}), headers, orjson.dumps(body))


def _signed(annotator: str | None) -> Mapping[str, str]:
    return {_ANNOTATOR: quote(annotator, safe="")} if annotator else {}
