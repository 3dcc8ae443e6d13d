"""Free queues, gold items, the order of items, and the items to be adjudicated."""

from __future__ import annotations

from typing import Any

from spanloom.core.annotation.queue import (
    CLAIM_US,
    Accuracy,
    QueueView,
    accuracy_of,
    overlap_of,
    progress_of,
)
from spanloom.core.model.annotation_queue import (
    Alike,
    Event,
    ItemState,
    Mode,
    Order,
    Queue,
    QueueEvent,
    QueueItem,
)

ITEMS = [f"{number:032x}" for number in range(4)]


def desk(
    *events: tuple[int, str, Event, int],
    alike: dict[int, Alike] | None = None,
    gold: set[int] | None = None,
    now_us: int = 0,
    **more: Any,
) -> QueueView:
    queue = Queue("p", "q", "potato", **{"annotators": ["ada", "bo"], **more})
    items = [
        QueueItem(item, place, failures=place % 3, is_gold=place in (gold or set()))
        for place, item in enumerate(ITEMS)
    ]
    told = [QueueEvent(ITEMS[n], who, at, event) for n, who, event, at in events]
    return QueueView(queue, items, told, {ITEMS[n]: a for n, a in (alike or {}).items()}, now_us)


def turns(found: QueueView, who: str = "ada") -> list[int]:
    return [ITEMS.index(item) for item in found.mine(who)]


def test_a_free_item_is_taken_for_half_an_hour() -> None:
    begun = (0, "ada", Event.BEGUN, 1_000)
    free: dict[str, Any] = {"mode": Mode.FREE, "each": 1}
    soon, late = 1_000 + CLAIM_US, 1_001 + CLAIM_US
    assert desk(begun, now_us=soon, **free).next_for("bo") == ITEMS[1]
    assert desk(begun, now_us=soon, **free).next_for("ada") == ITEMS[0]
    assert desk(begun, now_us=late, **free).next_for("bo") == ITEMS[0]
    assert desk(begun, now_us=soon, **free).state(ITEMS[0]) is ItemState.BEGUN
    assert desk(begun, now_us=late, **free).state(ITEMS[0]) is ItemState.OPEN
    done = desk(begun, (0, "ada", Event.DONE, 2_000), now_us=soon, **free)
    assert done.state(ITEMS[0]) is ItemState.DONE
    assert done.next_for("ada") == ITEMS[1]
    assert turns(done, "bo") == [1, 2, 3]


def test_a_free_queue_asks_those_it_names_or_everybody() -> None:
    assert desk(mode=Mode.FREE).next_for("stranger") is None
    assert desk(mode=Mode.FREE, away=["bo"]).next_for("bo") is None
    anybody = desk((1, "eve", Event.DONE, 5), mode=Mode.FREE, annotators=[], each=2)
    assert anybody.next_for("stranger") == ITEMS[0]
    assert anybody.state(ITEMS[1]) is ItemState.BEGUN
    assert progress_of(anybody)["eve"].done == 1


def test_two_who_got_the_last_place_are_both_kept() -> None:
    both = [(0, who, Event.DONE, 5) for who in ("ada", "bo")]
    assert desk(*both, mode=Mode.FREE, each=1).done_by(ITEMS[0]) == ["ada", "bo"]


def test_gold_is_for_everybody_and_withheld_until_one_is_done() -> None:
    fresh = desk(gold={2}, each=1)
    assert list(fresh.assigned[ITEMS[2]]) == ["ada", "bo"]
    assert all(len(names) == 1 for item, names in fresh.assigned.items() if item != ITEMS[2])
    assert not fresh.may_see(ITEMS[2], "ada")
    assert fresh.may_see(ITEMS[1], "ada")
    half = desk((2, "ada", Event.DONE, 1), gold={2})
    assert (half.may_see(ITEMS[2], "ada"), half.may_see(ITEMS[2], "bo")) == (True, False)
    assert half.state(ITEMS[2]) is ItemState.BEGUN
    free = desk((2, "ada", Event.DONE, 1), gold={2}, mode=Mode.FREE, each=1)
    assert turns(free, "bo") == [0, 1, 2, 3]


def test_accuracy_counts_silence_as_no_answer() -> None:
    known = {"a": "correct", "b": "incorrect"}
    assert accuracy_of(known, {"a": "correct", "c": "correct"}) == Accuracy(2, 1)


def test_items_come_by_errors_or_by_disagreement() -> None:
    mine: dict[str, Any] = {"annotators": ["ada"]}
    assert turns(desk(order=Order.OLDEST, **mine)) == [0, 1, 2, 3]
    assert turns(desk(order=Order.ERRORS, **mine)) == [2, 1, 0, 3]
    alike = {3: Alike(4, 1), 1: Alike(4, 3), 0: Alike(2, 2)}
    assert turns(desk(order=Order.DISAGREEMENT, alike=alike, **mine)) == [3, 1, 0, 2]
    drawn = turns(desk(order=Order.RANDOM, **mine))
    assert sorted(drawn) == [0, 1, 2, 3]
    assert drawn == turns(desk(order=Order.RANDOM, **mine))


def test_what_is_done_is_to_adjudicate_below_the_threshold_or_by_sample() -> None:
    done = [(n, who, Event.DONE, 1) for n in range(4) for who in ("ada", "bo")]
    alike = {0: Alike(4, 3), 1: Alike(4, 4)}

    def states(**more: Any) -> list[ItemState]:
        found = desk(*done, each=2, alike=alike, **more)
        return [found.state(item) for item in ITEMS]

    assert states() == [ItemState.DONE] * 4
    assert states(threshold=0.8) == [ItemState.TO_ADJUDICATE] + [ItemState.DONE] * 3
    assert states(threshold=0.75) == [ItemState.DONE] * 4
    assert states(sample=1) == [ItemState.TO_ADJUDICATE] * 4
    assert ItemState.TO_ADJUDICATE not in states(sample=1, gold={0, 1, 2, 3})
    decided = desk(*done, (0, "cy", Event.ADJUDICATED, 9), each=2, alike=alike, threshold=1)
    assert decided.state(ITEMS[0]) is ItemState.ADJUDICATED
    assert overlap_of(decided) == 4
