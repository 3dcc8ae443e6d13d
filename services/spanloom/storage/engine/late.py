"""Connections to a ClickHouse server that may not be reachable yet, or may lack its tables.

A process starts without its store and waits for it: each call raises ``StoreUnavailableError``
until the connection is open and the schema is usable. Only a store that this version must not use
ends the process, because waiting would not help.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from threading import Lock, RLock
from typing import TYPE_CHECKING

from spanloom.core.errors import (
    SchemaChangedError,
    SchemaLostError,
    SchemaNotReadyError,
    SchemaTooNewError,
    SchemaTooOldError,
    StartupError,
    StoreUnavailableError,
)
from spanloom.storage.engine.connect import accept_older, connector_of, make_tables, migrate_command
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.examination import OldEngineError, refuse_old_engine
from spanloom.storage.engine.hiding import NothingHidden
from spanloom.storage.engine.migrate import check_schema
from spanloom.storage.engine.rights import require_rights

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clickhouse_connect.driver.client import Client

    from spanloom.core.errors import SpanloomError
    from spanloom.storage.engine.address import Where
    from spanloom.storage.engine.hiding import Hiding
    from spanloom.storage.engine.settings import Setting

UNUSABLE = (SchemaTooNewError, SchemaTooOldError, SchemaChangedError, SchemaLostError)
"""Errors of a store that waiting does not resolve."""
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 2.0
TURN_S = 2.0
"""Seconds that a call waits while another call connects to a server that may hang."""


class Opening:
    """Opens connections to one server, one at a time; waits longer after each failed attempt."""

    def __init__(
        self,
        where: Where,
        oldest: int | None = None,
        roles: Sequence[str] = (),
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set the server without connecting; raises ``StartupError`` for an invalid URL.

        The schema needs the migrations up to ``oldest`` (``check_schema``); the account needs the
        rights of the ``roles`` (``rights.RIGHTS``).
        """
        self._where = where
        self._connect = connector_of(where)
        self._command = migrate_command(where)
        self._roles = roles
        self._may_work = False
        self._oldest = oldest
        accept_older(where, oldest)
        self._clock_s = clock_s
        self._turn = Lock()
        self._is_usable = False
        self._pause_s = FIRST_PAUSE_S
        self._next_s = float("-inf")
        self._lacks_tables = False
        self._reason = "the store is being connected to"
        self.unusable: SpanloomError | None = None
        """Why this version must not use the store; ``None`` if no reason is known."""

    def open(self, connection: LateConnection) -> None:
        """Open a connection unless it is already open; raises ``StoreUnavailableError``.

        For a connection that makes the tables, and so needs no schema, an engine that is too old
        for them raises ``OldEngineError``.
        """
        if not self._turn.acquire(timeout=TURN_S):
            raise StoreUnavailableError(self._reason)
        try:
            if connection.is_open:
                return
            # making the tables is not delayed by connections that wait for them
            is_next = self._lacks_tables and not connection.needs_schema
            if self._clock_s() < self._next_s and not is_next:
                raise StoreUnavailableError(self._reason)
            self._try(connection)
        finally:
            self._turn.release()

    def _try(self, connection: LateConnection) -> None:
        with ExitStack() as unless_it_succeeds:
            try:
                client = self._connect()
                unless_it_succeeds.callback(client.close)
                self._require_rights(client)
                if connection.needs_schema and not self._is_usable:
                    self._check(client)
                connection.adopt(client)
            except UNUSABLE as error:
                self.unusable = error
                raise self._failed(error) from error
            except OldEngineError as error:
                if not connection.needs_schema:  # a process that makes the tables fails at once
                    raise
                raise self._failed(error) from error
            except (StartupError, StoreUnavailableError) as error:
                raise self._failed(error) from error
            unless_it_succeeds.pop_all()
        self._pause_s = FIRST_PAUSE_S

    def make_tables(self) -> None:
        """Let this process use a host without tables, or with tables of an older release."""
        make_tables(self._where)

    def _require_rights(self, client: Client) -> None:
        """Raise ``StartupError`` if the account lacks a right that a role of the process needs.

        The version is checked first, because an old server does not support the query for rights.
        """
        if not self._may_work:
            connection = Connection(
                client
            )  # not read-only, because otherwise the server reports only SELECT
            refuse_old_engine(connection)
            for role in self._roles:
                require_rights(connection, role)
            self._may_work = True

    def _check(self, client: Client) -> None:
        """Check the schema; if it is unusable, check again, because a migration may have begun."""
        checked = Connection(client)
        try:
            check_schema(checked, self._command, self._oldest)
        except UNUSABLE:
            check_schema(checked, self._command, self._oldest)
        self._is_usable = True

    def _failed(self, error: SpanloomError) -> StoreUnavailableError:
        self._reason = str(error)
        self._lacks_tables = isinstance(error, SchemaNotReadyError)
        self._next_s = self._clock_s() + self._pause_s
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        return StoreUnavailableError(self._reason)


class LateConnection(Connection):
    """A connection that opens at the first call for which the store is reachable."""

    def __init__(
        self,
        opening: Opening,
        settings: Mapping[str, Setting] | None = None,
        hiding: Hiding | None = None,
        *,
        needs_schema: bool = True,
    ) -> None:
        """Prepare the connection; with ``needs_schema`` it opens only if the schema is usable."""
        self.is_open = False
        self.needs_schema = needs_schema
        self.hiding = hiding or NothingHidden()
        self._opening = opening
        self._settings = settings or {}
        self._inserting = RLock()

    def adopt(self, client: Client) -> None:
        """Take over a client; raises ``StoreUnavailableError``."""
        self._take_over(client, self._settings)
        self.is_open = True

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self.is_open:
            super().close()

    def _ready(self) -> Client:
        if not self.is_open:
            self._opening.open(self)
        return self._client
