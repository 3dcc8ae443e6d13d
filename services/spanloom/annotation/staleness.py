"""Finds stale scores, that is, scores whose run has changed since, whenever scores are read.

A score of the current version is not stale. For other versions the current document is read, up to
``MOST_RUNS`` runs and ``MOST_BYTES`` for one response. Scores of evaluators are compared by the
fingerprint of their view, scores of steps by the step's hash, like annotations. If a limit is
exceeded, or a score has neither fingerprint nor hash, it is unknown whether the score is stale.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import orjson
from cachetools import LRUCache

from spanloom.core.annotation.anchors import COUNTING, current_state
from spanloom.core.model.annotation import Anchor
from spanloom.core.scoring.placing import BY_TELEMETRY
from spanloom.evaluation.contract.view import named_fingerprint, view_named_in
from spanloom.evaluation.subject.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.annotation.versions import Versions
    from spanloom.core.model.score import Score
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import VersionKeeper
    from spanloom.core.ports.reading import DocumentReader
    from spanloom.evaluation.contract.view import Part

MOST_RUNS = 200
"""Maximum number of documents that are read for one response."""
MOST_BYTES, MOST_EACH = 32 << 20, 8 << 20
"""Maximum bytes of documents that are read for one response, and of a single document."""
MOST_CACHED = 20_000
"""Maximum number of fingerprints of current documents in memory."""
TOGETHER = 1_000
"""Scores whose current versions are queried together."""


class _Left:
    """The remaining limits of one response."""

    def __init__(self) -> None:
        self.runs, self.bytes = MOST_RUNS, MOST_BYTES


class _Now(NamedTuple):
    """The current version of a run, with the views and step hashes to compute."""

    key: TraceKey
    version: int
    views: AbstractSet[AbstractSet[Part]]
    has_steps: bool
    """Whether a score is compared by the hash of its step."""


class Staleness:
    """Compares scores with the current versions of their runs."""

    def __init__(
        self, keeper: VersionKeeper, documents: DocumentReader, versions: Versions
    ) -> None:
        """Read current documents from ``documents``; ``versions`` caches the anchors of steps."""
        self._keeper = keeper
        self._documents = documents
        self._versions = versions
        self._lock = Lock()
        self._fingerprints: LRUCache[tuple[TraceKey, int, AbstractSet[Part]], str] = LRUCache(
            MOST_CACHED
        )

    def each(self, scores: Iterable[Score]) -> Iterator[tuple[Score, bool | None]]:
        """Yield the scores of one response in order, each with whether it is stale.

        ``None`` is unknown. Scores are read in batches, because there may be very many.
        """
        left, waiting = _Left(), iter(scores)
        while some := list(islice(waiting, TOGETHER)):
            yield from zip(some, self._of(some, left), strict=True)

    def with_hashes(self, scores: Sequence[Score]) -> Sequence[Score]:
        """Return the scores, with the hash of the step in scores of steps of the current version.

        The hash anchors a score to its step. Documents are read within the limits of one response;
        scores beyond these limits get no hash. Scores that have a hash or a fingerprint are
        unchanged.
        """
        steps = [one for one in scores if one.target == "step" and not _has_anchor(one)]
        current = self._keeper.currents(sorted({one.key for one in steps})) if steps else {}
        now = [_Now(key, version, frozenset(), has_steps=True) for key, version in current.items()]
        self._read([one for one in now if not self._has(one)], _Left())
        return [self._hashed(one, current.get(one.key, 0)) for one in scores]

    def _hashed(self, score: Score, version: int) -> Score:
        is_of_it = score.target == "step" and score.judged_version in (0, version)
        if _has_anchor(score) or not is_of_it or not self._versions.knows(score.key, version):
            return score
        now = self._versions.anchors(score.key, version)
        step = now.by_id.get(score.step_id) if now else None
        return replace(score, step_hash=step.hash) if step else score

    def _of(self, scores: Sequence[Score], left: _Left) -> Iterator[bool | None]:
        keys = {score.key for score in scores if score.key.trace_id}
        current = self._keeper.currents(sorted(keys)) if keys else {}
        self._read([now for now in _needed(scores, current) if not self._has(now)], left)
        for score in scores:
            version = current.get(score.key, 0)
            if not version:
                yield None
            elif score.judged_version == version:
                yield False
            else:
                yield self._is_stale(score, version)

    def _has(self, now: _Now) -> bool:
        """Return whether everything that is needed for a run is cached."""
        with self._lock:
            has_views = all(
                (now.key, now.version, view) in self._fingerprints for view in now.views
            )
        return has_views and not (now.has_steps and not self._versions.knows(now.key, now.version))

    def _read(self, needed: Sequence[_Now], left: _Left) -> None:
        """Read the documents of runs, within the limits."""
        waiting = list(needed)
        while waiting and left.runs > 0 and left.bytes > 0:
            some = waiting[: left.runs]
            keys = [now.key for now in some]
            documents = self._documents.many(keys, left.bytes, MOST_EACH)
            for now, document in zip(some, documents, strict=False):
                if document is not None:
                    left.bytes -= len(document)
                    self._keep(now, document)
            left.runs -= len(documents)
            waiting = waiting[len(documents) :]

    def _keep(self, now: _Now, document: bytes) -> None:
        try:
            value = orjson.loads(document)
            if now.has_steps:
                self._versions.keep_anchors(now.key, now.version, value)
            read = Run(value).document
            made = {view: named_fingerprint(read, view) for view in now.views}
        except Exception:  # unreadable, so staleness is unknown
            return
        with self._lock:
            for view, text in made.items():
                self._fingerprints[now.key, now.version, view] = text

    def _is_stale(self, score: Score, version: int) -> bool | None:
        if (view := view_named_in(score.view_fingerprint)) is not None:
            with self._lock:
                known = self._fingerprints.get((score.key, version, view))
            return None if known is None else known != score.view_fingerprint
        if not _has_step_hash(score) or not self._versions.knows(score.key, version):
            return None
        if (now := self._versions.anchors(score.key, version)) is None:
            return None
        anchor = Anchor(score.judged_version, score.step_hash)
        standing = current_state(
            score.step_id, anchor, now, lambda: self._versions.fates(score.key)
        )
        return standing.state not in COUNTING


def _needed(scores: Sequence[Score], current: Mapping[TraceKey, int]) -> Iterator[_Now]:
    """Yield the runs whose document is needed, in the order of their first score."""
    views: defaultdict[TraceKey, set[AbstractSet[Part]]] = defaultdict(set)
    steps: set[TraceKey] = set()
    for score in scores:
        if current.get(score.key, score.judged_version) == score.judged_version:
            continue
        if (view := view_named_in(score.view_fingerprint)) is not None:
            views[score.key].add(view)
        elif _has_step_hash(score):
            steps.add(score.key)
            views[score.key] |= set()
    for key, wanted in views.items():
        yield _Now(key, current[key], wanted, key in steps)


def _has_anchor(score: Score) -> bool:
    """Return whether a score has a step hash or a view fingerprint."""
    return bool(score.step_hash or score.view_fingerprint)


def _has_step_hash(score: Score) -> bool:
    """Return whether a score has the hash of its step, not a reference to telemetry."""
    return (
        score.target == "step"
        and bool(score.step_hash)
        and not score.step_hash.startswith(BY_TELEMETRY)
    )
