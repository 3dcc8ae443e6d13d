"""Coverage: whether the build of a run has read every span and event that requests had brought."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.spans import make_span

from spanloom.core.coverage import count, covers, is_counted, number_of, unlisted
from spanloom.core.ports.spans import Contents, Ids, Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.model.span import Span

SPAN = f"{1:016x}"
T0 = 1_790_000_000_000_000
"""The sequence number of a request."""
Sent = tuple[int, int, bool]
"""The number of a span, the sequence of its request, and whether the span is finished."""


def a_span(number: int, seq: int, *, is_finished: bool = True) -> Span:
    span = make_span(number, version=seq)
    return span if is_finished else span._replace(end_ns=0)


def stored(sent: Iterable[Sent]) -> Contents:
    """Return what a store holds after ``sent``: of each span the version that takes precedence."""
    spans: dict[str, Span] = {}
    for number, seq, is_finished in sent:
        span = a_span(number, seq, is_finished=is_finished)
        known = spans.get(span.span_id)
        if known is None or known.precedence <= span.precedence:
            spans[span.span_id] = span
    return Contents(spans, {})


def brought(sent: Sequence[Sent]) -> tuple[list[Request], list[Ids]]:
    """Return the requests of ``sent`` and their span ids, as the store records them."""
    requests, ids = [], []
    for seq in sorted({seq for _, seq, _ in sent}):
        finished, opened = (
            sorted({number_of(f"{n:016x}") for n, s, f in sent if (s, f) == (seq, wanted)})
            for wanted in (True, False)
        )
        items = len(finished) + len(opened)
        requests.append(Request(seq, is_events=False, items=items, spans=items))
        ids.append(Ids(seq, is_events=False, finished=finished, opened=opened))
    return requests, ids


SENT = st.lists(st.tuples(st.integers(1, 4), st.integers(T0, T0 + 4), st.booleans()), max_size=12)


@given(SENT)
def test_whatever_was_sent_is_read_once_it_is_stored(sent: list[Sent]) -> None:
    _, ids = brought(sent)
    assert covers(stored(sent), ids)


@given(SENT, st.data())
def test_what_is_not_visible_is_missed_unless_something_replaces_it(
    sent: list[Sent], data: st.DataObject
) -> None:
    visible = [row for row in sent if data.draw(st.booleans())]
    requests, ids = brought(sent)
    read = stored(visible)
    is_same = {i: s.precedence for i, s in read.spans.items()} == {
        i: s.precedence for i, s in stored(sent).spans.items()
    }
    assert covers(read, ids) is is_same
    if is_counted(requests, count(read)):
        assert is_same, "counts never say more than ids"


def test_counts_are_enough_where_no_span_was_sent_twice() -> None:
    sent = [(1, T0, True), (2, T0, False), (3, T0 + 1, True)]
    requests, _ = brought(sent)
    assert is_counted(requests, count(stored(sent)))
    assert not is_counted(requests, count(stored(sent[1:])))
    assert not is_counted(requests, count(stored([])))
    assert is_counted([], count(stored([])))


def test_requests_without_ids_are_not_missed() -> None:
    """Requests without ids come from an older release, or from a trace that is to be rebuilt."""
    assert is_counted([Request(T0, is_events=False, items=0, spans=7)], count(stored([])))


def test_an_event_is_known_by_its_span_and_its_own_id() -> None:
    other = f"{2:016x}"
    read = Contents({}, {(SPAN, other): T0})
    ids = Ids(T0, is_events=True, finished=[number_of(SPAN) ^ number_of(other)], opened=[])
    request = Request(T0, is_events=True, items=1, spans=1)
    assert is_counted([request], count(read))
    assert covers(read, [ids])
    assert not covers(Contents({SPAN: a_span(1, T0)}, {}), [ids])
    assert not covers(read, [ids._replace(seq=T0 + 1)])
    assert not is_counted([request._replace(is_events=False)], count(read))


def test_what_no_request_lists_is_told_by_its_sequence() -> None:
    tally = count(Contents(stored([(1, T0, True), (2, T0 + 1, True)]).spans, {(SPAN, "a"): T0}))
    requests, _ = brought([(2, T0 + 1, True)])
    assert unlisted(requests, tally) == {T0: 2}
    assert unlisted([Request(T0, is_events=True, items=1, spans=1), *requests], tally) == {}


@pytest.mark.parametrize(
    ("fewer", "more"),
    [
        ([(1, T0, True)], [(1, T0, True), (2, T0 - 5, True)]),
        ([(1, T0, True)], [(1, T0 + 1, True)]),
        ([(1, T0, False)], [(1, T0 - 5, True)]),
        ([(1, T0 + 9, True)], [(1, T0, True), (2, 1, False)]),
    ],
)
def test_the_mark_grows_with_what_was_read(fewer: list[Sent], more: list[Sent]) -> None:
    less, most = (count(stored(sent)).read for sent in (fewer, more))
    assert less < most
    assert less.mark < most.mark
