"""Output that a statement wrote before it failed never appears in another statement's answer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from spanloom.storage.engine.embedded import OwnAnswers
from spanloom.storage.engine.parameters import rows_in
from spanloom.storage.sql import connect

if TYPE_CHECKING:
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.store import ClickHouseStore

CONNECTIONS = ("writer", "worker", "reader", "asker", "prober")
FORMAT = "JSONCompactEachRowWithNames"
BREAKING = "SELECT 'theirs' AS Project, throwIf(number = 150000) AS b FROM numbers(200000)"
OWN = "SELECT 'mine' AS Project"


def ask(connection: Connection, text: str) -> list[str]:
    return [row.Project for row in rows_in(connection._client.raw_query(text, fmt=FORMAT))]


@pytest.mark.parametrize("name", CONNECTIONS)
def test_an_answer_that_broke_off_is_not_in_the_next(
    clickhouse_store: ClickHouseStore, name: str
) -> None:
    connection = getattr(clickhouse_store.connections, name)
    for _ in range(2):
        with pytest.raises(Exception, match="throwIf"):
            ask(connection, BREAKING)
        assert ask(connection, OWN) == ["mine"]


def test_neighbours_of_one_that_breaks_get_their_own_answers(
    clickhouse_store: ClickHouseStore,
) -> None:
    connection = clickhouse_store.connections.reader
    answers: list[list[str]] = []

    def ask_on() -> None:
        answers.extend(ask(connection, OWN) for _ in range(30))

    neighbours = [threading.Thread(target=ask_on) for _ in range(3)]
    for neighbour in neighbours:
        neighbour.start()
    for _ in range(10):
        with pytest.raises(Exception, match="throwIf"):
            ask(connection, BREAKING)
    for neighbour in neighbours:
        neighbour.join()
    assert answers == [["mine"]] * 90


def test_no_statement_runs_before_what_was_left_is_thrown_away() -> None:
    class Broken:
        """A connection that keeps a failed statement's output, and then lacks file descriptors."""

        rest, is_out = b"", False

        def query(self, text: str, *_: object) -> bytes:
            if self.is_out:
                raise RuntimeError("Too many open files")
            if text == "break":
                self.rest, self.is_out = b"theirs", True
                raise RuntimeError(text)
            answer, self.rest = self.rest + text.encode(), b""
            return answer

    inner: Any = Broken()
    connection = OwnAnswers(inner)
    for text in ("break", "mine"):
        with pytest.raises(RuntimeError):
            connection.query(text)
    inner.is_out = False
    assert connection.query("mine") == b"mine"


def test_a_connection_of_the_sql_port_is_safe_too(clickhouse_store: ClickHouseStore) -> None:
    path: Any = clickhouse_store.connections.reader._client
    connection = connect(path.path)
    with pytest.raises(RuntimeError, match="throwIf"):
        connection.query(BREAKING, FORMAT)
    assert connection.query(OWN, "TSV").bytes() == b"mine\n"
    connection.close()
