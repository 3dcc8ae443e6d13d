"""Random annotations and scores from a fixed seed."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from tests.support.annotations import annotation

from spanloom.core.matching.listed import placed_steps
from spanloom.core.model.annotation_queue import Event, Queue, QueueEvent, QueueItem
from spanloom.core.model.score import Score

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.store import Store
    from spanloom.core.ports.trajectories import TrajectoryRecord

NAME = "tier"
"""Name of the scheme and of the scores."""


def say_by_chance(store: Store, records: Sequence[TrajectoryRecord]) -> None:
    """Annotate and score half of the runs; a third of all runs are in a blind queue."""
    chance = Random(7)
    chosen = [record for record in records if chance.random() < 0.5]
    store.annotations.add([row for record in chosen for row in _annotations(chance, record)])
    store.scores.add([score for record in chosen for score in _scores(chance, record.key)])
    queue = Queue(records[0].key.project, "blind", NAME, ["ada"], is_blind=True)
    held = [record.key.trace_id for record in records if chance.random() < 0.3]
    store.queues.put(queue)
    store.queues.add_items(queue, [QueueItem(trace_id, n) for n, trace_id in enumerate(held)])
    done = [trace_id for trace_id in held if chance.random() < 0.5]
    store.queues.add_events(
        queue, [QueueEvent(trace_id, "ada", 1, Event.DONE) for trace_id in done]
    )


def _annotations(chance: Random, record: TrajectoryRecord) -> Iterator[Annotation]:
    steps = [step.id for _, step in placed_steps(record.trajectory)]
    for place in sorted({chance.choice([*steps, ""]) for _ in range(3)}):
        for revision in range(1, chance.randrange(1, 4)):
            yield annotation(
                record.key,
                place,
                revision=revision,
                correctness=chance.choice(["correct", "incorrect"]),
                is_deleted=chance.random() < 0.3,
                scheme=NAME,
            )


def _scores(chance: Random, key: TraceKey) -> Iterator[Score]:
    for author in ("judge", "rule"):
        for revision in (1, 2):
            yield Score(
                key=key,
                name=NAME,
                source="rule",
                author=author,
                revision=revision,
                number=chance.choice([0.0, 0.25, 0.5, None]),
                status=chance.choice(["ok", "ok", "error"]),
                is_deleted=chance.random() < 0.2,
            )
