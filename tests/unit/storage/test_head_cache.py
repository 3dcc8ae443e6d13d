"""The cache of stored builds answers once, and never with builds that were read during a write."""

from __future__ import annotations

from spanloom.core.model.span import TraceKey
from spanloom.core.ports.builds import Build, Precedence
from spanloom.storage.runs import store as head_cache
from spanloom.storage.runs.store import HeadCache

A, B = TraceKey("p", "a" * 32), TraceKey("p", "b" * 32)
SEVEN, NINE = (Build(rank, 1, "", Precedence("", 0, 0)) for rank in (7, 9))


def test_it_is_given_once_and_only_for_all() -> None:
    cache = HeadCache()
    cache.note(cache.writes.ended, {A: SEVEN})
    assert cache.take([A, B]) is None
    cache.note(cache.writes.ended, {A: SEVEN, B: None})
    assert cache.take([A, B]) == {A: SEVEN, B: None}
    assert cache.take([A]) is None
    assert cache.take([]) == {}


def test_what_was_read_while_somebody_wrote_is_not_kept() -> None:
    cache = HeadCache()
    before = cache.writes.ended
    with cache.writes:
        during = cache.writes.ended
        cache.note(before, {A: SEVEN})  # the write has not ended
        cache.take([A])
    cache.note(during, {A: SEVEN})  # this was read during the write
    cache.note(before, {A: SEVEN})  # the write has ended since
    assert cache.take([A]) is None
    cache.note(cache.writes.ended, {A: NINE})
    assert cache.take([A]) == {A: NINE}


def test_it_does_not_grow_without_end() -> None:
    cache = HeadCache()
    for n in range(3):
        cache.note(cache.writes.ended, {TraceKey("p", f"{n}-{m}"): None for m in range(30_000)})
    assert len(cache._builds) <= head_cache.MOST
