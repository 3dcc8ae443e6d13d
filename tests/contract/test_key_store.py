"""API key stores give the same answers from memory, from a file and from a table."""

from __future__ import annotations

import secrets
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support.memory_keys import MemoryKeys

from spanloom.core.model.access import ALL_PROJECTS, Key, Scope
from spanloom.storage.access import ClickHouseKeys, SqliteKeys

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanloom.core.ports.upkeep import KeyStore
    from spanloom.storage.store import ClickHouseStore


@pytest.fixture(params=["memory", "sqlite", "clickhouse"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KeyStore]:
    if request.param == "clickhouse":
        shared: ClickHouseStore = request.getfixturevalue("clickhouse_store")
        yield ClickHouseKeys(shared.connections.worker)
        return
    opened = MemoryKeys() if request.param == "memory" else SqliteKeys(tmp_path / "keys.sqlite")
    with closing(opened):
        yield opened


def key(project: str = "p", scopes: frozenset[Scope] = frozenset(Scope)) -> Key:
    return Key(secrets.token_hex(6), secrets.token_hex(32), project, scopes, 1, 2)


def found(store: KeyStore, *keys: Key) -> list[Key]:
    """Return the given keys as the store has them; a server's table also has other keys."""
    by_id = {stored.id: stored for stored in store.read_all()}
    return [by_id[key.id] for key in keys if key.id in by_id]


def test_what_is_added_comes_back(store: KeyStore) -> None:
    added = [
        key("support"),
        key("ö 'quoted' \\ name"),
        key(ALL_PROJECTS, frozenset({Scope.ADMIN})),
        key(scopes=frozenset({Scope.READ, Scope.INGEST})),
    ]
    for one in added:
        store.add(one)
    assert found(store, *added) == added


def test_a_key_is_revoked_once_and_for_good(store: KeyStore) -> None:
    one, other = key(), key()
    store.add(one)
    store.add(other)
    store.revoke(one.id, 50)
    store.revoke(one.id, 70)
    store.revoke("nobody", 60)
    assert [k.revoked_ns for k in found(store, one, other)] == [50, 0]


def test_the_latest_use_stays(store: KeyStore) -> None:
    one, other = key(), key()
    store.add(one)
    store.add(other)
    store.record_uses({one.id: 90, other.id: 10, "nobody": 5})
    store.record_uses({one.id: 80})
    store.revoke(one.id, 100)
    assert [(k.used_ns, k.revoked_ns) for k in found(store, one, other)] == [(90, 100), (10, 0)]


def test_a_second_opener_of_the_file_sees_every_change(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "keys.sqlite"
    with closing(SqliteKeys(path)) as service, closing(SqliteKeys(path)) as command:
        one = key()
        command.add(one)
        assert service.read_all() == [one]
        service.record_uses({one.id: 7})
        command.revoke(one.id, 8)
        assert [(k.used_ns, k.revoked_ns) for k in service.read_all()] == [(7, 8)]


def test_the_file_is_its_owners_only(tmp_path: Path) -> None:
    path = tmp_path / "keys.sqlite"
    with closing(SqliteKeys(path)):
        assert path.stat().st_mode & 0o077 == 0
