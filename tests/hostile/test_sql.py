"""Any SQL from outside can only read, and only the rows that its key allows."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest
from tests.support.isolation import make_twins
from tests.support.sql_port import SqlPort, open_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanloom.storage.store import ClickHouseStore

MINE, THEIRS = "mine", "GEHEIM"
"""Two projects; the name of the second is in texts of its rows and must be in no answer."""


@pytest.fixture(scope="module")
def port(clickhouse_store: ClickHouseStore) -> Iterator[SqlPort]:
    path = clickhouse_store.snapshots._path
    if path is None:
        pytest.skip("the SQL port is for the embedded store")
    make_twins(clickhouse_store, MINE, THEIRS, secrets.token_hex(16))
    # In one part, so that rows of both are read together.
    clickhouse_store.connections.writer.run("OPTIMIZE TABLE otel_traces FINAL")
    with open_port(path) as port:
        yield port


@pytest.fixture(scope="module")
def key(port: SqlPort) -> str:
    return port.locks.make(MINE)


@pytest.fixture(scope="module")
def key_of_all(port: SqlPort) -> str:
    return port.locks.make("*")


@pytest.fixture
def secret_file(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("GEHEIM")
    return path


WRITING = [
    "INSERT INTO trajectories (Project) VALUES ('x')",
    "INSERT INTO trajectories SELECT * FROM trajectories",
    "CREATE TABLE evil (x UInt8) ENGINE = Memory",
    "CREATE TEMPORARY TABLE evil (x UInt8)",
    "CREATE VIEW evil AS SELECT 1",
    "CREATE FUNCTION evil AS x -> x",
    "CREATE USER evil",
    (
        "CREATE DICTIONARY d (a UInt8) PRIMARY KEY a SOURCE(FILE(path '/etc/passwd' format 'CSV')) "
        "LAYOUT(FLAT()) LIFETIME(1)"
    ),
    "ALTER TABLE trajectories DELETE WHERE 1",
    "DELETE FROM trajectories WHERE 1",
    "UPDATE trajectories SET Project = 'x' WHERE 1",
    "DROP TABLE trajectories",
    "TRUNCATE TABLE trajectories",
    "RENAME TABLE trajectories TO evil",
    "EXCHANGE TABLES trajectories AND steps",
    "DETACH TABLE trajectories",
    "ATTACH TABLE trajectories",
    "OPTIMIZE TABLE trajectories FINAL",
    "BACKUP TABLE trajectories TO File('/tmp/evil')",
    "RESTORE TABLE trajectories FROM File('/tmp/evil')",
    "KILL QUERY WHERE 1",
    "KILL MUTATION WHERE 1",
    "SYSTEM SHUTDOWN",
    "SYSTEM STOP MERGES",
    "SYSTEM START LISTEN HTTP",
    "SET readonly = 0",
    "SET max_memory_usage = 0",
    "USE system",
    "GRANT ALL ON *.* TO default",
    "EXECUTE AS default SELECT 1",
    "CHECK TABLE trajectories",
    "BEGIN TRANSACTION",
    "SHOW PROCESSLIST",
    "SHOW MERGES",
    "SHOW ACCESS",
    "SHOW CREATE USER default",
    "SELECT 1 PARALLEL WITH SELECT 2",
    "UNDROP TABLE trajectories",
    "MOVE ROLE x TO y",
]
OUTSIDE = [
    "SELECT file('{file}')",
    "SELECT FILE('{file}')",
    "SELECT `file`('{file}')",
    "SELECT/**/file/**/('{file}')",
    "SELECT columns('x') APPLY(file) FROM (SELECT '{file}' AS x)",
    "SELECT arrayMap(x -> file(x), ['{file}'])",
    "WITH file('{file}') AS x SELECT x",
    "SELECT * FROM (SELECT file('{file}') AS x)",
    "SELECT count() FROM trajectories WHERE file('{file}') != ''",
    "SELECT 1 LIMIT length(file('{file}'))",
    "SELECT 1 ORDER BY file('{file}')",
    "SELECT * FROM file('{file}', 'RawBLOB')",
    "SELECT * FROM `file`('{file}', 'RawBLOB')",
    "SELECT * FROM fileCluster('default', '{file}', 'RawBLOB')",
    "DESCRIBE TABLE file('{file}', 'RawBLOB')",
    "DESCRIBE file('{file}', 'CSV')",
    "EXPLAIN SELECT file('{file}')",
    "EXPLAIN QUERY TREE SELECT file('{file}')",
    "EXPLAIN SYNTAX SELECT * FROM file('{file}', 'RawBLOB')",
    "EXPLAIN TABLE OVERRIDE mysql('a', 'b', 'c', 'd', 'e') PARTITION BY x",
    "SELECT 1 IN (SELECT * FROM file('{file}', 'RawBLOB'))",
    "SELECT * FROM view(SELECT * FROM file('{file}', 'RawBLOB'))",
    "SELECT * FROM url('http://127.0.0.1:1/', 'RawBLOB')",
    "SELECT * FROM urlCluster('default', 'http://127.0.0.1:1/', 'RawBLOB')",
    "SELECT * FROM s3('http://127.0.0.1:1/x', NOSIGN, 'RawBLOB')",
    "SELECT * FROM hdfs('hdfs://127.0.0.1:1/x', 'RawBLOB')",
    "SELECT * FROM remote('127.0.0.1:1', system.one)",
    "SELECT * FROM remoteSecure('127.0.0.1:1', system.one)",
    "SELECT * FROM cluster('default', system.one)",
    "SELECT * FROM clusterAllReplicas('default', system.one)",
    "SELECT * FROM mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
    "SELECT * FROM postgresql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
    "SELECT * FROM sqlite('{file}', 'a')",
    "SELECT * FROM executable('cat', 'RawBLOB', 'x String')",
    "SELECT * FROM iceberg('http://127.0.0.1:1/x')",
    "SELECT * FROM deltaLake('http://127.0.0.1:1/x')",
    "SELECT * FROM python('x')",
    "SELECT * FROM input('x String')",
    "SELECT hasColumnInTable('127.0.0.1:1', 'default', 'x', 'a', 'b', 'c')",
    "SELECT filesystemAvailable()",
    "SELECT showCertificate()",
    "SELECT getServerSetting('max_concurrent_queries')",
    "SELECT addressToLine(1)",
    "SELECT getMacro('x')",
    "SELECT sleep(3)",
    "SELECT sleepEachRow(1) FROM numbers(3)",
    "SELECT dictGet('x', 'y', 1)",
    "SELECT joinGet('trajectories', 'Project', 1)",
    "SELECT aiGenerate('x')",
]
SEVERAL = [
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE trajectories",
    "SELECT 1;;SELECT 2",
    "SELECT '\\'; SELECT 2; --'; SELECT 3",
    "SELECT 1 -- x\n; SELECT 2",
    "SELECT 1 /* ; */ ; SELECT 2",
    "SELECT $x$ ; $x$; SELECT 2",
    "SELECT `a;b` FROM (SELECT 1 AS `a;b`); SELECT 2",
    "SELECT 1\x00; SELECT 2",
]
INTO = [
    "SELECT 1 INTO OUTFILE '{file}.out'",
    "SELECT 1 INTO OUTFILE '{file}.out' TRUNCATE FORMAT CSV",
    "SELECT 1 INTO OUTFILE '{file}.out' AND STDOUT",
    "SELECT 1 UNION ALL SELECT 2 INTO OUTFILE '{file}.out'",
    "EXPLAIN SELECT 1 INTO OUTFILE '{file}.out'",
    "SHOW TABLES INTO OUTFILE '{file}.out'",
    "DESCRIBE trajectories INTO OUTFILE '{file}.out'",
    "EXISTS TABLE trajectories INTO OUTFILE '{file}.out'",
    "SHOW CREATE TABLE trajectories INTO OUTFILE '{file}.out'",
]


@pytest.mark.parametrize("text", [*WRITING, *OUTSIDE, *SEVERAL, *INTO])
def test_what_is_no_reading_of_tables_is_refused(
    port: SqlPort, key_of_all: str, secret_file: Path, text: str
) -> None:
    answer = port.ask(text.replace("{file}", str(secret_file)), key_of_all)
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.headers["x-clickhouse-exception-code"] in {"497", "62", "60", "46", "73"}
    assert "GEHEIM" not in answer.text
    assert not secret_file.with_name("secret.out").exists()


TEXT = "concat(Project, ' ', RootName)"
OF_OTHERS = [
    "SELECT * FROM {t}",
    "SELECT * FROM {t} FINAL",
    "SELECT * FROM default.{t}",
    "SELECT * FROM `default`.`{t}` AS x",
    "SELECT x.* FROM {t} AS x JOIN {t} AS y ON x.Project != y.Project",
    "SELECT * FROM {t} WHERE Project = 'GEH' || 'EIM'",
    "SELECT DISTINCT Project FROM {t}",
    "SELECT min(Project), max(Project), any(Project), groupArray(Project) FROM {t}",
    "SELECT Project FROM {t} ORDER BY Project DESC LIMIT 1",
    "SELECT (SELECT groupUniqArray(Project) FROM {t})",
    "WITH x AS (SELECT * FROM {t}) SELECT * FROM x",
    "WITH 'mine' AS Project SELECT * FROM {t}",
    "WITH 'GEH' || 'EIM' AS Project SELECT * FROM {t}",
    "WITH tuple('mine') AS {t} SELECT * FROM default.{t}",
    "WITH x AS (WITH 'mine' AS Project SELECT * FROM {t}) SELECT * FROM x",
    "SELECT 'mine' AS Project, * FROM {t}",
    "SELECT *, (SELECT 'mine') AS Project FROM {t}",
    "SELECT * FROM {t} PREWHERE 1",
    "SELECT * FROM {t} PREWHERE Project != 'mine'",
    "SELECT * FROM view(SELECT * FROM {t})",
    "SELECT * FROM merge('default', '^{t}$')",
    "SELECT * FROM merge('{t}')",
    "SELECT * FROM loop(default.{t}) LIMIT 1000",
    "SELECT * FROM mergeTreeIndex('default', '{t}')",
    "SELECT * FROM mergeTreeProjection('default', '{t}', 'x')",
    "SELECT * FROM {{t:Identifier}}",
    "SELECT * FROM default.{{t:Identifier}}",
    "SELECT ('GEH' || 'EIM') IN {t}",
    "SELECT * FROM {t} SETTINGS additional_table_filters = {{'default.{t}': '1'}}",
    "SELECT * FROM {t} SETTINGS readonly = 0",
    "SELECT * FROM {t} SETTINGS enable_analyzer = 0",
    "SELECT Project FROM {t} UNION ALL SELECT Project FROM default.{t}",
    "SELECT Project FROM {t} EXCEPT SELECT 'mine'",
    "SELECT * FROM numbers(1) AS n, {t}",
    "SELECT * FROM {t} ARRAY JOIN [1] AS z",
    "SELECT Project FROM {t} GROUP BY Project WITH TOTALS",
    "SELECT count() OVER (), Project FROM {t}",
    "SELECT _part, _table, _partition_id FROM {t}",
    "EXPLAIN SELECT * FROM {t}",
    "EXPLAIN indexes = 1, actions = 1 SELECT * FROM {t}",
    "EXPLAIN ESTIMATE SELECT * FROM {t}",
    "EXPLAIN QUERY TREE SELECT (SELECT groupUniqArray(Project) FROM {t})",
]
TABLES = ["trajectory_list", "v_spans"]


@pytest.mark.parametrize("text", OF_OTHERS)
def test_a_key_of_one_project_learns_nothing_of_another(port: SqlPort, key: str, text: str) -> None:
    for table in TABLES:
        asked = text.format(t=table)
        answer = port.ask(asked, key, default_format="JSONCompact", param_t=table)
        assert "GEHEIM" not in answer.text, answer.text
        assert answer.status_code != 500, answer.text


FAILING = "toUInt64(if(SpanName = 'mine', '1', SpanName))"
"""Fails with the text of the other project's row in its message, if it is evaluated for one."""
TELLING = [
    "SELECT count() FROM {t} WHERE throwIf(SpanName = concat('GEH', 'EIM'), 'GE' || 'HEIM') = 0",
    "SELECT count() FROM {t} WHERE {f} >= 0",
    "SELECT count() FROM {t} PREWHERE {f} >= 0",
    "SELECT count() FROM (SELECT * FROM {t}) WHERE {f} >= 0",
    "WITH {f} AS z SELECT max(z) FROM {t} WHERE z < 50",
    "SELECT TraceId, {f} AS z FROM {t} WHERE z > 0 AND SpanId != 'q' ORDER BY z LIMIT 2",
    "SELECT TraceId FROM {t} ORDER BY {f} LIMIT 2",
    "SELECT count() FROM numbers(99) n JOIN {t} t ON n.number = length(t.TraceId) WHERE {f} > 0",
    "SELECT * FROM {t} QUALIFY {f} >= 0 LIMIT 1",
    "SELECT max({f}) FROM {t} GROUP BY TraceId",
    "SELECT count() FROM {t} GROUP BY SpanName HAVING {f} > 0",
    "SELECT 1 FROM {t} WHERE TraceId IN (SELECT TraceId FROM {t} WHERE {f} >= 0)",
    "SELECT row_number() OVER (ORDER BY {f}) FROM {t} LIMIT 3",
    "SELECT sumIf(1, {f} > 0) FROM {t}",
    "SELECT DISTINCT {f} FROM {t}",
    "SELECT count() FROM {t} WHERE Project = 'mine' OR {f} > 0",
]


@pytest.mark.parametrize("text", TELLING)
def test_nothing_is_evaluated_for_rows_of_another(port: SqlPort, key: str, text: str) -> None:
    for table in ("otel_traces", "v_spans"):
        answer = port.ask(text.format(t=table, f=FAILING), key)
        assert "GEHEIM" not in answer.text, answer.text
        if "PREWHERE" not in text or table == "otel_traces":
            assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("table", TABLES)
def test_a_key_of_all_projects_does_read_them(port: SqlPort, key_of_all: str, table: str) -> None:
    counted = (
        f"SELECT countIf(Project = '{MINE}') > 0, countIf(Project = '{THEIRS}') > 0 FROM {table}"
    )
    assert port.said(counted, key_of_all) == "1\t1\n"


@pytest.mark.parametrize("table", [*TABLES, "trajectories", "v_steps", "v_trajectories"])
def test_and_a_key_of_one_its_own(port: SqlPort, key: str, table: str) -> None:
    counted = f"SELECT countIf(Project = '{MINE}') > 0, countIf(Project != '{MINE}') FROM {table}"
    assert port.said(counted, key) == "1\t0\n"
    assert "GEHEIM" not in port.said(f"SELECT * FROM {table} FORMAT Vertical", key)


def test_a_key_of_one_project_reads_computed_columns(port: SqlPort, key: str) -> None:
    said = port.said("SELECT max(Environment), max(Release) FROM otel_traces", key)
    assert said.count("\t") == 1


NOT_FOR_ONE = [
    *("annotations", "scores", "annotation_scores_writer", "annotation_queue_events"),
    *("access_keys", "default.access_keys", "deletions", "deleted_traces", "replays"),
    *(
        "schema_migrations",
        "extraction_watermark",
        "otlp_requests",
        "call_index_writer",
        "otlp_decoder",
        "nothing",
        "other.table",
    ),
    *("system.processes", "system.query_log", "system.parts", "system.part_log", "system.users"),
    *("system.text_log", "system.metrics", "system.merges", "system.mutations", "system.disks"),
    *("system.columns_cache", "system.user_processes", "system.stack_trace", "system.warnings"),
    *("information_schema.tables", "INFORMATION_SCHEMA.TABLES", "system.query_cache"),
]


WAYS = [
    "SELECT * FROM {t}",
    "SELECT 1 IN {t}",
    "DESCRIBE {t}",
    "SHOW CREATE TABLE {t}",
    "WITH x AS (SELECT 1 FROM {t}) SELECT 1",
    "EXPLAIN SELECT * FROM {t}",
]


@pytest.mark.parametrize("table", NOT_FOR_ONE)
def test_tables_of_nobody_are_not_there(port: SqlPort, key: str, table: str) -> None:
    for text in WAYS:
        answer = port.ask(text.format(t=table), key)
        assert answer.headers["x-clickhouse-exception-code"] in ("60", "47", "81"), answer.text


def test_a_name_cannot_mean_the_query_in_one_place_and_the_table_in_another(
    port: SqlPort, key: str
) -> None:
    text = (
        "SELECT * FROM (WITH access_keys AS (SELECT 1) SELECT * FROM access_keys) AS a, access_keys"
    )
    assert port.ask(text, key).status_code == 403


def test_nobody_reads_keys(port: SqlPort, key_of_all: str) -> None:
    assert "UNKNOWN_TABLE" in port.ask("SELECT * FROM access_keys", key_of_all).text
    assert "UNKNOWN_TABLE" in port.ask("SELECT 1 IN default.access_keys", key_of_all).text


def test_sizes_of_tables_are_of_nobodys_business(port: SqlPort, key: str, key_of_all: str) -> None:
    text = "SELECT sum(total_rows) FROM system.tables WHERE database = 'default'"
    assert port.said(text, key_of_all) != "0\n"
    assert port.said(text, key).strip() in {"0", "\\N"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("additional_table_filters", "{}"),
        ("enable_analyzer", "0"),
        ("allow_experimental_analyzer", "0"),
        ("query_plan_optimize_prewhere", "0"),
        ("format_schema", "/etc/passwd"),
        ("output_format_schema", "/etc/x"),
        ("format_template_row", "/etc/passwd"),
        ("read_overflow_mode", "break"),
        ("final", "1"),
        ("nonsense", "1"),
    ],
)
def test_a_setting_that_is_not_listed_is_refused(
    port: SqlPort, key: str, name: str, value: str
) -> None:
    in_url = port.ask("SELECT 1", key, **{name: value})
    in_text = port.ask(f"SELECT 1 SETTINGS {name} = '{value}'", key)
    nested = port.ask(f"SELECT * FROM (SELECT 1 SETTINGS {name} = '{value}')", key)
    assert [a.headers["x-clickhouse-exception-code"] for a in (in_url, in_text, nested)] == [
        "164"
    ] * 3
    assert name in in_url.text


def test_limits_can_be_narrowed_and_not_widened(port: SqlPort, key: str) -> None:
    slow = "SELECT count() FROM numbers(1000000000) WHERE sipHash64(number) = 1"
    narrow = port.ask(slow, key, max_execution_time="0.2")
    assert narrow.headers["x-clickhouse-exception-code"] == "159"
    assert port.ask(slow + " SETTINGS max_execution_time = 0.2", key).status_code == 500
    asked = "SELECT getSetting('max_execution_time'), getSetting('max_memory_usage')"
    wide = port.said(asked, key, max_execution_time="0", max_memory_usage="99999999999")
    assert wide == f"5\t{256 << 20}\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT repeat('x', 1000000) FROM numbers(1000) FORMAT JSON", "241"),
        ("SELECT groupArray(number) FROM numbers(1000000000)", "241"),
        ("SELECT number FROM numbers(100000000000)", "158"),
        ("SELECT " + "(" * 5000 + "1" + ")" * 5000, "62"),
        ("SELECT 1" + " + 1" * 200_000, "62"),
        ("SELECT '" + "x" * 400_000 + "'", "62"),
        ("", "62"),
        (";", "62"),
        ("\x00", "62"),
    ],
)
def test_what_is_too_much_is_ended(port: SqlPort, key: str, text: str, code: str) -> None:
    answer = port.ask(text, key)
    assert answer.headers["x-clickhouse-exception-code"] in {code, "167", "306"}, answer.text
    assert port.said("SELECT 1", key) == "1\n"
