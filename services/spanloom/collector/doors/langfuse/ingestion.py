"""Langfuse's ingestion API (``POST /api/public/ingestion``): redacted, then exported."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanloom.collector.doors.langfuse.events import Refusal, read_batch
from spanloom.collector.doors.langfuse.fields import CREATED, METADATA, Subject
from spanloom.collector.doors.langfuse.observations import NamedLocks
from spanloom.collector.doors.langfuse.spans import (
    OBSERVATION,
    OBSERVATION_METADATA,
    REDACTED,
    TRACE,
    TRACE_METADATA,
    encode_observations,
)
from spanloom.collector.intake.redaction.rules import Place
from spanloom.collector.intake.redaction.walk import is_gone
from spanloom.core.conventions.run_context import write_counts
from spanloom.core.errors import PermanentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.collector.doors.langfuse.fields import Change
    from spanloom.collector.doors.langfuse.observations import Merged, Observation, Observations
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits
    from spanloom.collector.intake.redaction.redactor import Redactor
    from spanloom.collector.intake.redaction.walk import Findings


_STRUCTURE = frozenset(
    {
        "traceId",
        "parentObservationId",
        "startTime",
        "endTime",
        "completionStartTime",
        "type",
        "level",
        CREATED,
    }
)

_TEXTS = {"statusMessage": Place.STATUS, "name": Place.NAMES}
"""Fields that also become a span's message and name."""


def redact_change(change: Change, redactor: Redactor) -> None:
    """Take what must not be stored out of the fields of one event, in place."""
    is_error = change.fields.get("level") == "ERROR"
    for name, value in list(change.fields.items()):
        if name in _STRUCTURE or not isinstance(value, str | bool | int | float):
            continue
        found: Findings = Counter()
        key = _key(change.subject, name)
        if is_error and name == "output":  # an error's text may stand here: a status message
            left = redactor.text(Place.STATUS, str(value), found)
            new = redactor.by_rules(Place.SPAN, key, left, found)
        else:
            new = redactor.value(Place.SPAN, key, value, found)
            if name in _TEXTS and isinstance(new, str):
                new = redactor.text(_TEXTS[name], new, found)
        shown = redactor.key(Place.SPAN, name, found)
        del change.fields[name]
        if not is_gone(new):
            change.fields[shown] = new
        if found:
            redactor.count(found)
            counts = Counter({rule: n for (rule, _), n in found.items()})
            change.fields[REDACTED + shown] = write_counts(counts)


def _key(subject: Subject, name: str) -> str:
    """Return the attribute that a field becomes."""
    is_trace = subject is Subject.TRACE
    if name.startswith(METADATA):
        return (TRACE_METADATA if is_trace else OBSERVATION_METADATA) + name[len(METADATA) :]
    known = TRACE if is_trace else OBSERVATION
    prefix = "langfuse.trace." if is_trace else "langfuse.observation."
    return known.get(name, prefix + name)


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
