"""Runs as they are shown, those looked at last kept: a page asks for many pieces of one version."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.core.formats.canonical import with_version
from spanloom.core.model.tenancy import Reach
from spanloom.core.outline.kept import spans_of_document
from spanloom.core.outline.view import RunView, WholeRun, read_run
from spanloom.core.ports.reading import Documents

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import VersionKeeper
    from spanloom.core.ports.reading import ReadingStore

MAX_BYTES = 128 << 20
"""Of all that is kept. One that is larger by itself is read again for every piece."""


class _Place(NamedTuple):
    """One version of a run. A run that is deleted and sent again begins with version 1 again."""

    home: TraceKey
    version: int
    at: int
    """When it was stored; of one that was kept, when that was."""
    is_newest: bool


class RunViews:
    """Reads runs from a store; may be called from several threads."""

    def __init__(self, store: ReadingStore, max_bytes: int = MAX_BYTES) -> None:
        """Begin with nothing kept."""
        self._store = store
        self._max_bytes = max_bytes
        self._kept: OrderedDict[_Place, RunView] = OrderedDict()
        self._lock = Lock()

    def view(self, trace_id: str, reach: Reach, version: int | None = None) -> RunView | None:
        """Return the version of a run that is asked for if it can be read, else the newest.

        A caller who may not see the run gets ``None``, whatever others have looked at.
        """
        place = self._place(trace_id, reach, version)
        if place is None or (found := self._find(place)) is not None:
            return None if place is None else found
        whole = self._read(place)
        return None if whole is None else whole.view

    def whole(self, trace_id: str, reach: Reach, version: int | None = None) -> WholeRun | None:
        """Return the same with all its texts."""
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
            self._keep(place, whole.view)
        return whole

    def _documents(self, place: _Place) -> Documents | None:
        home = place.home
        if place.is_newest:
            return self._store.documents.both(home.trace_id, Reach.only(home.project))
        return kept_documents(self._store.versions, home, place.version)

    def _find(self, place: _Place) -> RunView | None:
        with self._lock:
            found = self._kept.get(place)
            if found is not None:
                self._kept.move_to_end(place)
            return found

    def _keep(self, place: _Place, view: RunView) -> None:
        if view.size > self._max_bytes:
            return
        with self._lock:
            self._kept[place] = view
            while sum(kept.size for kept in self._kept.values()) > self._max_bytes:
                self._kept.popitem(last=False)


def kept_documents(versions: VersionKeeper, home: TraceKey, version: int) -> Documents | None:
    """Return a version that was kept, with the spans that its document tells of."""
    kept = versions.get(home, version)
    if kept is None:
        return None
    document = with_version(kept.document, version)
    return Documents(document, orjson.dumps(spans_of_document(orjson.loads(document))))
