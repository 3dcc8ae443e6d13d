"""The cache of parsed values, which is bounded in bytes."""

from __future__ import annotations

from spanloom.core.values.bounds import ByteCache


def test_the_oldest_entries_leave_when_it_is_full() -> None:
    cache: ByteCache[str, int] = ByteCache(6_400)
    for at in range(64):
        assert cache.keep(f"key {at}", at, 100) == at
    assert cache.get("key 0") == 0
    cache.keep("key 1", 11, 100)  # replaces the former entry, and is now the newest
    assert cache.get("key 0") == 0
    cache.keep("another", 7, 100)
    assert [cache.get(key) for key in ("key 0", "key 1", "another")] == [None, 11, 7]


def test_an_entry_that_would_evict_many_is_returned_and_not_kept() -> None:
    cache: ByteCache[str, int] = ByteCache(6_400)
    assert cache.keep("large", 1, 101) == 1
    assert cache.get("large") is None
