"""The statements that a mark sends to the store; each takes 3 to 17 ms of CPU, however small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.annotated_runs import three_steps
from tests.unit.annotation.conftest import KEY, SCHEME

from spanloom.annotation.requests import Session, Write
from spanloom.annotation.services import Annotating
from spanloom.core.model.span import TraceKey
from spanloom.storage.deletions.hiding import DeletedRows
from spanloom.storage.engine.connection import Connection
from spanloom.storage.store import ClickHouseStore, compose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.unit.annotation.conftest import Desk


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that records each statement by the name of its query or of its table."""
    noted: list[str] = []

    def note(method: str) -> None:
        works = getattr(Connection, method)

        def noting(connection: Connection, name: str, *rest: Any, **named: Any) -> Any:
            noted.append(name)
            return works(connection, name, *rest, **named)

        monkeypatch.setattr(Connection, method, noting)

    note("_ask")
    note("_insert")
    return noted


def mark(annotating: Annotating, key: TraceKey, step_id: str) -> None:
    session = Session(key, annotating.schemes.find(key.project, "potato"), "ada", 0)
    written = annotating.writing.write(
        session, [Write(step_id, f"w-{step_id}", {"correctness": "correct"})]
    )
    assert written.score is not None


def second_mark(store: ClickHouseStore, project: str, noted: list[str]) -> Sequence[str]:
    """Return the statements that the second mark on a run sends to the store."""
    annotating, key = Annotating.over(store), TraceKey(project, project.encode().hex()[:32])
    first, second, _ = three_steps(store, key)
    mark(annotating, key, first)
    noted.clear()
    mark(annotating, key, second)
    return [name for name in noted if name != "deleted_keys"]  # sent once something was deleted


def test_a_mark_takes_five_statements_where_nobody_else_writes(
    clickhouse_store: ClickHouseStore, statements: list[str], new_project: Any
) -> None:
    if not clickhouse_store.annotations.is_alone():
        pytest.skip("others may write to a server")
    assert second_mark(clickhouse_store, new_project(), statements) == [
        *("current_version", "annotation_revisions"),
        *("trajectory_changes", "annotations", "scores"),
    ]


def test_where_others_write_a_mark_takes_four_more(
    clickhouse_store: ClickHouseStore, statements: list[str], new_project: Any
) -> None:
    shared = compose(clickhouse_store.connections, DeletedRows(has_deletions=True))
    assert second_mark(shared, new_project(), statements) == [
        *("read_schemes", "current_version", "annotation_revisions", "read_queues"),
        *("annotations", "annotation_revisions", "read_schemes", "scores", "trajectory_changes"),
    ]


def test_what_another_process_says_meanwhile_counts_in_the_score(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One annotator writes in two windows of two processes; the score counts both marks."""
    store, add = desk.store, desk.store.annotations.add
    other = Annotating.over(store)
    monkeypatch.setattr(store.annotations, "is_alone", lambda: False)

    def add_after_the_other(rows: Any, *, is_announced: bool = True) -> None:
        monkeypatch.setattr(store.annotations, "add", add)
        session = Session(KEY, other.schemes.find(KEY.project, SCHEME), "ada", 0)
        wrong = {"correctness": "incorrect", "severity": "major"}
        other.writing.write(session, [Write(desk.steps[1], "w-other", {**wrong})])
        add(rows, is_announced=is_announced)

    monkeypatch.setattr(store.annotations, "add", add_after_the_other)
    item = {"step_id": desk.steps[0], "correctness": "correct"}
    (score,) = desk.write(item)["scores"]
    assert (score["score"], score["unjudged"]) == (95, 1)
