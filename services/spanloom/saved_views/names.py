"""Derives the ids of views from their names, and makes names unique on each page."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING

import orjson

from spanloom.core.model.names import MAX_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.model.saved_view import SavedView


def place_of(stored: Sequence[SavedView], project: str, page: str, name: str) -> tuple[str, int]:
    """Return the id for a new view, and the last revision already stored under that id.

    The revisions of the new view continue from there: the id of a deleted view is reused. A renamed
    view keeps its id. Processes that create views with the same name at the same time get the same
    id, so that their changes conflict.
    """
    by_id = {view.id: view for view in stored}
    for view_id in _ids(project, page, name):
        view = by_id.get(view_id)
        if view is None or view.is_deleted:
            return view_id, view.revision if view else 0
    raise AssertionError("there is no end of ids")


def with_unique_names(views: Iterable[SavedView]) -> Sequence[SavedView]:
    """Return views with unique names on each page; ids are unchanged.

    If concurrent changes gave one name to several views, the first by id keeps it, and the others
    become ``name (2)`` and so on.
    """
    views = sorted(views, key=lambda view: view.id)
    taken = {(view.page, view.name) for view in views}
    first: set[tuple[str, str]] = set()
    named = []
    for view in views:
        name = view.name
        if (view.page, name) in first:
            name = next(free for free in _numbered(name) if (view.page, free) not in taken)
        taken.add((view.page, name))
        first.add((view.page, name))
        named.append(view if name == view.name else replace(view, name=name))
    return sorted(named, key=lambda view: (view.page, view.name))


def _ids(project: str, page: str, name: str) -> Iterator[str]:
    for number in count():
        text = orjson.dumps([project, page, name, number])
        yield blake2b(text, digest_size=8).hexdigest()


def _numbered(name: str) -> Iterator[str]:
    marks = (f" ({number})" for number in count(2))
    return (name[: MAX_NAME - len(mark)] + mark for mark in marks)
