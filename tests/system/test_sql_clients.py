"""Clients that know nothing of Spanloom, in several languages, query the SQL port with a key.

clickhouse-driver and clickhouse-client are not among them, because they do not use HTTP.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import clickhouse_connect
import httpx
import pytest
from clickhouse_connect.driver.exceptions import DatabaseError, ProgrammingError
from tests.support.agents import REPOSITORY
from tests.support.otlp_door import JSON
from tests.support.programs import clean_environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.conftest import RunSpanloom, StartSpanloom

CLIENTS = REPOSITORY / "tests" / "sql_clients"
RUN_S = 300.0
SPANS = 3
SLOW = "SELECT count() FROM numbers(1900000000) WHERE sipHash64(number) = 1"


class Sql(NamedTuple):
    """The address of a SQL port and a key for it."""

    host: str
    port: int
    key: str


@pytest.fixture(scope="module")
def sql(start_shared_spanloom: StartSpanloom, run_spanloom: RunSpanloom) -> Sql:
    spanloom = start_shared_spanloom("serve", "--sql-port=0")
    address = urlsplit(spanloom.addresses["sql"])
    assert address.hostname is not None
    assert address.port is not None
    post_spans(spanloom.addresses["otlp_http"])
    await_spans(spanloom.addresses["sql"])
    data = f"--data-dir={spanloom.addresses['data_dir']}"
    made = run_spanloom("keys", "create", "--project=default", "--scopes=read", data)
    found = Sql(address.hostname, address.port, made.stdout.strip())
    await_lock(spanloom.addresses["sql"])
    return found


def test_spanloom_sql_finds_the_port_by_the_service(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom
) -> None:
    api = start_spanloom("serve", "--sql-port=0").api
    told = run_spanloom("sql", "SELECT 1 AS x", f"--api-url={api}")
    assert (told.stdout, told.stderr) == ('{"x":1}\n', "")


def post_spans(url: str) -> None:
    times = {"startTimeUnixNano": "1760000000000000000", "endTimeUnixNano": "1760000001000000000"}
    spans = [
        {"traceId": "ab" * 16, "spanId": f"{n:016x}", "name": f"span {n}", **times}
        for n in range(1, SPANS + 1)
    ]
    message = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    assert httpx.post(f"{url}/v1/traces", json=message).headers["content-type"] == JSON


def await_spans(url: str) -> None:
    until = time.monotonic() + 30
    while httpx.get(url, params={"query": "SELECT count() FROM v_spans"}).text != f"{SPANS}\n":
        assert time.monotonic() < until, "the spans do not arrive"
        time.sleep(0.1)


def await_lock(url: str) -> None:
    until = time.monotonic() + 10
    while httpx.get(url, params={"query": "SELECT 1"}).status_code != 401:
        assert time.monotonic() < until, "the key does not count"
        time.sleep(0.1)


@pytest.mark.parametrize("compress", [False, "lz4", "zstd", "gzip"])
def test_clickhouse_connect(sql: Sql, compress: bool | str) -> None:
    client = clickhouse_connect.get_client(
        host=sql.host, port=sql.port, username="any", password=sql.key, compress=compress
    )
    assert client.query("SELECT SpanName FROM v_spans ORDER BY 1").result_rows[0] == ("span 1",)
    assert client.query("SELECT * FROM v_steps WHERE 1 = 0").column_names[0] == "Project"
    assert client.command("SELECT count() FROM otel_traces") == SPANS
    bound = client.query("SELECT {a:Int32} + 1, {b:String}", parameters={"a": 41, "b": "'\t\\"})
    assert bound.result_rows == [(42, "'\t\\")]
    long = client.query("SELECT length({b:String})", parameters={"b": "x" * 50_000})
    assert long.result_rows == [(50_000,)]
    with client.query_row_block_stream("SELECT number FROM numbers(200000)") as blocks:
        assert sum(map(len, blocks)) == 200_000
    for refused in ("INSERT INTO steps (Project) VALUES ('x')", "SELECT file('/etc/passwd')"):
        with pytest.raises(DatabaseError, match="ACCESS_DENIED"):
            client.command(refused)
    with pytest.raises(DatabaseError, match="TIMEOUT_EXCEEDED"):
        client.query(SLOW, settings={"max_execution_time": 1})
    with pytest.raises(ProgrammingError, match="readonly"):
        client.query("SELECT 1", settings={"max_rows_in_set": 1})


def test_without_a_key_it_is_not_let_in(sql: Sql) -> None:
    with pytest.raises(DatabaseError, match="AUTHENTICATION_FAILED"):
        clickhouse_connect.get_client(host=sql.host, port=sql.port)


def test_sqlalchemy(sql: Sql) -> None:
    if find_spec("sqlalchemy") is None:
        pytest.skip("needs pip install sqlalchemy")
    import sqlalchemy as sa  # noqa: PLC0415  # only if it is installed

    engine = sa.create_engine(f"clickhousedb://any:{sql.key}@{sql.host}:{sql.port}/default")
    with engine.connect() as connection:
        spans = sa.Table("v_spans", sa.MetaData(), autoload_with=engine)
        counted = sa.select(sa.func.count()).select_from(spans)
        assert connection.execute(counted).scalar() == SPANS
        names = sa.select(spans.c.SpanName).where(spans.c.SpanName == "span 2")
        assert connection.execute(names).fetchall() == [("span 2",)]
        assert "v_steps" in sa.inspect(engine).get_table_names()


def test_the_javascript_client(sql: Sql) -> None:
    node = shutil.which("node")
    if node is None or not (CLIENTS / "node_modules").exists():
        pytest.skip("needs Node: npm install in tests/sql_clients")
    found = run([node, "ask.mjs"], CLIENTS, f"http://{sql.host}:{sql.port}", sql.key)
    assert found == {
        "ping": True,
        "counted": SPANS,
        "bound": {"a": 42, "b": "it's\t\\"},
        "streamed": 100_000,
        "refused": "ACCESS_DENIED",
        "outside": "ACCESS_DENIED",
        "nothing": "UNKNOWN_TABLE",
        "ended": "TIMEOUT_EXCEEDED",
        "cancelled": True,
    }


def test_clickhouse_go(sql: Sql, tmp_path: Path) -> None:
    go = shutil.which("go")
    if go is None:
        pytest.skip("needs Go")
    if find_spec("clickhouse_cityhash") is None:
        pytest.skip("needs pip install 'spanloom[sql]'")
    program = tmp_path / "ask"
    built = subprocess.run(
        [go, "build", "-o", program, "."],
        cwd=CLIENTS / "go",
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    if built.returncode:
        pytest.skip(f"cannot build clickhouse-go here: {built.stderr.splitlines()[-1]}")
    found = run([str(program)], tmp_path, f"{sql.host}:{sql.port}", sql.key)
    expected = {
        "counted": SPANS,
        "bound": "it's",
        "lists": ["x", "y"],
        "map": {"k": "v"},
        "when": "2024-01-02T03:04:05.678Z",
        "streamed": 100_000,
        "empty": True,
        "refused": 497,
        "outside": 497,
        "nothing": 60,
        "ended": 159,
    }
    assert found == dict.fromkeys(("none", "lz4", "zstd", "gzip"), expected)


def run(program: Sequence[str], folder: Path, address: str, key: str) -> dict[str, Any]:
    """Run a client program to its end; return the JSON that it printed."""
    ended = subprocess.run(
        program,
        cwd=folder,
        env=clean_environment({"SPANLOOM_SQL": address, "SPANLOOM_KEY": key}),
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found
