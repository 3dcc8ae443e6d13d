"""Scores in an imported file are stored as by ``POST /v1/scores``; bad ones are refused alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support import scored
from tests.support.drafted import planner
from tests.support.imported_files import send, told
from tests.support.otlp_door import new_trace
from tests.support.scored import SCORES, TRACE

from spanloom.annotation.services import Annotating
from spanloom.api.annotations.file_scores import score_store_for
from spanloom.client.transfer import run_scores
from spanloom.client.transfer.score_rows import PlacedRow
from spanloom.client.transfer.scores import send_scores
from spanloom.core.errors import InvalidRequestError, PermanentError
from spanloom.core.formats.entry import Of
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored
from spanloom.core.model.access import ANYBODY, Caller, Scope
from spanloom.process.imports import child, running

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi.testclient import TestClient
    from tests.support.access import Locks
    from tests.support.imported_files import Collector
    from tests.support.memory_store import MemoryStore

SPANS = 7
GOOD = {"trace_id": TRACE, "name": "good", "author": "judge", "value": 0.5, "project": "default"}


def file_of(rows: Sequence[Mapping[str, Any]], form: str = "mlflow", trace: str = TRACE) -> bytes:
    """Return a file in the given format with the planner's run and its scores."""
    write = formats_of(Of.RUN)[form].load_writer()
    given = [{**row, "trace_id": trace} for row in rows]
    body: bytes = write(Stored(orjson.dumps(planner() | {"id": trace}), scores=given), Losses())
    return body.strip()


def stored_in(client: TestClient, key: str = "", **asked: Any) -> list[dict[str, Any]]:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    answer = client.get("/v1/scores", params={"limit": 50, **asked}, headers=headers)
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def numbers(end: Mapping[str, Any]) -> tuple[int, int]:
    return end["accepted_scores"], end["rejected_scores"]


@pytest.mark.parametrize("form", ["mlflow", "inspect"])
def test_a_file_brings_its_scores_and_twice_the_same_ones(client: TestClient, form: str) -> None:
    for _ in range(2):
        done = told(send(client, file_of(scored.rows(), form)))
        assert numbers(done.end) == (len(SCORES), 0)
        assert [run["trace_id"] for run in done.runs] == [TRACE]
        assert (done.rejected, "scores_dropped" in done.end["losses"]) == ([], False)
        found = sorted(repr(scored.compared(row)) for row in stored_in(client))
        assert found == sorted(repr(scored.compared(row)) for row in scored.rows())


def test_scores_need_their_scope_and_runs_come_without(
    client: TestClient, collector: Collector, locks: Locks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_scores, "AT_ONCE", 1)  # several requests name the reason once
    body = b"\n".join(file_of(scored.rows(), trace=one) for one in (TRACE, new_trace()))
    done = told(send(client, body, key=locks.make("mine", Scope.INGEST)))
    assert numbers(done.end) == (0, 2 * len(SCORES))
    assert done.rejected == [{"place": "scores", "reason": running.NO_SCORES}]
    assert [run["state"] for run in done.runs] == ["taken", "taken"]
    assert done.end["losses"]["scores_dropped"] == 2 * len(SCORES)
    assert collector.spans() == {"mine": 2 * SPANS}
    assert stored_in(client, locks.make("mine", Scope.READ)) == []


def test_scores_are_of_the_project_of_the_key(client: TestClient, locks: Locks) -> None:
    key = locks.make("mine", Scope.INGEST, Scope.ANNOTATE, Scope.READ)
    assert numbers(told(send(client, file_of(scored.rows()), key=key)).end) == (len(SCORES), 0)
    assert {row["project"] for row in stored_in(client, key)} == {"mine"}
    other = locks.make("default", Scope.READ)
    assert stored_in(client, other) == []


@pytest.mark.parametrize("at_once", [1, 500])
def test_a_bad_score_is_named_after_its_run_and_harms_no_other(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(run_scores, "AT_ONCE", at_once)
    good, bad, *_ = scored.rows()
    other = new_trace()
    body = file_of([good, {**bad, "repeat": -1}]) + b"\n" + file_of([good], trace=other)
    answer = send(client, body)
    done = told(answer)
    assert [run["trace_id"] for run in done.runs] == [TRACE, other]
    assert (numbers(done.end), done.end["rejected"]) == ((2, 1), 1)
    assert done.end["losses"]["scores_dropped"] == 1
    (named,) = done.rejected
    assert named["place"] == "line 1: score grade"
    assert named["reason"] == "repeat: Input should be greater than or equal to 0"
    lines = [orjson.loads(line) for line in answer.content.splitlines()]
    assert lines.index(done.runs[0]) < lines.index(named)
    assert {row["trace_id"] for row in stored_in(client)} == {TRACE, other}


def test_scores_that_annotations_make_are_left_out(client: TestClient) -> None:
    good, *_ = scored.rows()
    ours = [{**good, "name": "potato", "source": one} for one in ("human", "adjudication")]
    done = told(send(client, file_of([good, *ours])))
    assert (numbers(done.end), done.rejected) == ((1, 0), [])
    assert done.end["losses"]["scores_dropped"] == 2
    assert [row["name"] for row in stored_in(client)] == [good["name"]]


def test_scores_of_a_deleted_run_are_refused(client: TestClient, store: MemoryStore) -> None:
    store.feed._state.deleted.add(scored.KEY)
    done = told(send(client, file_of(scored.rows()[:1])))
    assert numbers(done.end) == (0, 1)
    assert done.rejected[0]["reason"] == f"The trajectory {TRACE} was deleted."
    assert stored_in(client) == []


def test_scores_of_runs_that_were_taken_are_stored_though_the_file_ends_badly(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = child._found

    def broken(begin: Any) -> Any:
        yield from found(begin)
        raise InvalidRequestError("it is cut off")

    monkeypatch.setattr(child, "_found", broken)
    done = told(send(client, file_of(scored.rows()[:1])))
    assert (done.end, len(done.runs)) == ({"error": "it is cut off"}, 1)
    assert len(stored_in(client)) == 1


def test_a_run_with_more_than_its_scores_may_take_is_rejected(
    client: TestClient, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "MOST_ITEM_BYTES", 20_000)
    good, *_ = scored.rows()
    long = [{**good, "name": name, "rationale": "x" * 9_000} for name in ("a", "b", "c")]
    done = told(send(client, file_of(long) + b"\n" + file_of(long[:1], trace=new_trace())))
    (named,) = done.rejected
    assert "is longer than" in named["reason"]
    assert (named["place"], numbers(done.end)) == ("line 1", (1, 0))
    assert collector.spans() == {"": SPANS}


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"name": ""}, "name: String should have at least 1 character"),
        ({"target": "step"}, "step_id: a target step needs it"),
        ({"value": 10**100}, "Integer exceeds 64-bit range"),
        ({"rationale": "\ud800"}, "not valid UTF-8"),
        ({"project": "theirs"}, "The key k does not open that project."),
        ({"source": ["human"]}, "source: Input should be"),
    ],
    ids=["no name", "no step", "a large number", "a lone surrogate", "another project", "a list"],
)
def test_what_is_no_score_is_refused_alone(
    store: MemoryStore, bad: Mapping[str, Any], said: str
) -> None:
    taker = score_store_for(
        Caller("k", "default", frozenset({Scope.ANNOTATE})), Annotating.over(store)
    )
    assert taker is not None
    rows = [PlacedRow(str(n), row) for n, row in enumerate((GOOD, {**GOOD, **bad}, GOOD))]
    done = send_scores(taker, rows)
    assert (done.stored, [one["place"] for one in done.refused]) == (2, ["1"])
    assert said in done.refused[0]["reason"]


def test_what_is_refused_stores_nothing_and_nan_is_no_number(store: MemoryStore) -> None:
    taker = score_store_for(ANYBODY, Annotating.over(store))
    assert taker is not None
    item = {key: value for key, value in GOOD.items() if key != "project"}
    with pytest.raises(PermanentError, match="name"):
        taker.store([item, {**item, "name": ""}], "")
    assert taker.store([{**item, "value": float("nan")}], "") == 1
    assert (
        score_store_for(Caller("k", "p", frozenset({Scope.INGEST})), Annotating.over(store)) is None
    )
