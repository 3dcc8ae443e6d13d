"""Compares the spans of the same requests in two stores, and their OTLP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.protobuf.message import Message
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.support.otlp_requests import spans_apart

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.ports.spans import SpanReader
    from spanloom.core.ports.store import SpanStore


def stored(store: SpanReader, keys: Sequence[TraceKey]) -> Mapping[TraceKey, list[Span]]:
    """Return the spans of traces, sorted by their ids."""
    found = store.read_spans(keys)
    return {key: sorted(spans, key=lambda s: s.span_id) for key, spans in found.items()}


def assert_same_spans(one: SpanStore, reference: SpanStore, keys: Sequence[TraceKey]) -> None:
    """Fail if the spans differ, or the OTLP of a trace with a field that no earlier trace has."""
    assert stored(one, keys) == stored(reference, keys)
    seen: set[str] = set()
    for key in keys:
        sent = reference.read_otlp(key)
        told = set(fields(TracesData.FromString(sent)))
        if not told <= seen:  # the spans of all are compared above; each trace takes a query here
            assert spans_apart(one.read_otlp(key)) == spans_apart(sent)
            seen |= told


def fields(message: Message, path: str = "") -> Iterator[str]:
    """Yield the path of every field that is set; attributes are named by their keys."""
    for field, value in message.ListFields():
        yield (here := f"{path}.{field.name}")
        parts = [value] if isinstance(value, Message) else value
        if field.message_type is not None:
            for part in parts:
                yield from fields(part, f"{here} {getattr(part, 'key', '')}")
