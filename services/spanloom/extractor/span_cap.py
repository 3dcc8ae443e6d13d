"""Reads traces up to a maximum number of spans; of a larger trace only some spans are read.

The number of arrived spans is known before reading, so a trace of usual size costs no extra query.
If that number lags behind the stored spans and a trace turns out to be too large, it is read again
up to the maximum. Which spans are read depends only on the stored spans, not on their order of
arrival. The spans that were read are compared with the arrived spans (``core/coverage.py``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.coverage import count, covers, is_counted, unlisted
from spanloom.core.ports.spans import NO_CONTENTS, NOTHING_ARRIVED, TracePart

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.spans import Arrived, Contents, SpanReader, Traces

MORE_SPANS = (
    "{shown:,} of {all:,} spans are shown: the root and the earliest (--max-trace-spans); "
    "all are stored, see v_spans"
)
LATER_EVENTS = "{n:,} content events are left out: the latest of the trace (--max-trace-spans)"


def read_traces(
    spans: SpanReader, keys: Sequence[TraceKey], arrived: Mapping[TraceKey, Arrived], max_spans: int
) -> dict[TraceKey, TracePart]:
    """Return the spans of the traces, at most ``max_spans`` of each.

    ``arrived`` has the arrivals of each trace, queried before this call.
    """
    large = {key for key in keys if arrived.get(key, NOTHING_ARRIVED).spans > max_spans}
    usual = [key for key in keys if key not in large]
    parts, unsure, grown = whole_parts(spans.read_spans(usual), usual, arrived, max_spans)
    for key in _covered(spans, unsure):
        parts[key] = _whole(parts[key])
    for key in (*large, *grown):
        parts[key] = spans.read_part(key, max_spans)
    for key in _built_whole(spans, parts, arrived):
        parts[key] = _whole(parts[key])
    return parts


class Compared(NamedTuple):
    """Completely read traces, compared with their arrivals."""

    parts: dict[TraceKey, TracePart]
    unsure: Mapping[TraceKey, Contents]
    """Traces whose span ids must be compared; until then they do not count as whole."""
    large: Sequence[TraceKey]
    """Traces with more spans or content events than are shown, which are not in ``parts``."""


def whole_parts(
    traces: Traces,
    keys: Iterable[TraceKey],
    arrived: Mapping[TraceKey, Arrived],
    max_spans: int,
) -> Compared:
    """Compare the span counts of completely read traces with their arrivals.

    Removes the traces from ``traces``. Traces above ``max_spans`` are only listed by key.
    """
    parts: dict[TraceKey, TracePart] = {}
    unsure: dict[TraceKey, Contents] = {}
    large: list[TraceKey] = []
    for key in keys:
        spans, contents = traces.pop(key, []), traces.contents.pop(key, NO_CONTENTS)
        if max(len(contents.spans), len(contents.events)) > max_spans:
            large.append(key)
            continue
        own, tally = arrived.get(key, NOTHING_ARRIVED), count(contents)
        part = TracePart(
            *(spans, len(spans), 0, tally.newest_seq),
            read=tally.read,
            unlisted=unlisted(own.requests, tally),
            unplaced=traces.unplaced.get(key, ()),
        )
        if is_counted(own.requests, tally):
            parts[key] = _whole(part)
        else:
            parts[key], unsure[key] = part, contents
    return Compared(parts, unsure, large)


def _whole(part: TracePart) -> TracePart:
    """Return the spans of a trace with ``is_whole`` set.

    The newest sequence is computed from the spans, so that equal spans make equal documents.
    """
    return part._replace(is_whole=True)


def _covered(spans: SpanReader, unsure: Mapping[TraceKey, Contents]) -> Sequence[TraceKey]:
    """Return the traces of which all span ids were read; counts do not suffice after resends."""
    ids = spans.read_ids(list(unsure)) if unsure else {}
    return [key for key, contents in unsure.items() if covers(contents, ids.get(key, ()))]


def _built_whole(
    spans: SpanReader, parts: Mapping[TraceKey, TracePart], arrived: Mapping[TraceKey, Arrived]
) -> Sequence[TraceKey]:
    """Return the traces for which nothing arrived since a stored build read them completely.

    If spans are missing in such a trace, retention has removed them.
    """
    partial = [key for key, part in parts.items() if not part.is_whole]
    built = spans.whole_builds(partial) if partial else {}
    return [key for key in partial if built.get(key) == arrived.get(key, NOTHING_ARRIVED).digest]


def describe_rest(trajectory: Trajectory, part: TracePart) -> Trajectory:
    """Add the total span count, and warnings about spans and events that were not read."""
    warnings = list(trajectory.warnings)
    if part.span_count > len(part.spans):
        warnings.append(MORE_SPANS.format(shown=len(part.spans), all=part.span_count))
    if part.events_left_out:
        warnings.append(LATER_EVENTS.format(n=part.events_left_out))
    return replace(trajectory, span_count=part.span_count, warnings=warnings)


def is_part(trajectory: Trajectory) -> bool:
    """Return whether the trace has more spans than the trajectory was built from."""
    return trajectory.span_count > len(trajectory.verdicts)
