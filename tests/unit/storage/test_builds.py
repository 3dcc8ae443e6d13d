"""A build replaces a stored one unless it knows less; a reservation stops lower builders."""

from __future__ import annotations

import pytest

from spanloom.core.model.trajectory import Status
from spanloom.core.ports.builds import (
    MOST_PLACES,
    Build,
    Precedence,
    former_places,
    knows_more,
    may_replace,
)
from spanloom.core.ports.spans import Read
from spanloom.storage.runs.ledger import KNEW_MORE_S, Reservation

LESS, MORE = Read(5, 60).mark, Read(10, 120).mark
NEWER = Read(5, 61).mark
ME, OTHER = 1, 2


def precedence(
    mark: str = MORE, status: Status = Status.SETTLED, extractor: str = "16"
) -> Precedence:
    return Precedence.of(mark, status, extractor)


@pytest.mark.parametrize(
    ("stored", "new", "is_allowed"),
    [
        (precedence(LESS), precedence(MORE), True),
        (precedence(MORE), precedence(LESS), False),
        (precedence(LESS), precedence(NEWER), True),
        (precedence(NEWER), precedence(LESS), False),
        (precedence(LESS), precedence(MORE, Status.LIVE), True),
        (precedence(), precedence(), True),
        (precedence(status=Status.SETTLED), precedence(status=Status.LIVE), False),
        (precedence(status=Status.SETTLED), precedence(status=Status.FAILED), False),
        (precedence(status=Status.SETTLED), precedence(status=Status.PARTIAL), True),
        (precedence(status=Status.FAILED), precedence(status=Status.LIVE), False),
        (precedence(status=Status.LIVE), precedence(status=Status.FAILED), True),
        (precedence(extractor="16"), precedence(extractor="15"), False),
        (precedence(extractor="9"), precedence(extractor="16"), True),
        (precedence(extractor="16"), precedence(extractor="mine"), True),
    ],
)
def test_who_knows_less_replaces_nobody(
    stored: Precedence, new: Precedence, is_allowed: bool
) -> None:
    assert may_replace(stored, new, is_whole=False) is is_allowed


@pytest.mark.parametrize("is_whole", [True, False])
def test_only_a_whole_replaces_what_has_no_mark(is_whole: bool) -> None:
    assert may_replace(precedence(""), precedence(LESS), is_whole=is_whole) is is_whole


def build(rank: int, version: int, fingerprint: str = "a", mark: str = MORE) -> Build:
    return Build(rank, version, fingerprint, precedence(mark))


def test_a_stored_build_read_what_builds_with_its_content_have_read() -> None:
    stored, other = build(6, 2, mark=LESS), build(7, 3, "other", mark=MORE)
    assert stored.confirmed_by([]) == stored.confirmed_by([other]) == stored
    confirmed = stored.confirmed_by([build(7, 2, mark=NEWER), build(5, 2, mark=LESS), other])
    assert confirmed == build(6, 2, mark=NEWER)
    assert build(6, 2, mark=MORE).confirmed_by([build(7, 2, mark=LESS)]) == build(6, 2, mark=MORE)


@pytest.mark.parametrize(
    ("other", "is_so"),
    [
        (precedence(LESS), True),
        (precedence(NEWER), True),
        (precedence(MORE, Status.LIVE), True),
        (precedence(MORE, extractor="15"), True),
        (precedence(MORE), False),
        (precedence(Read(11, 0).mark), False),
    ],
)
def test_a_build_knows_more_than_what_must_not_replace_it(other: Precedence, is_so: bool) -> None:
    assert knows_more(precedence(), [precedence(), other]) is is_so
    assert not knows_more(precedence(), [])


def test_a_build_follows_what_is_below_it_and_itself() -> None:
    own = build(7, 3)
    assert own.follows(None)
    assert own.follows(build(6, 2))
    assert own.follows(own)
    assert not own.follows(build(7, 2))
    assert not own.follows(build(6, 3))
    assert not own.follows(build(7, 3, "other"))
    assert not build(7, 3, mark=LESS).follows(build(6, 2))


@pytest.mark.parametrize(
    ("other", "age_s", "is_stopped"),
    [
        (build(7, 2), 0, True),
        (build(6, 3), 0, True),
        (build(7, 2), 10**6, True),
        (build(6, 2), 0, False),
        (build(6, 2, mark=Read(11, 0).mark), 0, True),
        (build(6, 2, mark=Read(11, 0).mark), KNEW_MORE_S + 1, False),
        (build(5, 2, mark=Read(11, 0).mark), 0, False),
    ],
)
def test_a_reservation_stops_who_is_not_above_it(
    other: Build, age_s: int, is_stopped: bool
) -> None:
    own = build(7, 3)
    assert Reservation(other, OTHER, 0, age_s).stops(own, ME, above=5) is is_stopped


def test_a_builder_that_reserves_again_stops_itself_only_by_another_build() -> None:
    own = build(7, 3)
    assert not Reservation(own, ME, 0, 0).stops(own, ME, above=5)
    assert Reservation(own, OTHER, 0, 0).stops(own, ME, above=5)
    assert Reservation(build(7, 3, "other"), ME, 0, 0).stops(own, ME, above=5)


def test_of_former_places_the_newest_are_left() -> None:
    assert former_places(3, [3, 5, 3, 4, 5]) == [5, 4]
    assert former_places(0, range(1, 100)) == list(range(1, MOST_PLACES + 1))
