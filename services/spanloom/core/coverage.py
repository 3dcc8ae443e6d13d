"""Whether a build read all that had arrived of a trace (ADR 65).

Spans and the records of their arrival are stored in several tables, which become visible one by
one, in any order. So a build compares what it read with what each request brought, by the ids of
spans: each has to be there in the version that the request brought, or in one that replaces it.

Usually counts are enough: if as many spans of a request's sequence were read as it brought, it was
read. Only of the others, of which spans were sent again, the ids are compared.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.ports.spans import Read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.ports.spans import Contents, Ids, Request

FINISHED = 1 << 50
"""How much higher a finished span ranks than an open copy: sequences are microseconds since the
epoch, so that none since 2005 is as far from another."""


class Tally(NamedTuple):
    """How much was read of a trace."""

    read: Read
    newest_seq: int
    """0 if nothing was read."""
    spans: Mapping[int, int]
    """Spans by the sequence that brought them."""
    events: Mapping[int, int]
    """Content events likewise."""


def count(contents: Contents) -> Tally:
    """Count what was read of a trace."""
    spans = Counter([span.row_version for span in contents.spans.values()])
    events = Counter(contents.events.values())
    finished = sum([span.is_finished for span in contents.spans.values()])
    items = len(contents.spans) + len(contents.events)
    seqs = _sum(spans) + _sum(events)
    newest = max(max(spans, default=0), max(events, default=0))
    return Tally(Read(items, seqs + items + finished * FINISHED), newest, spans, events)


def is_counted(requests: Sequence[Request], tally: Tally) -> bool:
    """Return whether counts show that all of the requests was read.

    If they do not, it may have been read nevertheless: a span that was sent again counts for its
    last request alone.
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
    """Return whether all of some requests was read: each span in this version or a later one."""
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
    """Return an id of 16 hexadecimal digits as the number that the store makes of it."""
    return int.from_bytes(bytes.fromhex(hex_id), "little")


def unlisted(requests: Sequence[Request], tally: Tally) -> Mapping[int, int]:
    """Return what was read of sequences that no request has, by sequence.

    They were stored by a release that did not record requests.
    """
    listed = {request.seq for request in requests}
    if tally.spans.keys() <= listed and tally.events.keys() <= listed:
        return {}
    counts = Counter(tally.spans) + Counter(tally.events)
    return {seq: number for seq, number in counts.items() if seq not in listed}


def _sum(counts: Mapping[int, int]) -> int:
    return sum(seq * number for seq, number in counts.items())
