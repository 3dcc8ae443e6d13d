from __future__ import annotations

import gzip

import pytest

from spanloom.core.ports.sql import SqlError
from spanloom.sql.requests import Query, parse_query

LIMIT = 1 << 20


def read(body: bytes = b"", headers: dict[str, str] | None = None, **arguments: str) -> Query:
    return parse_query(arguments, headers or {}, body, LIMIT)


def test_a_statement_in_the_url_and_in_the_body() -> None:
    assert read(query="SELECT 1").text == "SELECT 1"
    assert read(b"SELECT 2").text == "SELECT 2"
    both = read(b"1\t2", query="INSERT INTO t FORMAT TSV")
    assert (both.in_url, both.body) == ("INSERT INTO t FORMAT TSV", b"1\t2")
    assert both.text == "INSERT INTO t FORMAT TSV\n1\t2"


def test_arguments_are_settings_parameters_or_the_doors() -> None:
    asked = read(param_a="1", max_threads="2", database="default", session_id="s", query="SELECT 1")
    assert asked.settings == {"max_threads": "2"}
    assert asked.parameters == {"a": "1"}
    assert (asked.database, asked.session_id) == ("default", "s")


def test_formats_and_databases_may_be_headers() -> None:
    asked = read(headers={"x-clickhouse-format": "JSON", "x-clickhouse-database": "system"})
    assert (asked.format, asked.database) == ("JSON", "system")
    assert read().format == "TabSeparated"
    assert read(default_format="CSV").format == "CSV"


def test_an_answer_is_compressed_for_those_alone_who_ask_twice() -> None:
    accepting = {"accept-encoding": "gzip"}
    assert read(headers=accepting).coding == ""
    assert read(headers=accepting, enable_http_compression="1").coding == "gzip"


def test_a_compressed_body() -> None:
    coded = {"content-encoding": "gzip"}
    assert read(gzip.compress(b"SELECT 3"), coded).text == "SELECT 3"


@pytest.mark.parametrize("query_id", ["a\nb", "é", "x" * 129, " "])
def test_a_query_id_goes_into_a_header(query_id: str) -> None:
    with pytest.raises(SqlError, match="query_id"):
        read(query_id=query_id)


@pytest.mark.parametrize("name", ["session_timeout", "client_protocol_version"])
def test_numbers_are_numbers(name: str) -> None:
    with pytest.raises(SqlError, match=name):
        parse_query({name: "-1"}, {}, b"", LIMIT)


FORM = {"content-type": "multipart/form-data; boundary=x"}


def part(disposition: str, content: str) -> bytes:
    return f"--x\r\nContent-Disposition: form-data; {disposition}\r\n\r\n{content}\r\n".encode()


def test_what_is_too_long_for_a_url_comes_in_a_form() -> None:
    body = part('name="param_a"', "é" * 9000) + part('name="query"', "SELECT {a:String}") + b"--x--"
    asked = read(body, FORM, max_threads="2")
    assert (asked.text, asked.parameters) == ("SELECT {a:String}", {"a": "é" * 9000})
    assert asked.settings == {"max_threads": "2"}


def test_tables_sent_along_are_refused() -> None:
    with pytest.raises(SqlError, match="not accepted"):
        read(part('name="t"; filename="t"', "1") + b"--x--", FORM)


def test_a_form_that_is_none_is_refused() -> None:
    with pytest.raises(SqlError, match="not a form"):
        read(b"SELECT 1", {"content-type": "multipart/form-data"})


def test_a_statement_is_utf_8() -> None:
    with pytest.raises(SqlError, match="UTF-8"):
        assert read(b"SELECT '\xff'").text
