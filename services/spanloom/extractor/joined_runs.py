"""Builds runs that arrived as several traces; the home trace of a run shows the whole run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spanloom.core.errors import RetryableError
from spanloom.core.extract import extract
from spanloom.core.joining.parts import size_of
from spanloom.core.model.trajectory import DuplicateOf, Status
from spanloom.extractor.drafts import Drafts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.joining.parts import Part
    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.ports.spans import SpanReader, Unplaced
    from spanloom.core.pricing import PriceBook
    from spanloom.extractor.joining import Joins
    from spanloom.extractor.result import BuildOptions

LEFT_OUT = "{n:,} further traces of this run are not shown here (--max-trace-spans)"
CROWDED = "the conversation has too many traces to join those of one run: this is one of them"


def join_runs(
    spans: SpanReader,
    requested: Mapping[TraceKey, Status],
    drafts: Drafts,
    joins: Joins,
    options: BuildOptions,
) -> Mapping[TraceKey, DuplicateOf]:
    """Replace drafts of home traces by drafts of whole runs.

    Return the traces of the batch that are shown in another trace. A home trace that cannot be
    built fails alone; at its last attempt it keeps the draft of its own spans.
    """
    for key, part in drafts.parts.items():
        drafts.parts[key] = part._replace(home=joins.homes[key].trace_id)
        if key in joins.crowded:
            drafts.warn(key, CROWDED)
        if key in joins.former:
            drafts.has_gone[key] = key in joins.gone
    for key in joins.members:
        try:
            _join(spans, key, drafts, joins, options)
        except RetryableError:
            raise
        except Exception as error:  # one malformed run must not stop the others
            if requested.get(key) is not Status.FAILED:
                drafts.fail(key, error)
    return _repeats(drafts, joins)


def _repeats(drafts: Drafts, joins: Joins) -> Mapping[TraceKey, DuplicateOf]:
    """Find the drafted traces that are shown in another trace, the home trace of their run.

    Return for each the home trace and its own root step. Its calls and scores are removed from the
    drafts, because the home trace has them.
    """
    found = {}
    for key in drafts.parts:
        if joins.homes[key] != key and key in drafts.trajectories:
            root = drafts.trajectories[key].root.id
            found[key] = DuplicateOf(joins.homes[key].trace_id, root)
            drafts.calls[key] = ()
            drafts.result.scoring.show_elsewhere(key)
    return found


def _join(
    reader: SpanReader,
    home: TraceKey,
    drafts: Drafts,
    joins: Joins,
    options: BuildOptions,
) -> None:
    """Build a home trace from the spans of all traces of its run, up to ``max_trace_spans``.

    The earliest traces come first. The read mark covers only the home trace's own spans, because
    another trace of the run may move to another home trace, and a change of any trace of the run
    makes the home trace due again.
    """
    others = joins.members[home]
    taken: list[Part] = []
    room = options.max_trace_spans - drafts.parts[home].span_count
    for part in sorted(others, key=lambda part: (part.start_ns, part.key)):
        if part.span_count <= room:
            taken.append(part)
            room -= part.span_count
    if taken:
        _draft_run(reader, home, taken, drafts, joins, options)
    if len(taken) < len(others):  # even if the home trace alone exceeds the limit
        drafts.warn(home, LEFT_OUT.format(n=len(others) - len(taken)))


def _draft_run(
    reader: SpanReader,
    home: TraceKey,
    taken: Sequence[Part],
    drafts: Drafts,
    joins: Joins,
    options: BuildOptions,
) -> None:
    """Replace the draft of a home trace by a draft of its own spans and the ``taken`` traces."""
    keys = [home, *(part.key for part in taken)]
    read = reader.read_spans(keys)
    if home in joins.former and any(_is_gone(part, read) for part in taken):
        drafts.has_gone[home] = True
    spans = _distinct(read[key] for key in keys if key in read)
    unplaced = [one for key in keys for one in read.unplaced.get(key, ())]
    work = partial(_draft_alone, home, spans, unplaced, options.prices)
    drafts.take(home, drafts.limit.run(len(spans), work))


def _draft_alone(
    home: TraceKey, spans: Sequence[Span], unplaced: Sequence[Unplaced], prices: PriceBook
) -> Drafts:
    run, trajectory = Drafts(), extract(home, spans, prices)
    run.replace(home, trajectory)
    run.score(home, trajectory, spans, unplaced)
    return run


def _is_gone(part: Part, read: Mapping[TraceKey, Sequence[Span]]) -> bool:
    """Return whether fewer spans of a trace were read than it had when it was last built."""
    return part.span_count > size_of(read.get(part.key, ()))


def _distinct(traces: Iterable[Sequence[Span]]) -> Sequence[Span]:
    """Return the spans of all traces; if ids are equal, the span of the first trace."""
    spans: dict[str, Span] = {}
    for trace in traces:
        own = {span.span_id: span for span in trace}
        spans = own | spans
    return list(spans.values())
