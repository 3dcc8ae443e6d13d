"""Connections to a server that may be away wait for it, and try it less and less often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.core.errors import (
    SchemaLostError,
    SchemaNotReadyError,
    SchemaTooNewError,
    StartupError,
    StoreUnavailableError,
)
from spanloom.storage.engine import late
from spanloom.storage.engine.examination import OldEngineError
from spanloom.storage.engine.late import LateConnection, Opening
from spanloom.storage.store import open_late

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "clickhouse://me:secret@127.0.0.1:1/db"


class Client:
    """The driver's client as far as a connection needs it; its answers have no rows."""

    def __init__(self) -> None:
        self.server_settings: dict[str, object] = {}
        self.is_closed = False

    def set_client_setting(self, name: str, value: object) -> None:
        assert name
        assert value is not None

    def raw_query(self, *_: object, **__: object) -> bytes:
        return b"[]\n[]\n"

    def close(self) -> None:
        self.is_closed = True


class World:
    """A server that is there or not, with a schema, and the ``Opening`` that connects to it."""

    def __init__(self, patched: pytest.MonkeyPatch) -> None:
        self.now_s = 0.0
        self.is_there = True
        self.schema_errors: list[Exception] = []
        self.clients: list[Client] = []
        self.tries = 0
        patched.setattr(late, "connector_of", lambda _url: self._connect)
        self.is_old = False
        self.questions: list[str] = []
        patched.setattr(late, "check_schema", self._check)
        patched.setattr(late, "refuse_old_engine", self._refuse_old)
        patched.setattr(late, "require_rights", lambda _, role: self.questions.append(role))
        self.opening = Opening(URL, roles=["collect"], clock_s=lambda: self.now_s)
        self.connection = LateConnection(self.opening)

    def _connect(self) -> Client:
        self.tries += 1
        if not self.is_there:
            raise StartupError("cannot open the store")
        self.clients.append(Client())
        return self.clients[-1]

    def _refuse_old(self, _: object) -> None:
        if self.is_old:
            raise OldEngineError("an old server")

    def _check(self, *_: object) -> None:
        if self.schema_errors:
            raise self.schema_errors.pop(0)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(StoreUnavailableError) as error:
        call()
    return str(error.value)


def test_a_store_opens_without_a_server_and_fails_at_each_call(world: World) -> None:
    world.is_there = False
    store = open_late(world.opening)
    assert refused(store.ping) == refused(lambda: store.usage.stored_bytes(1))
    store.close()


def test_what_is_no_url_is_refused_at_once() -> None:
    with pytest.raises(StartupError):
        Opening("clickhouse:///db")


def test_a_server_that_is_away_is_asked_less_and_less_often(world: World) -> None:
    world.is_there = False
    for _ in range(600):
        refused(world.connection.connect)
        world.now_s += 0.1
    assert 25 <= world.tries <= 35  # at most every 2 s, after the first few
    world.is_there = True
    world.now_s += late.LONGEST_PAUSE_S
    world.connection.connect()
    tries = world.tries
    world.connection.connect()
    assert world.tries == tries


def test_who_makes_the_tables_is_not_held_up_by_those_who_wait_for_them(world: World) -> None:
    world.schema_errors = [SchemaNotReadyError("the store has no tables yet")]
    refused(world.connection.connect)
    keeper = LateConnection(world.opening, needs_schema=False)
    keeper.connect()
    assert keeper.is_open
    assert "no tables yet" in refused(world.connection.connect)  # its next try is not due yet


def test_tables_that_are_not_there_yet_are_waited_for(world: World) -> None:
    world.schema_errors = [SchemaNotReadyError("the store has no tables yet")]
    assert "no tables yet" in refused(world.connection.connect)
    assert world.clients[0].is_closed
    assert world.opening.unusable is None
    LateConnection(world.opening, needs_schema=False)  # the keeper's, which creates the tables
    world.now_s += 1
    world.connection.connect()


def test_the_keepers_connection_needs_no_tables(world: World) -> None:
    world.schema_errors = [SchemaNotReadyError("the store has no tables yet")]
    LateConnection(world.opening, needs_schema=False).connect()
    assert world.schema_errors


def test_a_store_that_no_wait_mends_is_named(world: World) -> None:
    world.schema_errors = [SchemaTooNewError("newer")] * 2
    assert refused(world.connection.connect) == "newer"
    assert isinstance(world.opening.unusable, SchemaTooNewError)


def test_a_migration_that_begins_between_two_questions_is_no_lost_ledger(world: World) -> None:
    """The check read the list of migrations before it was created, and the tables after that."""
    world.schema_errors = [SchemaLostError("lost"), SchemaNotReadyError("under way")]
    assert refused(world.connection.connect) == "under way"
    assert world.opening.unusable is None


def test_the_schema_is_checked_once_for_all_connections(world: World) -> None:
    world.connection.connect()
    world.schema_errors = [SchemaNotReadyError("not asked")]
    LateConnection(world.opening).connect()
    assert world.schema_errors


def test_an_old_server_is_not_asked_for_rights_and_waited_for(world: World) -> None:
    """An old server does not know ``CHECK GRANT``, which the question about rights uses."""
    world.is_old = True
    assert refused(world.connection.connect) == "an old server"
    assert (world.opening.unusable, world.questions) == (None, [])
    world.is_old = False
    world.now_s += 1
    world.connection.connect()
    assert world.questions == ["collect"]


def test_an_old_server_ends_the_keeper(world: World) -> None:
    world.is_old = True
    with pytest.raises(OldEngineError):
        LateConnection(world.opening, needs_schema=False).connect()
    assert world.clients[0].is_closed
