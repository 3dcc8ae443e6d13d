"""Content events joined to the spans they tell of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.model.span import Event, Span, TraceKey


class ContentEvent(NamedTuple):
    """A stored content event."""

    key: TraceKey
    span_id: str
    event: Event
    row_version: int


def join_events(traces: Mapping[TraceKey, list[Span]], events: Iterable[ContentEvent]) -> None:
    """Put each event behind those of its span, in the order given; others wait for their span."""
    told: dict[tuple[TraceKey, str], list[ContentEvent]] = {}
    for found in events:
        told.setdefault((found.key, found.span_id), []).append(found)
    for key in {key for key, _ in told}:
        spans = traces.get(key, [])
        for at, span in enumerate(spans):
            if own := told.get((key, span.span_id)):
                spans[at] = span._replace(
                    events=(*span.events, *(found.event for found in own)),
                    row_version=max(span.row_version, *(found.row_version for found in own)),
                )
