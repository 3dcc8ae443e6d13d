"""Converts rows to the core's spans and content events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.span import Event, Link, Span, TraceKey
from spanloom.storage.spans.content_events import ContentEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.storage.engine.parameters import Row, Values

SHARED_COLUMNS = (0, 3, 4, 7, 9, 10, 11)
"""Trace id, name, kind, status, service and scope: mostly equal in all spans of a trace."""
ATTRIBUTES = 12
SHARED_CHARS = 40
"""Attribute values up to this length tend to repeat."""


def shared(rows: Iterable[Values]) -> Iterator[Values]:
    """Yield the rows with equal values shared in memory, for the spans of a long trace."""
    seen: dict[str, str] = {}
    keep = seen.setdefault
    for row in rows:
        for column in SHARED_COLUMNS:
            text = row[column]
            row[column] = keep(text, text)
        attributes = row[ATTRIBUTES]
        for key, text in attributes.items():
            if len(text) <= SHARED_CHARS:
                attributes[key] = keep(text, text)
        yield row


def newest_spans(rows: Iterable[Values]) -> dict[TraceKey, list[Span]]:
    """Return the newest version of each span; of equal versions the one that starts last.

    Equal versions come from one request that has a span twice, in two months: partitions are
    read in any order, and FINAL keeps the row of the last one.
    """
    traces: dict[tuple[str, str], dict[str, Span]] = {}
    for row in rows:
        project = row.pop()
        row[13] = tuple(map(Event._make, row[13])) if row[13] else ()
        row[14] = tuple(map(Link._make, row[14])) if row[14] else ()
        span = Span._make(row)
        spans = traces.setdefault((project, span.trace_id), {})
        known = spans.get(span.span_id)
        if known is None or (known.row_version, known.start_ns) <= (
            span.row_version,
            span.start_ns,
        ):
            spans[span.span_id] = span
    return {TraceKey(*key): list(spans.values()) for key, spans in traces.items()}


_TRACE_ID = slice(2, 34)
"""The trace id in the text of a row of ``read_spans.sql``: ``["4bf92f35…``."""


def are_told_apart(groups: Iterable[Sequence[TraceKey]]) -> bool:
    """Return whether the trace id alone identifies the group of a row."""
    ids = [{key.trace_id for key in group} for group in groups]
    return sum(map(len, ids)) == len(set().union(*ids))


def parted(answer: bytes, groups: Sequence[Sequence[TraceKey]]) -> Sequence[bytes]:
    """Split an answer of ``read_spans.sql`` by groups of traces, keeping the rows as bytes."""
    lines: list[list[bytes]] = [[] for _ in groups]
    own = {
        key.trace_id.encode(): of_group
        for group, of_group in zip(groups, lines, strict=True)
        for key in group
    }
    for line in answer.split(b"\n"):
        if line:
            own[line[_TRACE_ID]].append(line)
    return [b"\n".join(of_group) for of_group in lines]


def event_of(row: Row) -> ContentEvent:
    """Return a row of ``read_events.sql`` as a content event."""
    key = TraceKey(row.Project, row.TraceId)
    event = Event(row.TimeUnixNano, row.EventName, row.Attributes)
    return ContentEvent(key, row.SpanId, row.EventId, row.Place, event, row.RowVersion)
