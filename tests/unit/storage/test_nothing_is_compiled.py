"""Queries of readers are not compiled to machine code, however often they are repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.settings import READER_SETTINGS

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

COMPILED = "SELECT sum(value) FROM system.events WHERE event = 'CompileFunction'"
REPEATED = """
SELECT number % 7 AS n, sum(number * 3 + {x}), avg(number - {x}) FROM numbers(1000)
WHERE number * 2 + {x} > 40 AND number < 900 GROUP BY n ORDER BY n DESC, sum(number) LIMIT 5
"""


def test_a_repeated_query_is_not_compiled(fresh_database: Client) -> None:
    before = fresh_database.command(COMPILED)
    connection = Connection(fresh_database, READER_SETTINGS)
    for _ in range(5):
        assert connection.answer(REPEATED.format(x=12_345) + "FORMAT JSON")
    assert fresh_database.command(COMPILED) == before
