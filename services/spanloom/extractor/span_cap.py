"""Reads traces up to a maximum number of spans; of a larger trace only a part is read.

The number of arrived spans is known before reading, so a trace of usual size costs no extra query.
Which spans are read depends on the stored spans alone, not on their order of arrival.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.ports.spans import NOTHING_ARRIVED, TracePart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.spans import Arrived, SpanReader

MORE_SPANS = (
    "{shown:,} of {all:,} spans are shown: the root and the earliest (--max-trace-spans); "
    "all are stored, see v_spans"
)
LATER_EVENTS = "{n:,} content events are left out: the latest of the trace (--max-trace-spans)"


def read_traces(
    spans: SpanReader, keys: Sequence[TraceKey], arrived: Mapping[TraceKey, Arrived], max_spans: int
) -> dict[TraceKey, TracePart]:
    """Return the spans of the traces, at most ``max_spans`` of each.

    ``arrived`` is what had arrived of each trace before. A trace without spans has no entry.
    """
    large = {key for key in keys if arrived.get(key, NOTHING_ARRIVED).spans > max_spans}
    parts = whole_parts(spans.read_spans([key for key in keys if key not in large]), arrived)
    for key in large:
        if (part := spans.read_part(key, max_spans)).spans:
            parts[key] = _up_to(part, arrived[key])
    return parts


def whole_parts(
    traces: Mapping[TraceKey, list[Span]], arrived: Mapping[TraceKey, Arrived]
) -> dict[TraceKey, TracePart]:
    """Return completely read traces as parts; a trace without spans has no entry."""
    return {
        key: _up_to(
            TracePart(spans, len(spans), 0, max(span.row_version for span in spans)),
            arrived.get(key, NOTHING_ARRIVED),
        )
        for key, spans in traces.items()
        if spans
    }


def _up_to(part: TracePart, arrived: Arrived) -> TracePart:
    """Return a part that has seen all that had arrived, also what counts for nothing."""
    return part._replace(newest_seq=max(part.newest_seq, arrived.newest_seq))


def describe_rest(trajectory: Trajectory, part: TracePart) -> Trajectory:
    """Return the trajectory of a part with warnings about the spans and events not shown."""
    warnings = list(trajectory.warnings)
    if part.span_count > len(part.spans):
        warnings.append(MORE_SPANS.format(shown=len(part.spans), all=part.span_count))
    if part.events_left_out:
        warnings.append(LATER_EVENTS.format(n=part.events_left_out))
    return replace(trajectory, span_count=part.span_count, warnings=warnings)


def is_part(trajectory: Trajectory) -> bool:
    """Return whether the trace has more spans than the trajectory was built from."""
    return trajectory.span_count > len(trajectory.verdicts)
