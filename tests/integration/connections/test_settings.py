"""The settings of a connection have effect on a server whose profile says the opposite."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support.configured_server import Account, ConfiguredServer, configured_server

from spanloom.core.errors import SpanloomError
from spanloom.storage.engine.connect import connector_of
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.failures import translated
from spanloom.storage.engine.settings import (
    COMMON_SETTINGS,
    GUARDS,
    REQUEST_SETTINGS,
    UPKEEP_SETTINGS,
    WORKER_SETTINGS,
    to_send,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

pytestmark = pytest.mark.service

OPPOSITE: dict[str, object] = {
    "insert_deduplicate": 1,
    "deduplicate_insert": "enable",
    "deduplicate_insert_select": "force_enable",
    "async_insert": 1,
    "wait_for_async_insert": 0,
    "async_insert_use_adaptive_busy_timeout": 0,
    "async_insert_busy_timeout_max_ms": 60_000,
    "max_partitions_per_insert_block": 1,
    "optimize_on_insert": 0,
    "max_insert_threads": 4,
    "max_insert_block_size": 7,
    "min_insert_block_size_rows": 1,
    "min_insert_block_size_bytes": 1,
    "do_not_merge_across_partitions_select_final": 1,
    "use_query_cache": 1,
    "query_cache_nondeterministic_function_handling": "save",
    "query_cache_system_table_handling": "save",
    "join_use_nulls": 1,
    "compile_expressions": 1,
    "compile_aggregate_expressions": 1,
    "compile_sort_description": 1,
    "output_format_json_quote_64bit_integers": 1,
    "output_format_json_quote_denormals": 1,
    "output_format_json_named_tuples_as_objects": 1,
    "mutations_sync": 0,
    "alter_sync": 0,
    "materialized_views_ignore_errors": 1,
    "input_format_defaults_for_omitted_fields": 0,
    "date_time_input_format": "basic",
    "date_time_output_format": "unix_timestamp",
    "apply_deleted_mask": 0,
    "final": 1,
    "transform_null_in": 1,
    "group_by_use_nulls": 1,
    "aggregate_functions_null_for_empty": 1,
    "cast_keep_nullable": 1,
    "prefer_column_name_to_alias": 1,
}
"""What a profile may have, and what would change our answers or lose rows."""
LIMITS: Mapping[str, object] = {
    f"max_rows_{name}": 5000
    for name in ("to_read", "to_sort", "in_distinct", "to_group_by", "in_set", "in_join")
} | {"max_result_rows": 5000}
PARTIAL: dict[str, object] = {
    **{name: "break" for name in GUARDS if name.endswith("_overflow_mode")},
    "group_by_overflow_mode": "any",
}
"""What makes a query that reaches a limit answer with what it has."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConfiguredServer]:
    place = tmp_path_factory.mktemp("opposite")
    slow = {name: v for name, v in OPPOSITE.items() if name.startswith("async_insert_use")}
    slow["async_insert_busy_timeout_max_ms"] = 1500
    fixed = {"async_insert": 1, "wait_for_async_insert": 0, "constraints": _FIXED, **slow}
    profiles = {"opposite": OPPOSITE, "fixed": fixed, "partial": {**LIMITS, **PARTIAL}}
    accounts = {name: Account(profile=name) for name in profiles}
    with configured_server(place, accounts, profiles) as running:
        yield running


_FIXED = "<async_insert><readonly/></async_insert>"


@pytest.fixture
def connection(server: ConfiguredServer) -> Iterator[Connection]:
    with closing(open_connection(server)) as opened:
        yield opened


def open_connection(
    server: ConfiguredServer,
    settings: Mapping[str, object] | None = None,
    account: str = "opposite",
) -> Connection:
    return Connection(connector_of(server.url(account))(), settings)  # type: ignore[arg-type]  # any value


def ask(connection: Connection, text: str) -> str:
    """Return the answer as JSON, as our queries get it."""
    with translated():
        return connection._client.raw_query(text, fmt="JSONCompactEachRow").decode()


def make(
    connection: Connection, table: str, columns: str, engine: str = "MergeTree ORDER BY a"
) -> None:
    connection.run(f"DROP TABLE IF EXISTS {table}")
    connection.run(f"CREATE TABLE {table} ({columns}) ENGINE = {engine}")


DEDUPLICATES = "MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100"


def test_the_profile_has_the_opposite_of_every_setting_that_can_have_one(
    connection: Connection,
) -> None:
    known = connection._client.server_settings
    none = {
        "log_comment",  # of every release its own
        "storage_file_read_method",  # of the embedded engine
        "use_query_condition_cache",  # of speed
        "output_format_json_escape_forward_slashes",  # JSON may write either
    }
    pinned = {**COMMON_SETTINGS, **GUARDS, **UPKEEP_SETTINGS}.keys() - none
    assert pinned == OPPOSITE.keys() & pinned | PARTIAL.keys()
    for name in pinned - PARTIAL.keys():
        assert known[name].value == str(OPPOSITE[name])


def test_an_equal_insert_is_stored_again(connection: Connection) -> None:
    make(connection, "again", "a UInt8", DEDUPLICATES)
    for _ in range(2):
        connection.insert("again", ["a"], [[1]])
    assert ask(connection, "SELECT count() FROM again") == "[2]\n"


def test_an_equal_insert_of_a_query_is_stored_again(connection: Connection) -> None:
    make(connection, "again", "a UInt8", DEDUPLICATES)
    for _ in range(2):
        connection.run("INSERT INTO again SELECT 1 ORDER BY ALL")
    assert ask(connection, "SELECT count() FROM again") == "[2]\n"


@pytest.mark.parametrize("account", ["opposite", "fixed"])
def test_an_insert_that_returned_is_seen(server: ConfiguredServer, account: str) -> None:
    """A profile may also fix ``async_insert``; then we wait for the end of each."""
    with closing(open_connection(server, account=account)) as connection:
        make(connection, "seen", "a UInt8")
        connection.insert("seen", ["a"], [[1]])
        assert ask(connection, "SELECT count() FROM seen") == "[1]\n"


def test_one_insert_may_have_many_partitions(connection: Connection) -> None:
    make(connection, "months", "a UInt16", "MergeTree PARTITION BY a ORDER BY a")
    connection.insert("months", ["a"], [[n] for n in range(200)])
    assert ask(connection, "SELECT count() FROM months") == "[200]\n"


def test_an_insert_is_one_part(connection: Connection) -> None:
    make(connection, "parts", "a UInt32")
    connection.insert_texts("parts", (), [b",".join(b'{"a": %d}' % n for n in range(100))])
    assert ask(connection, _PARTS) == "[1]\n"


def test_an_insert_of_a_query_is_one_part(connection: Connection) -> None:
    make(connection, "parts", "a UInt32")
    connection.run(
        "INSERT INTO parts SELECT number FROM numbers_mt(900) SETTINGS max_block_size = 10"
    )
    assert ask(connection, _PARTS) == "[1]\n"


_PARTS = "SELECT max(toUInt32(max_block_number)) FROM system.parts WHERE table = 'parts' AND active"


def test_rows_of_one_key_are_merged_before_they_are_stored(connection: Connection) -> None:
    make(connection, "keys", "a UInt8, b UInt8", "ReplacingMergeTree(b) ORDER BY a")
    connection.insert("keys", ["a", "b"], [[1, 1], [1, 2]])
    assert ask(connection, _ROWS) == "[1]\n"


def test_but_those_of_workers_are_not(server: ConfiguredServer) -> None:
    with closing(open_connection(server, dict(WORKER_SETTINGS))) as connection:
        make(connection, "keys", "a UInt8, b UInt8", "ReplacingMergeTree(b) ORDER BY a")
        connection.insert("keys", ["a", "b"], [[1, 1], [1, 2]])
        assert ask(connection, _ROWS) == "[2]\n"


_ROWS = "SELECT toUInt32(max(rows)) FROM system.parts WHERE table = 'keys' AND active"


def test_final_merges_across_partitions(connection: Connection) -> None:
    engine = "ReplacingMergeTree(b) PARTITION BY b ORDER BY a"
    make(connection, "across", "a UInt8, b UInt8", engine)
    connection.insert("across", ["a", "b"], [[1, 1], [1, 2]])
    assert ask(connection, "SELECT count() FROM across FINAL") == "[1]\n"
    assert ask(connection, "SELECT count() FROM across") == "[2]\n"  # not everywhere FINAL


def test_an_answer_is_never_an_old_one(connection: Connection) -> None:
    make(connection, "fresh", "a UInt8")
    for n in range(3):
        assert ask(connection, "SELECT count() FROM fresh") == f"[{n}]\n"
        connection.insert("fresh", ["a"], [[n]])


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("SELECT toUInt64(5), nan, (1 AS x, 2 AS y)", "[5, null, [1, 2]]"),
        ("SELECT toDateTime(0, 'UTC')", '["1970-01-01 00:00:00"]'),
        ("SELECT x FROM (SELECT 1 a) l LEFT JOIN (SELECT 2 a, 3 x) r USING a", "[0]"),
        ("SELECT NULL IN (NULL)", "[null]"),
        ("SELECT n, count() FROM (SELECT 1 n) GROUP BY ROLLUP(n) ORDER BY n", "[0, 1]\n[1, 1]"),
        ("SELECT sum(number) FROM numbers(0)", "[0]"),
        ("SELECT toTypeName(CAST(toNullable(1) AS UInt8))", '["UInt8"]'),
        ("SELECT max(n) AS n, n + 1 FROM (SELECT 5 n)", "[5, 6]"),
    ],
)
def test_a_query_means_what_it_means(connection: Connection, text: str, answer: str) -> None:
    assert ask(connection, text).replace(",", ", ").strip().replace(",  ", ", ") == answer


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count() FROM (SELECT * FROM numbers(100000) ORDER BY rand() LIMIT 90000)",
        "SELECT count() FROM (SELECT DISTINCT intHash32(number) FROM numbers(100000))",
        "SELECT count() FROM (SELECT number n FROM numbers(100000) GROUP BY n)",
        "SELECT count() FROM numbers(9) WHERE number IN (SELECT number FROM numbers(100000))",
        "SELECT number FROM numbers(100000)",
        "SELECT sum(number) FROM numbers(100000)",
    ],
)
def test_a_limit_of_the_profile_is_an_error_and_never_half_an_answer(
    server: ConfiguredServer, text: str
) -> None:
    with (
        closing(open_connection(server, account="partial")) as connection,
        pytest.raises(SpanloomError),
    ):
        ask(connection, text)


@pytest.mark.parametrize("account", ["partial"])
def test_so_is_a_limit_of_time(server: ConfiguredServer, account: str) -> None:
    settings = {"max_execution_time": 1}
    slow = "SELECT sum(sleepEachRow(0.3)) FROM numbers(9) SETTINGS max_block_size = 1"
    with (
        closing(open_connection(server, settings, account)) as connection,
        pytest.raises(SpanloomError),
    ):
        ask(connection, slow)


def test_times_and_omitted_values_are_read_as_sent(connection: Connection) -> None:
    make(connection, "forms", "a UInt8, t DateTime64(3, 'UTC'), d UInt8 DEFAULT 7")
    connection.insert_objects("forms", [{"a": 1, "t": "2026-01-31T10:00:00.5Z"}])
    assert (
        ask(connection, "SELECT toUnixTimestamp64Milli(t), d FROM forms") == "[1769853600500, 7]\n"
    )


def test_a_view_that_fails_fails_the_insert(connection: Connection) -> None:
    make(connection, "source", "a UInt8", "Null")
    make(connection, "target", "a UInt8")
    connection.run("DROP TABLE IF EXISTS failing")
    connection.run(
        "CREATE MATERIALIZED VIEW failing TO target AS SELECT throwIf(a = 1) AS a FROM source"
    )
    with pytest.raises(SpanloomError):
        connection.insert("source", ["a"], [[1]])


def test_an_upkeep_statement_returns_when_it_is_done(server: ConfiguredServer) -> None:
    with closing(open_connection(server, dict(UPKEEP_SETTINGS))) as connection:
        make(connection, "kept", "a UInt32, b UInt8 DEFAULT 0")
        connection.insert("kept", ["a"], [[n] for n in range(500)])
        connection.run("ALTER TABLE kept DELETE WHERE a < 400 AND sleepEachRow(0.001) = 0")
        assert ask(connection, "SELECT count() FROM kept") == "[100]\n"
        connection.run("ALTER TABLE kept UPDATE b = 1 WHERE sleepEachRow(0.001) = 0")
        assert ask(connection, "SELECT min(b) FROM kept") == "[1]\n"


def test_deleted_rows_are_not_seen(connection: Connection) -> None:
    make(connection, "light", "a UInt8")
    connection.insert("light", ["a"], [[1], [2]])
    connection.run("DELETE FROM light WHERE a = 1")
    assert ask(connection, "SELECT a FROM light") == "[2]\n"


def test_an_insert_that_takes_too_long_stores_nothing(server: ConfiguredServer) -> None:
    settings = {**REQUEST_SETTINGS, "max_execution_time": 1}
    with closing(open_connection(server, settings)) as connection:
        make(connection, "late", "a UInt8")
        with pytest.raises(SpanloomError):
            connection.run(
                "INSERT INTO late SELECT sleepEachRow(0.3) FROM numbers(9) "
                "SETTINGS max_block_size = 1"
            )
        assert ask(connection, "SELECT count() FROM late") == "[0]\n"


def test_a_setting_that_the_server_does_not_know_is_not_sent(connection: Connection) -> None:
    own = {"no_such_setting": 1, "readonly": 1}
    sent = dict(to_send(connection._client, own))
    assert "no_such_setting" not in sent
    assert sent["readonly"] == 1
    assert sent["deduplicate_insert"] == "disable"
