"""Scores in every store: revisions, retracted scores, and scores whose run does not exist."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.annotated_runs import three_steps
from tests.support.otlp_requests import next_seq

from spanloom.core.model.access import Reach
from spanloom.core.model.score import Score
from spanloom.core.model.upkeep import DeletionScope, new_deletion
from spanloom.core.ports.annotations import ScoreQuery

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.store import Store


def score_of(key: TraceKey, name: str = "good", at_us: int = 10, **more: object) -> Score:
    return Score(key, name, "api", "judge", at_us, **more)  # type: ignore[arg-type]


def test_all_revisions_of_a_trace_are_known_by_their_newest(store: Store, key: TraceKey) -> None:
    first, second = score_of(key, number=1.0), score_of(key, "other", step_hash="span:1")
    gone = replace(second, revision=11, is_deleted=True)
    store.scores.add([first, second, gone, replace(first, revision=9, number=0.0)])
    found = {score.name: score for score in store.scores.of_traces([key])}
    assert found == {"good": first, "other": gone}
    assert store.scores.of_traces([key._replace(trace_id="0" * 32)]) == []
    listed = store.scores.list(Reach.only(key.project), ScoreQuery([key.trace_id]), 10)
    assert [score.name for score in listed] == ["good"]


def test_the_same_row_again_changes_nothing(store: Store, key: TraceKey) -> None:
    score = score_of(
        *(key, "all"),
        text="a label",
        value_type="number",
        number=0.5,
        evidence="[]",
        cost=1.5,
        view_fingerprint="1:names:ff",
        coverage=0.25,
        cached=True,
        metrics={"f1": 0.5, "order": 1.0},
    )
    for _ in range(2):
        store.scores.add([score])
    assert store.scores.of_traces([key]) == [score]


def test_orphans_are_old_scores_without_a_run(store: Store, key: TraceKey) -> None:
    other = key._replace(trace_id=key.trace_id[::-1])
    of_talk = replace(
        score_of(key._replace(trace_id=""), "talk"), target="conversation", conversation_id="c"
    )
    store.scores.add([score_of(key), score_of(other, at_us=20), of_talk])
    reach = Reach.only(key.project)

    def orphans(before_us: int) -> list[str]:
        asked = ScoreQuery(orphans_before_us=before_us)
        return sorted(score.key.trace_id for score in store.scores.list(reach, asked, 10))

    assert store.scores.without_run([key, other]) == {key, other}
    assert orphans(15) == [key.trace_id]
    assert orphans(25) == sorted([key.trace_id, other.trace_id])
    three_steps(store, key)
    assert store.scores.without_run([key, other]) == {other}
    assert orphans(25) == [other.trace_id]


def test_a_deletion_takes_a_score_that_waits_for_its_run(store: Store, key: TraceKey) -> None:
    neighbour = key._replace(trace_id=key.trace_id[::-1])
    store.scores.add([score_of(key), score_of(neighbour)])
    reach = Reach.only(key.project)
    scope = DeletionScope(reach, trace_id=key.trace_id)
    store.deletions.delete(new_deletion(scope, "tester", next_seq() * 1000))
    found = store.scores.list(reach, ScoreQuery(orphans_before_us=99), 10)
    assert [score.key for score in found] == [neighbour]
    assert store.scores.without_run([key, neighbour]) == {neighbour}
    assert [score.key for score in store.scores.of_traces([key, neighbour])] == [neighbour]
