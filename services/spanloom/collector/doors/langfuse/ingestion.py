"""Langfuse's ingestion API (``POST /api/public/ingestion``) in front of the one Export.

Events are merged into what is known of their observations (``observations.py``); every changed
observation goes on as one whole span (``spans.py``), in as many export requests as it takes. The
span's newer version holds all that the older one held: it is read and spooled while its trace
is held, and nobody who writes to other traces waits for that.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanloom.collector.doors.langfuse.events import Refusal, read_batch
from spanloom.collector.doors.langfuse.locks import NamedLocks
from spanloom.collector.doors.langfuse.redacting import redact_change
from spanloom.collector.doors.langfuse.spans import encode_observations
from spanloom.core.errors import PermanentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.collector.doors.langfuse.observations import Merged, Observation, Observations
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits

_PARTS = 16
"""An export request ends at this part of what a request may have, 4 MiB of 64 MiB, or behind the
observation that goes beyond it."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of each event of a batch."""

    accepted: Sequence[str]
    refused: Sequence[Refusal]


class LangfuseIngestion:
    """Takes batches; what it says is accepted is fsynced."""

    def __init__(self, exporter: Exporter, observations: Observations, limits: Limits) -> None:
        """Put spans through ``exporter`` and remember observations in ``observations``."""
        self._exporter = exporter
        self._observations = observations
        self._limits = limits
        self._traces = NamedLocks(limits.workers // 2)

    def ingest(self, body: bytes, project: str) -> Ingested:
        """Store a batch's events in the project that the sender's key names; may be repeated.

        Raises ``InvalidRequestError``, ``RequestTooLargeError`` and ``OverloadedError``.
        """
        batch = read_batch(body, self._limits)
        if redactor := self._exporter.redactor:  # before anything is remembered on disk
            for change in batch.changes:
                redact_change(change, redactor)
        merged = self._observations.merge(project, batch.changes)
        batch.changes.clear()  # as large as the body
        refused = [*batch.refused, *merged.refused, *self._store(merged, project)]
        self._exporter.count_dropped("langfuse_events", batch.dropped)
        gone = {refusal.event_id for refusal in refused}
        return Ingested([i for i in batch.accepted if i not in gone], refused)

    def _store(self, merged: Merged, project: str) -> Iterator[Refusal]:
        """Spool the changed observations; yield the events of those that cannot be stored."""
        refused: set[str] = set()
        left = deque(merged.spans)
        while left:
            with self._traces.hold(merged.traces):  # part by part: others get their turn between
                unfit = list(self._export(self._read_part(project, left), project))
            for observation_id, reason in unfit:
                for event_id in merged.spans[observation_id]:
                    if event_id not in refused:
                        refused.add(event_id)
                        yield Refusal(event_id, reason)

    def _read_part(self, project: str, left: deque[str]) -> list[Observation]:
        """Take as many observations as one export request should hold, and read them."""
        part: list[Observation] = []
        size = 0
        while left and size < self._limits.max_request_bytes // _PARTS:
            for observation in self._observations.read(project, [left.popleft()]):
                part.append(observation)
                size += observation.size
        return part

    def _export(self, part: Sequence[Observation], project: str) -> Iterator[tuple[str, str]]:
        """Spool a part as one request; yield id and reason of each that cannot be stored."""
        body = encode_observations(part)
        try:
            with self._exporter.budget.reserve() as share:
                share.grow(len(body))  # beside the request's own, until this part is spooled
                outcome = self._exporter.export_traces(body, project)
            reason = outcome.message if outcome.rejected else ""
        except PermanentError as error:
            reason = str(error)
        if reason and len(part) == 1:
            yield part[0].id, reason
        elif reason:
            for observation in part:  # the others must not suffer from one
                yield from self._export([observation], project)
