"""Versions of runs: the current one, and those that were annotated."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.annotation.anchors import Anchors, anchors_of
from spanloom.core.annotation.states import Fate
from spanloom.core.formats.canonical import with_version, without_version
from spanloom.core.model.tenancy import Reach
from spanloom.core.ports.annotations import KeptVersion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.reading import ReadingStore


MOST_STEPS = 250_000
"""Steps whose anchors are remembered, of all versions together: some 100 MB."""
MOST_AHEAD = 32 << 20
"""Bytes of documents that are read together."""


class Versions:
    """Gives documents and anchors of versions, and keeps those that are annotated."""

    def __init__(self, store: ReadingStore) -> None:
        """Take the store."""
        self._store = store
        self._lock = Lock()
        self._known: OrderedDict[tuple[TraceKey, int], Anchors] = OrderedDict()

    def current(self, key: TraceKey) -> int:
        """Return the version that is stored now; 0 if there is none."""
        return self._store.current_version(key)

    def document(self, key: TraceKey, version: int) -> bytes | None:
        """Return the document of a version, the current one or one that was kept."""
        if (kept := self._store.kept_version(key, version)) is not None:
            return with_version(kept.document, version)
        if self.current(key) != version:
            return None
        document = self._store.document(key.trace_id, Reach.only(key.project))
        return document if document and _version_in(document) == version else None

    def anchors(self, key: TraceKey, version: int) -> Anchors | None:
        """Return the anchors of a version; ``None`` if nobody kept it."""
        with self._lock:
            if (known := self._known.get((key, version))) is not None:
                self._known.move_to_end((key, version))
                return known
        if (document := self.document(key, version)) is None:
            return None
        return self._remember(key, version, orjson.loads(document))

    def steps(self, key: TraceKey, version: int) -> Mapping[str, Any]:
        """Return the steps of a version by their ids, with their texts; none if nobody kept it."""
        document = orjson.loads(self.document(key, version) or b"{}")
        agents = document.get("agent_steps", ())
        owned = (step for agent in agents for step in (agent, *agent["steps"]))
        return {step["id"]: step for step in (document.get("root_step", {"id": ""}), *owned)}

    def read_ahead(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Return the current versions of runs whose documents are read together.

        Their anchors are remembered. Of the runs some may be missing, as what has no room is.
        """
        found: dict[TraceKey, int] = {}
        for key, document in zip(keys, self._store.documents_of(keys, MOST_AHEAD), strict=False):
            if document is not None:
                found[key] = _version_in(document)
                self._remember(key, found[key], orjson.loads(document))
        return found

    def keep(self, key: TraceKey, version: int, at_us: int) -> bool:
        """Keep a version for good; return whether it is kept, now or already."""
        if self._store.has_kept(key, version):
            return True
        if (document := self.document(key, version)) is None:
            return False
        said = blake2b(digest_size=16)
        for part in without_version(document):
            said.update(part)
        self._store.keep_version(KeptVersion(key, version, said.hexdigest(), at_us, document))
        return True

    def fates(self, key: TraceKey) -> Mapping[str, Fate]:
        """Return what became of each span in the current version."""
        spans = self._store.spans_document(key.trace_id, Reach.only(key.project))
        return {
            span["span_id"]: Fate(span.get("step_id"), span.get("rule", ""))
            for span in orjson.loads(spans or b"[]")
        }

    def _remember(self, key: TraceKey, version: int, document: Any) -> Anchors:
        found = anchors_of(document)
        found.version = version  # versions that say the same are kept once
        with self._lock:
            self._known[key, version] = found
            while (
                sum(len(a.steps) for a in self._known.values()) > MOST_STEPS
                and len(self._known) > 1
            ):
                self._known.popitem(last=False)
        return found


def _version_in(document: bytes) -> int:
    """Return the version that a document names: what stands between its two parts."""
    before, after = without_version(document)
    return int(document[len(before) : len(document) - len(after)])
