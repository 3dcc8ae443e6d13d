"""The port for storing saved views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.saved_view import SavedView


class ViewStore(Protocol):
    """Stores the views of each project, and the default view of each page."""

    def add(self, view: SavedView) -> None:
        """Store a revision, durable on return.

        Of two revisions of a view with the same number the first counts; the caller must read the
        revision to learn which of them was stored.
        """

    def list(self, project: str) -> Sequence[SavedView]:
        """Return the newest revision of all views, even deleted, ordered by page, name and id."""

    def defaults(self, project: str) -> Mapping[str, str]:
        """Return default view ids, keyed by page; a default view may have been deleted since."""

    def set_default(self, project: str, page: str, view_id: str, at_us: int) -> None:
        """Make a view the default for a page; if the id is empty, the page has no default.

        Of several calls the one with the latest ``at_us`` counts. Durable on return.
        """
