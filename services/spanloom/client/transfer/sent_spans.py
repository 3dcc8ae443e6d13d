"""Skips the spans of a file that a service already has; compares them one by one.

A request is skipped if the service has an equal copy of each span, in the project that the span
names. Spans that cannot be compared are sent, and the store keeps one copy of each span.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from spanloom.core.conventions.projects import project_of
from spanloom.core.formats.otlp import digests_of, read_resource_spans, sent_groups
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.formats.json_bytes import Json

FindSpans: TypeAlias = "Callable[[TraceKey], Iterable[bytes]]"
"""Returns the spans of a trace that the service has, as messages of ``TracesData``."""
MOST_KEPT = 50_000
"""Maximum number of the service's spans and traces that are cached for further requests."""
_NO_OTLP = (AttributeError, KeyError, TypeError, ValueError)


class SentSpans:
    """Compares the spans of a file with those that a service has."""

    def __init__(self, find: FindSpans) -> None:
        """Look up the stored spans of each trace with ``find``, and cache them."""
        self._find = find
        self._kept: dict[TraceKey, AbstractSet[bytes]] = {}
        self._kept_spans = 0
        self._is_same: dict[TraceKey, bool] = {}
        """Trace of the file → whether the service has all its spans that were compared so far."""
        self.unchanged_runs = 0
        """Number of the file's traces of which the service has all spans compared so far."""

    def begin(self) -> None:
        """Start a new file: forget which traces of the previous file the service has."""
        self._is_same, self.unchanged_runs = {}, 0

    def has(self, body: bytes) -> bool:
        """Return whether the service has every span of a request, which is JSON."""
        try:
            groups: Sequence[Json] = orjson.loads(body)["resourceSpans"]
            known = {key: self._digests(key) for group in groups for key in _keys_in(group)}
            found = _digests_in(groups) if any(known.values()) else {}
        except _NO_OTLP:
            return False  # the receiver reports the fault
        for key in found:
            self._note(key, is_same=found[key] <= known[key])
        return bool(found) and all(found[key] <= known[key] for key in known)

    def _note(self, key: TraceKey, *, is_same: bool) -> None:
        before = self._is_same.get(key)
        self._is_same[key] = is_same and before is not False
        self.unchanged_runs += self._is_same[key] - bool(before)

    def _digests(self, key: TraceKey) -> AbstractSet[bytes]:
        if (digests := self._kept.get(key)) is None:
            groups = (group for data in self._find(key) for group in sent_groups(data))
            digests = self._kept[key] = {one for group in groups for _, one in digests_of(group)}
            self._kept_spans += len(digests)
            while len(self._kept) > 1 and self._kept_spans + len(self._kept) > MOST_KEPT:
                self._kept_spans -= len(self._kept.pop(next(iter(self._kept))))
        return digests


def _keys_in(group: Json) -> Iterator[TraceKey]:
    project = _project_of(group)
    for scope_spans in group["scopeSpans"]:
        for span in scope_spans["spans"]:
            yield TraceKey(project, span["traceId"].lower())


def _project_of(group: Json) -> str:
    attributes: Sequence[Any] = (group.get("resource") or {}).get("attributes") or ()
    values = ((one["key"], one.get("value") or {}) for one in attributes)
    return project_of({key: value.get("stringValue", "") for key, value in values})


def _digests_in(groups: Iterable[Json]) -> defaultdict[TraceKey, set[bytes]]:
    digests: defaultdict[TraceKey, set[bytes]] = defaultdict(set)
    for group in groups:
        project = _project_of(group)
        for trace_id, digest in digests_of(read_resource_spans(group)):
            digests[TraceKey(project, trace_id)].add(digest)
    return digests
