"""Annotation queues: events in any order, and each item goes to as many annotators as wanted."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples

from spanloom.core.annotation.queue import CLAIM_US, QueueView
from spanloom.core.annotation.queue_items import assign
from spanloom.core.model.annotation_queue import (
    Event,
    ItemState,
    Mode,
    Queue,
    QueueEvent,
    QueueItem,
)

NAMES = ("ada", "bo", "cy", "di")
IDS = [f"{number:032x}" for number in range(6)]
ITEMS = [QueueItem(item, place) for place, item in enumerate(IDS)]
EVENTS = st.builds(
    QueueEvent,
    st.sampled_from(IDS),
    st.sampled_from(NAMES),
    st.integers(1, 2 * CLAIM_US),
    st.sampled_from(list(Event)),
)


@given(st.lists(EVENTS, max_size=20), st.randoms(use_true_random=False), st.sampled_from(Mode))
def test_events_tell_the_same_in_any_order_and_twice(
    events: list[QueueEvent], random: object, mode: Mode
) -> None:
    queue = Queue("p", "q", "s", NAMES, 2, mode=mode)
    shuffled = [*events, *events[:3]]
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # as declared by the strategy
    one, other = (QueueView(queue, ITEMS, told, None, CLAIM_US) for told in (events, shuffled))
    for item in IDS:
        assert one.state(item) is other.state(item)
        assert list(one.assigned[item]) == list(other.assigned[item])
    assert [one.next_for(who) for who in NAMES] == [other.next_for(who) for who in NAMES]


ASKS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.booleans(), st.integers(0, CLAIM_US)), max_size=60
)


@settings(max_examples=examples(60))
@given(ASKS, st.integers(1, 3))
def test_a_free_queue_gives_each_item_to_as_many_as_wanted(
    asks: list[tuple[str, bool, int]], each: int
) -> None:
    queue = Queue("p", "q", "s", NAMES, each, mode=Mode.FREE)
    events: list[QueueEvent] = []
    now_us = CLAIM_US * 2

    def desk() -> QueueView:
        return QueueView(queue, ITEMS, events, None, now_us)

    def ask(who: str, *, finishes: bool) -> str | None:
        item = desk().next_for(who)
        if item is not None:
            before = desk()
            others = [name for name in before.assigned[item] if name != who]
            assert len(others) < each
            events.append(QueueEvent(item, who, now_us, Event.BEGUN))
            if finishes:
                events.append(QueueEvent(item, who, now_us + 1, Event.DONE))
        return item

    for who, finishes, later_us in asks:
        now_us += later_us + 2
        ask(who, finishes=finishes)
    now_us += 2 * CLAIM_US
    while [who for who in NAMES if ask(who, finishes=True)]:
        now_us += 2
    assert {desk().state(item) for item in IDS} == {ItemState.DONE}


@given(
    st.integers(1, 40),
    st.integers(1, 4),
    st.dictionaries(st.integers(0, 39), st.sets(st.sampled_from(NAMES), max_size=4)),
    st.sets(st.sampled_from(NAMES), max_size=3),
)
def test_every_item_has_its_annotators_whoever_is_away_and_done(
    count: int, each: int, done: dict[int, set[str]], away: set[str]
) -> None:
    items = [f"{number:032x}" for number in range(count)]
    finished = {items[n]: sorted(who) for n, who in done.items() if n < count}
    found = assign(items, NAMES, each, finished, sorted(away))
    here = [who for who in NAMES if who not in away]
    for item, names in found.items():
        assert len(set(names)) == len(names)
        assert set(finished.get(item, ())) <= set(names)
        wanted = max(len(finished.get(item, ())), min(each, len(here)))
        assert len(names) >= wanted
        assert set(names) <= {*here, *finished.get(item, ())}
    if not finished and not away:
        loads = Counter(who for names in found.values() for who in names)
        assert max(loads.values()) - min(loads.get(who, 0) for who in NAMES) <= 1
