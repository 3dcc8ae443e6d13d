"""Merges events into Langfuse's observations and traces, which are stored on disk."""

from __future__ import annotations

import time
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition
from typing import TYPE_CHECKING

import orjson

from spanloom.collector.doors.langfuse import fields as known_fields
from spanloom.collector.doors.langfuse.events import Refusal
from spanloom.collector.doors.langfuse.fields import Subject, trace_id_of
from spanloom.collector.doors.langfuse.observation_file import MAX_BYTES, ObservationFile
from spanloom.core.errors import OverloadedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from spanloom.collector.doors.langfuse.fields import Change, Fields
    from spanloom.metrics import Metrics


MAX_ITEM_BYTES = 16 * 1024**2
"""Size limit of one observation or trace; a span made from both must fit into one request."""
MAX_TOPS = 1_000
"""Maximum number of observations that are rewritten when their trace changes."""
_TRANSACTION_BYTES = 1024**2
"""Bytes written in one transaction; then other requests may write.

A request may be split into transactions, because merging is idempotent.
"""

_FORGOTTEN = (
    "Observation {} is no longer cached, because it had no updates for long: its stored span is "
    "not changed."
)
_OBSERVATION = Subject.OBSERVATION
_Key = tuple[Subject, str]


@dataclass(frozen=True, slots=True)
class Observation:
    """The known fields of an observation, and of its trace if the observation is top-level."""

    id: str
    trace_id: str
    fields: dict[str, object]
    first_seen_ns: int
    """The time of the observation's earliest event; its start time if no event set one."""
    trace: dict[str, object]
    size: int
    """Approximate size of the observation's span in bytes."""

    @property
    def parent_id(self) -> str:
        """Id of the parent observation; empty if the observation is top-level."""
        return str(self.fields.get("parentObservationId", ""))


@dataclass(slots=True)
class Merged:
    """The observations and traces that the events of one request changed."""

    spans: dict[str, list[str]] = field(default_factory=dict)
    """Ids of observations to store again, with the ids of the events that changed them."""
    traces: set[bytes] = field(default_factory=set)
    """OTLP trace ids of the observations in ``spans``."""
    refused: list[Refusal] = field(default_factory=list)


class Observations:
    """Stores observations and traces; merged events are fsynced when ``merge`` returns."""

    def __init__(
        self,
        path: Path,
        metrics: Metrics,
        *,
        max_bytes: int = MAX_BYTES,
        max_item_bytes: int = MAX_ITEM_BYTES,
        clock_s: Callable[[], float] = time.time,
    ) -> None:
        """Open the file, creating it if it is missing; raises ``StartupError``."""
        self._file = ObservationFile(path, metrics, max_bytes, clock_s)
        self._max_item_bytes = max_item_bytes

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def merge(self, project: str, changes: Iterable[Change]) -> Merged:
        """Merge events and return which spans they change; callable from many threads.

        Raises ``OverloadedError`` if the disk is full. Some events may have been merged before the
        error, which does no harm, because merging the repeated request changes nothing.
        """
        merged = Merged()
        groups = deque(_by_subject(changes).items())
        traces: dict[str, list[str]] = {}
        while groups:
            with self._file.transaction():
                written = 0
                while groups and written < _TRANSACTION_BYTES:
                    (subject, known_id), group = groups.popleft()
                    written += self._merge_one(project, (subject, known_id), group, merged)
                    if subject is Subject.TRACE:
                        traces[known_id] = [change.stamp.event_id for change in group]
        for trace_id, event_ids in traces.items():
            for top in self._file.top_level_ids(project, trace_id, MAX_TOPS):
                merged.spans.setdefault(top, []).extend(event_ids)
                merged.traces.add(trace_id_of(trace_id))
        return merged

    def read(self, project: str, known_ids: Iterable[str]) -> Iterator[Observation]:
        """Yield observations one at a time; skip those whose create event has not arrived.

        Raises ``OverloadedError`` if an observation has already been evicted.
        """
        for known_id in known_ids:
            if (observation := self._read(project, known_id)) is not None:
                yield observation

    def _read(self, project: str, known_id: str) -> Observation | None:
        row = self._file.read(project, _OBSERVATION, known_id)
        if row is None:
            raise OverloadedError("Too many requests are in progress: try again.")
        fields, size = row
        trace_id = known_fields.trace_of(known_id, fields)
        if trace_id is None:
            return None
        trace: Fields = {}
        if known_fields.is_top_level(fields):
            trace, trace_size = self._file.read(project, Subject.TRACE, trace_id) or ({}, 0)
            size += trace_size
        return Observation(
            known_id,
            trace_id,
            known_fields.values(fields),
            known_fields.first_seen_ns(fields),
            known_fields.values(trace),
            size,
        )

    def _merge_one(self, project: str, key: _Key, changes: Sequence[Change], merged: Merged) -> int:
        """Merge the events of one observation or trace; return the number of bytes written."""
        subject, known_id = key
        row = self._file.read(project, subject, known_id)
        fields = {} if row is None else row[0]
        known_fields.merge(fields, changes)
        body = orjson.dumps(fields)
        event_ids = [change.stamp.event_id for change in changes]
        if row is None and self._is_forgotten(project, key, fields):
            merged.refused += [Refusal(i, _FORGOTTEN.format(known_id), 404) for i in event_ids]
            return 0
        if len(body) > self._max_item_bytes:
            reason = f"The {subject} {known_id} would exceed {self._max_item_bytes} bytes."
            merged.refused += [Refusal(i, reason, 413) for i in event_ids]
            return 0
        trace_id = known_fields.trace_of(known_id, fields) if subject is _OBSERVATION else None
        top_of = trace_id if known_fields.is_top_level(fields) else None
        span_trace = None if trace_id is None else trace_id_of(trace_id)
        self._file.write(project, subject, known_id, body, span_trace, top_of)
        if span_trace is not None:
            merged.spans[known_id] = event_ids
            merged.traces.add(span_trace)
        return len(body)

    def _is_forgotten(self, project: str, key: _Key, fields: Fields) -> bool:
        """Return whether events with an unknown id belong to an evicted observation with a span.

        If the events name another trace, they belong to another observation with the same id.
        """
        subject, known_id = key
        if subject is not _OBSERVATION:
            return False
        if (forgotten := self._file.forgotten_trace(project, known_id)) is None:
            return False
        named = known_fields.trace_named(fields) or known_fields.trace_of(known_id, fields)
        return named is None or trace_id_of(named) == forgotten


def _by_subject(changes: Iterable[Change]) -> dict[_Key, list[Change]]:
    groups: dict[_Key, list[Change]] = {}
    for change in changes:
        groups.setdefault((change.subject, change.id), []).append(change)
    return groups


class NamedLocks:
    """Named locks, which exist only while held.

    A thread acquires all its names at once, so that two threads cannot wait for each other.
    """

    def __init__(self, max_waiting: int) -> None:
        """Allow ``max_waiting`` threads to wait, so that the other threads stay free."""
        self._max_waiting = max_waiting
        self._waiting = 0
        self._held: set[bytes] = set()
        self._released = Condition()

    @contextmanager
    def hold(self, names: AbstractSet[bytes]) -> Iterator[None]:
        """Wait until none of the names is held, then hold them all.

        Raises ``OverloadedError`` if too many threads are waiting.
        """
        with self._released:
            if not self._held.isdisjoint(names):
                self._wait(names)
            self._held |= names
        try:
            yield
        finally:
            with self._released:
                self._held -= names
                self._released.notify_all()

    def _wait(self, names: AbstractSet[bytes]) -> None:
        if self._waiting >= self._max_waiting:
            raise OverloadedError("Too many requests write to one trace: try again.")
        self._waiting += 1
        try:
            self._released.wait_for(lambda: self._held.isdisjoint(names))
        finally:
            self._waiting -= 1
