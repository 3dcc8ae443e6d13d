"""Versions of runs: the current version, and annotated versions, which are stored permanently."""

from __future__ import annotations

from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any

import orjson
from cachetools import LRUCache

from spanloom.core.annotation.anchors import Anchors, Fate, anchors_of
from spanloom.core.document import Document
from spanloom.core.formats.canonical import with_version, without_version
from spanloom.core.model.access import Reach
from spanloom.core.ports.annotations import KeptVersion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import VersionKeeper
    from spanloom.core.ports.reading import DocumentReader


MOST_STEPS = 250_000
"""Maximum number of steps in the cache of anchors, over all versions: about 100 MB."""
MOST_AHEAD = 32 << 20
"""Maximum bytes of documents read together."""


class Versions:
    """Reads documents and anchors of versions of runs, and stores annotated versions."""

    def __init__(self, versions: VersionKeeper, documents: DocumentReader) -> None:
        """Read annotated versions from ``versions``, and current documents from ``documents``."""
        self._versions = versions
        self._documents = documents
        self._lock = Lock()
        self._known: LRUCache[tuple[TraceKey, int], Anchors] = LRUCache(MOST_STEPS, _size)

    def current(self, key: TraceKey) -> int:
        """Return the current version of a run; 0 if it is not stored."""
        return self._versions.current(key)

    def document(self, key: TraceKey, version: int) -> bytes | None:
        """Return the document of a version; ``None`` if it is neither annotated nor current."""
        if (kept := self._versions.get(key, version)) is not None:
            return with_version(kept.document, version)
        if self.current(key) != version:
            return None
        document = self._documents.get(key.trace_id, Reach.only(key.project))
        return document if document and _version_in(document) == version else None

    def anchors(self, key: TraceKey, version: int) -> Anchors | None:
        """Return the anchors of a version; ``None`` if it is neither annotated nor current."""
        with self._lock:
            if (known := self._known.get((key, version))) is not None:
                return known
        if (document := self.document(key, version)) is None:
            return None
        return self.keep_anchors(key, version, orjson.loads(document))

    def steps(self, key: TraceKey, version: int) -> Mapping[str, Any]:
        """Return a version's steps, keyed by id, with texts; an empty step if it is unavailable."""
        view = Document(orjson.loads(self.document(key, version) or b"{}"))
        owned = (step for agent in view.agents for step in (agent, *agent.steps))
        return {step.id: step.json for step in (view.root, *owned)}

    def read_ahead(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Read documents of runs together, cache their anchors, and return their versions.

        Runs that exceed the limit of bytes are missing.
        """
        versions: dict[TraceKey, int] = {}
        for key, document in zip(keys, self._documents.many(keys, MOST_AHEAD), strict=False):
            if document is not None:
                versions[key] = _version_in(document)
                self.keep_anchors(key, versions[key], orjson.loads(document))
        return versions

    def keep(self, key: TraceKey, version: int, at_us: int) -> bool:
        """Store a version permanently; return whether it is stored, now or before."""
        if self._versions.has(key, version):
            return True
        if (document := self.document(key, version)) is None:
            return False
        digest = blake2b(digest_size=16)
        for part in without_version(document):
            digest.update(part)
        self._versions.keep(KeptVersion(key, version, digest.hexdigest(), at_us, document))
        return True

    def fates(self, key: TraceKey) -> Mapping[str, Fate]:
        """Return, keyed by span id, the span's current step, or the rule that made it noise."""
        spans = self._documents.spans(key.trace_id, Reach.only(key.project))
        return {
            span["span_id"]: Fate(span.get("step_id"), span.get("rule", ""))
            for span in orjson.loads(spans or b"[]")
        }

    def knows(self, key: TraceKey, version: int) -> bool:
        """Return whether the anchors of a version are in memory."""
        with self._lock:
            return (key, version) in self._known

    def keep_anchors(self, key: TraceKey, version: int, document: Any) -> Anchors:
        """Cache the anchors of the document of a version, and return them."""
        anchors = anchors_of(document)
        anchors.version = version  # equal documents are stored once, with one version
        with self._lock:
            self._known[key, version] = anchors
        return anchors


def _size(anchors: Anchors) -> int:
    """Return the number of steps, limited so that even the largest version can be cached alone."""
    return min(len(anchors.steps), MOST_STEPS)


def _version_in(document: bytes) -> int:
    """Return the version in a document: the number between the two parts of ``without_version``."""
    before, after = without_version(document)
    return int(document[len(before) : len(document) - len(after)])
