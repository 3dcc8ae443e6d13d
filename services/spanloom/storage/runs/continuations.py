"""The neighbours of runs in their conversations, found for all lines of a page at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.continuations import (
    NO_CONTINUATION,
    TURNS,
    find_continuations,
    may_continue,
)
from spanloom.storage.runs.current import SUMMARY, read_current
from spanloom.storage.where.compile import passing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.query.lists import ListedRun
    from spanloom.storage.engine.lane import Lane

NEAR = 100
"""The places around a run in which its neighbour is searched: old versions and traces that only
repeat a run have places too."""


class _Span(NamedTuple):
    """The range from the first to the last run of a conversation whose neighbours are looked up."""

    project: str
    conversation_id: str
    first_ns: int
    last_ns: int


def with_continuations(reader: Lane, lines: Sequence[ListedRun]) -> Sequence[ListedRun]:
    """Return the lines, each with its continuation.

    Where no run waits or continues another, as on most pages, no query is run.
    """
    if not any(map(may_continue, lines)):
        return lines
    spans = _spans(lines)
    conversations = [(span.project, span.conversation_id) for span in spans]
    places = reader.rows(
        "conversation_neighbours", spans=spans, conversations=conversations, most=NEAR
    )
    turns = read_current(
        reader, passing(TURNS), [(row.Project, row.TraceId) for row in places], SUMMARY
    )
    found = find_continuations(turns)
    return [line.continued(found.get(line.key, NO_CONTINUATION)) for line in lines]


def _spans(lines: Iterable[ListedRun]) -> list[_Span]:
    spans: dict[tuple[str, str], _Span] = {}
    for line in filter(may_continue, lines):
        own = _Span(line.key.project, line.conversation_id, line.start_ns, line.start_ns)
        known = spans.get(own[:2], own)
        first_ns, last_ns = min(known.first_ns, own.first_ns), max(known.last_ns, own.last_ns)
        spans[own[:2]] = own._replace(first_ns=first_ns, last_ns=last_ns)
    return list(spans.values())
