"""Scores follow new weights despite unreadable runs, annotators at work, and a kill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest
from tests.support.annotated_runs import SEED, store_run, three_steps, tool_step
from tests.unit.annotation.conftest import KEY, SCHEME

from spanloom.annotation.requests import Session, Write
from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.annotations import ScoreQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.unit.annotation.conftest import Desk

    from spanloom.annotation.services import Annotating

HEAVIER = SEED.replace("weight: -5", "weight: -8")
WRONG = {"correctness": "incorrect", "severity": "major"}
OTHERS = [TraceKey(KEY.project, digit * 32) for digit in "09"]


def put(desk: Desk, text: str = HEAVIER) -> None:
    """Store the scheme, as a process other than the desk's would."""
    writing = desk.annotating.writing
    desk.annotating.rescoring.put(KEY.project, SCHEME, text, "lead", writing.now_us())


def say(annotating: Annotating, key: TraceKey, step_id: str, who: str = "ada") -> None:
    """Mark a step as wrong, under the scheme that is stored now."""
    scheme = annotating.schemes.find(KEY.project, SCHEME)
    session = Session(key, scheme, who, version=1)
    annotating.writing.write(session, [Write(step_id, f"w-{who}-{step_id}", dict(WRONG))])


def scores(desk: Desk) -> Mapping[str, float | None]:
    """Return the score of each run, keyed by the first digit of its trace id."""
    asked = ScoreQuery(name=SCHEME, target="trajectory")
    found = desk.store.scores.list(Reach.only(KEY.project), asked, 100)
    return {score.key.trace_id[0]: score.number for score in found}


def fails_for(
    of: TraceKey, error: Exception, call: Callable[[TraceKey, int], Any]
) -> Callable[[TraceKey, int], Any]:
    """Return a function that raises ``error`` for the run ``of`` and else calls ``call``."""

    def failing(key: TraceKey, version: int) -> Any:
        if key == of:
            raise error
        return call(key, version)

    return failing


@pytest.fixture
def three_runs(desk: Desk) -> Desk:
    """Return a desk with three runs, each of which has a step marked as wrong."""
    for key in (OTHERS[0], KEY, OTHERS[1]):
        say(desk.annotating, key, three_steps(desk.store, key)[0])
    return desk


@pytest.mark.parametrize("error", [ValueError("no JSON"), StoreUnavailableError("damaged")])
def test_a_run_that_cannot_be_read_keeps_its_score_and_blocks_no_other(
    three_runs: Desk, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = three_runs.annotating.versions
    with monkeypatch.context() as broken:
        broken.setattr(versions, "anchors", fails_for(KEY, error, versions.anchors))
        broken.setattr(three_runs.store.documents, "many", Mock(side_effect=error))
        put(three_runs)
    assert scores(three_runs) == {"0": 92, "4": 95, "9": 92}
    put(three_runs)  # after the repair, the same request rescores the rest
    assert scores(three_runs) == {"0": 92, "4": 92, "9": 92}


def test_a_store_that_is_away_is_no_fault_of_runs(
    three_runs: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    away, schemes = Mock(side_effect=StoreUnavailableError("away")), three_runs.annotating.schemes
    schemes.put(KEY.project, SCHEME, HEAVIER, "lead", three_runs.annotating.writing.now_us())
    once = Mock(side_effect=[schemes.find(KEY.project, SCHEME), StoreUnavailableError("away")])
    monkeypatch.setattr(schemes, "find", once)
    monkeypatch.setattr(three_runs.store.documents, "many", away)
    monkeypatch.setattr(three_runs.annotating.versions, "anchors", away)
    with pytest.raises(StoreUnavailableError):
        put(three_runs)
    assert set(scores(three_runs).values()) == {95}


def test_what_a_kill_left_the_same_again_finishes(three_runs: Desk) -> None:
    put_only = three_runs.annotating.schemes.put
    put_only(KEY.project, SCHEME, HEAVIER, "lead", three_runs.annotating.writing.now_us())
    assert set(scores(three_runs).values()) == {95}
    put(three_runs)
    assert set(scores(three_runs).values()) == {92}


def test_a_mark_of_another_process_meanwhile_is_not_overwritten(
    three_runs: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = three_runs.annotating.versions
    read_ahead = versions.read_ahead

    def meanwhile(keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        three_runs.write({"step_id": three_runs.steps[1], **WRONG})  # after the marks were read
        return read_ahead(keys)

    monkeypatch.setattr(versions, "read_ahead", meanwhile)
    put(three_runs)
    assert scores(three_runs) == {"0": 92, "4": 84, "9": 92}


def test_who_began_under_the_old_weights_writes_by_the_new_ones(three_runs: Desk) -> None:
    annotating = three_runs.annotating
    began = Session(KEY, annotating.schemes.find(KEY.project, SCHEME), "ada", version=1)
    put(three_runs)
    done = annotating.writing.write(began, [Write(f"{3:016x}", "w-late", dict(WRONG))])
    assert done.score is not None
    assert done.score.value == scores(three_runs)["4"] == 84


def test_marks_that_count_no_more_take_nothing_off(three_runs: Desk) -> None:
    changed = [tool_step(2, said="another answer"), tool_step(3), tool_step(4)]
    store_run(three_runs.store, KEY, changed, version=2)
    put(three_runs)
    assert scores(three_runs) == {"0": 92, "4": 100, "9": 92}


def test_a_mark_whose_score_was_never_stored_gets_one(three_runs: Desk) -> None:
    (row,) = three_runs.store.annotations.revisions(KEY, SCHEME, "ada")
    forgotten = [place for place in three_runs.store.state.scores if place.trace_id == KEY.trace_id]
    for place in forgotten:
        del three_runs.store.state.scores[place]
    put(three_runs)
    asked = ScoreQuery([KEY.trace_id], target="trajectory")
    (score,) = three_runs.store.scores.list(Reach.only(KEY.project), asked, 10)
    assert (score.number, score.source, score.revision) == (92, "human", row.at_us + 1)


def test_what_evaluators_call_by_the_same_name_is_theirs(three_runs: Desk) -> None:
    theirs = {"trace_id": KEY.trace_id, "name": SCHEME, "source": "rule", "author": "ada"}
    three_runs.ask("POST", "/v1/scores", json={"items": [{**theirs, "value": 0.5}]})
    put(three_runs)
    asked = ScoreQuery(name=SCHEME, sources=["rule"], target="trajectory")
    (kept,) = three_runs.store.scores.list(Reach.only(KEY.project), asked, 2)
    assert kept.number == 0.5
