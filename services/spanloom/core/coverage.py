"""Decides whether a build read everything that had arrived for a trace (ADR 65).

Spans and the records of their arrival are in several tables, whose rows become visible in any
order. Therefore a build compares the spans that it read with the ids of the spans in each request:
every span must have been read, in the version that the request brought or in a later version.

Usually counts are enough: if as many spans with a request's sequence number were read as the
request had, it was read completely. Ids are compared only for the other requests, some of whose
spans were sent again in later requests.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.ports.spans import Read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.ports.spans import Contents, Ids, Request

FINISHED = 1 << 50
"""Added to a read mark for each finished span, so that it counts more than any open copy.

Sequences are microseconds since the epoch, so no two sequences since 2005 differ by as much.
"""


class Tally(NamedTuple):
    """Counts of the spans and content events of a trace that were read, per request."""

    read: Read
    newest_seq: int
    """The newest sequence that was read; 0 if nothing was read."""
    spans: Mapping[int, int]
    """Number of spans, keyed by the sequence of their request."""
    events: Mapping[int, int]
    """Number of content events, keyed by the sequence of their request."""


def count(contents: Contents) -> Tally:
    """Count the spans and content events in what was read of a trace."""
    spans = Counter([span.row_version for span in contents.spans.values()])
    events = Counter(contents.events.values())
    finished = sum([span.is_finished for span in contents.spans.values()])
    items = len(contents.spans) + len(contents.events)
    seqs = _sum(spans) + _sum(events)
    newest = max(max(spans, default=0), max(events, default=0))
    return Tally(Read(items, seqs + items + finished * FINISHED), newest, spans, events)


def is_counted(requests: Sequence[Request], tally: Tally) -> bool:
    """Return whether the counts prove that the requests were read completely.

    If they do not, the requests may still have been read completely, because a span that was sent
    again counts only towards its last request.
    """
    brought: Counter[tuple[int, bool]] = Counter()
    for request in requests:
        if request.items:
            brought[request.seq, request.is_events] += request.items
    return all(
        (tally.events if is_events else tally.spans).get(seq, 0) == items
        for (seq, is_events), items in brought.items()
    )


def covers(contents: Contents, brought: Iterable[Ids]) -> bool:
    """Return whether every id was read in the version of its request, or in a later version."""
    spans = {number_of(i): (s.is_finished, s.row_version) for i, s in contents.spans.items()}
    events = {number_of(s) ^ number_of(e): (True, v) for (s, e), v in contents.events.items()}
    nothing = (False, -1)
    for ids in brought:
        read = events if ids.is_events else spans
        if any(read.get(number, nothing) < (True, ids.seq) for number in ids.finished):
            return False
        if any(read.get(number, nothing) < (False, ids.seq) for number in ids.opened):
            return False
    return True


def number_of(hex_id: str) -> int:
    """Convert an id of 16 hex digits to the integer that the store has instead of it."""
    return int.from_bytes(bytes.fromhex(hex_id), "little")


def unlisted(requests: Sequence[Request], tally: Tally) -> Mapping[int, int]:
    """Count, per sequence, the spans and events that were read but are in none of ``requests``.

    They were stored by an older release, which did not record requests.
    """
    listed = {request.seq for request in requests}
    if tally.spans.keys() <= listed and tally.events.keys() <= listed:
        return {}
    counts = Counter(tally.spans) + Counter(tally.events)
    return {seq: number for seq, number in counts.items() if seq not in listed}


def _sum(counts: Mapping[int, int]) -> int:
    return sum(seq * number for seq, number in counts.items())
