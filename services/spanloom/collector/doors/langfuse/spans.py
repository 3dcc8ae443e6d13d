"""Converts Langfuse observations to OTLP spans with the attributes of Langfuse's OTLP export.

A Langfuse trace is not a span, so its fields (name, session, user, input) become attributes of its
top-level observations, as in Langfuse's SDKs. ``fields.py`` makes the ids. See ADR 010.
"""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING

from opentelemetry.proto.trace.v1.trace_pb2 import Status

from spanloom.collector.doors.langfuse.fields import (
    METADATA,
    span_id_of,
    trace_id_of,
)
from spanloom.collector.doors.otlp_writing import RequestWriter, put_attribute
from spanloom.core.conventions.run_context import ATTRIBUTE, read_counts, write_counts
from spanloom.core.values.moments import iso_nanoseconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from spanloom.collector.doors.langfuse.observations import Observation

SCOPE = "langfuse-ingestion"

OBSERVATION = {
    "type": "langfuse.observation.type",
    "input": "langfuse.observation.input",
    "output": "langfuse.observation.output",
    "level": "langfuse.observation.level",
    "statusMessage": "langfuse.observation.status_message",
    "model": "langfuse.observation.model.name",
    "modelParameters": "langfuse.observation.model.parameters",
    "completionStartTime": "langfuse.observation.completion_start_time",
    "usageDetails": "langfuse.observation.usage_details",
    "costDetails": "langfuse.observation.cost_details",
    "promptName": "langfuse.observation.prompt.name",
    "promptVersion": "langfuse.observation.prompt.version",
    "metadata": "langfuse.observation.metadata",
    "version": "langfuse.version",
    "environment": "langfuse.environment",
    "sdk_name": "langfuse.ingestion.sdk_name",
    "sdk_version": "langfuse.ingestion.sdk_version",
    "sdk_integration": "langfuse.ingestion.sdk_integration",
}
TRACE = {
    "name": "langfuse.trace.name",
    "sessionId": "session.id",
    "userId": "user.id",
    "input": "langfuse.trace.input",
    "output": "langfuse.trace.output",
    "tags": "langfuse.trace.tags",
    "public": "langfuse.trace.public",
    "release": "langfuse.release",
    "metadata": "langfuse.trace.metadata",
}

OBSERVATION_METADATA, TRACE_METADATA = "langfuse.observation.metadata.", "langfuse.trace.metadata."
REDACTED = "redacted."
"""Prefix of a field that contains the redaction counts of another field.

``conventions/run_context.py`` defines the format of the counts.
"""


def encode_observations(observations: Iterable[Observation]) -> bytes:
    """Return the observations as an encoded ``ExportTraceServiceRequest``."""
    writer = RequestWriter(SCOPE)
    for observation in observations:
        _write_span(writer.add_span(""), observation)
    return writer.encode()


def _write_span(span: Span, observation: Observation) -> None:
    fields = observation.fields
    span.trace_id = trace_id_of(observation.trace_id)
    span.span_id = span_id_of(observation.id)
    if observation.parent_id:
        span.parent_span_id = span_id_of(observation.parent_id)
    span.name = str(fields.get("name", ""))
    start = iso_nanoseconds(fields.get("startTime")) or observation.first_seen_ns
    span.start_time_unix_nano = start
    span.end_time_unix_nano = iso_nanoseconds(fields.get("endTime")) or start
    put_attribute(span, "langfuse.observation.id", observation.id)
    _put_all(span, fields, OBSERVATION, OBSERVATION_METADATA)
    _put_all(span, observation.trace, TRACE, TRACE_METADATA)
    put_attribute(span, ATTRIBUTE, _redacted(fields, observation.trace))
    _write_status(span, fields)


def _put_all(
    span: Span, fields: Mapping[str, object], names: Mapping[str, str], metadata: str
) -> None:
    for field, key in names.items():
        put_attribute(span, key, fields.get(field))
    for field, value in sorted(fields.items(), key=itemgetter(0)):
        if field.startswith(METADATA):
            put_attribute(span, metadata + field.removeprefix(METADATA), value)


def _redacted(*subjects: Mapping[str, object]) -> str:
    """Return the redaction counts, added up over all fields; empty if nothing was redacted."""
    counts: Counter[str] = Counter()
    for fields in subjects:
        for name, value in fields.items():
            if name.startswith(REDACTED):
                counts += read_counts(str(value))
    return write_counts(counts)


def _write_status(span: Span, fields: Mapping[str, object]) -> None:
    """Set the error status; the message may be in the output, where Eino's callback writes it."""
    if fields.get("level") == "ERROR":
        span.status.code = Status.STATUS_CODE_ERROR
        span.status.message = str(fields.get("statusMessage") or fields.get("output") or "")
