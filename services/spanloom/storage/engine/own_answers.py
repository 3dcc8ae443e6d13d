"""Connections to the embedded engine on which every statement gets only its own answer.

chDB 26 keeps the partial answer of a statement that fails, and prepends it to the answer of the
next statement on the same connection: the rows of one project, whose query timed out, would be
returned to another project.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

_ANSWERS_NOTHING = "SELECT 1 FORMAT Null"


class OwnAnswers:
    """A chDB connection that discards the partial answer of a failed statement.

    If that fails, as in a process without a free descriptor, it is tried again before the next
    statement, which does not run until it succeeds. One thread at a time may use it.
    """

    def __init__(self, connection: Any) -> None:  # chDB has no types
        """Take over the connection; it must have no other user."""
        self._connection = connection
        self._has_rest = False

    def query(self, *statement: Any, **more: Any) -> Any:  # as chDB has it
        """Run a statement and return its answer; raises as chDB does."""
        if self._has_rest:
            self._throw_away()
        try:
            return self._connection.query(*statement, **more)
        except BaseException:
            self._has_rest = True
            with suppress(Exception):
                self._throw_away()
            raise

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __getattr__(self, name: str) -> Any:  # whatever else a connection has
        return getattr(self._connection, name)

    def _throw_away(self) -> None:
        self._connection.query(_ANSWERS_NOTHING)
        self._has_rest = False


def with_own_answers(client: Client) -> Client:
    """Make an embedded client of clickhouse-connect safe; it runs one statement at a time."""
    handle = client._backend._handle  # type: ignore[attr-defined]  # noqa: SLF001  # it has no door
    handle.conn = OwnAnswers(handle.conn)
    return client
