"""Converts rows to the core's spans, and joins content events to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.agent_logs import as_span, is_from_agent
from spanloom.core.conventions.evaluations import RESULT
from spanloom.core.model.span import Event, Link, Span, TraceKey
from spanloom.core.ports.spans import NO_CONTENTS, Contents, Traces, Unplaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.storage.engine.parameters import Row, Values


_ROLES = (
    "gen_ai.system.message",
    "gen_ai.user.message",
    "gen_ai.assistant.message",
    "gen_ai.tool.message",
    "gen_ai.choice",
)
"""The order of messages in a conversation, if they have no other order."""


class ContentEvent(NamedTuple):
    """A stored content event."""

    key: TraceKey
    span_id: str
    event_id: str
    place: int
    """The index in its request; JavaScript sets one time for all messages of a model call."""
    event: Event
    row_version: int


EventsOfTrace = dict[str, dict[str, ContentEvent]]
"""The events of a trace, keyed by span id, then by event id."""


def join_events(traces: Traces, events: Iterable[ContentEvent], *, is_whole: bool = True) -> None:
    """Append the newest version of each event to the events of its span, in order.

    Log records of coding agents whose span did not arrive become spans, also in a trace without
    spans, unless only a part of the spans was read (``is_whole``).
    """
    by_trace: dict[TraceKey, EventsOfTrace] = {}
    for found in events:
        own = by_trace.setdefault(found.key, {}).setdefault(found.span_id, {})
        known = own.get(found.event_id)
        if known is None or known.row_version <= found.row_version:
            own[found.event_id] = found
    for key, of_trace in by_trace.items():
        spans = traces.get(key, [])
        read = {(s, e): f.row_version for s, own in of_trace.items() for e, f in own.items()}
        traces.contents[key] = traces.contents.get(key, NO_CONTENTS)._replace(events=read)
        _join(spans, of_trace)
        if unplaced := _unplaced(of_trace):
            traces.unplaced[key] = unplaced
        if is_whole:
            spans += _without_span(of_trace)
        if spans:
            _note_unread(spans, of_trace)
            traces[key] = spans


def _join(spans: list[Span], by_span: EventsOfTrace) -> None:
    for at, span in enumerate(spans):
        if own := by_span.pop(span.span_id, None):
            added = tuple(found.event for found in sorted(own.values(), key=_order))
            version = max(found.row_version for found in own.values())
            spans[at] = _raised(span._replace(events=(*span.events, *added)), version)


def _unplaced(by_span: EventsOfTrace) -> Sequence[Unplaced]:
    """Return the evaluation results among events without a span, ordered by time."""
    found = [one for own in by_span.values() for one in own.values() if one.event.name == RESULT]
    return [Unplaced(one.span_id, one.event) for one in sorted(found, key=_order)]


def unplaced_results(
    events: Iterable[ContentEvent],
) -> Mapping[TraceKey, Sequence[Unplaced]]:
    """Return the evaluation results of traces that have only events."""
    traces = Traces()
    join_events(traces, events)
    return traces.unplaced


def _without_span(by_span: EventsOfTrace) -> list[Span]:
    """Return a span for each log record of a coding agent whose span did not arrive."""
    return [
        as_span(found.event, found.event_id, (found.key.trace_id, span_id), found.row_version)
        for span_id, own in by_span.items()
        for found in own.values()
        if is_from_agent(found.event)
    ]


def _note_unread(spans: list[Span], by_span: EventsOfTrace) -> None:
    """Raise the first span's row version to the highest among the events without a span.

    The spans of these events may never arrive; without this the events would count as unread.
    """
    versions = (found.row_version for own in by_span.values() for found in own.values())
    spans[0] = _raised(spans[0], max(versions, default=0))


def _raised(span: Span, version: int) -> Span:
    return span._replace(row_version=max(span.row_version, version))


def _order(found: ContentEvent) -> tuple[int, int, int, str]:
    name = found.event.name
    role = _ROLES.index(name) if name in _ROLES else len(_ROLES)
    return found.event.time_ns, found.place, role, found.event_id


SHARED_COLUMNS = (0, 3, 4, 7, 9, 10, 11)
"""Columns for trace id, name, kind, status, service and scope, mostly equal within a trace."""
ATTRIBUTES = 12
SHARED_CHARS = 40
"""Attribute values of at most this many characters tend to repeat."""


def shared(rows: Iterable[Values]) -> Iterator[Values]:
    """Yield the rows, in which equal values are one object, to save memory for long traces."""
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


def newest_spans(rows: Iterable[Values]) -> Traces:
    """Return the newest version of each span; of equal versions, the row that starts last.

    Equal versions come from a request that has the same span twice, in two months: partitions are
    read in any order, and FINAL keeps the row of the last partition.
    """
    traces: dict[tuple[str, str], dict[str, Span]] = {}
    for row in rows:
        project = row.pop()
        row[13] = tuple(map(Event._make, row[13])) if row[13] else ()
        row[14] = tuple(map(Link._make, row[14])) if row[14] else ()
        span = Span._make(row)
        spans = traces.setdefault((project, span.trace_id), {})
        known = spans.get(span.span_id)
        if known is None or known.precedence <= span.precedence:
            spans[span.span_id] = span
    return as_traces({TraceKey(*key): spans for key, spans in traces.items()})


def as_traces(spans: Mapping[TraceKey, Mapping[str, Span]]) -> Traces:
    """Return traces, each with its spans keyed by id, before content events are joined."""
    traces = Traces({key: list(own.values()) for key, own in spans.items()})
    traces.contents.update((key, Contents(own, {})) for key, own in spans.items())
    return traces


_TRACE_ID = slice(2, 34)
"""Position of the trace id in the text of a row of ``read_spans.sql``: ``["4bf92f35…``."""


def are_distinct(groups: Iterable[Sequence[TraceKey]]) -> bool:
    """Return whether the trace id alone identifies the group of a row."""
    ids = [{key.trace_id for key in group} for group in groups]
    return sum(map(len, ids)) == len(set().union(*ids))


def parted(answer: bytes, groups: Sequence[Sequence[TraceKey]]) -> Sequence[bytes]:
    """Split a response of ``read_spans.sql`` by groups of traces, without decoding the rows."""
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
