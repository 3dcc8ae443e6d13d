"""Endpoints for Langfuse's ingestion API (``POST /api/public/ingestion``)."""

from __future__ import annotations

import time
from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

import orjson

from spanloom.collector.doors.door import JSON_ONLY, Accepted, Door, Received
from spanloom.collector.doors.http_messages import Answer, answer_error
from spanloom.collector.doors.langfuse.events import Refusal, read_batch
from spanloom.collector.doors.langfuse.fields import CREATED, METADATA, Subject
from spanloom.collector.doors.langfuse.observations import NamedLocks
from spanloom.collector.doors.langfuse.scores import encode_scores, read_score
from spanloom.collector.doors.langfuse.spans import (
    OBSERVATION,
    OBSERVATION_METADATA,
    REDACTED,
    TRACE,
    TRACE_METADATA,
    encode_observations,
)
from spanloom.collector.doors.otlp.json import load_json
from spanloom.collector.doors.status import build_status
from spanloom.collector.intake.findings import Findings
from spanloom.collector.intake.redaction.rules import Place
from spanloom.collector.intake.redaction.walk import is_gone
from spanloom.core.conventions.run_context import write_counts
from spanloom.core.errors import InvalidRequestError, PermanentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.collector.doors.http_messages import RequestHead
    from spanloom.collector.doors.langfuse.fields import Change
    from spanloom.collector.doors.langfuse.observations import Merged, Observation, Observations
    from spanloom.collector.doors.langfuse.scores import Score
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits
    from spanloom.collector.intake.redaction.redactor import Redactor
    from spanloom.collector.intake.redaction.walk import Matches


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
"""Fields that also become a span's status message or name, with the ``Place`` of their rules."""


def redact_change(change: Change, redactor: Redactor) -> None:
    """Redact the fields of one event, in place."""
    is_error = change.fields.get("level") == "ERROR"
    for name, value in list(change.fields.items()):
        if name in _STRUCTURE or not isinstance(value, str | bool | int | float):
            continue
        matches: Matches = Counter()
        key = _key(change.subject, name)
        if is_error and name == "output":  # may become the status message
            redacted = redactor.text(Place.STATUS, str(value), matches)
            new = redactor.by_rules(Place.SPAN, key, redacted, matches)
        else:
            new = redactor.value(Place.SPAN, key, value, matches)
            if name in _TEXTS and isinstance(new, str):
                new = redactor.text(_TEXTS[name], new, matches)
        shown = redactor.key(Place.SPAN, name, matches)
        del change.fields[name]
        if not is_gone(new):
            change.fields[shown] = new
        if matches:
            redactor.count(matches)
            counts = Counter({rule: n for (rule, _), n in matches.items()})
            change.fields[REDACTED + shown] = write_counts(counts)


def _key(subject: Subject, name: str) -> str:
    """Return the key of the span attribute to which a field of an event is converted."""
    is_trace = subject is Subject.TRACE
    if name.startswith(METADATA):
        return (TRACE_METADATA if is_trace else OBSERVATION_METADATA) + name[len(METADATA) :]
    known = TRACE if is_trace else OBSERVATION
    prefix = "langfuse.trace." if is_trace else "langfuse.observation."
    return known.get(name, prefix + name)


_PARTS = 16
"""An export request gets no more observations once it exceeds 1 / ``_PARTS`` of the size limit.

That is 4 MiB of 64 MiB; the last observation may be much larger.
"""


@dataclass(frozen=True, slots=True)
class Ingested:
    """The results of a batch: ids of accepted events, and rejected events."""

    accepted: Sequence[str]
    refused: Sequence[Refusal]


class LangfuseIngestion:
    """Handles batches of events; events reported as accepted are fsynced."""

    def __init__(self, exporter: Exporter, observations: Observations, limits: Limits) -> None:
        """Export spans with ``exporter`` and store the merged fields in ``observations``."""
        self._exporter = exporter
        self._observations = observations
        self._limits = limits
        self._traces = NamedLocks(limits.workers // 2)

    def ingest(self, body: bytes, project: str) -> Ingested:
        """Store a batch's events in the project of the sender's key; idempotent.

        Raises ``InvalidRequestError``, ``RequestTooLargeError`` and ``OverloadedError``.
        """
        batch = read_batch(body, self._limits)
        if redactor := self._exporter.redactor:  # before anything is written to disk
            for change in batch.changes:
                redact_change(change, redactor)
        merged = self._observations.merge(project, batch.changes)
        batch.changes.clear()  # the changes take as much memory as the body
        refused = [*batch.refused, *merged.refused, *self._store(merged, project)]
        refused += self._store_scores(batch.scores, project)
        self._exporter.count_dropped("langfuse_events", batch.dropped)
        gone = {refusal.event_id for refusal in refused}
        return Ingested([i for i in batch.accepted if i not in gone], refused)

    def ingest_score(self, body: bytes, project: str) -> str:
        """Store one score and return its id; raises the same errors as ``ingest``."""
        score = read_score(load_json(body, self._limits), str(uuid4()), time.time_ns())
        for refusal in self._store_scores([score], project):
            raise InvalidRequestError(refusal.reason)
        return score.id

    def ingest_scores(self, body: bytes, project: str) -> Ingested:
        """Store a list of scores, which newer SDKs send; raises the same errors as ``ingest``."""
        document = load_json(b'{"scores":%b}' % body, self._limits)
        scores, refused = [], []
        bodies = document["scores"]
        for place, one in enumerate(bodies if isinstance(bodies, list) else []):
            try:
                if not isinstance(one, dict):
                    raise InvalidRequestError("A score must be an object.")
                scores.append(read_score(one, str(uuid4()), time.time_ns()))
            except InvalidRequestError as error:
                refused.append(Refusal(str(place), str(error)))
        refused += self._store_scores(scores, project)
        gone = {refusal.event_id for refusal in refused}
        return Ingested([s.event_id for s in scores if s.event_id not in gone], refused)

    def _store_scores(self, scores: Sequence[Score], project: str) -> Iterator[Refusal]:
        """Spool scores like log records; yield a refusal for each score that is not stored."""
        if not scores:
            return
        body = encode_scores(scores, self._exporter.fingerprint_key)
        try:
            with self._exporter.budget.reserve() as share:
                share.grow(len(body))
                outcome = self._exporter.export_logs(body, b"", Findings(), project)
            reason = outcome.message if outcome.rejected else ""
        except PermanentError as error:
            reason = str(error)
        if reason and len(scores) == 1:
            yield Refusal(scores[0].event_id, reason)
        elif reason:
            for score in scores:
                yield from self._store_scores([score], project)

    def _store(self, merged: Merged, project: str) -> Iterator[Refusal]:
        """Spool the changed observations; yield a refusal per event of a rejected observation."""
        refused: set[str] = set()
        remaining = deque(merged.spans)
        while remaining:
            with self._traces.hold(merged.traces):  # held for one export, then others proceed
                unfit = list(self._export(self._read_part(project, remaining), project))
            for observation_id, reason in unfit:
                for event_id in merged.spans[observation_id]:
                    if event_id not in refused:
                        refused.add(event_id)
                        yield Refusal(event_id, reason)

    def _read_part(self, project: str, remaining: deque[str]) -> list[Observation]:
        """Remove ids from ``remaining``; return their observations, enough for one request."""
        part: list[Observation] = []
        size = 0
        while remaining and size < self._limits.max_request_bytes // _PARTS:
            for observation in self._observations.read(project, [remaining.popleft()]):
                part.append(observation)
                size += observation.size
        return part

    def _export(self, part: Sequence[Observation], project: str) -> Iterator[tuple[str, str]]:
        """Spool observations as one request; yield id and reason of each refused observation."""
        body = encode_observations(part)
        try:
            with self._exporter.budget.reserve() as share:
                share.grow(len(body))  # in addition to the body of the request
                outcome = self._exporter.export_traces(body, project)
            reason = outcome.message if outcome.rejected else ""
        except PermanentError as error:
            reason = str(error)
        if reason and len(part) == 1:
            yield part[0].id, reason
        elif reason:
            for observation in part:  # one observation must not fail the others
                yield from self._export([observation], project)


def make_langfuse_doors(langfuse: LangfuseIngestion) -> Mapping[str, Door]:
    """Return the endpoints for Langfuse's API, keyed by path."""

    def ingest(request: Received) -> Accepted:
        ingested = langfuse.ingest(request.body, request.project)
        return Accepted(_answer(ingested), "partial" if ingested.refused else "success")

    def score(request: Received) -> Accepted:
        if request.body.lstrip()[:1] == b"[":
            ingested = langfuse.ingest_scores(request.body, request.project)
            return Accepted(_answer_scores(ingested), "partial" if ingested.refused else "success")
        score_id = langfuse.ingest_score(request.body, request.project)
        return Accepted(Answer(200, orjson.dumps({"id": score_id})))

    return {
        "/api/public/ingestion": Door("traces", ingest, _refuse, JSON_ONLY),
        "/api/public/scores": Door("logs", score, _refuse, JSON_ONLY),
    }


def _answer(ingested: Ingested) -> Answer:
    """Return a 207 response, as Langfuse does, with the status of each event."""
    document = {
        "successes": [{"id": event_id, "status": 201} for event_id in ingested.accepted],
        "errors": [
            {"id": event_id, "status": status, "message": reason, "error": reason}
            for event_id, reason, status in ingested.refused
        ],
    }
    return Answer(207, orjson.dumps(document))


def _answer_scores(ingested: Ingested) -> Answer:
    """Return the response: the number of accepted scores, and why the others were rejected."""
    accepted = len(ingested.accepted)
    if not ingested.refused:
        return Answer(202, b'{"message":"Accepted"}')
    errors = [{"message": each.reason} for each in ingested.refused]
    document = {"accepted": accepted, "rejected": len(errors), "errors": errors}
    return Answer(207, orjson.dumps(document))


def _refuse(error: Exception, head: RequestHead) -> Answer:
    refusal = answer_error(error, head)
    document = {"message": build_status(error).message}
    return Answer(refusal.status, orjson.dumps(document), refusal.headers)
