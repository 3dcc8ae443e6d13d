"""Starts ``real_server``: a ClickHouse server that can be killed and started again."""

from __future__ import annotations

import json
import shutil
import signal
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote

import clickhouse_connect
import pytest
from tests.support.found_entrance import EntranceNotFoundError, entrance
from tests.support.programs import clean_environment, start
from tests.support.real_server import DATABASE, users

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clickhouse_connect.driver.client import Client
    from tests.support.programs import Program

STOP_S = 30.0


@cache
def require_entrance() -> None:
    """Skip the test, with a reason, where the library cannot be a server."""
    try:
        entrance()
    except EntranceNotFoundError as error:
        pytest.skip(str(error))


def url_of(
    address: str, database: str = DATABASE, user: str = "default", password: str = ""
) -> str:
    """Return the store URL for an address such as ``http://127.0.0.1:8123``."""
    place = address.removeprefix("http://")
    return f"clickhouse://{quote(user)}:{quote(password)}@{place}/{database}"


class StartedServer:
    """A server over a directory of its own; it retains its ports.

    ``accounts`` are additional accounts (``real_server.account``), known from each start on.
    """

    def __init__(self, place: Path, accounts: str = "") -> None:
        require_entrance()
        self.place = place
        self.http = self.native = 0
        self._process: Program | None = None
        place.mkdir(parents=True, exist_ok=True)
        self.set_accounts(accounts)
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.http}"

    @property
    def log(self) -> str:
        """Its output, and its own log."""
        files = (self.place / name for name in ("output", "log"))
        return "".join(file.read_text() for file in files if file.exists())

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def url(self, database: str = DATABASE, user: str = "default", password: str = "") -> str:
        """Return the URL of a store on the server."""
        return url_of(self.address, database, user, password)

    def client(self, database: str = DATABASE, user: str = "admin", password: str = "") -> Client:
        """Return a client that is connected to the server."""
        return clickhouse_connect.get_client(dsn=self.url(database, user, password))

    def set_accounts(self, accounts: str, *, read_only: bool = False) -> None:
        """Set the additional accounts, from the next start on.

        ``read_only`` applies to the account ``store``.
        """
        (self.place / "users.xml").write_text(users(accounts, read_only=read_only))

    def start(self) -> None:
        """Start the server and return once it listens."""
        ports = (str(self.http), str(self.native))
        command = ["-m", "tests.support.real_server", str(self.place), *ports]
        with (self.place / "output").open("a") as sink:
            self._process = start(command, clean_environment(), sink.fileno())
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self.log
        told = json.loads(line)
        self.http, self.native = told["http"], told["native"]

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal that ends the server, and wait for its end."""
        if self._process is None:
            return
        self._process.send_signal(number)
        self._process.wait(STOP_S)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None


@contextmanager
def started_server(
    place: Path, accounts: str = "", made: Path | None = None
) -> Iterator[StartedServer]:
    """Run a server over a directory, with a copy of the data in ``made`` if given."""
    if made:
        shutil.copytree(made / "data", place / "data", symlinks=True)
    server = StartedServer(place, accounts)
    try:
        yield server
    finally:
        server.end(signal.SIGKILL)
