"""Changes of saved views: each names the revision that it saw, and must not miss a later one."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import PermanentError
from spanloom.core.model.saved_view import MOST_VIEWS, SavedView
from spanloom.saved_views.faults import faults_of, refuse_faults
from spanloom.saved_views.names import place_of, told_apart

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.ports.saved_views import ViewStore
    from spanloom.core.records.saved_view import ViewFault


class UnknownViewError(PermanentError):
    """The project has no such view (404)."""


class ViewRefusedError(PermanentError):
    """A view cannot be changed so as the views of the project are (409)."""

    def __init__(self, message: str, current: Sequence[KeptView] = ()) -> None:
        """Keep the view that is in the way, if one is."""
        super().__init__(message)
        self.current = current


class KeptView(NamedTuple):
    """A view, and whether its page opens with it."""

    view: SavedView
    is_default: bool


class Wanted(NamedTuple):
    """What somebody wants a view to be."""

    name: str
    parameters: Mapping[str, str]


class SavedViews:
    """Keeps the views of projects; thread-safe."""

    def __init__(self, store: ViewStore, clock_ns: Callable[[], int] = time.time_ns) -> None:
        """Keep them in a store; ``clock_ns`` is in ns since the epoch."""
        self._store = store
        self._clock_ns = clock_ns
        self._lock = Lock()

    def listed(self, project: str, page: str | None = None) -> Sequence[KeptView]:
        """Return the views of a project, or of one page, by page and name; no two have one name."""
        return [
            kept for kept in self._kept(self._store.list(project)) if page in (None, kept.view.page)
        ]

    def faults(self, view: SavedView) -> Sequence[ViewFault]:
        """Return why a view cannot be used as it is; empty if it can."""
        return faults_of(view, self._clock_ns())

    def make(self, project: str, page: str, wanted: Wanted, owner: str) -> KeptView:
        """Store a new view; the same one again is returned as it is.

        Raises ``ViewRefusedError`` if another has the name, also one that was made at the same
        moment, or there are ``MOST_VIEWS``, and ``InvalidQueryError`` for parameters that the
        service would refuse.
        """
        with self._lock:
            stored = self._store.list(project)
            there = self._kept(stored)
            if same := _named(there, page, wanted.name):
                return _as_wanted(same, wanted)
            if len(there) >= MOST_VIEWS:
                raise ViewRefusedError(
                    f"The project has {MOST_VIEWS} views, and may not have more: delete one first."
                )
            refuse_faults(page, wanted.parameters, self._clock_ns())
            view_id, revision = place_of(stored, project, page, wanted.name)
            view = SavedView(project, view_id, page, *wanted, owner=owner, revision=revision)
            try:
                return self._add(view, by=owner)
            except ViewRefusedError as refused:
                return _as_wanted(refused.current[0], wanted)

    def change(
        self, project: str, view_id: str, wanted: Wanted, revision: int, by: str
    ) -> KeptView:
        """Rename a view, or replace its parameters; the same change again changes nothing.

        Raises as ``make``, ``UnknownViewError``, and ``ViewRefusedError`` if it was changed after
        ``revision``. Parameters that stay as they are may be faulty.
        """
        with self._lock:
            there = self.listed(project)
            kept = _found(there, view_id)
            view = kept.view
            if view.is_newer:
                raise ViewRefusedError("A newer Spanloom stored this view: upgrade to change it.")
            if (view.name, view.parameters) == wanted:
                return kept
            _refuse_later(kept, revision)
            same = _named(there, view.page, wanted.name)
            if same and same.view.id != view_id:
                raise _name_taken(same)
            if wanted.parameters != view.parameters:
                refuse_faults(view.page, wanted.parameters, self._clock_ns())
            return self._add(
                replace(view, name=wanted.name, parameters=wanted.parameters),
                by=by,
                is_default=kept.is_default,
            )

    def delete(self, project: str, view_id: str, revision: int, by: str) -> KeptView:
        """Delete a view; raises ``UnknownViewError``, and ``ViewRefusedError`` as ``change``."""
        with self._lock:
            kept = _found(self.listed(project), view_id)
            _refuse_later(kept, revision)
            if kept.is_default:  # another view of its name may be made, and has its id then
                self._choose(kept.view, "")
            return self._add(replace(kept.view, parameters={}, is_deleted=True), by=by)

    def set_default(self, project: str, view_id: str, *, is_default: bool) -> KeptView:
        """Make a view the one default of its page, or no longer; raises ``UnknownViewError``."""
        with self._lock:
            kept = _found(self.listed(project), view_id)
            if kept.is_default is not is_default:
                self._choose(kept.view, view_id if is_default else "")
            return kept._replace(is_default=is_default)

    def _kept(self, stored: Sequence[SavedView]) -> Sequence[KeptView]:
        """Return those of a project's views that are not deleted."""
        views = told_apart(view for view in stored if not view.is_deleted)
        defaults = self._store.defaults(views[0].project) if views else {}
        return [KeptView(view, defaults.get(view.page) == view.id) for view in views]

    def _choose(self, view: SavedView, view_id: str) -> None:
        at_us = self._clock_ns() // 1_000
        self._store.set_default(view.project, view.page, view_id, at_us)

    def _add(self, view: SavedView, *, by: str, is_default: bool = False) -> KeptView:
        """Store the next revision; raise ``ViewRefusedError`` if another process was faster."""
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
            raise _changed(KeptView(stored, is_default))
        return KeptView(added, is_default)


def _found(there: Sequence[KeptView], view_id: str) -> KeptView:
    """Return the view of an id; raises ``UnknownViewError``."""
    for kept in there:
        if kept.view.id == view_id:
            return kept
    raise UnknownViewError(
        f"There is no view {view_id!r} in this project: it may have been deleted."
    )


def _named(there: Sequence[KeptView], page: str, name: str) -> KeptView | None:
    return next((k for k in there if (k.view.page, k.view.name) == (page, name)), None)


def _as_wanted(kept: KeptView, wanted: Wanted) -> KeptView:
    """Return the view if it is the wanted one; raises ``ViewRefusedError``."""
    view = kept.view
    is_same = (view.name, view.parameters) == wanted and not (view.is_newer or view.is_deleted)
    if not is_same:
        raise _name_taken(kept)
    return kept


def _refuse_later(kept: KeptView, revision: int) -> None:
    if kept.view.revision != revision:
        raise _changed(kept)


def _changed(kept: KeptView) -> ViewRefusedError:
    by = kept.view.changed_by or "Somebody"
    what = "deleted" if kept.view.is_deleted else "changed"
    return ViewRefusedError(
        f"{by} has {what} this view meanwhile; `current` is how it is now.", [kept]
    )


def _name_taken(kept: KeptView) -> ViewRefusedError:
    return ViewRefusedError(
        f"There is a view {kept.view.name!r} of this page already: take another name.", [kept]
    )
