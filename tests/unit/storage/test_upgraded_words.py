"""Texts that an earlier release indexed are found by words as this release splits them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.where.text_query import parse_text_query
from spanloom.storage.engine import migrate as migrating
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.migrate import migrate
from spanloom.storage.engine.settings import UPKEEP_SETTINGS
from spanloom.storage.engine.statements import migrations
from spanloom.storage.texts.search import having_text

if TYPE_CHECKING:
    import pytest
    from clickhouse_connect.driver.client import Client

SHIPPED = migrations()
INSERT = (
    "INSERT INTO step_texts (Project, TraceId, Part, Text)"
    " SELECT 'p', toString(number), 'input', {text:String} FROM numbers(300)"
)
TEXT = "¿Dónde está el pedido? «narwhal» Cre\u0300me อากาศ"


def test_old_texts_are_found_at_once(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = Connection(fresh_database, UPKEEP_SETTINGS)
    monkeypatch.setattr(migrating, "migrations", lambda: SHIPPED[:2])
    migrate(connection)
    connection.run(INSERT, text=TEXT)
    monkeypatch.setattr(migrating, "migrations", lambda: SHIPPED)
    migrate(connection)
    for query in ("dónde", "narwh*", '"pedido narwhal"', "cr\xe8me", "cre\u0300*", "กาศ"):
        text = having_text(connection, parse_text_query(query))
        found = fresh_database.query(
            f"SELECT count() FROM step_texts WHERE {text.text}",
            {name: _json(value) for name, value in text.values.items()},
        )
        assert found.result_rows == [(300,)], query


def _json(value: object) -> str:
    return str(value).replace("'", '"')
