"""In-memory saved views."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from tests.support.memory_state import MemorySubject

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.saved_view import SavedView


class MemoryViews(MemorySubject):
    """Every revision, and the default view of each page."""

    def add(self, view: SavedView) -> None:
        """See ``ViewStore.add``."""
        with self._state.lock:
            self._state.saved_views.append(view)

    def list(self, project: str) -> Sequence[SavedView]:
        """See ``ViewStore.list``."""
        own = [view for view in self._state.saved_views if view.project == project]
        newest = {view.id: view for view in sorted(own, key=_place, reverse=True)}
        return sorted(newest.values(), key=attrgetter("page", "name", "id"))

    def defaults(self, project: str) -> Mapping[str, str]:
        """See ``ViewStore.defaults``."""
        chosen = self._state.view_defaults.items()
        return {page: of for (where, page), (_, of) in chosen if where == project and of}

    def set_default(self, project: str, page: str, view_id: str, at_us: int) -> None:
        """See ``ViewStore.set_default``."""
        with self._state.lock:
            place = project, page
            chosen = self._state.view_defaults.get(place, (0, ""))
            self._state.view_defaults[place] = max(chosen, (at_us, view_id))


def _place(view: SavedView) -> tuple[int, int, str]:
    return -view.revision, view.at_us, view.change
