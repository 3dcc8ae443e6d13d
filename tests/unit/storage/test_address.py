"""Addresses of stores are read from URLs and files, and are shown without passwords."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.core.errors import StartupError
from spanloom.storage.engine.address import (
    Host,
    Server,
    StoreAddress,
    parse_server,
    without_password,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("clickhouse://db", Server((Host("db", 8123),), "default", "", "", False)),
        ("clickhouses://db/", Server((Host("db", 8443),), "default", "", "", True)),
        (
            "clickhouse://me:p%40%2Fss@a:1,b,[::1]:3/traces",
            Server((Host("a", 1), Host("b", 8123), Host("::1", 3)), "me", "p@/ss", "traces", False),
        ),
        ("clickhouse://me:p@ss@a,a/d", Server((Host("a", 8123),), "me", "p@ss", "d", False)),
    ],
)
def test_a_server_has_hosts_an_account_and_a_database(url: str, server: Server) -> None:
    assert parse_server(url) == server


@pytest.mark.parametrize(
    "url",
    [
        "",
        "clickhouse:///db",
        "clickhouse://a,,b/db",
        "clickhouse://a:0/db",
        "clickhouse://a:65536/db",
        "clickhouse://a:port/db",
        "clickhouse://me:half/pass@a/db",
        "clickhouse://a/db/more",
        "clickhouse://a/db?option=1",
        "http://a:8123",
    ],
)
def test_what_is_no_url_of_a_server_is_none(url: str) -> None:
    assert parse_server(url) is None


def test_a_host_is_written_as_it_is_read() -> None:
    assert str(Host("::1", 8123)) == "[::1]:8123"
    assert str(Host("db", 8123)) == "db:8123"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("clickhouse://me:secret@a,b/d", "clickhouse://me:…@a,b/d"),
        ("clickhouse://me:sec@ret/x@a/d", "clickhouse://me:…@a/d"),
        ("clickhouse://me@a/d", "clickhouse://me@a/d"),
        ("chdb:///data", "chdb:///data"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown


def test_files_are_read_each_time(tmp_path: Path) -> None:
    url, password = tmp_path / "url", tmp_path / "password"
    url.write_text("clickhouse://me:old@a/d\n")
    address = StoreAddress(url_file=url, password_file=password)
    for secret in ("first word", "second"):
        password.write_text(f"{secret}\n")
        assert address.read().password == secret
    assert address.options == f"--store-url-file {url} --store-password-file {password}"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "none"
    with pytest.raises(StartupError, match=f"the file {missing} cannot be read: No such file"):
        StoreAddress("clickhouse://a/d", password_file=missing).read()


def test_a_file_without_a_url_is_named_without_what_it_has(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text("the-password-itself")
    with pytest.raises(StartupError, match="is no store") as refusal:
        StoreAddress(url_file=file).read()
    assert "password-itself" not in str(refusal.value)
