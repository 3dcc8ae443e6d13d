"""Caches displayed runs, because the page sends many requests about one version of a run."""

from __future__ import annotations

from operator import attrgetter
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import orjson
from cachetools import LRUCache

from spanloom.core.formats.canonical import with_version
from spanloom.core.model.access import Reach
from spanloom.core.outline.view import RunView, WholeRun, read_run, spans_of_document
from spanloom.core.ports.reading import Documents

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import VersionKeeper
    from spanloom.core.ports.reading import ReadingStore

MAX_BYTES = 128 << 20
"""Size of the cache. A run that is larger is read again for every request."""


class _Place(NamedTuple):
    """Cache key: one version of a run. A deleted run that is sent again restarts at version 1."""

    home: TraceKey
    version: int
    at: int
    """When the version was stored; for an annotated version, when it was stored permanently."""
    is_newest: bool


class RunViews:
    """Reads runs from a store and caches them as ``RunView`` objects; thread-safe."""

    def __init__(self, store: ReadingStore, max_bytes: int = MAX_BYTES) -> None:
        """Start with an empty cache."""
        self._store = store
        self._cache: LRUCache[_Place, RunView] = LRUCache(max_bytes, attrgetter("size"))
        self._lock = Lock()

    def view(self, trace_id: str, reach: Reach, version: int | None = None) -> RunView | None:
        """Return the requested version of a run if it can be read, otherwise the newest.

        ``None`` if the run does not exist or is out of ``reach``, cached or not.
        """
        place = self._place(trace_id, reach, version)
        if place is None or (found := self._find(place)) is not None:
            return None if place is None else found
        whole = self._read(place)
        return None if whole is None else whole.view

    def whole(self, trace_id: str, reach: Reach, version: int | None = None) -> WholeRun | None:
        """Return the version that ``view`` returns, with all its texts, which are never cached."""
        place = self._place(trace_id, reach, version)
        return None if place is None else self._read(place)

    def _place(self, trace_id: str, reach: Reach, version: int | None) -> _Place | None:
        home = self._store.spans.find_home(trace_id, reach)
        stored = home and self._store.documents.versions(trace_id, Reach.only(home.project))
        if not home or not stored:
            return None
        newest = _Place(home, stored[0].version, stored[0].stored_at_ms, is_newest=True)
        if version in (None, newest.version):
            return newest
        kept = (k for k in self._store.versions.list(home) if k.version == version)
        return next((_Place(home, *one, is_newest=False) for one in kept), newest)

    def _read(self, place: _Place) -> WholeRun | None:
        found = self._documents(place)
        if found is None:
            return None
        whole = read_run(found.document, found.spans)
        if whole.view.version == place.version:
            self._store_in_cache(place, whole.view)
        return whole

    def _documents(self, place: _Place) -> Documents | None:
        home = place.home
        if place.is_newest:
            return self._store.documents.both(home.trace_id, Reach.only(home.project))
        return kept_documents(self._store.versions, home, place.version)

    def _find(self, place: _Place) -> RunView | None:
        with self._lock:
            return self._cache.get(place)

    def _store_in_cache(self, place: _Place, view: RunView) -> None:
        if view.size <= self._cache.maxsize:
            with self._lock:
                self._cache[place] = view


def kept_documents(versions: VersionKeeper, home: TraceKey, version: int) -> Documents | None:
    """Return a version stored for its annotations, with spans derived from its document.

    ``None`` if no such version is stored.
    """
    kept = versions.get(home, version)
    if kept is None:
        return None
    document = with_version(kept.document, version)
    return Documents(document, orjson.dumps(spans_of_document(orjson.loads(document))))
