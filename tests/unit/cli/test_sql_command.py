"""``spanloom sql`` against a port: every digit, every form, and the engine's own messages."""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import TYPE_CHECKING, cast

import pytest
from click.testing import CliRunner, Result
from tests.support.sql_port import SqlPort, open_port

from spanloom import __main__ as entry
from spanloom.cli.running import spanloom
from spanloom.client import NotFoundError, UnauthenticatedError, UnreachableError
from spanloom.client.sql import find_sql_url
from spanloom.core.records.upkeep import ServiceDescription

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanloom import Client
    from spanloom.storage.store import ClickHouseStore

    Ask = Callable[..., Result]

BIG, WIDE = 2**64 - 1, 2**200 + 1
NUMBERS = (
    f"SELECT toUInt64({BIG}) AS big, toInt64(-{2**63}) AS low, toUInt256('{WIDE}') AS wide,"
    " toDecimal64('0.10', 2) AS cents, nan AS no, NULL AS none, '=1+1' AS text, [1, 2] AS list"
)


@pytest.fixture(scope="module")
def port(clickhouse_store: ClickHouseStore) -> Iterator[SqlPort]:
    path = clickhouse_store.snapshots._path
    if path is None:
        pytest.skip("the SQL port is for the embedded store")
    with open_port(path) as port:
        yield port


@pytest.fixture
def ask(port: SqlPort) -> Ask:
    def _ask(*words: str, text: str | None = None) -> Result:
        runner = CliRunner(env={"SPANLOOM_SQL_URL": port.url, "COLUMNS": "300"})
        return runner.invoke(spanloom, ["sql", *words], input=text)

    return _ask


@pytest.mark.parametrize("form", [[], ["--json"], ["--output", "json"]])
def test_numbers_have_all_their_digits_as_json(ask: Ask, form: list[str]) -> None:
    found = json.loads(ask(NUMBERS, *form).stdout, parse_float=str)
    [row] = found if "json" in form else [found]
    assert (row["big"], row["low"], row["wide"]) == (BIG, -(2**63), WIDE)
    assert (row["cents"], row["no"], row["none"], row["list"]) == ("0.1", "nan", None, [1, 2])


def test_numbers_have_all_their_digits_as_csv(ask: Ask) -> None:
    head, row = csv.reader(io.StringIO(ask(NUMBERS, "--csv").stdout))
    found = dict(zip(head, row, strict=True))
    assert [int(found[name]) for name in ("big", "low", "wide")] == [BIG, -(2**63), WIDE]
    assert (found["text"], found["none"], found["list"]) == ("'=1+1", "", "[1, 2]")


def test_numbers_have_all_their_digits_in_a_table(ask: Ask) -> None:
    head, row = ask(NUMBERS, "--output", "table").stdout.splitlines()
    assert head.split() == ["big", "low", "wide", "cents", "no", "none", "text", "list"]
    assert row.split()[:7] == [str(BIG), str(-(2**63)), str(WIDE), "0.1", "nan", "-", "=1+1"]


def test_no_row_is_said_on_a_terminal_and_nothing_in_a_pipe(ask: Ask) -> None:
    nothing = "SELECT TraceId FROM v_trajectories WHERE 0"
    assert ask(nothing, "--output", "table").stdout == "No rows.\n"
    assert ask(nothing).stdout == ""
    assert json.loads(ask(nothing, "--output", "json").stdout) == []


def test_a_statement_from_standard_input_and_a_format_of_clickhouse(ask: Ask) -> None:
    assert ask("-", text="SELECT 1 AS x").stdout == '{"x":1}\n'
    assert ask("SELECT 1 AS x", "--format", "Vertical").stdout.endswith("x: 1\n")
    assert ask("SELECT 1 AS x FORMAT CSV").stdout == "1\n"
    assert ask("SELECT 1 AS x", "--format", "Parquet").stdout_bytes[:4] == b"PAR1"


@pytest.mark.parametrize(
    ("statement", "status", "said"),
    [
        ("SELEC 1", 2, "SQL 62 SYNTAX_ERROR: "),
        ("SELECT x FROM nowhere", 2, "SQL 60 UNKNOWN_TABLE: "),
        ("DROP TABLE trajectories", 1, "SQL 497 ACCESS_DENIED: "),
        ("SELECT sum(number) FROM numbers(9) SETTINGS max_rows_to_read = 1", 1, "SQL 158 "),
    ],
)
def test_what_the_engine_says_is_one_line_with_its_code(
    ask: Ask, statement: str, status: int, said: str
) -> None:
    result = ask(statement)
    assert (result.exit_code, result.stdout) == (status, "")
    assert result.stderr.startswith(f"Error: {said}")
    assert "DB::Exception" not in result.stderr


def test_the_place_of_a_fault_is_marked(
    port: SqlPort, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["spanloom", "sql", "SELECT '退款',\n  1 1", "--sql-url", port.url]
    monkeypatch.setattr(sys, "argv", asked)
    with pytest.raises(SystemExit) as end:
        entry.main()
    assert end.value.code == 2
    assert capsys.readouterr().err.splitlines()[1:] == ["    1 1", "      ^"]


class Telling:
    """A stand-in for ``Client`` that reports ``port`` as the SQL port, or raises ``error``."""

    def __init__(self, url: str, port: int | None = None, error: Exception | None = None) -> None:
        self.url, self._port, self._error = url, port, error

    def service(self) -> ServiceDescription:
        if self._error:
            raise self._error
        return ServiceDescription(version="1", sql_port=self._port)


@pytest.mark.parametrize(
    ("url", "port", "found"),
    [
        ("http://127.0.0.1:8080", 9000, "http://127.0.0.1:9000"),
        ("https://traces.example/behind", 8123, "https://traces.example:8123"),
        ("http://[::1]:8080", 9000, "http://[::1]:9000"),
        ("http://traces.example", None, "http://127.0.0.1:8123"),
    ],
)
def test_the_port_is_on_the_host_of_the_api(url: str, port: int | None, found: str) -> None:
    assert find_sql_url(cast("Client", Telling(url, port))) == found


def test_a_service_that_says_nothing_is_asked_at_the_usual_address() -> None:
    for error in (UnreachableError("away"), NotFoundError(404, "Not Found", "older")):
        telling = Telling("http://traces.example", error=error)
        assert find_sql_url(cast("Client", telling)) == "http://127.0.0.1:8123"
    refused = Telling("http://traces.example", error=UnauthenticatedError(401, "", "a key"))
    with pytest.raises(UnauthenticatedError):
        find_sql_url(cast("Client", refused))


def test_what_is_no_sql_port(port: SqlPort, ask: Ask) -> None:
    nobody = ask("SELECT 1", "--sql-url", "127.0.0.1:9")
    assert nobody.exit_code == 3
    assert "start it with `spanloom serve --sql-port 8123`, or name its address" in nobody.stderr
    other = ask("SELECT 1", "--sql-url", f"{port.url}play")
    assert (other.exit_code, "is no SQL port (HTTP 404)" in other.stderr) == (1, True)
