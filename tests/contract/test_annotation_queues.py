"""Annotation queues in every store: round trip, order of items, gold items and agreement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.annotations import SCHEME, STEP, annotation

from spanloom.core.model.access import Reach
from spanloom.core.model.annotation import Origin
from spanloom.core.model.annotation_queue import Alike, Mode, Order, Queue, QueueItem
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store

OTHER = f"{3:016x}"


def test_a_queue_comes_back_as_it_was_put(store: Store, key: TraceKey) -> None:
    queue = Queue(
        key.project,
        "q",
        SCHEME,
        [],
        mode=Mode.FREE,
        order=Order.DISAGREEMENT,
        where='output: "中文"',
        is_living=True,
        threshold=0.75,
        sample=0.1,
        has_gold=True,
    )
    store.queues.put(queue)
    (found,) = store.queues.list(Reach.only(key.project))
    assert replace(found, away=()) == queue


def test_an_item_keeps_its_place_and_can_become_gold(store: Store, key: TraceKey) -> None:
    queue = Queue(key.project, "q", SCHEME, ["ada"])
    first = QueueItem("a" * 32, 1, 2, 3)
    store.queues.add_items(queue, [first, QueueItem("b" * 32, 2, 1, 0, is_gold=True)])
    assert [item.is_gold for item in store.queues.items(queue)] == [False, True]
    store.queues.add_items(queue, [QueueItem(first.trace_id, 9, 4, 7, is_gold=True)])
    assert next(iter(store.queues.items(queue))) == first._replace(is_gold=True)


def test_how_alike_people_judge_is_counted_by_item(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    queue = Queue(key.project, "q", SCHEME, ["ada", "bo"])
    elsewhere, apart = TraceKey(key.project, "e" * 32), TraceKey(new_project(), key.trace_id)
    store.queues.add_items(queue, [QueueItem(key.trace_id, 1)])
    assert store.queues.alike(queue) == {}
    decided = annotation(key, annotator="cy", correctness="partially_correct")
    store.annotations.add(
        [
            annotation(key, annotator="ada", correctness="incorrect"),
            annotation(key, annotator="ada", correctness="correct", revision=2),
            annotation(key, annotator="bo", correctness="correct"),
            annotation(key, OTHER, annotator="ada", correctness="correct"),
            annotation(key, OTHER, annotator="bo", correctness="incorrect"),
            annotation(key, "0" * 16, annotator="bo", correctness="incorrect"),
            annotation(key, "1" * 16, annotator="ada", is_deleted=True),
            annotation(key, "1" * 16, annotator="bo"),
            annotation(key, annotator="ada", scheme="another"),
            replace(decided, origin=Origin.ADJUDICATION),
            replace(annotation(key, annotator="judge", correctness="x"), origin=Origin.MODEL),
            *(annotation(where, annotator=who) for where in (elsewhere, apart) for who in "ab"),
        ]
    )
    assert store.queues.alike(queue) == {key.trace_id: Alike(2, 1)}
    store.annotations.add([annotation(key, STEP, annotator="di", correctness="incorrect")])
    assert store.queues.alike(queue) == {key.trace_id: Alike(2, 0)}


def test_answers_about_whole_runs_are_alike_by_step_and_agent(store: Store, key: TraceKey) -> None:
    queue = Queue(key.project, "q", SCHEME, ["ada", "bo"])
    store.queues.add_items(queue, [QueueItem(key.trace_id, 1)])
    for who, step in (("ada", STEP), ("bo", STEP), ("cy", OTHER)):
        row = annotation(key, "", annotator=who)
        said = {"decisive_step": step, "responsible_agent": "planner", "reason": who}
        store.annotations.add([replace(row, mark=row.mark._replace(value=said))])
        same = 0 if who == "cy" else 1
        assert store.queues.alike(queue) == ({} if who == "ada" else {key.trace_id: Alike(1, same)})
