"""Writes the messages and annotations of Invariant's SDK as OTLP spans."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from spanloom.collector.doors.otlp_writing import RequestWriter, as_text, put_attribute
from spanloom.core.conventions import invariant as keys
from spanloom.core.conventions.evaluations import EVALUATOR, EXPLANATION, NAME, OWN, RESULT
from spanloom.core.conventions.invariant_annotations import ANNOTATION
from spanloom.core.conventions.listed_messages import time_ns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from spanloom.collector.doors.invariant.requests import Appended, Push
    from spanloom.core.conventions.invariant_annotations import Annotation

    Json = dict[str, Any]  # a JSON object

_UNNAMED = "agent"


class _Pushed(NamedTuple):
    """One list of messages in a request."""

    trace_id: bytes
    messages: Sequence[Json]
    times: Sequence[int]
    """The time of each message, in ns since the epoch."""


def encode_push(push: Push, trace_ids: Sequence[bytes], arrived_ns: int) -> bytes:
    """Return the runs of a request as an encoded ``ExportTraceServiceRequest``."""
    writer = RequestWriter(keys.SCOPE)
    runs = zip(trace_ids, push.traces, push.metadata, push.annotations, strict=True)
    for trace_id, messages, metadata, notes in runs:
        pushed = _Pushed(trace_id, messages, _times(messages, arrived_ns))
        _write_run(writer.add_span(""), pushed, metadata, push.dataset, arrived_ns)
        _write_messages(writer, pushed, arrived_ns)
        _write_annotations(writer, trace_id, notes, arrived_ns)
    return writer.encode()


def encode_append(trace_id: bytes, appended: Appended, arrived_ns: int) -> bytes:
    """Return appended messages as an encoded ``ExportTraceServiceRequest``."""
    writer = RequestWriter(keys.SCOPE)
    pushed = _Pushed(trace_id, appended.messages, _times(appended.messages, arrived_ns))
    _write_messages(writer, pushed, arrived_ns)
    _write_annotations(writer, trace_id, appended.annotations, arrived_ns)
    return writer.encode()


def _write_run(span: Span, pushed: _Pushed, metadata: Json, dataset: str, arrived_ns: int) -> None:
    names = (metadata.get("agent"), metadata.get("name"), dataset, _UNNAMED)
    span.trace_id, span.span_id = pushed.trace_id, keys.run_span_id(pushed.trace_id)
    span.name = next(name for name in names if isinstance(name, str) and name)
    span.start_time_unix_nano = min(pushed.times, default=arrived_ns)
    span.end_time_unix_nano = max(pushed.times, default=arrived_ns)
    put_attribute(span, keys.DATASET, dataset)
    if metadata:
        put_attribute(span, keys.SOURCE, as_text(metadata))
    if shown := metadata | ({"dataset": dataset} if dataset else {}):
        put_attribute(span, "metadata", as_text(shown))


def _write_messages(writer: RequestWriter, pushed: _Pushed, arrived_ns: int) -> None:
    parent_id = keys.run_span_id(pushed.trace_id)
    for at, (message, time_at) in enumerate(zip(pushed.messages, pushed.times, strict=True)):
        span, text = writer.add_span(""), as_text(message)
        span.trace_id, span.parent_span_id = pushed.trace_id, parent_id
        span.span_id = _message_id(pushed.trace_id, at, message, text)
        span.name = message["role"]
        span.start_time_unix_nano = span.end_time_unix_nano = time_at
        put_attribute(span, keys.ROLE, message["role"])
        put_attribute(span, keys.MESSAGE, text)
        put_attribute(span, keys.ARRIVED, str(arrived_ns))
        put_attribute(span, keys.POSITION, at)


def _write_annotations(
    writer: RequestWriter, trace_id: bytes, annotations: Sequence[Annotation], arrived_ns: int
) -> None:
    """Write annotations as evaluation results for the run; extraction finds their steps."""
    for one in annotations:
        span = writer.add_span("")
        span.trace_id, span.parent_span_id = trace_id, keys.run_span_id(trace_id)
        span.span_id, span.name = one.id_in(trace_id), RESULT
        span.start_time_unix_nano = span.end_time_unix_nano = arrived_ns
        put_attribute(span, NAME, ANNOTATION)
        put_attribute(span, EVALUATOR, one.author)
        put_attribute(span, f"{OWN}text", one.content)
        put_attribute(span, f"{OWN}value_type", "text")
        put_attribute(span, f"{OWN}item", one.item_in(trace_id))
        put_attribute(span, EXPLANATION, one.about)
        put_attribute(span, keys.ADDRESS, one.address)


def _message_id(trace_id: bytes, at: int, message: Json, text: str) -> bytes:
    """Return the id of a message's span: a hash of its content if it has a time, otherwise random.

    So sending a request again, with the times that the SDK wrote, changes nothing.
    """
    if time_ns(message) is None:
        return uuid4().bytes[:8]
    return hashlib.sha256(b"%s\0%d\0%s" % (trace_id, at, text.encode())).digest()[:8]


def _times(messages: Sequence[Json], arrived_ns: int) -> Sequence[int]:
    """Return a time for each message, in ns since the epoch.

    A message without a time gets the previous message's time, or, at the start, the first time in
    the list. If no message has a time, all get the time of arrival.
    """
    known = [time_ns(message) for message in messages]
    last = next((moment for moment in known if moment is not None), arrived_ns)
    times = []
    for moment in known:
        last = last if moment is None else moment
        times.append(last)
    return times
