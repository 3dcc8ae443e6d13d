"""The identity of a view, by its name, and names that tell all views of a page apart."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING

import orjson

from spanloom.core.model.saved_view import MAX_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.model.saved_view import SavedView


def place_of(stored: Sequence[SavedView], project: str, page: str, name: str) -> tuple[str, int]:
    """Return the id of a new view and the revision before its first.

    Processes that make views of one name at the same moment find the same id, so that theirs are
    changes of one view. A deleted view goes on; one that has another name by now keeps its id.
    """
    there = {view.id: view for view in stored}
    for view_id in _ids(project, page, name):
        view = there.get(view_id)
        if view is None or view.is_deleted:
            return view_id, view.revision if view else 0
    raise AssertionError("there is no end of ids")


def told_apart(views: Iterable[SavedView]) -> Sequence[SavedView]:
    """Return views of which no two of a page have one name, with the same ids.

    Two that got one name by changes at the same moment keep it in the order of their ids: the first
    as it is, the others as ``name (2)`` and so on.
    """
    views = sorted(views, key=lambda view: view.id)
    taken = {(view.page, view.name) for view in views}
    first: set[tuple[str, str]] = set()
    shown = []
    for view in views:
        name = view.name
        if (view.page, name) in first:
            name = next(free for free in _numbered(name) if (view.page, free) not in taken)
        taken.add((view.page, name))
        first.add((view.page, name))
        shown.append(view if name == view.name else replace(view, name=name))
    return sorted(shown, key=lambda view: (view.page, view.name))


def _ids(project: str, page: str, name: str) -> Iterator[str]:
    for number in count():
        text = orjson.dumps([project, page, name, number])
        yield blake2b(text, digest_size=8).hexdigest()


def _numbered(name: str) -> Iterator[str]:
    marks = (f" ({number})" for number in count(2))
    return (name[: MAX_NAME - len(mark)] + mark for mark in marks)
