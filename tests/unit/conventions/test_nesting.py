"""Which span ran inside which, decided by their times alone."""

from __future__ import annotations

from tests.support.spans import make_span, sid

from spanloom.core.conventions.view import MAX_OPEN, find_innermost
from spanloom.core.model.tree import encloses


def test_the_innermost_that_can_hold_is_found() -> None:
    spans = [
        make_span(1, start=0, end=100),
        make_span(2, start=1, end=50),
        make_span(3, start=2, end=40),
        make_span(4, start=3, end=60),
    ]
    found = find_innermost(spans, lambda span: span.span_id != sid(2))
    assert {k: v.span_id for k, v in found.items()} == {
        sid(2): sid(1),
        sid(3): sid(1),
        sid(4): sid(1),
    }


def test_the_same_time_is_not_inside() -> None:
    assert not encloses(make_span(1), make_span(2))
    assert encloses(make_span(1, end=11), make_span(2))


def test_more_open_spans_than_any_nesting_has_are_forgotten() -> None:
    spans = [make_span(n, start=n, end=1000 - n) for n in range(1, 2 * MAX_OPEN)]
    last = make_span(999, start=500, end=501)
    shorter = [make_span(n, start=n, end=500.5) for n in range(100, 100 + 2 * MAX_OPEN)]
    assert find_innermost([*spans, last], lambda _: True)[sid(999)] is spans[-1]
    assert sid(999) not in find_innermost([spans[0], *shorter, last], lambda _: True)
