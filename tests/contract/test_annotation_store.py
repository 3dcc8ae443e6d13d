"""Annotations, schemes, annotated document versions, scores and queues, in every store."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.annotations import SCHEME, STEP, annotation
from tests.support.trajectory_records import make_record

from spanloom.core.model.access import Reach
from spanloom.core.model.annotation_queue import Event, Order, Queue, QueueEvent, QueueItem
from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.model.upkeep import DeletionScope, new_deletion
from spanloom.core.ports.annotations import (
    AnnotationQuery,
    KeptAt,
    KeptVersion,
    ScorePlace,
    ScoreQuery,
    StoredScheme,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.annotation import Annotation
    from spanloom.core.ports.store import Store


EVERY_ANNOTATION = AnnotationQuery()


def own(key: TraceKey) -> Reach:
    return Reach.only(key.project)


def current(
    store: Store, key: TraceKey, asked: AnnotationQuery = EVERY_ANNOTATION
) -> list[Annotation]:
    return list(store.annotations.list(own(key), asked, 100))


def test_a_row_comes_back_as_it_was_said(store: Store, key: TraceKey) -> None:
    row = annotation(key, correctness="incorrect")
    store.annotations.add([row])
    assert current(store, key) == [row]
    assert list(store.annotations.revisions(key, SCHEME, "ada")) == [row]


def test_the_same_write_again_is_the_same_row(store: Store, key: TraceKey) -> None:
    row = annotation(key)
    store.annotations.add([row, row])
    store.annotations.add([row])
    assert list(store.annotations.revisions(key, SCHEME, "ada")) == [row]
    assert list(store.annotations.written(key, [row.write_id, "another"])) == [row]
    assert list(store.annotations.written(key, [])) == []


def test_the_highest_revision_is_current_and_every_one_is_kept(store: Store, key: TraceKey) -> None:
    rows = [
        annotation(key, revision=n, correctness=c, is_deleted=n == 3)
        for n, c in ((1, "incorrect"), (2, "correct"), (3, ""))
    ]
    store.annotations.add(rows[::-1])
    assert current(store, key) == [rows[2]]
    assert list(store.annotations.revisions(key, SCHEME, "ada")) == rows


def test_two_rows_of_one_revision_are_both_kept_and_the_later_counts(
    store: Store, key: TraceKey
) -> None:
    one = annotation(key, write_id="b-first", at_us=5_000_000)
    other = annotation(key, write_id="a-second", at_us=6_000_000, correctness="incorrect")
    store.annotations.add([other])
    store.annotations.add([one])
    assert current(store, key) == [other]
    assert list(store.annotations.revisions(key, SCHEME, "ada")) == [one, other]


def test_rows_are_asked_for_by_trace_scheme_annotator_and_time(store: Store, key: TraceKey) -> None:
    elsewhere = TraceKey(key.project, "e" * 32)
    rows = [
        annotation(key, annotator="ada"),
        annotation(key, annotator="bo", at_us=9_000_000),
        annotation(key, "", annotator="ada", scheme="z"),
        annotation(elsewhere),
    ]
    store.annotations.add(rows)
    for asked, wanted in (
        (AnnotationQuery(key.trace_id), rows[:3]),
        (AnnotationQuery(annotator="bo"), [rows[1]]),
        (AnnotationQuery(scheme="z"), [rows[2]]),
        (AnnotationQuery(from_us=9_000_000), [rows[1]]),
        (AnnotationQuery(before_us=9_000_000), [rows[0], rows[2], rows[3]]),
    ):
        assert sorted(current(store, key, asked), key=str) == sorted(wanted, key=str), asked


def test_slots_come_in_order_page_by_page(store: Store, key: TraceKey) -> None:
    rows = [annotation(key, f"{n:016x}") for n in range(7)]
    store.annotations.add(rows[::-1])
    pages: list[Annotation] = []
    after = None
    while page := store.annotations.list(own(key), EVERY_ANNOTATION, 3, after):
        pages += page
        after = page[-1].slot
    assert pages == rows


def test_annotations_of_another_project_are_not_seen(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    twin = TraceKey(new_project(), key.trace_id)
    store.annotations.add([annotation(key), annotation(twin, correctness="incorrect")])
    assert [row.slot.key for row in current(store, key)] == [key]
    assert [row.slot.key for row in store.annotations.revisions(twin, SCHEME, "ada")] == [twin]
    assert store.annotations.list(Reach.only(), EVERY_ANNOTATION, 100) == []


def test_every_text_of_a_scheme_stays_and_the_newest_is_used(store: Store, key: TraceKey) -> None:
    texts = [
        StoredScheme(key.project, "s", h, at, "ada", f"text {h} 中文")
        for h, at in (("a", 1), ("b", 2))
    ]
    for text in texts[::-1]:
        store.schemes.put(text)
    assert list(store.schemes.list(own(key))) == [texts[1]]
    assert list(store.schemes.list(own(key), "t")) == []
    assert store.schemes.text(key.project, "s", "a") == texts[0]
    assert store.schemes.text(key.project, "s", "c") is None
    store.schemes.put(replace(texts[0], at_us=3))
    assert [found.hash for found in store.schemes.list(own(key), "s")] == ["a"]


def test_a_version_is_kept_with_its_document_once(store: Store, key: TraceKey) -> None:
    first = KeptVersion(key, 1, "same", 5, b'{"a": "\\u00e9 \xc3\xa9"}')
    store.versions.keep(first)
    store.versions.keep(replace(first, version=2))
    assert store.versions.get(key, 1) == first
    assert store.versions.get(key, 2) == replace(first, version=2)
    assert store.versions.get(key, 3) is None
    assert store.versions.list(key) == [KeptAt(2, 5), KeptAt(1, 5)]
    assert [store.versions.has(key, version) for version in (1, 2, 3)] == [True, True, False]


def test_the_current_version_is_told(store: Store, key: TraceKey) -> None:
    assert store.versions.current(key) == 0
    record = make_record(key)
    store.trajectories.write([record])
    store.trajectories.write(
        [make_record(key, version=2, previous=store.trajectories.heads([key])[key])]
    )
    assert store.versions.current(key) == 2


def test_what_annotators_say_becomes_scores(store: Store, key: TraceKey) -> None:
    row = annotation(key, correctness="incorrect")
    store.annotations.add([row, annotation(key, "")])
    step, whole = sorted(
        store.scores.list(own(key), ScoreQuery([key.trace_id]), 10), key=lambda score: score.target
    )
    assert (step.target, step.step_id, step.number, step.text) == ("step", STEP, -5, "incorrect")
    assert (step.name, step.source, step.author) == (SCHEME, "human", "ada")
    assert (whole.target, whole.name) == ("trajectory", f"{SCHEME}/answer")
    store.annotations.add([annotation(key, revision=2, is_deleted=True)])
    assert [s.target for s in store.scores.list(own(key), ScoreQuery([key.trace_id]), 10)] == [
        "trajectory"
    ]


def score(key: TraceKey, name: str, revision: int = 1, number: float = 0.5) -> Score:
    return Score(key, name, "llm", "judge", revision, number=number, passed=None, rationale="é")


def test_the_same_score_again_is_a_revision(store: Store, key: TraceKey) -> None:
    store.scores.add([score(key, "a", 2, 0.9), score(key, "a", 1), score(key, "b")])
    found = store.scores.list(own(key), ScoreQuery(), 10)
    assert {s.name: s.number for s in found} == {"a": 0.9, "b": 0.5}
    assert score(key, "a", 2, 0.9) in found
    either = ScoreQuery([key.trace_id, "f" * 32], sources=["llm", "rule"], target="trajectory")
    for asked in (ScoreQuery(name="a"), ScoreQuery(author="judge"), either):
        assert store.scores.list(own(key), asked, 10)
    for asked in (ScoreQuery(sources=["human"]), ScoreQuery(["f" * 32]), ScoreQuery(target="step")):
        assert not store.scores.list(own(key), asked, 10)
    store.scores.add([replace(score(key, "a", 3), is_deleted=True)])
    assert [s.name for s in store.scores.list(own(key), ScoreQuery(), 10)] == ["b"]


def test_scores_are_found_by_experiment_and_item(store: Store, key: TraceKey) -> None:
    of = [replace(score(key, "a"), experiment=e, item=i) for e in "xy" for i in "mn"]
    store.scores.add(of)
    for asked, found in (
        (ScoreQuery(experiment="x"), {"xm", "xn"}),
        (ScoreQuery(item="m"), {"xm", "ym"}),
        (ScoreQuery(experiment="y", item="n"), {"yn"}),
        (ScoreQuery(experiment="z"), set[str]()),
    ):
        rows = store.scores.list(own(key), asked, 10)
        assert {row.experiment + row.item for row in rows} == found


def test_scores_come_page_by_page(store: Store, key: TraceKey) -> None:
    store.scores.add([score(key, f"n{n}") for n in range(5)])
    first = store.scores.list(own(key), ScoreQuery(), 3)
    place = ScorePlace(*first[-1].key, first[-1].id)
    rest = store.scores.list(own(key), ScoreQuery(), 3, place)
    assert {s.name for s in (*first, *rest)} == {f"n{n}" for n in range(5)}
    assert len(rest) == 2


def test_a_queue_holds_items_in_their_order_and_what_happened(store: Store, key: TraceKey) -> None:
    queue = Queue(key.project, "q 中", "s", ["ada", "bo"], 2, is_blind=True, at_us=1)
    store.queues.put(queue)
    changed = replace(queue, order=Order.RANDOM, away=["bo"], threshold=0.5, at_us=2)
    store.queues.put(changed)
    assert list(store.queues.list(own(key))) == [changed]
    assert list(store.queues.list(own(key), "other")) == []
    items = [QueueItem(f"{n:032x}", place, 1) for place, n in enumerate((7, 3, 5))]
    store.queues.add_items(queue, items)
    store.queues.add_items(queue, [items[0]._replace(place=99, version=2)])
    assert list(store.queues.items(queue)) == items
    events = [
        QueueEvent(items[0].trace_id, "ada", 1, Event.BEGUN),
        QueueEvent(items[0].trace_id, "ada", 2, Event.DONE),
        QueueEvent(items[1].trace_id, "bo", 3, Event.BEGUN),
    ]
    store.queues.add_events(queue, events[::-1])
    store.queues.add_events(queue, events[:1])
    assert list(store.queues.events(queue)) == events


def test_deleting_a_trace_takes_all_that_was_said_of_it(store: Store, key: TraceKey) -> None:
    queue = Queue(key.project, "q", "s", ["ada"])
    store.trajectories.write([make_record(key)])
    store.annotations.add([annotation(key)])
    store.scores.add([score(key, "a")])
    store.versions.keep(KeptVersion(key, 1, "h", 1, b"{}"))
    store.queues.put(queue)
    store.queues.add_items(queue, [QueueItem(key.trace_id, 1)])
    store.queues.add_events(queue, [QueueEvent(key.trace_id, "ada", 1, Event.DONE)])
    _delete(store, key)
    assert current(store, key) == []
    assert list(store.annotations.revisions(key, SCHEME, "ada")) == []
    assert list(store.annotations.written(key, [annotation(key).write_id])) == []
    assert store.versions.get(key, 1) is None
    assert store.versions.current(key) == 0
    assert list(store.scores.list(own(key), ScoreQuery(), 10)) == []
    assert list(store.queues.items(queue)) == []
    assert list(store.queues.events(queue)) == []


def test_what_is_said_of_a_trace_that_has_expired_can_be_deleted_too(
    store: Store, key: TraceKey
) -> None:
    store.annotations.add([annotation(key)])
    assert _delete(store, key) == 1
    assert current(store, key) == []


def _delete(store: Store, key: TraceKey) -> int:
    scope = DeletionScope(own(key), trace_id=key.trace_id)
    return store.deletions.delete(new_deletion(scope, "test", 2**60)).traces
