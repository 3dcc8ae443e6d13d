"""The change feed announces a mark with its score once, also after a failure between the two."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest
from tests.unit.annotation.conftest import KEY, SCHEME

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.ports.annotations import ScoreQuery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.unit.annotation.conftest import Desk

SCORELESS = "annotation_type: failure_attribution\nname: blame\ndescription: who\n"
WHOLE = {"write_id": "write-blame", "value": {"responsible_agent": "planner"}}


def told(desk: Desk) -> int:
    """Return how many announcements in the change feed are about annotations and scores."""
    return sum(line.is_judgement for line in desk.store.state.announced)


def mark_once(desk: Desk, status: int = 200) -> None:
    item = {"write_id": "the-write", "step_id": desk.steps[0], "correctness": "correct"}
    desk.write(item, status=status)


def scores_of_run(desk: Desk) -> int:
    asked = ScoreQuery(name=SCHEME, target="trajectory")
    return len(desk.store.scores.list(Reach.only(KEY.project), asked, 10))


def test_a_mark_and_its_score_are_told_of_once_and_behind_both(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []

    def announce(lines: Sequence[object]) -> None:
        if lines:
            seen.append(
                (len(desk.store.annotations.revisions(KEY, SCHEME, "ada")), scores_of_run(desk))
            )

    monkeypatch.setattr(desk.store.state, "announce", announce)
    mark_once(desk)
    assert seen == [(1, 1)]


def test_a_mark_is_told_of_though_its_score_cannot_be_stored(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(desk.store.scores, "add", Mock(side_effect=StoreUnavailableError("full")))
        mark_once(desk, status=503)
    assert (len(desk.store.annotations.revisions(KEY, SCHEME, "ada")), told(desk)) == (1, 1)
    mark_once(desk)
    assert len(desk.store.annotations.revisions(KEY, SCHEME, "ada")) == 1
    assert (scores_of_run(desk), told(desk)) == (1, 2)


@pytest.mark.parametrize("dies_at", ["scores", "feed"])
def test_who_was_killed_between_and_writes_again_is_told_of(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, dies_at: str
) -> None:
    with monkeypatch.context() as killed:
        died = Mock(side_effect=StoreUnavailableError("killed"))
        if dies_at == "scores":
            killed.setattr(desk.store.scores, "add", died)
        killed.setattr(desk.store.state, "announce", died)  # a killed process announces nothing
        mark_once(desk, status=503)
    assert (len(desk.store.annotations.revisions(KEY, SCHEME, "ada")), told(desk)) == (1, 0)
    mark_once(desk)
    assert len(desk.store.annotations.revisions(KEY, SCHEME, "ada")) == 1
    assert (scores_of_run(desk), told(desk)) == (1, 1)


def test_a_write_without_a_score_is_told_of_once_more_when_it_is_repeated(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.ask("PUT", "/v1/schemes/blame", json={"text": SCORELESS})
    with monkeypatch.context() as killed:
        killed.setattr(
            desk.store.state, "announce", Mock(side_effect=StoreUnavailableError("killed"))
        )
        desk.write(WHOLE, scheme="blame", status=503)
    assert told(desk) == 0
    desk.write(WHOLE, scheme="blame")
    assert (len(desk.store.annotations.revisions(KEY, "blame", "ada")), told(desk)) == (1, 1)


def test_an_undo_and_its_score_are_told_of_once(desk: Desk) -> None:
    mark_once(desk)
    before = told(desk)
    undo = {"scheme": SCHEME, "group": "the-write", "write_id": "undo-0001"}
    desk.ask("POST", f"/v1/trajectories/{KEY.trace_id}/annotations/undo", json=undo)
    assert (desk.read()["items"], scores_of_run(desk), told(desk)) == ([], 0, before + 1)
