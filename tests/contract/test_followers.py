"""Followers of the change feed in every store: stored positions, and repeats after a crash."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest
from tests.support.otlp_requests import START_NS

from spanloom.core.model.trajectory import Status
from spanloom.core.ports.feed import Announcement
from spanloom.core.query.positions import Position
from spanloom.following.follower import FeedFollower, begin_at_end

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.store import Store


@pytest.fixture
def name() -> str:
    return secrets.token_hex(4)


def announce(store: Store, key: TraceKey, version: int) -> None:
    store.feed.announce([Announcement(key, version, Status.SETTLED, START_NS)])


def versions_of(follower: FeedFollower, key: TraceKey) -> list[int]:
    return [one.version for one in follower.read() if one.key == key]


def test_the_latest_place_of_a_follower_counts(store: Store, name: str) -> None:
    assert store.followers.place(name) is None
    place = Position(7_000_000, 2, ((5, 9),))
    store.followers.keep_place(name, Position(8_000_000))
    store.followers.keep_place(name, place)
    assert store.followers.place(name) == place
    assert store.followers.place(f"{name}-other") is None


def test_a_follower_gets_what_comes_after_its_first_look(
    store: Store, key: TraceKey, name: str
) -> None:
    announce(store, key, 1)
    follower = FeedFollower(store.feed, store.followers, name)
    assert versions_of(follower, key) == []
    announce(store, key, 2)
    assert versions_of(follower, key) == [2]


def test_what_was_not_taken_in_comes_again_after_a_crash(
    store: Store, key: TraceKey, name: str
) -> None:
    begin_at_end(store.feed, store.followers, name)
    announce(store, key, 1)
    died = FeedFollower(store.feed, store.followers, name)
    assert versions_of(died, key) == [1]
    after = FeedFollower(store.feed, store.followers, name)
    assert versions_of(after, key) == [1]
    after.keep()
    announce(store, key, 2)
    for follower in (after, FeedFollower(store.feed, store.followers, name)):
        assert versions_of(follower, key) == [2]


def test_a_follower_that_forgets_goes_on_from_what_another_kept(
    store: Store, key: TraceKey, name: str
) -> None:
    first = FeedFollower(store.feed, store.followers, name)
    first.read()
    announce(store, key, 1)
    other = FeedFollower(store.feed, store.followers, name)
    assert versions_of(other, key) == [1]
    other.keep()
    first.forget()
    assert versions_of(first, key) == []
