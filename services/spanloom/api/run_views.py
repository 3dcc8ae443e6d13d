"""Runs as they are shown, those looked at last kept: a page asks for many pieces of one version."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from spanloom.core.model.tenancy import Reach
from spanloom.core.outline.view import RunView, WholeRun, read_run

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.reading import ReadingStore

MAX_BYTES = 128 << 20
"""Of all that is kept. One that is larger by itself is read again for every piece."""


class RunViews:
    """Reads runs from a store; may be called from several threads."""

    def __init__(self, store: ReadingStore, max_bytes: int = MAX_BYTES) -> None:
        """Begin with nothing kept."""
        self._store = store
        self._max_bytes = max_bytes
        self._kept: OrderedDict[tuple[TraceKey, int], RunView] = OrderedDict()
        self._lock = Lock()

    def view(self, trace_id: str, reach: Reach, version: int | None = None) -> RunView | None:
        """Return the version of a run that is asked for if it is kept, else the newest.

        A caller who may not see the run gets ``None``, whatever others have looked at.
        """
        home = self._store.find_home(trace_id, reach)
        if home is not None and version is not None and (kept := self._find(home, version)):
            return kept
        whole = self._read(home)
        return None if whole is None else whole.view

    def whole(self, trace_id: str, reach: Reach) -> WholeRun | None:
        """Return the newest version of a run with all its texts."""
        return self._read(self._store.find_home(trace_id, reach))

    def _read(self, home: TraceKey | None) -> WholeRun | None:
        if home is None:
            return None
        found = self._store.both_documents(home.trace_id, Reach.only(home.project))
        if found is None:
            return None
        whole = read_run(found.document, found.spans)
        self._keep(home, whole.view)
        return whole

    def _find(self, home: TraceKey, version: int) -> RunView | None:
        with self._lock:
            found = self._kept.get((home, version))
            if found is not None:
                self._kept.move_to_end((home, version))
            return found

    def _keep(self, home: TraceKey, view: RunView) -> None:
        if view.size > self._max_bytes:
            return
        with self._lock:
            self._kept[home, view.version] = view
            while sum(kept.size for kept in self._kept.values()) > self._max_bytes:
                self._kept.popitem(last=False)
