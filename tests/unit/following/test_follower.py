"""A follower whose feed position is gone goes to the end; one process owns each kind of work."""

from __future__ import annotations

from tests.support.memory_store import MemoryStore

from spanloom.core.model.span import TraceKey
from spanloom.core.query.positions import Position
from spanloom.core.sharing import ALL, NONE, slice_of
from spanloom.following.follower import FeedFollower
from spanloom.following.sharing import owns

FAR_US = 10**18
"""A time that no clock has reached; the feed refuses it like a position that is too old."""


def test_a_place_that_is_gone_is_left_for_the_end_of_the_feed() -> None:
    store = MemoryStore()
    store.followers.keep_place("alerts", Position(FAR_US))
    follower = FeedFollower(store.feed, store.followers, "alerts")
    assert follower.read() == ()
    assert follower.has_more
    follower.keep()
    assert store.followers.place("alerts") == Position(store.state.newest_us)
    assert follower.read() == []
    assert not follower.has_more


def test_one_process_owns_a_kind_of_work() -> None:
    own = frozenset({slice_of(TraceKey("", "alerts"))})
    assert owns(ALL, "alerts")
    assert owns(own, "alerts")
    assert not owns(NONE, "alerts")
    assert not owns(frozenset(range(256)) - own, "alerts")
