"""Rules of queues: items are assigned whoever asks first; states of items, and visibility."""

from __future__ import annotations

from collections import Counter

from spanloom.core.annotation.queue import Progress, QueueView, progress_of
from spanloom.core.annotation.queue_items import assign
from spanloom.core.model.annotation_queue import (
    Event,
    ItemState,
    Order,
    Queue,
    QueueEvent,
    QueueItem,
)

ITEMS = [f"{number:032x}" for number in range(100)]
FOUR = ["ada", "bo", "cy", "di"]


def test_a_hundred_items_two_each_are_balanced_though_one_is_lost_half_way() -> None:
    first = assign(ITEMS, FOUR, 2, {})
    assert all(len(set(names)) == 2 for names in first.values())
    assert set(Counter(n for names in first.values() for n in names).values()) == {50}
    done = {item: ["ada"] for item in [i for i in ITEMS if "ada" in first[i]][:25]}
    after = assign(ITEMS, FOUR, 2, done, away=["ada"])
    assert all(len(set(names)) == 2 for names in after.values())
    loads = Counter(n for names in after.values() for n in names)
    assert loads.pop("ada") == 25
    mean = sum(loads.values()) / 3
    assert all(abs(load - mean) <= mean / 10 for load in loads.values())
    stayed = [i for i in ITEMS if "ada" not in first[i]]
    assert all(after[item] == first[item] for item in stayed)


def test_who_did_an_item_unasked_takes_the_place_of_one_who_is_away() -> None:
    first, second = assign(["a"], FOUR, 2, {})["a"]
    other = next(who for who in FOUR if who not in (first, second))
    after = assign(["a"], FOUR, 2, {"a": [other]}, away=[first])
    assert after["a"] == [second, other]


def test_an_item_that_comes_later_moves_nothing() -> None:
    first = assign(ITEMS[:60], FOUR, 2, {})
    assert all(assign(ITEMS, FOUR, 2, {})[item] == first[item] for item in ITEMS[:60])


def test_with_fewer_annotators_than_wanted_all_of_them_get_it() -> None:
    assert set(assign(["a"], ["ada"], 3, {})["a"]) == {"ada"}


def desk(*events: tuple[int, str, Event], blind: bool = True, each: int = 2) -> QueueView:
    queue = Queue("p", "q", "potato", ["ada", "bo"], each, is_blind=blind, order=Order.RANDOM)
    items = [QueueItem(item, place) for place, item in enumerate(ITEMS[:3])]
    told = [QueueEvent(ITEMS[n], who, at, event) for at, (n, who, event) in enumerate(events)]
    return QueueView(queue, items, told)


def test_an_item_is_open_begun_done_and_adjudicated() -> None:
    assert desk().state(ITEMS[0]) is ItemState.OPEN
    begun = (0, "ada", Event.BEGUN)
    assert desk(begun).state(ITEMS[0]) is ItemState.BEGUN
    both = (begun, (0, "ada", Event.DONE), (0, "bo", Event.DONE))
    assert desk(*both[:2]).state(ITEMS[0]) is ItemState.BEGUN
    assert desk(*both).state(ITEMS[0]) is ItemState.DONE
    assert desk(*both, (0, "ada", Event.BEGUN)).state(ITEMS[0]) is ItemState.DONE
    decided = (*both, (0, "cy", Event.ADJUDICATED))
    assert desk(*decided).state(ITEMS[0]) is ItemState.ADJUDICATED
    assert desk(*decided, (0, "bo", Event.REOPENED)).state(ITEMS[0]) is ItemState.BEGUN


def test_what_somebody_has_begun_comes_first_and_then_nothing() -> None:
    first = desk().next_for("ada")
    last = next(item for item in ITEMS[:3] if item != first)
    number = ITEMS.index(last)
    assert desk((number, "ada", Event.BEGUN)).next_for("ada") == last
    everything = [(n, "ada", Event.DONE) for n in range(3)]
    assert desk(*everything).next_for("ada") is None
    assert desk().next_for("stranger") is None
    assert progress_of(desk(*everything))["ada"].done == 3


def test_only_items_whose_beginning_is_known_are_timed() -> None:
    told = desk((0, "ada", Event.BEGUN), (1, "ada", Event.DONE), (0, "ada", Event.DONE))
    assert progress_of(told)["ada"] == Progress(3, 2, 1, 2e-06, 2e-06)
    assert progress_of(desk((0, "ada", Event.DONE)))["ada"].median_seconds is None


def test_a_night_between_beginning_and_done_makes_no_item_long() -> None:
    begun, done = ("ada", Event.BEGUN), ("ada", Event.DONE)
    evening, morning = (0, *begun), (0, *done)
    told = desk(evening, (1, *begun), (1, *done), (2, *begun), (2, *done), morning)
    ada = progress_of(told)["ada"]
    assert (ada.timed, ada.seconds, ada.median_seconds) == (3, 7e-06, 1e-06)


def test_an_item_is_begun_by_opening_it_once_and_by_whose_it_is() -> None:
    assert desk().begins(ITEMS[0], "ada")
    assert not desk().begins(ITEMS[0], "stranger")
    assert not desk((0, "ada", Event.BEGUN)).begins(ITEMS[0], "ada")
    assert not desk((0, "ada", Event.DONE)).begins(ITEMS[0], "ada")
    assert desk((0, "ada", Event.BEGUN)).begins(ITEMS[0], "bo")


def test_who_may_see_what_others_say() -> None:
    one = desk((0, "ada", Event.DONE))
    assert [one.may_see(ITEMS[0], who) for who in ("ada", "bo", "", "cy")] == [
        True,
        False,
        False,
        False,
    ]
    assert one.may_see("elsewhere", "")
    both = desk((0, "ada", Event.DONE), (0, "bo", Event.DONE))
    assert both.may_see(ITEMS[0], "")
