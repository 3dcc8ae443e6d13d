"""Stores and changes saved views; a change names the revision that it is based on."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import ConflictError, NotFoundError
from spanloom.core.model.saved_view import MOST_VIEWS, SavedView
from spanloom.saved_views.faults import faults_of, refuse_faults
from spanloom.saved_views.names import place_of, with_unique_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.ports.saved_views import ViewStore
    from spanloom.core.records.saved_view import ViewFault


class UnknownViewError(NotFoundError):
    """The project has no such view (404)."""


class ViewRefusedError(ConflictError):
    """The change conflicts with the current views of the project (409)."""

    def __init__(self, message: str, current: Sequence[ListedView] = ()) -> None:
        """Store the view that conflicts, if there is one."""
        super().__init__(message)
        self.current = current


class ListedView(NamedTuple):
    """A view, and whether it is the default of its page."""

    view: SavedView
    is_default: bool


class ViewContent(NamedTuple):
    """The content of a view: its name and parameters."""

    name: str
    parameters: Mapping[str, str]


class SavedViews:
    """The saved views of projects; thread-safe."""

    def __init__(self, store: ViewStore, clock_ns: Callable[[], int] = time.time_ns) -> None:
        """Use a store; ``clock_ns`` returns ns since the epoch."""
        self._store = store
        self._clock_ns = clock_ns
        self._lock = Lock()

    def listed(self, project: str, page: str | None = None) -> Sequence[ListedView]:
        """Return the views of a project or of one page, sorted by page and unique name."""
        return [
            listed
            for listed in self._listed(self._store.list(project))
            if page in (None, listed.view.page)
        ]

    def faults(self, view: SavedView) -> Sequence[ViewFault]:
        """Return the faults of a view; empty if it can be used."""
        return faults_of(view, self._clock_ns())

    def make(self, project: str, page: str, content: ViewContent, owner: str) -> ListedView:
        """Store a new view; if an equal view exists, return that.

        Raises ``ViewRefusedError`` if another view has the name, even if it was created at the same
        moment, or if there are ``MOST_VIEWS``, and ``InvalidQueryError`` for invalid parameters.
        """
        with self._lock:
            stored = self._store.list(project)
            views = self._listed(stored)
            if same := _named(views, page, content.name):
                return _if_same(same, content)
            if len(views) >= MOST_VIEWS:
                raise ViewRefusedError(
                    f"The project has {MOST_VIEWS} views, and may not have more: delete one first."
                )
            refuse_faults(page, content.parameters, self._clock_ns())
            view_id, revision = place_of(stored, project, page, content.name)
            view = SavedView(project, view_id, page, *content, owner=owner, revision=revision)
            try:
                return self._add(view, by=owner)
            except ViewRefusedError as refused:
                return _if_same(refused.current[0], content)

    def change(
        self, project: str, view_id: str, content: ViewContent, revision: int, by: str
    ) -> ListedView:
        """Rename a view, or replace its parameters; repeating a change has no effect.

        Raises the same errors as ``make``, ``UnknownViewError``, and ``ViewRefusedError`` if the
        view was changed after ``revision``. Faults in parameters that stay the same are accepted.
        """
        with self._lock:
            views = self.listed(project)
            listed = _found(views, view_id)
            view = listed.view
            if view.is_newer:
                raise ViewRefusedError("A newer Spanloom stored this view: upgrade to change it.")
            if (view.name, view.parameters) == content:
                return listed
            _refuse_later(listed, revision)
            same = _named(views, view.page, content.name)
            if same and same.view.id != view_id:
                raise _name_taken(same)
            if content.parameters != view.parameters:
                refuse_faults(view.page, content.parameters, self._clock_ns())
            return self._add(
                replace(view, name=content.name, parameters=content.parameters),
                by=by,
                is_default=listed.is_default,
            )

    def delete(self, project: str, view_id: str, revision: int, by: str) -> ListedView:
        """Delete a view; raises ``UnknownViewError``, or ``ViewRefusedError`` like ``change``."""
        with self._lock:
            listed = _found(self.listed(project), view_id)
            _refuse_later(listed, revision)
            if listed.is_default:  # a new view of the same name would have its id
                self._choose(listed.view, "")
            return self._add(replace(listed.view, parameters={}, is_deleted=True), by=by)

    def set_default(self, project: str, view_id: str, *, is_default: bool) -> ListedView:
        """Set or clear a view as the only default of its page; raises ``UnknownViewError``."""
        with self._lock:
            listed = _found(self.listed(project), view_id)
            if listed.is_default is not is_default:
                self._choose(listed.view, view_id if is_default else "")
            return listed._replace(is_default=is_default)

    def _listed(self, stored: Sequence[SavedView]) -> Sequence[ListedView]:
        """Return the views of a project that are not deleted."""
        views = with_unique_names(view for view in stored if not view.is_deleted)
        defaults = self._store.defaults(views[0].project) if views else {}
        return [ListedView(view, defaults.get(view.page) == view.id) for view in views]

    def _choose(self, view: SavedView, view_id: str) -> None:
        at_us = self._clock_ns() // 1_000
        self._store.set_default(view.project, view.page, view_id, at_us)

    def _add(self, view: SavedView, *, by: str, is_default: bool = False) -> ListedView:
        """Store the next revision; raise ``ViewRefusedError`` if another process was first."""
        added = replace(
            view,
            revision=view.revision + 1,
            changed_by=by,
            at_us=self._clock_ns() // 1_000,
            change=secrets.token_hex(8),
        )
        self._store.add(added)
        stored = {one.id: one for one in self._store.list(view.project)}.get(view.id, added)
        if stored.change != added.change:
            raise _changed(ListedView(stored, is_default))
        return ListedView(added, is_default)


def _found(views: Sequence[ListedView], view_id: str) -> ListedView:
    """Return the view with this id; raises ``UnknownViewError``."""
    for listed in views:
        if listed.view.id == view_id:
            return listed
    raise UnknownViewError(
        f"There is no view {view_id!r} in this project: it may have been deleted."
    )


def _named(views: Sequence[ListedView], page: str, name: str) -> ListedView | None:
    return next((k for k in views if (k.view.page, k.view.name) == (page, name)), None)


def _if_same(listed: ListedView, content: ViewContent) -> ListedView:
    """Return the view if it has this content; otherwise raise ``ViewRefusedError``."""
    view = listed.view
    is_same = (view.name, view.parameters) == content and not (view.is_newer or view.is_deleted)
    if not is_same:
        raise _name_taken(listed)
    return listed


def _refuse_later(listed: ListedView, revision: int) -> None:
    if listed.view.revision != revision:
        raise _changed(listed)


def _changed(listed: ListedView) -> ViewRefusedError:
    by = listed.view.changed_by or "Somebody"
    what = "deleted" if listed.view.is_deleted else "changed"
    return ViewRefusedError(
        f"{by} has {what} this view meanwhile; `current` has its current state.", [listed]
    )


def _name_taken(listed: ListedView) -> ViewRefusedError:
    return ViewRefusedError(
        f"There is a view {listed.view.name!r} of this page already: use another name.", [listed]
    )
